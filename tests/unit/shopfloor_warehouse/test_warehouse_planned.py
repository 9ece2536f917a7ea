"""Planned drives: robots go around and make way, and more of them bring more."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from shopfloor import cli
from shopfloor.sim.clock import ManualClock
from shopfloor.warehouse.building import add, walk
from shopfloor.warehouse.creating import Numbers, create
from shopfloor.warehouse.errors import FieldWrong
from shopfloor.warehouse.planned import PlannedWarehouse
from shopfloor.warehouse.retrieval import retrieve
from shopfloor.warehouse.things import Obstacle, ObstacleKind, Person, Warehouse
from shopfloor.warehouse.world_file import WorldFile, find_file, load
from tests.support.kivas import Drive, cells_held_twice, hall
from tests.support.rosbridge import LocalClient


def client_of(warehouse: Warehouse) -> LocalClient:
    clock = ManualClock()
    client = LocalClient(PlannedWarehouse(WorldFile(warehouse), clock=clock), clock)
    client.subscribe("/warehouse/reports")
    return client


def say(client: LocalClient, *lines: str) -> None:
    for line in lines:
        answer = client.call("/warehouse/command", {"line": line})["values"]
        assert answer["success"], answer["message"]


def cells(client: LocalClient) -> dict[str, tuple[int, int]]:
    assert isinstance(client.simulation, PlannedWarehouse)
    robots = client.simulation.warehouse.robots
    return {robot.id: robot.cell for robot in robots.values()}


def outcomes(client: LocalClient) -> dict[str, str]:
    """The last word about every command."""
    told = client.messages("/warehouse/reports")
    return {m["command"]: m["outcome"] for m in told if m["level"] == "high"}


@pytest.mark.covers("K63")
def test_robots_that_meet_head_on_pass_each_other() -> None:
    start = hall((0, 1), (6, 1), size=(7, 3))
    lines = ("mov 6 1 kiva1", "mov 0 1 kiva2")
    straight = Drive(start).give(*lines).rest()
    assert {str(end.outcome) for end in straight.ends()} == {"blocked"}
    client = client_of(start)
    say(client, *lines)
    client.advance(40.0)
    assert cells(client) == {"kiva1": (6, 1), "kiva2": (0, 1)}
    assert outcomes(client) == dict.fromkeys(lines, "done")


@pytest.mark.covers("K63")
def test_a_planned_way_leads_around_a_wall_and_around_units_with_a_load() -> None:
    start = add(hall((0, 0), units=[(0, 0)]), Obstacle("w", ObstacleKind.WALL, (3, 0)))
    for n in (1, 2, 3):
        start = add(
            start, replace(start.storage_units["unit1"], id=f"s{n}", cell=(2, n))
        )
    client = client_of(start)
    say(client, "lift 1 kiva1 unit1")
    client.advance(2.0)
    say(client, "mov 5 0 kiva1")
    client.advance(40.0)
    assert cells(client) == {"kiva1": (5, 0)}
    low = [m["outcome"] for m in client.messages("/warehouse/reports")]
    assert "blocked" not in low


@pytest.mark.covers("K63", "K74")
def test_a_person_in_the_way_is_driven_around() -> None:
    anna = Person("anna", ((3, 1),), 0.8, (3, 1), 3.0, 1.0)
    client = client_of(walk(add(hall((0, 1), size=(7, 3)), anna), True))
    say(client, "mov 6 1 kiva1")
    client.advance(30.0)
    assert cells(client) == {"kiva1": (6, 1)}


def test_an_idle_robot_makes_way_and_says_that_it_is_busy() -> None:
    lane = hall((0, 0), (3, 0), size=(7, 2))
    lane = add(lane, Obstacle("a", ObstacleKind.WALL, (0, 1), columns=5))
    client = client_of(lane)
    client.subscribe("/kiva2/status")
    say(client, "movx 6 kiva1")
    client.advance(30.0)
    assert cells(client)["kiva1"] == (6, 0)
    said = [m["data"] for m in client.messages("/kiva2/status")]
    assert "busy" in said
    assert said[-1] == "idle"


def test_a_robot_on_its_way_takes_no_command_between_its_drives() -> None:
    client = client_of(hall((0, 0)))
    client.subscribe("/kiva1/status")
    say(client, "mov 4 4 kiva1")
    refused = 0
    while outcomes(client)["mov 4 4 kiva1"] != "done":
        refused += not turn(client)
        client.advance(0.1)
    assert refused > 10
    client.advance(1.0)
    said = [message["data"] for message in client.messages("/kiva1/status")]
    assert said.index("idle") == said.count("busy")
    assert turn(client)


def turn(client: LocalClient) -> bool:
    answer = client.call("/warehouse/command", {"line": "rot cw kiva1"})
    return bool(answer["values"]["success"])


def test_a_goal_without_a_way_ends_as_blocked() -> None:
    walled = add(hall((0, 0)), Obstacle("w", ObstacleKind.WALL, (3, 0), rows=8))
    client = client_of(walled)
    say(client, "mov 5 0 kiva1")
    client.advance(2.0)
    assert outcomes(client) == {"mov 5 0 kiva1": "blocked"}
    say(client, "mov 2 2 kiva1")
    client.advance(20.0)
    assert cells(client)["kiva1"] == (2, 2)


def test_two_robots_cannot_have_one_goal() -> None:
    client = client_of(hall((0, 0), (0, 2)))
    say(client, "mov 5 0 kiva1")
    answer = client.call("/warehouse/command", {"line": "mov 5 0 kiva2"})["values"]
    assert "the goal of robot kiva1" in answer["message"]


def test_what_is_spawned_on_the_way_is_driven_around() -> None:
    client = client_of(hall((0, 0)))
    say(client, "movx 8 kiva1")
    client.advance(2.0)
    request = {"kind": "blocker", "id": "box", "at": [6.0, 0.0]}
    assert client.call("/warehouse/spawn", request)["values"]["success"]
    client.advance(40.0)
    assert cells(client)["kiva1"] == (8, 0)
    assert outcomes(client) == {"movx 8 kiva1": "done"}


def test_a_drive_ends_when_its_warehouse_is_replaced() -> None:
    client = client_of(hall((0, 0), (0, 2)))
    say(client, "mov 8 4 kiva1")
    client.advance(1.0)
    request = {"world": "small", "replace": True}
    assert client.call("/warehouse/insert_world", request)["values"]["success"]
    assert outcomes(client)["mov 8 4 kiva1"] == "failed"
    before = cells(client)
    client.advance(2.0)
    assert cells(client) == before
    say(client, "movx 2 kiva1")
    client.advance(5.0)
    assert cells(client)["kiva1"] == (2, 3)


@pytest.mark.covers("K71")
@pytest.mark.long
def test_retrieval_is_quicker_with_more_robots(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["warehouse", "experiment", "medium", "--units", "20"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [(run["robots"], run["units"]) for run in runs] == [
        (1, 20),
        (2, 20),
        (4, 20),
    ]
    one, two, four = (run["seconds"] for run in runs)
    assert four < 0.75 * two < 0.75 * 0.75 * one


def test_all_units_are_back_home_after_a_retrieval() -> None:
    start = create(Numbers(robots=2, items=0, shelves=4))
    result = retrieve(start, 2, list(start.storage_units))
    assert (result.units, result.robots) == (4, 2)
    with pytest.raises(FieldWrong, match="robots are 1 to 2"):
        retrieve(start, 3, ["unit1"])
    with pytest.raises(FieldWrong, match="no storage unit unit9"):
        retrieve(start, 1, ["unit9"])


@pytest.mark.soak
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_many_robots_and_people_never_meet_in_a_cell(seed: int) -> None:
    warehouse = walk(load(find_file("large")).warehouse, True)
    units = random.Random(seed).sample(list(warehouse.storage_units), 120)

    def watch(now: Warehouse) -> None:
        assert cells_held_twice(now) == []

    assert retrieve(warehouse, 24, units, watch).units == 120
