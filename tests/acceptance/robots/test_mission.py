"""One order over rosbridge: goals one by one, and nothing else on the wire."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest

Plant = Any  # the fixture's class lives in conftest.py
Until = Callable[..., Any]

MISSION = ["A", "tank", "B", "tank", "C", "tank", "home"]
SECRETS = ("MO-2026", "RM-00", "Water", "Titanium", "Calcium", "Matt white", "buyer")


def frames_of(recorder: Any, direction: str) -> list[dict[str, Any]]:
    return [json.loads(f) for way, f in list(recorder.frames) if way == direction]


@pytest.mark.covers("A11", "A12", "A17", "A18", "A19", "A55")
def test_an_order_is_driven_goal_by_goal_and_the_robot_learns_nothing_more(
    plant: Plant, until: Until
) -> None:
    plant.start_simulator()
    recorder = plant.record()
    plant.start_worker("first")
    plant.start_people()
    plant.send_order("MO-2026-0001")
    until("the order is done", plant.done)

    assert [goal["place"] for goal in plant.goals()] == MISSION
    assert [goal["state"] for goal in plant.goals()] == ["reached"] * 7
    assert set(plant.starts_of_goals().values()) == {1}
    assert len(plant.starts_of_goals()) == 7

    sent = frames_of(recorder, "to robot")
    assert not [f for f in sent if any(secret in json.dumps(f) for secret in SECRETS)]
    goals = [f for f in sent if str(f.get("topic")).endswith("/move_base/goal")]
    assert len({f["msg"]["goal_id"]["id"] for f in goals}) == len(goals) == 7
    for frame, goal in zip(goals, plant.goals(), strict=True):
        assert frame["op"] == "publish"
        assert set(frame["msg"]) <= {"header", "goal_id", "goal"}
        assert set(frame["msg"]["goal"]) == {"target_pose"}
        position = frame["msg"]["goal"]["target_pose"]["pose"]["position"]
        assert (position["x"], position["y"]) == (goal["x_m"], goal["y_m"])


@pytest.mark.covers("A11", "A19")
def test_the_next_goal_goes_out_only_after_the_robot_said_it_arrived(
    plant: Plant, until: Until
) -> None:
    plant.start_simulator()
    recorder = plant.record()
    plant.start_worker("first")
    plant.start_people()
    plant.send_order("MO-2026-0001")
    until("the order is done", plant.done)
    story: list[str] = []
    for way, text in recorder.frames:
        frame = json.loads(text)
        topic = str(frame.get("topic"))
        if way == "to robot" and topic.endswith("/move_base/goal"):
            story.append(f"go {frame['msg']['goal_id']['id']}")
        elif way == "from robot" and topic.endswith("/move_base/result"):
            assert frame["msg"]["status"]["status"] == 3
            story.append(f"there {frame['msg']['status']['goal_id']['id']}")
    expected: list[str] = []
    for goal in plant.goals():
        expected += [f"go {goal['id']}", f"there {goal['id']}"]
    assert story == expected


@pytest.mark.covers("A78")
def test_ten_orders_at_once_are_done_by_three_robots_of_two_kinds(
    plant: Plant, until: Until
) -> None:
    plant.start_simulator(speed=40.0)
    plant.start_worker("first", lease_s=20.0)
    plant.start_people()
    numbers = [f"MO-2026-{count:04d}" for count in range(1, 11)]
    for number in numbers:
        plant.send_order(number)
    until("all orders are done", lambda: sorted(plant.done()) == numbers)
    goals = plant.goals()
    reached = [g for g in goals if g["state"] == "reached"]
    assert len(reached) == 70
    assert {g["robot"] for g in reached} == {"robot1", "robot2", "robot3"}
    assert max(plant.starts_of_goals().values()) == 1
    for robot in ("robot1", "robot2", "robot3"):
        mine = [g for g in goals if g["robot"] == robot]
        for earlier, later in itertools.pairwise(mine):
            assert earlier["ended_at"] <= later["sent_at"]
