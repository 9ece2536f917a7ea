"""Listening to simulated robots over real sockets, and what the map makes of it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from mpms.factory.adapters.floor import BridgeFloor, FloorMisconfigured, StillFloor
from mpms.factory.domain.goals import Pose as Place
from mpms.factory.domain.worlds import RobotInfo
from mpms.factory.domain.worlds import World as Plant
from mpms.factory.ports.floor import RobotSeen
from robot_bridge.watch import FloorWatch
from shopfloor.sim.links import EVERYTHING
from shopfloor.sim.server import RunningSimulator, running
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.vehicle import Pose
from shopfloor.sim.world import Map, Person, RobotSpec, World
from tests.support.waiting import eventually

WAIT_S = 60.0
HOME = Pose(2.0, 2.0, 0.5)


def hall(home: Pose = HOME) -> World:
    return World(
        name="hall",
        map=Map(0.1, 12.0, 8.0, walls=((0.0, 1.0, 12.0, 1.0),)),
        robots=(RobotSpec("r1", home=home), RobotSpec("r2", home=Pose(6.0, 6.0))),
        people=(Person("ann", (Pose(3.0, 3.0), Pose(9.0, 3.0)), tag=7),),
    )


@pytest.fixture
def sim() -> Iterator[RunningSimulator]:
    with running(Simulation(hall())) as simulator:
        yield simulator


@pytest.fixture
def plant() -> Plant:
    robots = tuple(
        RobotInfo(name, "carrier", "home", "move_base", 1.0, 100.0)
        for name in ("r1", "r2")
    )
    return Plant("hall", {"home": Place(2.0, 2.0)}, {}, robots)


@pytest.fixture
def floor(plant: Plant, sim: RunningSimulator) -> Iterator[BridgeFloor]:
    floor = BridgeFloor(plant, sim.url)
    yield floor
    floor.close()


def robot(floor: BridgeFloor, name: str = "r1") -> RobotSeen:
    return next(each for each in floor.seen().robots if each.robot == name)


def drive(sim: RunningSimulator, x_m: float, y_m: float) -> None:
    """As another program than ours would."""
    topic, kind = "/r1/move_base_simple/goal", "geometry_msgs/PoseStamped"
    pose = {"position": {"x": x_m, "y": y_m}, "orientation": {"w": 1.0}}
    goal = {"header": {"frame_id": "map"}, "pose": pose}

    def order() -> None:
        other = sim.simulation.connect()
        for frame in (
            {"op": "advertise", "topic": topic, "type": kind},
            {"op": "publish", "topic": topic, "msg": goal},
        ):
            other.receive(json.dumps(frame))

    sim.do(order)


@pytest.mark.covers("A40")
def test_robots_and_people_are_seen_where_they_are(floor: BridgeFloor) -> None:
    eventually(lambda: robot(floor).battery is not None, "the battery")
    eventually(lambda: floor.seen().people, "the people")
    seen = robot(floor)
    assert (seen.x_m, seen.y_m, seen.yaw_rad) == pytest.approx((2.0, 2.0, 0.5))
    assert seen.speed_mps == 0.0
    assert not seen.stopped
    (ann,) = floor.seen().people
    assert ann.tag == "ann"
    assert 3.0 <= ann.x_m <= 9.0
    assert ann.uncertainty_m == pytest.approx(2.45 * 0.08, rel=0.01)


def test_ages_grow_at_the_moment_of_asking(plant: Plant, sim: RunningSimulator) -> None:
    later_s = [0.0]
    floor = BridgeFloor(plant, sim.url, now=lambda: time.monotonic() + later_s[0])
    try:
        eventually(lambda: robot(floor).heard_age_s is not None, "the robot")
        eventually(lambda: floor.seen().people, "the people")
        sim.stop()
        eventually(lambda: (robot(floor).heard_age_s or 0.0) > 1.0, "silence")
        later_s[0] = 20.0
        seen = robot(floor)
        assert seen.heard_age_s is not None
        assert seen.pose_age_s is not None
        assert min(seen.heard_age_s, seen.pose_age_s) >= 20.0
        assert floor.seen().people[0].age_s >= 20.0
        later_s[0] = 100.0
        assert floor.seen().people == ()
        assert robot(floor).x_m == pytest.approx(2.0)
    finally:
        floor.close()


@pytest.mark.covers("A75")
def test_a_driving_robot_shows_its_way_ahead_and_its_trail(
    floor: BridgeFloor, sim: RunningSimulator
) -> None:
    eventually(lambda: robot(floor).x_m is not None, "the robot")
    drive(sim, 6.0, 2.0)
    eventually(lambda: (robot(floor).x_m or 0.0) > 3.0, "progress")
    seen = robot(floor)
    assert seen.plan[-1] == pytest.approx((6.0, 2.0))
    assert seen.plan[0] == pytest.approx((seen.x_m, seen.y_m))
    assert len(seen.driven) >= 4
    assert seen.speed_mps
    sim.do(lambda: setattr(sim.simulation, "speed", 5.0))
    eventually(lambda: robot(floor).plan == (), "the end of the plan")
    # Between two poses the place is reckoned from wheels; the next pose corrects it.
    there = pytest.approx(6.0, abs=0.1)
    eventually(lambda: robot(floor).x_m == there, "the robot at the end of its way")


def test_a_stop_is_seen(floor: BridgeFloor, sim: RunningSimulator) -> None:
    sim.fault("estop r1")
    eventually(lambda: robot(floor).stopped, "the stop")
    assert not robot(floor, "r2").stopped


@pytest.mark.covers("A75")
def test_laser_and_costmap_come_while_somebody_looks(
    floor: BridgeFloor, sim: RunningSimulator
) -> None:
    eventually(lambda: robot(floor).x_m is not None, "the robot")
    topics = sim.simulation.graph.topics
    laser, costs = "/r1/scan", "/r1/move_base/local_costmap/costmap"
    assert not sim.do(lambda: topics[laser].wanted or topics[costs].wanted)
    eventually(lambda: floor.costmap("r1"), "the costmap")
    eventually(lambda: robot(floor).scan, "the laser")
    assert {round(y, 1) for _, y in robot(floor).scan} == {1.0}
    rows = [y for _, y in floor.costmap("r1")]
    assert 0.65 <= min(rows) < 1.0 < max(rows) <= 1.35
    assert not sim.do(lambda: topics["/r2/scan"].wanted)


def test_a_restarted_server_is_found_again(plant: Plant) -> None:
    with running(Simulation(hall())) as first:
        floor = BridgeFloor(plant, first.url)
        try:
            eventually(lambda: robot(floor).x_m is not None, "the robot")
            port = first.port
            first.stop()
            with running(Simulation(hall(Pose(9.0, 4.0))), port=port):
                eventually(
                    lambda: robot(floor).x_m == pytest.approx(9.0),
                    "the robot of the second server",
                )
        finally:
            floor.close()


def test_a_server_that_comes_late_is_found(plant: Plant) -> None:
    with running(Simulation(hall())) as first:
        port = first.port
    floor = BridgeFloor(plant, f"ws://127.0.0.1:{port}")
    try:
        assert robot(floor).heard_age_s is None
        with running(Simulation(hall()), port=port):
            eventually(lambda: robot(floor).x_m is not None, "the robot")
    finally:
        floor.close()


def test_a_lost_latched_pose_is_asked_for_again(plant: Plant) -> None:
    """The robot stands, so it says its pose once, to each who subscribes."""
    simulation = Simulation(hall())
    pose = simulation.graph.topics["/r1/amcl_pose"]
    with running(simulation) as sim:
        eventually(lambda: sim.do(lambda: pose.latched) is not None, "the first pose")
        kept = pose.latched

        def lose() -> None:
            pose.latched = None

        def find() -> None:
            pose.latched = kept

        sim.do(lose)
        floor = BridgeFloor(plant, sim.url)
        try:
            eventually(lambda: robot(floor).speed_mps is not None, "the odometry")
            assert robot(floor).x_m is None
            sim.do(find)
            eventually(lambda: robot(floor).x_m is not None, "the pose")
        finally:
            floor.close()


OF_THE_SERVER = ("/rosout", "/client_count", "/connected_clients", "/clock")


def test_looking_never_publishes_nor_calls(
    floor: BridgeFloor, sim: RunningSimulator
) -> None:
    eventually(lambda: floor.costmap("r1"), "the costmap")
    clients = sim.do(
        lambda: [
            (topic.name, node)
            for topic in sim.simulation.graph.topics.values()
            for node in topic.publishers
            if topic.name not in OF_THE_SERVER
            and not node.endswith(("/robot", "/move_base", "/Make_Plan", "/sim"))
        ]
    )
    assert clients == []


def test_a_wrong_address_is_named(plant: Plant) -> None:
    with pytest.raises(FloorMisconfigured, match="example"):
        BridgeFloor(plant, "ws://example.org:9090")


def test_without_robots_the_floor_is_empty() -> None:
    floor = StillFloor()
    assert floor.seen().robots == ()
    assert floor.costmap("r1") == ()
    floor.close()


def test_a_watch_of_nobody_opens_nothing() -> None:
    watch = FloorWatch([])
    watch.start()
    assert watch.robots() == []
    assert watch.robot("r1") is None
    watch.close()
    watch.close()


def test_a_frozen_server_lets_everything_grow_old(
    floor: BridgeFloor, sim: RunningSimulator
) -> None:
    eventually(lambda: robot(floor).heard_age_s is not None, "the robot")
    sim.fault("freeze *")
    assert sim.do(lambda: sim.simulation.links.frozen(EVERYTHING))
    eventually(lambda: (robot(floor).heard_age_s or 0.0) > 1.5, "silence")
    sim.fault("clear *")
    eventually(lambda: (robot(floor).heard_age_s or 9.0) < 1.0, "words again")
