"""Grid robots: four directions, quarter turns, one cell at a time, no contact."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from shopfloor.control.limits import RobotLimits
from shopfloor.geometry import Pose, wrapped
from shopfloor.grid import Grid
from shopfloor.pilot import Cause, PilotStatus
from shopfloor.plant import (
    Box,
    GridBody,
    GridPilot,
    Lattice,
    Localisation,
    Plant,
    Walker,
    grid_of,
    grid_pilot,
)
from shopfloor.plant.bodies import HEADROOM
from shopfloor.plant.lattice import Cell
from shopfloor.sim.vehicle import Limits
from shopfloor.sim.vehicle import Pose as Place
from shopfloor.sim.world import DoorSpec, Map, RobotSpec, World, WorldRefused
from shopfloor.sim.world_file import load_world

SEED = 6
CELL_M = 1.0
FAST = Limits(1.0, 1.0, 2.0, 4.0)
HALL = Map(
    0.05,
    10.0,
    7.0,
    (
        (0.0, 0.0, 10.0, 0.0),
        (10.0, 0.0, 10.0, 7.0),
        (10.0, 7.0, 0.0, 7.0),
        (0.0, 7.0, 0.0, 0.0),
        # A rack with an aisle on both sides, and a thin wall between two cells.
        (3.1, 2.1, 6.9, 2.1),
        (6.9, 2.1, 6.9, 3.9),
        (6.9, 3.9, 3.1, 3.9),
        (3.1, 3.9, 3.1, 2.1),
        (8.0, 0.0, 8.0, 3.0),
    ),
)
DONE = (PilotStatus.ARRIVED, PilotStatus.FAILED)


@cache
def grid() -> Grid:
    return grid_of(HALL)


def a_robot(name: str, x_m: float, y_m: float, tag: int = 1) -> RobotSpec:
    home = Place(x_m, y_m)
    return RobotSpec(
        name, home, drive="grid", cell_m=CELL_M, limits=FAST, radius_m=0.3, tag=tag
    )


def hall(
    *robots: RobotSpec,
    boxes: tuple[Box, ...] = (),
    doors: tuple[DoorSpec, ...] = (),
    localisation: Localisation = "known",
) -> Plant:
    world = World("hall", HALL, robots=robots or (a_robot("g1", 1.5, 1.5),))
    world = replace(world, doors=doors)
    return Plant(world, SEED, boxes=boxes, grid=grid(), localisation=localisation)


def drive(plant: Plant, limit_s: float = 90.0) -> list[Pose]:
    """Until every robot has arrived or failed; the ways of the first."""
    poses = [plant.robots[0].body.pose]
    for _ in range(round(limit_s / 0.025)):
        plant.step()
        poses.append(plant.robots[0].body.pose)
        if all(robot.command.status in DONE for robot in plant.robots):
            break
    return poses


def pilot_of(plant: Plant, index: int = 0) -> GridPilot:
    pilot = plant.robots[index].pilot
    assert isinstance(pilot, GridPilot)
    return pilot


def status_of(plant: Plant) -> PilotStatus:
    return plant.robots[0].command.status


def contacts(plant: Plant) -> int:
    return sum(watch.contacts for watch in plant.watches)


def test_a_way_has_four_directions_and_crosses_no_wall_between_cells() -> None:
    lattice = Lattice(grid(), CELL_M, 0.4)
    found = lattice.find((7, 1), (8, 1))
    assert found is not None
    assert found[0] == (7, 1)
    assert found[-1] == (8, 1)
    for one, other in pairwise(found):
        assert abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1
    assert len(found) == 6
    assert (7, 3) in found
    assert not lattice.is_free((4, 2))


def test_a_way_is_shortest_and_has_few_turns() -> None:
    rng = np.random.default_rng(SEED)
    print(f"seed {SEED}")
    lattice = Lattice(grid(), CELL_M, 0.4)
    cells = [(c, r) for c in range(10) for r in range(7) if lattice.is_free((c, r))]
    for _ in range(40):
        start, goal = (cells[int(i)] for i in rng.integers(len(cells), size=2))
        found = lattice.find(start, goal)
        assert found is not None
        assert len(found) - 1 == steps_between(lattice, start, goal)
    straight = lattice.find((0, 0), (2, 6))
    assert straight is not None
    assert turns(straight) == 1


def steps_between(lattice: Lattice, start: Cell, goal: Cell) -> int:
    """By flooding, cell by cell."""
    reached, edge, steps = {start}, {start}, 0
    while goal not in reached:
        steps += 1
        edge = {
            (c + dx, r + dy)
            for c, r in edge
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))
            if {7, 8} != {c, c + dx} or r > 2
            if 0 <= c + dx < 10 and 0 <= r + dy < 7
            if lattice.is_free((c + dx, r + dy))
        } - reached
        assert edge
        reached |= edge
    return steps


def turns(cells: list[Cell]) -> int:
    ways = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(cells)]
    return sum(one != other for one, other in pairwise(ways))


def test_a_grid_robot_rolls_along_lines_and_turns_in_the_middle_of_cells() -> None:
    plant = hall()
    robot = plant.robots[0]
    assert robot.drive_to(Pose(8.5, 4.5, math.pi / 2)) is None
    poses = drive(plant)
    assert robot.command.status is PilotStatus.ARRIVED
    assert robot.body.pose.distance_to(Pose(8.5, 4.5)) < 0.03
    assert abs(wrapped(robot.body.pose.yaw_rad - math.pi / 2)) < 0.03
    for before, after in pairwise(poses):
        turned = abs(wrapped(after.yaw_rad - before.yaw_rad))
        moved = before.distance_to(after)
        off_x = abs(after.x_m % CELL_M - 0.5)
        off_y = abs(after.y_m % CELL_M - 0.5)
        assert min(off_x, off_y) < 0.03
        if turned > 0.005:
            assert moved < 1e-9
            assert max(off_x, off_y) < 0.03
    assert contacts(plant) == 0
    assert plant.watches[0].nearest_wall_m > 0.05


def test_a_grid_robot_keeps_to_its_limits_and_stops_in_every_cell() -> None:
    plant = hall()
    robot = plant.robots[0]
    robot.drive_to(Pose(1.5, 5.5, 0.0))
    fastest, stood = 0.0, set()
    for _ in range(1600):
        plant.step()
        fastest = max(fastest, robot.body.speed_mps)
        if robot.body.speed_mps == 0.0:
            stood.add(round(robot.body.pose.y_m, 1))
        if robot.command.status is PilotStatus.ARRIVED:
            break
    assert stood == {1.5, 2.5, 3.5, 4.5, 5.5}
    assert 0.5 < fastest <= 1.0
    assert robot.body.hardest_mps2 <= HEADROOM * FAST.accel_mps2 + 1e-9


def test_localised_by_lasers_it_arrives_too() -> None:
    plant = hall(localisation="amcl")
    plant.robots[0].drive_to(Pose(2.5, 5.5, math.pi))
    drive(plant)
    assert plant.robots[0].command.status is PilotStatus.ARRIVED
    assert plant.robots[0].body.pose.distance_to(Pose(2.5, 5.5)) < 0.1
    assert contacts(plant) == 0


def test_a_box_on_the_way_is_driven_around() -> None:
    plant = hall(boxes=(Box(1.5, 3.5, 0.4, 0.4),))
    plant.robots[0].drive_to(Pose(1.5, 5.5, 0.0))
    drive(plant)
    assert plant.robots[0].command.status is PilotStatus.ARRIVED
    assert contacts(plant) == 0
    assert plant.watches[0].nearest_box_m > 0.05


def test_a_box_dropped_before_a_rolling_robot_stops_it_and_it_backs_off() -> None:
    plant = hall()
    robot = plant.robots[0]
    robot.drive_to(Pose(1.5, 5.5, 0.0))
    while robot.body.pose.y_m < 1.6:
        plant.step()
    plant.put_boxes([Box(1.5, 2.7, 0.4, 0.4)])
    drive(plant)
    assert robot.command.status is PilotStatus.ARRIVED
    assert contacts(plant) == 0


def test_a_grid_robot_waits_for_a_door_that_has_no_way_around() -> None:
    plant = hall(
        a_robot("g1", 8.5, 1.5),
        doors=(DoorSpec("gate", 8.0, 3.0, 10.0, 3.0),),
    )
    plant.robots[0].drive_to(Pose(8.5, 5.5, 0.0))
    while plant.robots[0].body.pose.y_m < 2.4:
        plant.step()
    seen = set()
    for _ in range(400):
        plant.step()
        seen.add(status_of(plant))
    assert PilotStatus.BLOCKED in seen
    assert plant.robots[0].body.pose.y_m < 2.7
    plant.doors["gate"].open()
    drive(plant)
    assert status_of(plant) is PilotStatus.ARRIVED
    assert contacts(plant) == 0


def test_a_way_that_stays_closed_fails_with_its_cause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(grid_pilot, "PATIENCE_S", 10.0)
    plant = hall(
        a_robot("g1", 8.5, 1.5),
        doors=(DoorSpec("gate", 8.0, 3.0, 10.0, 3.0),),
    )
    robot = plant.robots[0]
    robot.drive_to(Pose(8.5, 5.5, 0.0))
    drive(plant, 300.0)
    assert robot.command.status is PilotStatus.FAILED
    assert robot.command.cause is Cause.BLOCKED_TOO_LONG


@pytest.mark.long
def test_grid_robots_that_meet_pass_each_other_without_contact() -> None:
    plant = hall(
        a_robot("g1", 1.5, 5.5, 1),
        a_robot("g2", 8.5, 5.5, 2),
        a_robot("g3", 4.5, 4.5, 3),
    )
    goals = [Pose(8.5, 5.5), Pose(1.5, 5.5), Pose(4.5, 6.5)]
    for robot, goal in zip(plant.robots, goals, strict=True):
        assert robot.drive_to(goal) is None
    drive(plant)
    for robot, goal in zip(plant.robots, goals, strict=True):
        assert robot.command.status is PilotStatus.ARRIVED
        assert robot.body.pose.distance_to(goal) < 0.05
    assert contacts(plant) == 0
    assert min(watch.nearest_robot_m for watch in plant.watches) > 0.05


def test_a_person_who_stands_in_the_way_is_not_touched() -> None:
    plant = hall()
    walker = Walker("anna", 1.5, 4.5, np.random.default_rng(SEED), rounds=[(1.5, 4.5)])
    plant.add_walker(walker)
    plant.run(2.0)
    plant.robots[0].drive_to(Pose(1.5, 6.5, 0.0))
    drive(plant)
    assert plant.robots[0].command.status is PilotStatus.ARRIVED
    assert plant.watches[0].nearest_person_m > 0.1


def test_a_cancelled_robot_comes_to_rest_in_the_middle_of_a_cell() -> None:
    plant = hall()
    robot = plant.robots[0]
    robot.drive_to(Pose(1.5, 5.5, 0.0))
    while robot.body.pose.y_m < 1.8:
        plant.step()
    robot.pilot.cancel()
    plant.run(5.0)
    assert robot.command.status is PilotStatus.IDLE
    assert robot.body.pose.y_m == pytest.approx(2.5, abs=0.03)
    assert robot.drive_to(Pose(2.5, 2.5)) is None
    drive(plant)
    assert robot.body.pose.distance_to(Pose(2.5, 2.5)) < 0.03


@pytest.mark.parametrize(
    ("goal", "cause"),
    [
        (Pose(math.nan, 1.0), Cause.GOAL_NOT_FINITE),
        (Pose(-3.0, 1.0), Cause.GOAL_OUTSIDE_MAP),
        (Pose(4.5, 2.5), Cause.GOAL_IN_WALL),
    ],
)
def test_a_goal_that_cannot_be_has_a_cause(goal: Pose, cause: Cause) -> None:
    assert hall().robots[0].drive_to(goal) == cause.value


def test_the_same_run_gives_the_same_poses() -> None:
    def run() -> list[Pose]:
        plant = hall(boxes=(Box(1.5, 3.5, 0.4, 0.4),), localisation="amcl")
        plant.robots[0].drive_to(Pose(2.5, 4.5, 0.0))
        return drive(plant, 8.0)

    assert run() == run()


def test_the_body_never_turns_while_it_rolls_nor_moves_aside() -> None:
    body = GridBody(Pose(0.5, 0.5, 0.0), RobotLimits(), cell_m=1.0)
    for _ in range(40):
        body.step(0.5, 0.5, 1.0, 0.025)
    assert body.pose.distance_to(Pose(0.5, 0.5)) < 1e-12
    assert abs(body.pose.yaw_rad) > 0.1
    body = GridBody(Pose(0.5, 0.55, 0.05), RobotLimits(), cell_m=1.0)
    for _ in range(80):
        body.step(0.5, 0.3, 0.0, 0.025)
    for _ in range(4):
        body.step(0.5, 0.0, 1.0, 0.025)
    assert body.pose.y_m == pytest.approx(0.5, abs=1e-6)
    assert body.pose.yaw_rad == pytest.approx(0.0, abs=1e-6)


FILE = """
name: Hall
map: {width_m: 10.0, height_m: 7.0}
places: {home: {x_m: 1.5, y_m: 1.5}}
robots:
  - {id: g1, home: home, %s}
"""


def test_the_world_file_chooses_the_drive(tmp_path: Path) -> None:
    file = tmp_path / "world.yaml"
    file.write_text(FILE % "drive: grid, cell_m: 0.8")
    plant = Plant(load_world(file), SEED, localisation="known")
    assert pilot_of(plant).lattice.cell_m == 0.8
    assert plant.robots[0].body.pose.distance_to(Pose(1.2, 1.2)) < 1e-9
    file.write_text(FILE % "drive: sideways")
    with pytest.raises(WorldRefused, match="none of differential, holonomic, grid"):
        load_world(file)
    file.write_text(FILE % "drive: grid, cell_m: 0.5")
    with pytest.raises(WorldRefused, match=r"does not fit into a cell of 0\.5 m"):
        Plant(load_world(file), SEED)


def test_robots_on_one_floor_share_its_cells() -> None:
    with pytest.raises(WorldRefused, match="share a cell"):
        hall(a_robot("g1", 1.5, 1.5), a_robot("g2", 1.6, 1.6))
    with pytest.raises(WorldRefused, match=r"cells of 2 m, others 1 m"):
        hall(a_robot("g1", 1.5, 1.5), replace(a_robot("g2", 5.0, 5.0), cell_m=2.0))
    with pytest.raises(WorldRefused, match="no cell has room"):
        hall(a_robot("g1", 4.5, 2.5))
