"""One order over rosbridge: goals one by one, and nothing else on the wire."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from tests.support.robot_plant import RobotPlant
from tests.support.waiting import until

MISSION = ["A", "tank", "B", "tank", "C", "tank", "home"]
SECRETS = ("MO-2026", "RM-00", "Water", "Titanium", "Calcium", "Matt white", "buyer")


@pytest.mark.covers("A11", "A12", "A17", "A18", "A19", "A55", "A61")
def test_an_order_is_driven_goal_by_goal_and_the_robot_learns_nothing_more(
    plant: RobotPlant,
) -> None:
    simulator = plant.start_simulator()
    recorder = plant.record()
    plant.start_worker("first")
    plant.start_people()
    plant.send_order("MO-2026-0001")
    until("the order is done", plant.done)

    goals = plant.goals()
    reached = [goal for goal in goals if goal["state"] == "reached"]
    assert [goal["place"] for goal in reached] == MISSION
    assert max(plant.starts_of_goals().values()) == 1
    assert set(plant.starts_of_goals()) >= {g["id"] for g in reached}
    (robot,) = {goal["robot"] for goal in goals}
    assert {record["robot"] for record in simulator.starts()} == {robot}

    first_sent: dict[str, int] = {}
    said_done: dict[str, int] = {}
    for place, (way, text) in enumerate(recorder.frames):
        frame = json.loads(text)
        topic = str(frame.get("topic"))
        if way == "to robot":
            assert not [secret for secret in SECRETS if secret in text], text
        if frame["op"] != "publish":
            continue
        if way == "to robot" and topic == f"/{robot}/move_base/goal":
            assert set(frame["msg"]) <= {"header", "goal_id", "goal"}
            assert set(frame["msg"]["goal"]) == {"target_pose"}
            position = frame["msg"]["goal"]["target_pose"]["pose"]["position"]
            goal = next(g for g in goals if g["id"] == frame["msg"]["goal_id"]["id"])
            assert (position["x"], position["y"]) == (goal["x_m"], goal["y_m"])
            first_sent.setdefault(goal["id"], place)
        elif way == "from robot" and topic == f"/{robot}/move_base/result":
            status = frame["msg"]["status"]
            if status["status"] == 3:
                said_done[status["goal_id"]["id"]] = place
    assert list(first_sent) == [goal["id"] for goal in goals]
    for earlier, later in itertools.pairwise(goals):
        if earlier["state"] == "reached" and not earlier["inferred"]:
            assert said_done[earlier["id"]] < first_sent[later["id"]]


def shared_places(goals: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """Where a robot was sent although another was there or on its way there."""
    stays: list[tuple[str, float, float, Any, Any]] = []
    for robot in {goal["robot"] for goal in goals}:
        mine = [goal for goal in goals if goal["robot"] == robot]
        for goal, following in itertools.zip_longest(mine, mine[1:]):
            until = goal["ended_at"]
            if goal["state"] == "reached":
                until = None if following is None else following["sent_at"]
            stay = (robot, goal["x_m"], goal["y_m"], goal["created_at"], until)
            stays.append(stay)
    found = []
    for one, two in itertools.combinations(stays, 2):
        (robot, x, y, since, until), (other, x2, y2, since2, until2) = one, two
        apart = robot == other or (x, y) != (x2, y2)
        earlier = until is not None and until <= since2
        later = until2 is not None and until2 <= since
        if not (apart or earlier or later):
            found.append((robot, other, f"{x}, {y}"))
    return found


@pytest.mark.covers("A78")
@pytest.mark.parametrize("orders", [4, pytest.param(10, marks=pytest.mark.soak)])
def test_orders_at_once_are_done_by_three_robots_and_two_workers(
    plant: RobotPlant, orders: int
) -> None:
    """Two kinds of robots; each has one of the workers for its owner."""
    simulator = plant.start_simulator(speed=60.0)
    for name in ("first", "second"):
        plant.start_worker(name, lease_s=60.0)
    plant.start_people()
    numbers = [f"MO-2026-{count:04d}" for count in range(1, orders + 1)]
    for number in numbers:
        plant.send_order(number)
    until("all orders are done", lambda: sorted(plant.done()) == numbers)
    goals = plant.goals()
    reached = [g for g in goals if g["state"] == "reached"]
    assert len(reached) == orders * len(MISSION)
    assert shared_places(plant.goals(aside=True)) == []
    assert {g["robot"] for g in reached} == {"robot1", "robot2", "robot3"}
    assert max(plant.starts_of_goals().values()) == 1
    for robot in ("robot1", "robot2", "robot3"):
        mine = [g for g in goals if g["robot"] == robot]
        for earlier, later in itertools.pairwise(mine):
            assert earlier["ended_at"] <= later["sent_at"]

    speakers: dict[str, list[int]] = {}
    for record in simulator.records("message"):
        robot = str(record["name"]).split("/")[1]
        if record["direction"] == "in" and record["op"] == "publish":
            speakers.setdefault(robot, []).append(record["connection"])
    assert set(speakers) == {"robot1", "robot2", "robot3"}
    for connections in speakers.values():  # a later one replaces, none returns
        assert connections == sorted(connections)
