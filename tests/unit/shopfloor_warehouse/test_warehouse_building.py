"""Warehouses from numbers, presets, files and one thing after the other."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from shopfloor.warehouse.account import account, unit_facts
from shopfloor.warehouse.building import add, add_item, remove
from shopfloor.warehouse.creating import Numbers, create
from shopfloor.warehouse.errors import (
    CellTaken,
    FieldWrong,
    NameTaken,
    NameWrong,
    NoRoom,
    NotThere,
    OutsideFloor,
    RobotBusy,
    UnitHeld,
    UnitUnknown,
    VerbUnknown,
    WarehouseRefused,
    WorldUnknown,
    WorldWrong,
)
from shopfloor.warehouse.script import read_script
from shopfloor.warehouse.stepping import time_s
from shopfloor.warehouse.stock import find, places, pose_of_item, stock
from shopfloor.warehouse.things import (
    Belt,
    Item,
    Obstacle,
    ObstacleKind,
    Warehouse,
)
from shopfloor.warehouse.world_file import find_file, load, presets, read, write
from tests.support.kivas import Drive, a_robot, a_unit, hall

SIZES = ("small", "medium", "large")


def preset(name: str) -> Warehouse:
    return load(find_file(name)).warehouse


def counts(warehouse: Warehouse) -> tuple[int, int, int, int]:
    items = sum(1 for _ in places(warehouse))
    units, belts = len(warehouse.storage_units), len(warehouse.belts)
    return len(warehouse.robots), items, units, belts


@pytest.mark.covers("K1", "K5")
def test_one_call_creates_exactly_the_asked_numbers() -> None:
    made = create(Numbers(robots=7, items=33, shelves=23, belts=2))
    assert counts(made) == (7, 33, 23, 2)
    assert list(made.robots)[:2] == ["kiva1", "kiva2"]
    assert list(made.storage_units)[-1] == "unit23"
    assert list(made.belts) == ["belt1", "belt2"]


@pytest.mark.parametrize("robots", [0, 1, 5, 40])
@pytest.mark.parametrize("shelves", [0, 1, 11, 100])
def test_what_is_created_from_numbers_could_be_built_by_hand(
    robots: int, shelves: int
) -> None:
    made = create(Numbers(robots, 3 * shelves, shelves))
    again = replace(made, robots={}, storage_units={}, floor=replace(made.floor))
    for unit in made.storage_units.values():
        again = add(again, unit)
    for robot in made.robots.values():
        again = add(again, robot)
    assert again == made
    for belt in made.belts.values():
        assert made.floor.drops_of(belt)


@pytest.mark.covers("K6")
def test_presets_differ_in_their_numbers() -> None:
    assert set(SIZES) <= presets().keys()
    sizes = [counts(preset(name)) for name in SIZES]
    assert [s[0] for s in sizes] == [2, 8, 24]
    assert sizes == sorted(sizes)
    assert len(set(sizes)) == 3


@pytest.mark.covers("K7")
def test_an_empty_warehouse_holds_nothing() -> None:
    empty = preset("empty")
    assert counts(empty) == (0, 0, 0, 0)
    assert empty.is_empty
    assert not preset("small").is_empty


@pytest.mark.covers("K3")
def test_a_storage_unit_is_shelves_with_items() -> None:
    warehouse = preset("small")
    facts = unit_facts(warehouse, warehouse.storage_units["unit1"])
    assert [shelf["level"] for shelf in facts["shelves"]] == [1, 2, 3, 4]
    assert facts["shelves"][0]["items"] == ["item1"]


@pytest.mark.covers("K2")
def test_a_robot_has_a_chassis_wheels_and_a_tower() -> None:
    shape = account(preset("small"))["shapes"]["robot"]
    assert {"chassis", "wheels", "tower"} <= shape.keys()
    assert [wheel["side"] for wheel in shape["wheels"]] == ["left", "right"]


@pytest.mark.covers("K60", "K67")
def test_the_account_holds_every_pose_and_status_in_one_frame() -> None:
    drive = Drive(hall((0, 0), (0, 2), units=[(0, 0)], belts=[(5, 0)]))
    drive.do("lift 1 1 1").give("mov 3 3 1").tick()
    facts = json.loads(json.dumps(account(drive.now)))
    assert facts["frame"] == "map"
    assert [r["status"] for r in facts["robots"]] == ["busy", "idle"]
    assert facts["robots"][0]["command"] == "mov 3 3 kiva1"
    (unit,) = facts["storage_units"]
    robot = facts["robots"][0]
    assert (unit["x_m"], unit["y_m"]) == (robot["x_m"], robot["y_m"])
    assert unit["held_by"] == "kiva1"
    assert facts["belts"][0]["drop_points"] == [[5.0, 1.0]]
    assert facts["time_s"] == time_s(drive.now)
    for listed in ("robots", "storage_units", "items"):
        assert all({"x_m", "y_m", "yaw_deg"} <= thing.keys() for thing in facts[listed])


@pytest.mark.covers("K68")
def test_items_are_looked_up_while_a_robot_carries_them() -> None:
    start = add_item(hall((0, 0), units=[(0, 0), (4, 4)]), Item("a", "bolt"), "unit1")
    start = add_item(start, Item("b", "bolt"), "unit2", 3)
    drive = Drive(start).do("lift 1 1 1").give("movx 4 1")
    for _ in range(100):
        drive.tick()
    assert stock(drive.now) == {"bolt": 2}
    first, second = find(drive.now, "bolt")
    assert (first.unit.held_by, first.shelf.level) == ("kiva1", 1)
    assert (second.unit.held_by, second.shelf.level) == (None, 3)
    assert pose_of_item(drive.now, first)[0] == pytest.approx(2.0, abs=0.1)
    assert find(drive.now, "nut") == []


HAND = """
name: By hand
id: h1
floor: {columns: 8, rows: 6, cell_m: 0.5}
belts: [{id: belt1, x_m: 1, y_m: 0, length: 2, along: x}]
obstacles: [{id: wall1, kind: wall, x_m: 3.5, y_m: 0, rows: 3}]
storage_units:
  - {id: unit1, x_m: 1, y_m: 1.5, yaw_deg: 90, shelves: [[{id: i1, sku: bolt}], []]}
robots: [{id: kiva1, x_m: 0.5, y_m: 2.5, yaw_deg: 270}]
people: [{id: anna, route: [[0, 1], [2, 1]], speed_mps: 0.5}]
people_walk: true
"""


@pytest.mark.covers("K8")
def test_positions_after_loading_are_those_of_the_file() -> None:
    warehouse = read(HAND).warehouse
    robot, unit = warehouse.robots["kiva1"], warehouse.storage_units["unit1"]
    assert (robot.x_m, robot.y_m, robot.yaw_deg) == (0.5, 2.5, 270.0)
    assert warehouse.floor.spot(unit.cell) == (1.0, 1.5)
    assert [warehouse.floor.spot(c) for c in warehouse.belts["belt1"].cells()] == [
        (1.0, 0.0),
        (1.5, 0.0),
    ]
    assert set(warehouse.obstacles["wall1"].cells()) == {(7, 0), (7, 1), (7, 2)}
    assert warehouse.present["anna"].route == ((0, 2), (4, 2))


@pytest.mark.parametrize("name", [*SIZES, "empty", "two_robots"])
def test_a_written_world_is_read_as_the_same_warehouse(name: str) -> None:
    warehouse = preset(name)
    assert read(write(warehouse)).warehouse == warehouse


def test_grid_points_may_be_closer_than_a_metre() -> None:
    drive = Drive(read(HAND).warehouse).do("mov 2 2 1")
    assert (drive.robot().x_m, drive.robot().y_m) == (2.0, 2.0)


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        (
            lambda t: t.replace("x_m: 0.5, y_m: 2.5", "x_m: 1, y_m: 0"),
            ["world:9: robots[0] kiva1 cannot stand there: belt1 is in (2, 0)"],
        ),
        (
            lambda t: t + "\nlaser: {rays: 1}\nwheels: 4\n",
            [
                "world:13: laser.rays is 1 and must be at least 2",
                "world:14: wheels is not known here",
            ],
        ),
        (
            lambda t: t.replace("x_m: 1, y_m: 1.5", "x_m: 1.2, y_m: 1.5"),
            ["world:8: storage_units[0] (1.2, 1.5) is no grid point"],
        ),
        (
            lambda t: t.replace("id: unit1", "id: belt1"),
            ["world:8: storage_units[0] there is a belt1 already"],
        ),
        (lambda t: t.replace("name: By hand", ""), ["world:3: lacks name"]),
        (lambda t: "robots: [", None),
        (lambda t: "", ["world:1: the file is empty"]),
        (
            lambda t: "name: x\ncreate: {robots: 1, items: 9, shelves: 0}",
            ["world:2: create 9 items do not fit into 0 storage units, which hold 0"],
        ),
        (
            lambda t: t + "\ncommands: fly 1\n",
            [
                "world:13: commands line 1: there is no verb 'fly', only mov, movx, "
                "movy, rot, lift"
            ],
        ),
    ],
)
def test_mistakes_of_a_world_file_are_named_with_their_lines(
    change: Callable[[str], str], lines: list[str] | None
) -> None:
    with pytest.raises(WorldWrong) as caught:
        read(change(HAND))
    if lines is not None:
        assert list(caught.value.mistakes) == lines


def test_overlaps_of_every_kind_are_found_at_once() -> None:
    text = HAND.replace("x_m: 0.5, y_m: 2.5", "x_m: 3.5, y_m: 1.0").replace(
        "x_m: 1, y_m: 1.5", "x_m: 1.5, y_m: 0"
    )
    with pytest.raises(WorldWrong) as caught:
        read(text)
    assert len(caught.value.mistakes) == 2


def test_a_preset_that_does_not_exist_is_named_with_those_that_do() -> None:
    with pytest.raises(WorldUnknown, match=r"'huge'; there are .*large, medium"):
        find_file("huge")
    with pytest.raises(WorldUnknown):
        find_file("pyproject.toml", files=False)
    with pytest.raises(WorldUnknown, match="cannot be read"):
        load(Path("no") / "such.yaml")


@pytest.mark.covers("K57")
def test_each_kind_can_be_added_alone() -> None:
    empty = preset("empty")
    assert counts(add(empty, a_robot(1, (2, 2))))[0] == 1
    with_unit = add(empty, a_unit(1, (2, 2)))
    assert counts(with_unit)[2] == 1
    assert counts(add_item(with_unit, Item("item1", "bolt"), "unit1"))[1] == 1
    assert counts(add(empty, Belt("belt1", (0, 0), 3)))[3] == 1


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (lambda w: add(w, a_robot(1, (5, 5))), NameTaken),
        (lambda w: add(w, a_robot(2, (0, 0))), CellTaken),
        (lambda w: add(w, a_robot(2, (3, 0))), CellTaken),
        (lambda w: add(w, a_robot(2, (99, 0))), OutsideFloor),
        (lambda w: add(w, a_unit(2, (2, 0))), CellTaken),
        (lambda w: add(w, a_unit(2, (3, 0))), CellTaken),
        (lambda w: add(w, Belt("b", (9, 0), 3)), OutsideFloor),
        (lambda w: add(w, Belt("b", (2, 0), 1)), CellTaken),
        (lambda w: add(w, Obstacle("o", ObstacleKind.WALL, (0, 0))), CellTaken),
        (
            lambda w: add(w, a_robot(2, (5, 5)).__class__("a/b", (5, 5), 5, 5)),
            NameWrong,
        ),
        (lambda w: add_item(w, Item("i", "s"), "unit7"), UnitUnknown),
        (lambda w: add_item(w, Item("i", "s"), "unit1", 9), FieldWrong),
        (lambda w: add_item(w, Item("belt1", "s"), "unit1"), NameTaken),
        (lambda w: remove(w, "ghost"), NotThere),
    ],
)
def test_what_does_not_fit_is_refused(
    change: Callable[[Warehouse], Warehouse], cause: type[WarehouseRefused]
) -> None:
    start = hall((0, 0), units=[(2, 0)], belts=[(3, 0)])
    with pytest.raises(cause):
        change(start)
    assert start == hall((0, 0), units=[(2, 0)], belts=[(3, 0)])


def test_a_full_shelf_takes_no_more() -> None:
    warehouse = hall(units=[(0, 0)])
    for k in range(6):
        warehouse = add_item(warehouse, Item(f"i{k}", "s"), "unit1", 1)
    with pytest.raises(NoRoom, match="shelf 1 of unit1 is full"):
        add_item(warehouse, Item("i6", "s"), "unit1", 1)


@pytest.mark.parametrize(
    ("numbers", "cause"),
    [
        (Numbers(-1, 0, 0), FieldWrong),
        (Numbers(0, 0, 10_000), FieldWrong),
        (Numbers(0, 25, 1), NoRoom),
        (Numbers(0, 0, 0, belts=-1), FieldWrong),
    ],
)
def test_impossible_numbers_are_refused(
    numbers: Numbers, cause: type[WarehouseRefused]
) -> None:
    with pytest.raises(cause):
        create(numbers)


def test_things_are_taken_away_only_at_rest() -> None:
    drive = Drive(hall((0, 0), (5, 5), units=[(0, 0)])).do("lift 1 1 1")
    for name in ("kiva1", "unit1"):
        with pytest.raises(UnitHeld):
            remove(drive.now, name)
    drive.give("movx 1 2")
    with pytest.raises(RobotBusy):
        remove(drive.now, "kiva2")
    drive.do("lift 0 1 1")
    assert counts(remove(remove(drive.now, "kiva1"), "unit1"))[:3] == (1, 0, 0)


@pytest.mark.covers("K14")
def test_a_file_of_commands_is_read_or_its_wrong_lines_are_named() -> None:
    found = read_script("# go\nmov 1 2 kiva1\n\nlift 1 1 1 # up\n")
    assert [command.line() for command in found] == [
        "mov 1 2 kiva1",
        "lift 1 kiva1 unit1",
    ]
    with pytest.raises(VerbUnknown) as caught:
        read_script("mov 1 2 kiva1\nfly kiva1\nmovx x 1\n")
    assert [line.split(":")[0] for line in str(caught.value).splitlines()] == [
        "line 2",
        "line 3",
    ]
