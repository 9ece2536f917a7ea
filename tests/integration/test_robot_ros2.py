"""A robot of ROS 2 behind a server as it is delivered: goals block their connection,
refusals are silent, and a restarted navigation forgets. Over real sockets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from robot_bridge.client import RobotClient
from robot_bridge.probe import probe
from robot_bridge.profiles import Profile, load_profile, parse_profile
from robot_bridge.reports import (
    CommandState,
    Ended,
    Foreign,
    LinkState,
    Problem,
    Progress,
)
from shopfloor.sim.server import RunningSimulator, running
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.trace import Trace
from shopfloor.sim.vehicle import Pose as Place
from shopfloor.sim.world import RobotSpec, World
from tests.support.rosbridge import LocalClient
from tests.support.waiting import eventually

ACTION = "/robot1/navigate_to_pose"


def quick(**more: float) -> Profile:
    """Nav2 with short patience."""
    limits = {"max_ack_wait_s": 2.0, "check_wait_s": 1.0, "feedback_s": 2.0, **more}
    shipped = load_profile("nav2")
    return parse_profile(
        {
            "name": "nav2",
            "dialect": "ros2",
            "driver": "ros2_action",
            "action": {"name": "navigate_to_pose", "type": shipped.action.type},  # type: ignore[union-attr]
            "goal": shipped.goal,
            "topics": {
                "pose": {"name": "amcl_pose", "type": shipped.topics.pose.type},
                "odom": {"name": "odom", "type": "nav_msgs/Odometry", "fresh_s": 1.0},
            },
            "limits": limits,
        }
    )


class Robot:
    def __init__(self, url: str, profile: Profile) -> None:
        self.reports: list[Any] = []
        self.client = RobotClient(
            url,
            profile,
            "robot1",
            lambda _, report: self.reports.append(report),
            namespace="robot1",
        )
        self.client.start()

    def of(self, kind: type) -> list[Any]:
        return [each for each in self.reports if isinstance(each, kind)]

    def state(self) -> CommandState | None:
        return self.client.snapshot().command_state

    def end(self) -> Ended:
        ended: Ended = eventually(lambda: self.of(Ended), "an end")[-1]
        return ended


@pytest.fixture
def simulator() -> Iterator[RunningSimulator]:
    floor = World(robots=(RobotSpec("robot1", Place(1.0, 1.0), tag=1),))
    sim = Simulation(floor, dialect="ros2", speed=3.0, trace=Trace(keep=True))
    with running(sim) as simulator:
        yield simulator


@pytest.fixture
def robot(simulator: RunningSimulator) -> Iterator[Robot]:
    robot = Robot(simulator.url, quick())
    eventually(lambda: robot.client.snapshot().reconciled, "a reconciled robot")
    yield robot
    robot.client.stop()


def started(simulator: RunningSimulator) -> list[str]:
    lines = simulator.simulation.trace.records
    return [each["goal_id"] for each in lines if each["event"] == "goal_started"]


def drive(robot: Robot, name: str, x_m: float) -> None:
    robot.client.navigate(name, x_m, 1.0, expires_at=time.time() + 60)
    eventually(lambda: robot.state() is CommandState.ACTIVE, "a drive")


def standing(simulator: RunningSimulator) -> bool:
    at: float = simulator.do(
        lambda: simulator.simulation.robots["robot1"].vehicle.speed_mps
    )
    return at == 0.0


@pytest.mark.covers("A19")
def test_a_running_goal_is_cancelled_though_it_blocks_its_connection(
    simulator: RunningSimulator, robot: Robot
) -> None:
    drive(robot, "g1", 18.0)
    assert robot.client.snapshot().link is LinkState.UP
    robot.client.cancel("g1")
    assert robot.end().state is CommandState.CANCELLED
    eventually(lambda: standing(simulator), "a robot that stands")
    [told] = [p for p in robot.of(Problem) if p.kind == "goals_block"]
    assert "send_action_goals_in_new_thread" in told.text
    robot.reports.clear()
    drive(robot, "g2", 3.0)
    assert robot.end().state is CommandState.SUCCEEDED


def test_the_setting_is_no_problem_where_it_is_right(
    simulator: RunningSimulator,
) -> None:
    simulator.fault("goal_threads *")
    robot = Robot(simulator.url, quick())
    eventually(lambda: robot.client.snapshot().reconciled, "a reconciled robot")
    drive(robot, "g1", 3.0)
    assert robot.end().state is CommandState.SUCCEEDED
    assert not [p for p in robot.of(Problem) if p.kind == "goals_block"]
    robot.client.stop()


def test_a_goal_that_is_refused_in_silence_ends_and_can_be_given_again(
    simulator: RunningSimulator, robot: Robot
) -> None:
    simulator.fault("reject robot1")
    robot.client.navigate("g1", 3.0, 1.0, expires_at=time.time() + 60)
    end = robot.end()
    assert (end.state, end.inferred) == (CommandState.UNKNOWN, True)
    assert "never answered" in end.reason
    robot.reports.clear()
    drive(robot, "g2", 3.0)
    assert robot.end().state is CommandState.SUCCEEDED
    assert started(simulator) == ["g2"]


def test_a_goal_whose_navigation_restarts_ends_and_can_be_given_again(
    simulator: RunningSimulator, robot: Robot
) -> None:
    drive(robot, "g1", 18.0)
    simulator.fault("restart_navigation robot1 1")
    end = robot.end()
    assert end.state is CommandState.UNKNOWN
    assert "nothing more is heard" in end.reason or "no longer knows" in end.reason
    robot.reports.clear()
    drive(robot, "g2", 3.0)
    assert robot.end().state is CommandState.SUCCEEDED
    assert started(simulator) == ["g1", "g2"]


def test_a_lost_result_is_read_from_the_list_of_goals(
    simulator: RunningSimulator, robot: Robot
) -> None:
    simulator.fault("lost_result robot1")
    drive(robot, "g1", 3.0)
    end = robot.end()
    assert (end.state, end.inferred) == (CommandState.SUCCEEDED, True)


def test_a_goal_that_another_client_replaces_is_called_off_not_failed(
    simulator: RunningSimulator, robot: Robot
) -> None:
    drive(robot, "g1", 18.0)
    pose = {"position": {"x": 2.0, "y": 8.0}, "orientation": {"w": 1.0}}

    def interfere() -> None:
        other = LocalClient(simulator.simulation, None)  # type: ignore[arg-type]
        other.publish(
            "/robot1/goal_pose", "geometry_msgs/msg/PoseStamped", {"pose": pose}
        )

    simulator.do(interfere)
    end = robot.end()
    assert end.state is CommandState.CANCELLED
    assert "another client" in end.reason
    assert eventually(lambda: robot.of(Foreign), "a foreign goal")[0].goals


def test_a_wrong_action_name_is_told_and_nothing_is_sent(
    simulator: RunningSimulator,
) -> None:
    wrong = parse_profile(
        {
            "name": "wrong",
            "dialect": "ros2",
            "driver": "ros2_action",
            "action": {"name": "navigate", "type": "nav2_msgs/action/NavigateToPose"},
            "topics": {
                "pose": {
                    "name": "amcl_pose",
                    "type": "geometry_msgs/PoseWithCovarianceStamped",
                }
            },
        }
    )
    told = probe(
        simulator.url, wrong, 3.0, 1.0, 2.0, robot_id="robot1", namespace="robot1"
    )
    [problem] = [p for p in told["problems"] if p["kind"] == "unknown_action"]
    assert problem["name"] == "/robot1/navigate"
    assert ACTION in problem["text"]
    assert started(simulator) == []


def test_an_empty_battery_is_told_and_the_drive_goes_on_when_it_is_charged(
    simulator: RunningSimulator,
) -> None:
    robot = Robot(simulator.url, quick(progress_s=1.0))
    eventually(lambda: robot.client.snapshot().reconciled, "a reconciled robot")
    drive(robot, "g1", 12.0)
    simulator.fault("low_battery robot1 0")
    eventually(lambda: robot.client.snapshot().blocked, "a blocked drive")
    assert robot.state() is CommandState.ACTIVE
    simulator.fault("low_battery robot1 80")
    assert robot.end().state is CommandState.SUCCEEDED
    assert started(simulator) == ["g1"]
    robot.client.stop()


def test_a_worker_that_takes_over_does_not_drive_the_goal_again(
    simulator: RunningSimulator, robot: Robot
) -> None:
    drive(robot, "g1", 12.0)
    robot.client.stop()
    second = Robot(simulator.url, quick())
    second.client.navigate(
        "g1", 12.0, 1.0, expires_at=time.time() + 60, maybe_sent_at=time.time()
    )
    end = second.end()
    assert (end.state, end.inferred) == (CommandState.SUCCEEDED, True)
    assert started(simulator) == ["g1"]
    second.client.stop()


def test_after_a_lost_connection_the_goal_is_followed_and_not_sent_again(
    simulator: RunningSimulator, robot: Robot
) -> None:
    drive(robot, "g1", 12.0)
    simulator.fault("cut * 1")
    assert robot.end().state is CommandState.SUCCEEDED
    assert started(simulator) == ["g1"]


def test_an_action_that_comes_late_is_found_without_a_new_connection(
    simulator: RunningSimulator,
) -> None:
    simulator.fault("restart_navigation robot1 3")
    robot = Robot(simulator.url, quick())
    missing: Callable[[], list[Problem]] = lambda: [  # noqa: E731
        p for p in robot.of(Problem) if p.kind == "unknown_action"
    ]
    eventually(missing, "a missing action")
    eventually(lambda: robot.client.snapshot().reconciled, "a reconciled robot")
    drive(robot, "g1", 3.0)
    assert robot.end().state is CommandState.SUCCEEDED
    assert robot.of(Progress)
    robot.client.stop()
