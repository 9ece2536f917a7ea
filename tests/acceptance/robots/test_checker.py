"""The checker of robot traces catches every kind of broken promise."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.robot_checker import violations

Facts = dict[str, Any]


def record(event: str, at: float, goal: str = "g1", **facts: Any) -> Facts:
    defaults: Facts = {"robot": "robot1", "x_m": 0.0, "y_m": 0.0, "status": 1}
    if event == "goal_received":
        defaults["repeated"] = False
    return {"event": event, "at": at, "goal_id": goal} | defaults | facts


def drive(goal: str, at: float, status: int = 3, **facts: Any) -> list[Facts]:
    return [
        record("goal_received", at, goal, **facts),
        record("goal_started", at + 1, goal, **facts),
        record("goal_ended", at + 5, goal, **facts | {"status": status}),
    ]


def goal(name: str, at: float, state: str = "reached", **facts: Any) -> Facts:
    defaults: Facts = {
        **{"robot": "robot1", "place": "A", "x_m": 0.0, "y_m": 0.0},
        **{"inferred": False, "reason": None, "sent_at": at - 1, "ended_at": at + 6},
    }
    return {"id": name, "state": state} | defaults | facts


def told(*goals: Facts) -> list[tuple[str, str]]:
    return [(g["id"], g["state"]) for g in goals]


def test_a_clean_record_breaks_no_promise() -> None:
    goals = [goal("g1", 10), goal("g2", 20), goal("g3", 20, robot="robot2")]
    trace = drive("g1", 10) + drive("g2", 20) + drive("g3", 20, robot="robot2")
    assert violations(trace, goals, told(*goals)) == []


@pytest.mark.parametrize(
    ("state", "trace"),
    [
        ({"state": "reached", "inferred": True}, drive("g1", 10)),
        ({"state": "failed"}, drive("g1", 10, status=4)),
        ({"state": "failed", "reason": "expired"}, []),
        ({"state": "cancelled"}, drive("g1", 10, status=2)),
        ({"state": "cancelled"}, [record("goal_received", 10)]),
        ({"state": "unknown", "reason": "no trace"}, drive("g1", 10)),
        ({"state": "unknown", "reason": "no trace"}, []),
    ],
)
def test_every_true_end_is_accepted(state: Facts, trace: list[Facts]) -> None:
    goals = [goal("g1", 10, **state)]
    assert violations(trace, goals, told(*goals)) == []


def test_an_arrival_may_be_inferred_from_where_the_drive_before_ended() -> None:
    goals = [goal("g1", 10), goal("g2", 20, inferred=True)]
    assert violations(drive("g1", 10), goals, told(*goals)) == []


@pytest.mark.parametrize(
    ("state", "trace", "said"),
    [
        ({}, drive("g1", 10) + drive("g1", 12)[1:], "started 2 times"),
        ({}, [], "the robot says None"),
        ({}, drive("g1", 10, status=4), "the robot says 4"),
        ({"inferred": True}, [], "was elsewhere"),
        (
            {"inferred": True},
            drive("g1", 10, status=2, x_m=3.0),
            "was elsewhere",
        ),
        ({"state": "failed"}, drive("g1", 10), "counts as failed"),
        ({"state": "cancelled"}, drive("g1", 10), "counts as cancelled"),
        ({"state": "unknown"}, drive("g1", 10), "without a reason"),
        ({"state": "sent", "ended_at": None}, drive("g1", 10), "has no end"),
        ({"sent_at": 14.0}, drive("g1", 10), "before it was written"),
        ({"sent_at": None}, drive("g1", 10), "before it was written"),
        ({"ended_at": 10.0}, drive("g1", 10), "after it was closed"),
        ({"robot": "robot2"}, drive("g1", 10), "was driven by robot1"),
        ({}, drive("g1", 10, x_m=2.0), "2.0 m from its place"),
    ],
)
def test_a_false_end_is_caught(state: Facts, trace: list[Facts], said: str) -> None:
    goals = [goal("g1", 10, **state)]
    closed = [g for g in goals if g["ended_at"] is not None]
    assert any(said in found for found in violations(trace, goals, told(*closed)))


def test_two_goals_at_once_are_caught() -> None:
    goals = [goal("g1", 10), goal("g2", 20)]
    first, second = drive("g1", 10), drive("g2", 12)
    mixed = [*first[:2], *second[:2], first[2], second[2]]
    found = violations(mixed, goals, told(*goals))
    assert "robot1 was given g2 while it drove g1" in found
    assert "robot1 started g2 while it drove g1" in found


def test_a_late_copy_that_is_recalled_takes_nothing_from_the_robot() -> None:
    goals = [goal("g0", 1, "unknown", reason="no trace"), goal("g1", 10)]
    late = [record("goal_received", 12, "g0"), record("goal_ended", 12, "g0", status=8)]
    first = drive("g1", 10)
    assert violations([*first[:2], *late, first[2]], goals, told(*goals)) == []


def test_two_open_rows_of_one_robot_are_caught() -> None:
    goals = [goal("g1", 10), goal("g2", 12)]
    trace = drive("g1", 10) + drive("g2", 12)
    found = violations(trace, goals, told(*goals))
    assert "robot1 had g1 and g2 open" in found


def test_a_drive_that_nobody_ordered_is_caught() -> None:
    assert violations(drive("ghost", 1), [], []) == [
        "ghost was started and is not in the books"
    ]


@pytest.mark.parametrize(
    ("history", "said"),
    [
        ([("g1", "reached"), ("g1", "reached")], "2 times in the history"),
        ([("g1", "failed")], "not in the books"),
        ([], "without a word"),
    ],
)
def test_history_that_disagrees_is_caught(
    history: list[tuple[str, str]], said: str
) -> None:
    found = violations(drive("g1", 10), [goal("g1", 10)], history)
    assert any(said in each for each in found)
