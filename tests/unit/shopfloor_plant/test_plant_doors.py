"""Doors: seen by lasers alone, waited for, driven around, never shut on anybody."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from mpms.factory.adapters.worlds import read_world
from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.pilot import PilotStatus
from shopfloor.plant import Door, Plant, Walker, grid_of
from shopfloor.plant.recording import frame_of
from shopfloor.sim.vehicle import Pose as Place
from shopfloor.sim.world import DoorSpec, Map, RobotSpec, World, WorldRefused
from shopfloor.sim.world_file import load_world

SEED = 4
GATE = DoorSpec("gate", 4.0, 1.25, 4.0, 2.75)
ROOM = ((0.0, 0.0, 8.0, 0.0), (8.0, 0.0, 8.0, 4.0), (8.0, 4.0, 0.0, 4.0))
ROOMS = Map(
    0.05,
    8.0,
    4.0,
    (*ROOM, (0.0, 4.0, 0.0, 0.0), (4.0, 0.0, 4.0, 1.25), (4.0, 2.75, 4.0, 4.0)),
)
WORLD = World(
    "two rooms",
    ROOMS,
    robots=(RobotSpec("r1", Place(1.5, 2.0), kind="holonomic"),),
    doors=(GATE,),
)
OTHER_ROOM = Pose(6.5, 2.0, 0.0)


@cache
def grid() -> Grid:
    return grid_of(ROOMS)


def two_rooms(door: DoorSpec = GATE, seed: int = SEED) -> Plant:
    world = replace(WORLD, doors=(door,))
    return Plant(world, seed, localisation="known", grid=grid())


def drive(plant: Plant, limit_s: float) -> PilotStatus:
    """Until it has arrived or failed."""
    for _ in range(round(limit_s / 0.025)):
        plant.step()
        status = plant.robots[0].command.status
        if status in (PilotStatus.ARRIVED, PilotStatus.FAILED):
            break
    return plant.robots[0].command.status


def ahead_m(plant: Plant) -> float:
    """The mean of the middle beams of the front laser, from the robot's middle."""
    scan = plant.robots[0].scans[0]
    middle = len(scan.ranges_m) // 2
    beams = scan.ranges_m[middle - 3 : middle + 4]
    return float(np.mean(beams[np.isfinite(beams)])) + scan.mount.x_m


def test_lasers_see_a_closed_door_and_the_map_does_not() -> None:
    plant = two_rooms()
    plant.step()
    gate = plant.doors["gate"]
    assert gate.closed
    assert grid().is_free(4.0, 2.0)
    assert ahead_m(plant) == pytest.approx(2.5, abs=0.05)
    gate.open()
    plant.step()
    assert not gate.closed
    assert ahead_m(plant) == pytest.approx(6.5, abs=0.1)


def test_a_robot_waits_before_a_closed_door_and_goes_on_when_it_opens() -> None:
    plant = two_rooms()
    robot = plant.robots[0]
    assert robot.drive_to(OTHER_ROOM) is None
    assert drive(plant, 15.0) is PilotStatus.BLOCKED
    assert robot.body.pose.x_m < 3.7
    assert frame_of(plant)["closed"] == ["gate"]
    plant.doors["gate"].open()
    assert drive(plant, 40.0) is PilotStatus.ARRIVED
    assert robot.body.pose.distance_to(OTHER_ROOM) < 0.1
    assert frame_of(plant)["closed"] == []
    assert plant.watches[0].contacts == 0
    assert plant.watches[0].nearest_door_m > 0.1


def test_a_robot_takes_another_way_when_there_is_one() -> None:
    walls = (
        (0.0, 0.0, 8.0, 0.0),
        (8.0, 0.0, 8.0, 6.0),
        (8.0, 6.0, 0.0, 6.0),
        (0.0, 6.0, 0.0, 0.0),
        (4.0, 1.6, 4.0, 3.25),
        (4.0, 4.75, 4.0, 6.0),
    )
    world = World(
        "two ways",
        Map(0.05, 8.0, 6.0, walls),
        robots=(RobotSpec("r1", Place(1.5, 4.0), kind="holonomic"),),
        doors=(DoorSpec("gate", 4.0, 3.25, 4.0, 4.75),),
    )
    plant = Plant(world, SEED, localisation="known")
    plant.robots[0].drive_to(Pose(6.5, 4.0, 0.0))
    assert drive(plant, 60.0) is PilotStatus.ARRIVED
    assert plant.doors["gate"].closed
    assert plant.watches[0].contacts == 0


def test_a_door_never_closes_on_a_robot_or_before_one_that_cannot_stop() -> None:
    plant = two_rooms(replace(GATE, opens_s=0.0))
    robot, gate = plant.robots[0], plant.doors["gate"]
    robot.drive_to(OTHER_ROOM)
    while robot.body.pose.x_m < 3.3:
        plant.step()
    assert robot.body.speed_mps > 0.3
    gate.close()
    plant.step()
    assert gate.held_open
    held_until_m = 0.0
    while not gate.closed:
        held_until_m = robot.body.pose.x_m
        plant.step()
    assert held_until_m > 4.3
    assert drive(plant, 20.0) is PilotStatus.ARRIVED
    assert plant.watches[0].contacts == 0


def test_a_door_that_shuts_in_time_stops_the_robot_without_contact() -> None:
    plant = two_rooms(replace(GATE, opens_s=0.0))
    robot, gate = plant.robots[0], plant.doors["gate"]
    robot.drive_to(OTHER_ROOM)
    while robot.body.pose.x_m < 2.4:
        plant.step()
    gate.close()
    plant.step()
    assert gate.closed
    plant.run(5.0)
    assert robot.body.pose.x_m < 3.7
    gate.follow_schedule()
    assert drive(plant, 40.0) is PilotStatus.ARRIVED
    assert plant.watches[0].contacts == 0


def test_a_door_never_closes_on_a_person_and_nobody_walks_through_it() -> None:
    plant = two_rooms(replace(GATE, opens_s=0.0))
    plant.step()
    random = np.random.default_rng(SEED)
    rounds = [(3.0, 2.0), (6.0, 2.0)]
    walker = Walker("anna", 4.1, 2.0, random, rounds=rounds)
    plant.add_walker(walker)
    gate = plant.doors["gate"]
    gate.close()
    plant.step()
    assert gate.held_open
    while not gate.closed:
        plant.step()
    side = walker.x_m > 4.0
    for _ in range(1200):
        plant.step()
        assert (walker.x_m > 4.0) == side
        assert abs(walker.x_m - 4.0) > 0.25


def test_somebody_put_into_a_closed_door_finds_it_open() -> None:
    plant = two_rooms()
    gate = plant.doors["gate"]
    assert gate.closed
    plant.add_walker(Walker("anna", 4.0, 2.0, np.random.default_rng(SEED)))
    plant.step()
    assert not gate.closed
    assert gate.held_open


def test_a_schedule_opens_and_closes_a_door_in_turn() -> None:
    spec = replace(GATE, opens_s=3.0, open_for_s=2.0, closed_every_s=10.0)
    door = Door(spec)
    found = [second for second in range(30) if door.ought_to_be_open(second + 0.5)]
    assert found == [3, 4, 13, 14, 23, 24]
    once = Door(replace(spec, closed_every_s=None))
    assert [s for s in range(30) if once.ought_to_be_open(s + 0.5)] == [3, 4]
    for_good = Door(replace(GATE, opens_s=3.0))
    assert not for_good.ought_to_be_open(2.9)
    assert for_good.ought_to_be_open(1e6)


def test_the_seed_says_when_a_door_opens_first() -> None:
    spec = replace(GATE, open_for_s=5.0, closed_every_s=20.0)

    def openings(seed: int) -> list[bool]:
        door = two_rooms(spec, seed).doors["gate"]
        return [door.ought_to_be_open(0.1 * i) for i in range(600)]

    assert openings(1) == openings(1)
    assert openings(1) != openings(2)
    assert 0.2 < float(np.mean(openings(1))) < 0.34


def test_a_run_with_a_door_is_the_same_every_time() -> None:
    spec = replace(GATE, open_for_s=6.0, closed_every_s=15.0)

    def run() -> list[tuple[float, float, float, bool]]:
        plant = two_rooms(spec)
        plant.robots[0].drive_to(OTHER_ROOM)
        seen = []
        for _ in range(400):
            plant.step()
            pose = plant.robots[0].body.pose
            closed = plant.doors["gate"].closed
            seen.append((pose.x_m, pose.y_m, pose.yaw_rad, closed))
        return seen

    assert run() == run()


FILE = """
name: Rooms
map: {width_m: 8.0, height_m: 4.0}
places: {home: {x_m: 1.5, y_m: 2.0}}
robots:
  - {id: r1, kind: a, home: home, profile: move_base, max_speed_mps: 1.0,
     max_payload_kg: 10.0}
doors:
  - {id: gate, x1_m: 4.0, y1_m: 1.2, x2_m: 4.0, y2_m: 2.8%s}
"""


def written(folder: Path, more: str) -> Path:
    (folder / "world.yaml").write_text(FILE % more)
    return folder


def test_both_readers_of_world_files_accept_doors(tmp_path: Path) -> None:
    folder = written(tmp_path, ", opens_s: 0, open_for_s: 5, closed_every_s: 9.5")
    found = load_world(folder).doors
    assert found == (DoorSpec("gate", 4.0, 1.2, 4.0, 2.8, 0.0, 5.0, 9.5),)
    assert read_world(folder).name == "Rooms"


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (", colour: red", "doors[0] has unknown keys: 'colour'"),
        (", x2_m: 9.0", "doors[0] lies outside the map"),
        (", y2_m: 1.2", "door 'gate' has no width"),
        (", opens_s: -1", "doors[0].opens_s is -1, which cannot be"),
        (", open_for_s: 5", "says when it opens"),
        (", closed_every_s: 5", "needs an open_for_s below that"),
        (", closed_every_s: 5, open_for_s: 5", "needs an open_for_s below that"),
        (", opens_s: soon", "doors[0].opens_s is not a number"),
    ],
)
def test_a_door_that_cannot_be_is_refused_with_the_reason(
    tmp_path: Path, more: str, reason: str
) -> None:
    with pytest.raises(WorldRefused) as refused:
        load_world(written(tmp_path, more))
    assert reason in str(refused.value)
