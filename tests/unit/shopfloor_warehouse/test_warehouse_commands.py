"""What robots of a warehouse can be told, and what they refuse."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from shopfloor.warehouse.commands import (
    Command,
    Mov,
    MovX,
    MovY,
    Rot,
    parse_command,
)
from shopfloor.warehouse.errors import (
    FieldWrong,
    NoGridPoint,
    OutsideFloor,
    RobotBusy,
    RobotLoaded,
    RobotUnknown,
    TakesNoCommand,
    UnitFar,
    UnitHeld,
    UnitNotHeld,
    UnitUnknown,
    VerbUnknown,
)
from shopfloor.warehouse.events import Accepted, Ended, Outcome, Part
from shopfloor.warehouse.lifting import pose_of_robot, pose_of_unit
from shopfloor.warehouse.stepping import step
from shopfloor.warehouse.things import State, Status, Warehouse
from tests.support.kivas import Drive, hall


@pytest.mark.covers("K15", "K28")
def test_mov_ends_at_its_coordinates_along_x_before_y() -> None:
    drive = Drive(hall((1, 1))).do("mov 4 3 kiva1")
    robot = drive.robot()
    assert (robot.x_m, robot.y_m) == (4.0, 3.0)
    assert drive.states() == ["moving on X", "rotating", "moving on Y", "idle"]


@pytest.mark.covers("K16", "K17")
@pytest.mark.parametrize(
    ("line", "there"),
    [
        ("movx 3 kiva1", (7.0, 4.0)),
        ("movx -4 kiva1", (0.0, 4.0)),
        ("movy 2 kiva1", (4.0, 6.0)),
        ("movy -4 kiva1", (4.0, 0.0)),
    ],
)
def test_a_distance_changes_one_coordinate_only(
    line: str, there: tuple[float, float]
) -> None:
    robot = Drive(hall((4, 4))).do(line).robot()
    assert (robot.x_m, robot.y_m) == there


@pytest.mark.covers("K18", "K10")
def test_rot_turns_by_a_quarter() -> None:
    drive = Drive(hall((1, 1)))
    seen = [drive.do(line).robot().yaw_deg for line in ["rot ccw 1"] * 4]
    assert seen == [90.0, 180.0, 270.0, 0.0]
    seen = [drive.do(line).robot().yaw_deg for line in ["rot cw 1"] * 2]
    assert seen == [270.0, 180.0]


@pytest.mark.covers("K9", "K10")
def test_movement_is_manhattan_and_rests_on_grid_points() -> None:
    track: list[tuple[float, float]] = []
    drive = Drive(hall((0, 0)), look=lambda w: track.append(_at(w)))
    drive.do("mov 5 6 1", "mov 2 2 1", "movx 3 1", "rot cw 1")
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(track)]
    assert all(dx == 0.0 or dy == 0.0 for dx, dy in steps)
    robot = drive.robot()
    assert (robot.x_m, robot.y_m) == (5.0, 2.0)
    assert robot.yaw_deg in (0.0, 90.0, 180.0, 270.0)


def _at(warehouse: Warehouse) -> tuple[float, float]:
    robot = warehouse.robots["kiva1"]
    return robot.x_m, robot.y_m


@pytest.mark.covers("K25")
def test_mov_to_its_own_place_ends_at_once_and_stays_idle() -> None:
    drive = Drive(hall((2, 3))).give("mov 2 3 1", "movx 0 1")
    assert [type(event) for event in drive.told] == [Accepted, Ended] * 2
    assert drive.robot().status is Status.IDLE
    assert drive.states() == []


@pytest.mark.covers("K21")
def test_a_command_while_busy_changes_nothing_and_is_reported() -> None:
    drive = Drive(hall((0, 0))).give("movx 3 1").tick()
    before = drive.robot()
    drive.give("movy 2 1")
    assert drive.robot() == before
    assert isinstance(drive.refusal().error, RobotBusy)
    assert "moving on X" in str(drive.refusal().error)
    drive.rest()
    assert (drive.robot().x_m, drive.robot().y_m) == (3.0, 0.0)
    drive.do("movy 2 1")
    assert drive.robot().y_m == 2.0


@pytest.mark.covers("K29")
def test_both_levels_of_a_command_are_told() -> None:
    drive = Drive(hall((1, 1))).do("mov 3 0 1")
    assert [e.line for e in drive.told if isinstance(e, Part)] == [
        "movx 2 kiva1",
        "rot cw kiva1",
        "movy -1 kiva1",
    ]
    high = [e for e in drive.told if isinstance(e, Accepted | Ended)]
    assert [e.command.line() for e in high] == ["mov 3 0 kiva1"] * 2


@pytest.mark.covers("K31", "K58")
def test_robots_move_in_the_same_tick() -> None:
    drive = Drive(hall((0, 0), (0, 2), (0, 4)))
    drive.give("movx 3 1", "movx 2 2", "rot cw 3").tick().tick()
    assert [drive.robot(n).x_m > 0.0 for n in (1, 2)] == [True, True]
    assert drive.robot(3).state is State.ROTATING
    drive.rest()
    assert [drive.robot(n).x_m for n in (1, 2, 3)] == [3.0, 2.0, 0.0]


@pytest.mark.covers("K19", "K64")
def test_a_lifted_unit_goes_along_and_stays_where_it_is_dropped() -> None:
    drive = Drive(hall((0, 0), units=[(2, 0)])).do("mov 2 0 1").give("lift 1 1 1")
    assert drive.robot().status is Status.BUSY
    heights = []
    drive.look = lambda w: heights.append(w.robots["kiva1"].tower_m)
    drive.rest()
    assert heights == sorted(heights)
    assert len(heights) > 10
    assert heights[-1] == drive.now.floor.motors.lift_m
    drive.do("mov 5 3 1", "lift 0 1 1", "mov 0 0 1")
    unit = drive.now.storage_units["unit1"]
    assert (unit.cell, unit.held_by) == ((5, 3), None)
    assert drive.robot().tower_m == 0.0


@pytest.mark.covers("K24")
def test_a_carried_unit_has_the_pose_of_its_robot() -> None:
    apart: list[float] = []

    def look(warehouse: Warehouse) -> None:
        unit, robot = warehouse.storage_units["unit1"], warehouse.robots["kiva1"]
        here, there = pose_of_unit(warehouse, unit), pose_of_robot(robot)
        apart.append(math.dist((*here[:2], here[3]), (*there[:2], there[3])))

    drive = Drive(hall((2, 0), units=[(2, 0)])).do("lift 1 1 1")
    drive.look = look
    drive.do("mov 5 3 1")
    assert len(apart) > 100
    assert max(apart) == 0.0


@pytest.mark.covers("K22")
@pytest.mark.parametrize(
    ("lines", "cause", "text"),
    [
        (["lift 1 1 3"], UnitFar, "unit3 stands 4 m away from kiva1"),
        (["lift 1 1 2"], UnitFar, "2 m away"),
        (["lift 1 1 1", "lift 1 2 1"], UnitHeld, "unit1 is held by kiva1"),
        (["lift 1 1 1", "lift 1 1 2"], RobotLoaded, "kiva1 carries unit1 already"),
        (["lift 0 1 1"], UnitNotHeld, "kiva1 carries nothing, not unit1"),
        (["lift 1 1 9"], UnitUnknown, "no storage unit unit9"),
        (["lift 1 1 belt1"], TakesNoCommand, "belt1 is no storage unit"),
    ],
)
def test_a_lift_needs_a_free_unit_right_above(
    lines: list[str], cause: type[Exception], text: str
) -> None:
    start = hall((0, 0), (2, 0), units=[(0, 0), (2, 0), (4, 0)], belts=[(9, 7)])
    drive = Drive(start).do(*lines)
    assert isinstance(drive.refusal().error, cause)
    assert text in str(drive.refusal().error)


@pytest.mark.covers("K23")
def test_two_robots_carry_two_units_at_the_same_time() -> None:
    drive = Drive(hall((0, 0), (0, 2), units=[(0, 0), (0, 2)]))
    drive.give("lift 1 1 1", "lift 1 2 2").rest()
    drive.give("movx 4 1", "movx 3 2").rest()
    units = drive.now.storage_units.values()
    assert [unit.held_by for unit in units] == ["kiva1", "kiva2"]
    assert [pose_of_unit(drive.now, unit)[0] for unit in units] == [4.0, 3.0]


@pytest.mark.covers("K4")
def test_a_belt_takes_no_command_and_lists_its_drop_points() -> None:
    warehouse = hall((0, 0), belts=[(5, 0)])
    drive = Drive(warehouse).give("mov 3 3 belt1")
    assert isinstance(drive.refusal().error, TakesNoCommand)
    assert warehouse.floor.drops_of(warehouse.belts["belt1"]) == [(5, 1)]


@pytest.mark.parametrize(
    ("command", "cause"),
    [
        (Mov("kiva1", 1.5, 2.0), NoGridPoint),
        (Mov("kiva1", math.nan, 2.0), NoGridPoint),
        (Mov("kiva1", 10.0, 2.0), OutsideFloor),
        (MovX("kiva1", -1.0), OutsideFloor),
        (MovX("kiva1", math.inf), FieldWrong),
        (MovY("kiva1", 0.3), NoGridPoint),
        (Rot("kiva9", True), RobotUnknown),
    ],
)
def test_a_command_that_cannot_be_done_changes_nothing(
    command: Command, cause: type[Exception]
) -> None:
    start = hall((0, 0))
    after, told = step(start, 0.0, [command])
    assert after == start
    assert [type(event.error) for event in told] == [cause]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("jump 1 kiva1", VerbUnknown),
        ("", VerbUnknown),
        ("mov 1 kiva1", VerbUnknown),
        ("movx far kiva1", FieldWrong),
        ("movx inf kiva1", FieldWrong),
        ("rot left kiva1", FieldWrong),
        ("lift 2 kiva1 unit1", FieldWrong),
    ],
)
def test_a_line_that_is_no_command_is_refused(
    line: str, cause: type[Exception]
) -> None:
    with pytest.raises(cause):
        parse_command(line)


@pytest.mark.parametrize(
    "line", ["mov 3 4 kiva1", "movx -2 kiva7", "rot cw kiva1", "lift 1 kiva1 unit3"]
)
def test_a_command_reads_as_it_is_written(line: str) -> None:
    assert parse_command(f"./{line}  # a remark").line() == line


@pytest.mark.covers("K11")
def test_an_empty_robot_drives_beneath_units_and_a_loaded_one_does_not() -> None:
    drive = Drive(hall((0, 0), units=[(2, 0), (0, 0)])).do("movx 4 1")
    assert drive.robot().x_m == 4.0
    drive.do("movx -4 1", "lift 1 1 2", "movx 4 1")
    assert drive.robot().x_m == 1.0
    assert drive.ends()[-1].outcome is Outcome.BLOCKED
    assert "unit1" in drive.ends()[-1].reason
