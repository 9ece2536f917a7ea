"""Goals to simulated robots over a real connection, and who may give them.

The robots run on a thread of the test; the ownership tests use PostgreSQL and robots
that only write down what they are told.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mpms import assets, bootstrap
from mpms.domain.errors import DatabaseAway
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.adapters.robots.robots import BridgeRobots, RobotsMisconfigured
from mpms.factory.domain.goals import Goal, GoalReport, GoalState, Pose
from mpms.factory.domain.worlds import RobotInfo, World
from mpms.factory.ports.robots.robots import RobotState
from mpms.factory.services.robots.own import OwnRobots
from mpms.factory.services.robots.settle_goals import settle_goal
from robot_bridge.address import Address
from robot_bridge.connection import Connection
from robot_bridge.profiles import load_profile
from robot_bridge.reasons import LOST, NOT_MADE
from shopfloor.plant.served import FullSimulation, warm_up
from shopfloor.sim.server import RunningSimulator, running
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.trace import Trace
from shopfloor.sim.vehicle import Pose as Place
from shopfloor.sim.world import RobotSpec
from shopfloor.sim.world import World as Floor
from shopfloor.sim.world_file import load_world
from tests.support.waiting import eventually

ENDLESS_S = 1e9
PATIENCE_S = 60.0


def goal_to(x_m: float, y_m: float, name: str = "g1", robot: str = "robot1") -> Goal:
    return Goal(
        name,
        robot,
        "a place",
        Pose(x_m, y_m, 0.0),
        GoalState.SENT,
        sent_at=datetime.now(UTC),
    )


def world_of(*robots: str, profile: str = "move_base") -> World:
    infos = [RobotInfo(r, "carrier", "home", profile, 1.0, 100.0) for r in robots]
    return World("test", {"home": Pose(1.0, 1.0)}, {}, tuple(infos))


@pytest.fixture
def simulator() -> Iterator[RunningSimulator]:
    floor = Floor(
        robots=(
            RobotSpec("robot1", Place(1.0, 1.0), tag=1),
            RobotSpec("robot2", Place(1.0, 3.0), tag=2),
        )
    )
    with running(Simulation(floor, speed=20.0, trace=Trace(keep=True))) as simulator:
        yield simulator


@pytest.fixture
def connect() -> Iterator[Callable[..., BridgeRobots]]:
    """Return a function that connects robots and takes them."""
    made: list[BridgeRobots] = []

    def make(url: str, *names: str, profile: str = "move_base") -> BridgeRobots:
        robots = BridgeRobots(world_of(*names, profile=profile), url)
        made.append(robots)
        for name in names:
            robots.take(name)
        robots.permit(time.monotonic() + ENDLESS_S)
        return robots

    yield make
    for robots in made:
        robots.close()


def state(robots: BridgeRobots, robot: str = "robot1") -> RobotState:
    return next(s for s in robots.states() if s.robot == robot)


def starts(simulator: RunningSimulator) -> list[str]:
    records = simulator.do(lambda: list(simulator.simulation.trace.records))
    return [r["goal_id"] for r in records if r["event"] == "goal_started"]


def test_a_goal_is_driven_and_its_report_is_kept_until_it_is_acknowledged(
    simulator: RunningSimulator, connect: Callable[..., BridgeRobots]
) -> None:
    robots = connect(simulator.url, "robot1", "robot2")
    eventually(lambda: all(s.ready for s in robots.states()), "both are ready")
    assert state(robots).link == "up"
    assert (state(robots).x_m, state(robots).y_m) == (1.0, 1.0)
    robots.navigate(goal_to(3.0, 2.0), maybe_sent=False)
    (report,) = eventually(robots.reports, "the goal ends")
    assert report == GoalReport("g1", GoalState.REACHED, report.reason, False)
    assert list(robots.reports()) == [report]
    robots.acknowledge("g1")
    assert robots.reports() == []
    assert starts(simulator) == ["g1"]
    eventually(lambda: state(robots).x_m == 3.0, "it tells where it is")


def test_a_goal_handed_over_again_is_driven_once(
    simulator: RunningSimulator, connect: Callable[..., BridgeRobots]
) -> None:
    robots = connect(simulator.url, "robot1")
    goal = goal_to(3.0, 2.0)
    robots.navigate(goal, maybe_sent=False)
    robots.navigate(goal, maybe_sent=True)
    eventually(robots.reports, "the goal ends")
    robots.acknowledge("g1")
    robots.navigate(goal, maybe_sent=True)
    (report,) = eventually(robots.reports, "it is told again")
    assert report.state is GoalState.REACHED
    assert starts(simulator) == ["g1"]


def test_a_robot_that_is_away_keeps_its_goal_waiting(
    simulator: RunningSimulator, connect: Callable[..., BridgeRobots]
) -> None:
    robots = connect(simulator.url, "robot1")
    eventually(lambda: state(robots).ready, "it is ready")
    simulator.fault("cut *")
    eventually(lambda: state(robots).link == "down", "the link is down")
    assert not state(robots).ready
    causes = {f"does not answer: {cause}" for cause in (LOST, NOT_MADE)}
    assert state(robots).why_not in causes  # the second once it was tried again
    robots.navigate(goal_to(3.0, 2.0), maybe_sent=False)
    simulator.fault("clear *")
    (report,) = eventually(robots.reports, "the goal ends")
    assert report.state is GoalState.REACHED
    assert starts(simulator) == ["g1"]


def test_a_goal_that_could_not_be_sent_for_long_is_for_a_person_to_decide(
    simulator: RunningSimulator,
    connect: Callable[..., BridgeRobots],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mpms.factory.adapters.robots.robots.EXPIRY_S", 0.2)
    robots = connect(simulator.url, "robot1")
    eventually(lambda: state(robots).ready, "it is ready")
    simulator.fault("cut *")
    eventually(lambda: state(robots).link == "down", "the link is down")
    robots.navigate(goal_to(3.0, 2.0), maybe_sent=False)
    (report,) = eventually(robots.reports, "the goal ends")
    assert report.state is GoalState.CANCELLED
    assert "expired before it could be sent" in str(report.reason)


def test_a_link_that_breaks_again_and_again_fills_no_log(
    simulator: RunningSimulator,
    connect: Callable[..., BridgeRobots],
    caplog: pytest.LogCaptureFixture,
) -> None:
    robots = connect(simulator.url, "robot1")
    eventually(lambda: state(robots).ready, "it is ready")
    simulator.fault("cut robot1")

    def connections() -> set[int]:
        records = simulator.do(lambda: list(simulator.simulation.trace.records))
        return {r["connection"] for r in records if r["event"] == "message"}

    eventually(lambda: len(connections()) > 3, "it was tried three times")
    simulator.fault("clear robot1")
    eventually(lambda: state(robots).ready, "it is ready")
    assert [r.getMessage() for r in caplog.records if r.name == "asyncio"] == []


def test_frames_that_were_queued_before_the_link_broke_fill_no_log(
    simulator: RunningSimulator,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    link = Connection(Address(simulator.url))
    try:
        eventually(lambda: link.run(lambda: link._open), "it is open")
        factory = link._factory

        def break_after_a_burst() -> None:
            for number in range(20):
                factory.send({"op": "subscribe", "id": str(number), "topic": "/tf"})
            factory._proto.transport.abort()

        closed: list[str] = []
        told = link.on_close

        def noted(reason: str) -> None:
            closed.append(reason)
            told(reason)

        monkeypatch.setattr(link, "on_close", noted)
        link.run(break_after_a_burst)
        eventually(lambda: closed, "it has noticed")
        eventually(lambda: link.run(lambda: link._open), "it is open again")
    finally:
        link.run(link.stop)
    assert [r.getMessage() for r in caplog.records if r.name == "asyncio"] == []


def test_one_robot_of_several_behind_a_server_is_cut_off_alone(
    simulator: RunningSimulator, connect: Callable[..., BridgeRobots]
) -> None:
    robots = connect(simulator.url, "robot1", "robot2")
    eventually(lambda: all(s.ready for s in robots.states()), "both are ready")
    robots.navigate(goal_to(3.0, 2.0), maybe_sent=False)
    eventually(lambda: starts(simulator), "it sets out")
    simulator.fault("cut robot1")
    eventually(lambda: state(robots).link == "stale", "it is missed")
    assert state(robots).why_not == "does not answer: nothing is heard from it"
    eventually(lambda: state(robots, "robot2").ready, "the other is ready")
    simulator.fault("clear robot1")
    (report,) = eventually(robots.reports, "the goal ends")
    assert report.state is GoalState.REACHED
    assert starts(simulator) == ["g1"]
    eventually(lambda: state(robots).x_m == 3.0, "it tells where it is")


def test_nothing_is_sent_once_the_permit_is_over(
    simulator: RunningSimulator, connect: Callable[..., BridgeRobots]
) -> None:
    robots = connect(simulator.url, "robot1", "robot2")
    eventually(lambda: all(s.ready for s in robots.states()), "both are ready")
    robots.permit(time.monotonic() - 0.001)
    robots.navigate(goal_to(3.0, 2.0), maybe_sent=False)
    robots.cancel(goal_to(3.0, 2.0))

    def heard() -> int:
        records = simulator.do(lambda: list(simulator.simulation.trace.records))
        return len([r for r in records if r["event"] == "goal_received"])

    asked = simulator.state()["time"]
    eventually(lambda: simulator.state()["time"] > asked + 3.0, "three seconds pass")
    assert heard() == 0
    robots.permit(time.monotonic() + ENDLESS_S)
    (report,) = eventually(robots.reports, "the goal ends")
    assert report.state is GoalState.CANCELLED
    assert starts(simulator) == []


def test_what_a_dropped_robot_still_says_is_not_heard(
    simulator: RunningSimulator, connect: Callable[..., BridgeRobots]
) -> None:
    robots = connect(simulator.url, "robot1", "robot2")
    robots.navigate(goal_to(3.0, 2.0), maybe_sent=False)
    eventually(robots.reports, "the goal ends")
    robots.drop("robot1")
    assert robots.reports() == []
    assert [s.robot for s in robots.states()] == ["robot2"]
    robots.navigate(goal_to(5.0, 2.0, "g2"), maybe_sent=False)
    robots.take("robot1")
    robots.permit(time.monotonic() + ENDLESS_S)
    eventually(lambda: state(robots).ready, "it is ready")
    assert starts(simulator) == ["g1"]


def test_an_emergency_stop_and_a_blocked_drive_are_visible(
    simulator: RunningSimulator,
    connect: Callable[..., BridgeRobots],
    tmp_path: Path,
) -> None:
    shipped = Path(load_profile.__code__.co_filename).parent / "profiles"
    text = (shipped / "move_base.yaml").read_text()
    own = tmp_path / "impatient.yaml"
    own.write_text(text.replace("progress_s: 30.0", "progress_s: 1.0"))
    robots = connect(simulator.url, "robot1", profile=str(own))
    eventually(lambda: state(robots).ready, "it is ready")
    simulator.do(
        lambda: setattr(simulator.simulation.robots["robot1"].vehicle, "paused", True)
    )
    robots.navigate(goal_to(5.0, 1.0), maybe_sent=False)
    eventually(lambda: "blocked" in (state(robots).why_not or ""), "it is blocked")
    assert "4.0 m left" in str(state(robots).why_not)
    assert not state(robots).ready
    simulator.fault("estop robot1")
    eventually(lambda: state(robots).why_not == "emergency stop", "it is stopped")
    simulator.fault("clear robot1")
    simulator.do(
        lambda: setattr(simulator.simulation.robots["robot1"].vehicle, "paused", False)
    )
    (report,) = eventually(robots.reports, "the goal ends")
    assert report.state is GoalState.REACHED
    eventually(lambda: state(robots).ready, "it is ready again")


def test_a_robot_that_stands_for_a_broken_laser_says_which(
    connect: Callable[..., BridgeRobots],
) -> None:
    world = load_world(assets.directory("worlds") / "arco_lab")
    warm_up(world)
    with running(FullSimulation(world, localisation="known")) as simulator:
        robots = connect(simulator.url, "arco")
        eventually(lambda: state(robots, "arco").ready, "it is ready")
        robots.navigate(goal_to(9.0, 1.8, robot="arco"), maybe_sent=False)
        eventually(lambda: (state(robots, "arco").x_m or 0.0) > 2.5, "it drives")
        simulator.fault("laser arco front missing")
        reason = "emergency stop (front laser: no scan)"
        eventually(lambda: state(robots, "arco").why_not == reason, "it says why")
        assert not state(robots, "arco").ready
        simulator.fault("clear arco")
        eventually(lambda: state(robots, "arco").ready, "it goes on")
        eventually(lambda: (state(robots, "arco").x_m or 0.0) > 4.0, "it drives")


def test_a_drive_that_nobody_wants_any_more_is_cancelled(
    simulator: RunningSimulator, connect: Callable[..., BridgeRobots]
) -> None:
    robots = connect(simulator.url, "robot1")
    simulator.fault("estop robot1")
    goal = goal_to(9.0, 2.0)
    robots.navigate(goal, maybe_sent=False)
    eventually(lambda: starts(simulator), "it has started")
    robots.cancel(goal)
    robots.cancel(goal)
    (report,) = eventually(robots.reports, "the goal ends")
    assert report.state is GoalState.CANCELLED


def test_each_robot_may_have_a_server_of_its_own(
    connect: Callable[..., BridgeRobots],
) -> None:
    floor = Floor(robots=(RobotSpec("robot1", namespace="", tag=1),))
    with running(Simulation(floor, speed=20.0)) as alone:
        robots = connect(alone.url + "/{robot}", "robot1")
        robots.navigate(goal_to(3.0, 2.0), maybe_sent=False)
        (report,) = eventually(robots.reports, "the goal ends")
        robots.close()
    assert report.state is GoalState.REACHED


@pytest.mark.parametrize(
    ("url", "profile", "said"),
    [
        ("ws://10.20.0.7:9090", "move_base", "not encrypted and leaves this machine"),
        ("http://127.0.0.1:9090", "move_base", "write ws://host:port"),
        ("ws://127.0.0.1:9090", "tank_mk2", "there is no profile 'tank_mk2'"),
    ],
)
def test_an_address_or_a_profile_that_cannot_be_used_is_refused_at_once(
    url: str, profile: str, said: str
) -> None:
    with pytest.raises(RobotsMisconfigured, match=said) as refusal:
        BridgeRobots(world_of("robot1", profile=profile), url)
    assert "robot1" in str(refusal.value)


# --- who may give goals ---------------------------------------------------------


class NotedRobots:
    """Robots that write down what they are told."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.permitted_until = 0.0
        self.taken: set[str] = set()
        self.said: RobotState | None = None

    def names(self) -> Sequence[str]:
        return ["robot1"]

    def take(self, robot: str) -> None:
        self.taken.add(robot)
        self.notes.append(f"take {robot}")

    def drop(self, robot: str) -> None:
        self.taken.discard(robot)
        self.notes.append(f"drop {robot}")

    def permit(self, until_s: float) -> None:
        self.permitted_until = until_s

    def states(self) -> Sequence[RobotState]:
        return [self.said] if self.said is not None else []

    def navigate(self, goal: Goal, *, maybe_sent: bool) -> None:
        self.notes.append(f"navigate {goal.id}{' again' if maybe_sent else ''}")

    def cancel(self, goal: Goal) -> None:
        self.notes.append(f"cancel {goal.id}")

    def reports(self) -> Sequence[GoalReport]:
        return []

    def acknowledge(self, goal_id: str) -> None:
        pass

    def close(self) -> None:
        pass


class HandClock:
    """Monotonic seconds that a test moves; ``passing_s`` pass at every look."""

    def __init__(self) -> None:
        self.now_s = 1000.0
        self.passing_s = 0.0

    def __call__(self) -> float:
        self.now_s += self.passing_s
        return self.now_s


class OwnedByHand(OwnRobots):
    """Its robots note what it does; its time passes as the test says."""

    robots: NotedRobots
    monotonic_s: HandClock


@pytest.fixture
def services(database_url: str) -> Iterator[bootstrap.Services]:
    services = bootstrap.connect(database_url)
    yield services
    services.close()


@pytest.fixture
def owner(services: bootstrap.Services) -> Callable[..., OwnedByHand]:
    def make(name: str, lease_s: float = 30.0) -> OwnedByHand:
        return OwnedByHand(
            services.uow,
            NotedRobots(),
            name,
            lease_s=lease_s,
            monotonic_s=HandClock(),
        )

    return make


def rows(services: bootstrap.Services, statement: str) -> list[Any]:
    with services.connections.connection() as connection:
        cursor = connection.cursor()
        cursor.execute(statement)
        return list(cursor.fetchall()) if cursor.description else []


def sent_goal(services: bootstrap.Services) -> None:
    with services.uow() as tx:
        tx.goals.add(goal_to(1.0, 1.0))


def test_the_permit_ends_before_the_lease_does(
    services: bootstrap.Services, owner: Callable[..., OwnedByHand]
) -> None:
    own = owner("first")
    own.monotonic_s.passing_s = 1.0
    own()
    assert own.robots.permitted_until <= 1001.0 + own.lease_s
    ((left_s,),) = rows(
        services,
        "SELECT extract(epoch FROM lease_until - clock_timestamp()) FROM robots",
    )
    assert 0 < float(left_s) <= own.lease_s


def test_a_worker_that_was_away_longer_than_its_lease_starts_anew(
    services: bootstrap.Services, owner: Callable[..., OwnedByHand]
) -> None:
    own = owner("first")
    own()
    sent_goal(services)
    own.monotonic_s.now_s += own.lease_s / 2
    own()
    assert own.robots.notes == ["take robot1", "navigate g1 again"]
    own.monotonic_s.now_s += own.lease_s + 1.0
    own()
    assert own.robots.notes[2:] == ["drop robot1", "take robot1", "navigate g1 again"]


def test_a_renewal_that_took_longer_than_the_lease_starts_anew(
    services: bootstrap.Services, owner: Callable[..., OwnedByHand]
) -> None:
    own = owner("first")
    own()
    own.monotonic_s.now_s += own.lease_s / 2
    own.monotonic_s.passing_s = own.lease_s / 4  # the database took its time
    own()
    assert own.robots.notes == ["take robot1", "drop robot1", "take robot1"]


def test_a_worker_without_a_database_lets_go_when_its_lease_is_over(
    services: bootstrap.Services, owner: Callable[..., OwnedByHand]
) -> None:
    own = owner("first")
    own()
    services.connections.close()
    own.monotonic_s.now_s += own.lease_s / 2
    with pytest.raises(DatabaseAway):
        own()
    assert own.robots.taken == {"robot1"}
    own.monotonic_s.now_s += own.lease_s / 2
    with pytest.raises(DatabaseAway):
        own()
    assert own.robots.taken == set()
    assert own.mine == set()


def test_a_second_worker_takes_nothing_while_the_lease_runs(
    services: bootstrap.Services, owner: Callable[..., OwnedByHand]
) -> None:
    first, second = owner("first"), owner("second")
    first()
    second()
    assert (first.mine, second.mine) == ({"robot1"}, set())
    first.release()
    second.monotonic_s.now_s += second.lease_s
    second()
    assert second.mine == {"robot1"}


def test_what_a_former_owner_concluded_does_not_count(
    services: bootstrap.Services, owner: Callable[..., OwnedByHand]
) -> None:
    first, second = owner("first"), owner("second")
    first()
    sent_goal(services)
    rows(services, "UPDATE robots SET lease_until = now() - interval '1 second'")
    second()
    assert second.robots.notes == ["take robot1", "navigate g1 again"]
    lost = GoalReport("g1", GoalState.UNKNOWN, "no trace of it")
    assert settle_goal(services.uow, services.advance, lost, first) is False
    assert rows(services, "SELECT state FROM goals") == [("sent",)]
    reached = GoalReport("g1", GoalState.REACHED)
    assert settle_goal(services.uow, services.advance, reached, second) is True
    assert rows(services, "SELECT state FROM goals") == [("reached",)]


def position(services: bootstrap.Services) -> tuple[float, float]:
    ((x_m, y_m),) = rows(services, "SELECT x_m, y_m FROM robots")
    return x_m, y_m


def test_a_robot_stands_where_it_arrived_until_it_has_spoken_since(
    services: bootstrap.Services, owner: Callable[..., OwnedByHand]
) -> None:
    own = owner("first")
    own.robots.said = RobotState("robot1", True, 7.0, 7.0, placed_at_s=999.0)
    own()
    assert position(services) == (7.0, 7.0)
    sent_goal(services)
    reached = GoalReport("g1", GoalState.REACHED)
    assert settle_goal(services.uow, services.advance, reached, own)
    for _ in range(3):
        own.monotonic_s.now_s += 2.0  # and nothing has come from the robot
        own()
        assert position(services) == (1.0, 1.0)
    own.robots.said = replace(own.robots.said, x_m=1.1, y_m=1.0, placed_at_s=1005.0)
    own.monotonic_s.now_s += 2.0
    own()
    assert position(services) == (1.1, 1.0)


def test_a_robot_keeps_its_position_when_its_new_owner_has_not_heard_it_yet(
    services: bootstrap.Services, owner: Callable[..., OwnedByHand]
) -> None:
    first, second = owner("first"), owner("second")
    first.robots.said = RobotState("robot1", True, 7.0, 7.0)
    first()
    first.release()
    second.robots.said = RobotState("robot1", False, link="down", why_not="silent")
    second()
    assert rows(services, "SELECT owner, link FROM robots") == [("second", "down")]
    assert position(services) == (7.0, 7.0)


def test_the_shipped_world_can_be_connected() -> None:
    world = factory_bootstrap.world_named(
        str(assets.directory("worlds") / "paint_factory")
    )
    robots = factory_bootstrap.connect_robots(world, "ws://127.0.0.1:9")
    assert list(robots.names()) == ["robot1", "robot2", "robot3"]
    robots.close()
