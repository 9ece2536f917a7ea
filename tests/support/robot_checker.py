"""Compares the robots' own record with MPMS's books, and knows neither's code.

The record is the simulator's trace: what arrived at the robots, what they started and
how it ended, with their true position. The books are the rows of ``goals`` and the
lines of history about them. Every sentence returned is a broken promise.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

Record = Mapping[str, Any]
PREEMPTED, SUCCEEDED, ABORTED, REJECTED, RECALLED = 2, 3, 4, 5, 8
ARRIVAL_M = 0.45
CLOCKS_S = 0.5
"""Two processes of one machine may read its clock this far apart."""


def violations(
    records: Iterable[Record], goals: Iterable[Record], ended: Iterable[tuple[str, str]]
) -> list[str]:
    """``ended``: goal id and state of every line of history about an end.

    Instants of goals are seconds since the epoch.
    """
    books = {goal["id"]: goal for goal in goals}
    trace = [r for r in records if str(r["event"]).startswith("goal_")]
    return [
        *_started_twice(trace),
        *_two_at_once(trace),
        *_not_in_the_books(trace, books),
        *_overlapping(books),
        *_untrue(trace, books),
        *_told_otherwise(books, list(ended)),
    ]


def _started_twice(trace: list[Record]) -> list[str]:
    starts = Counter(r["goal_id"] for r in trace if r["event"] == "goal_started")
    return [f"{goal} was started {n} times" for goal, n in starts.items() if n > 1]


def _two_at_once(trace: list[Record]) -> list[str]:
    found = []
    live: dict[str, str] = {}  # robot -> the goal it drives
    recalled = {r["goal_id"] for r in trace if _ended_as(r, RECALLED)}
    for record in trace:
        robot, goal = record["robot"], record["goal_id"]
        other = live.get(robot)
        if record["event"] == "goal_started":
            if other not in (None, goal):
                found.append(f"{robot} started {goal} while it drove {other}")
            live[robot] = goal
        elif record["event"] == "goal_received" and not record["repeated"]:
            if other not in (None, goal) and goal not in recalled:
                found.append(f"{robot} was given {goal} while it drove {other}")
        elif record["event"] == "goal_ended" and other == goal:
            del live[robot]
    return found


def _not_in_the_books(trace: list[Record], books: dict[str, Record]) -> list[str]:
    found = []
    for record in trace:
        goal = books.get(record["goal_id"])
        if record["event"] == "goal_started":
            if goal is None:
                found.append(f"{record['goal_id']} was started and is not in the books")
            elif goal["robot"] != record["robot"]:
                found.append(f"{goal['id']} was driven by {record['robot']}")
            elif goal["sent_at"] is None or record["at"] < goal["sent_at"] - CLOCKS_S:
                found.append(f"{goal['id']} was started before it was written as sent")
            elif goal["ended_at"] and record["at"] > goal["ended_at"] + CLOCKS_S:
                found.append(f"{goal['id']} was started after it was closed")
        elif goal is not None and _ended_as(record, SUCCEEDED):
            off_m = _distance_m(record, goal)
            if off_m > ARRIVAL_M:
                found.append(f"{goal['id']} succeeded {off_m:.1f} m from its place")
    return found


def _overlapping(books: dict[str, Record]) -> list[str]:
    found = []
    of_robot: dict[str, list[Record]] = defaultdict(list)
    for goal in books.values():
        if goal["sent_at"] is not None and goal["ended_at"] is not None:
            of_robot[goal["robot"]].append(goal)
    for robot, mine in of_robot.items():
        mine.sort(key=lambda goal: goal["sent_at"])
        for earlier, later in itertools.pairwise(mine):
            if later["sent_at"] < earlier["ended_at"]:
                found.append(f"{robot} had {earlier['id']} and {later['id']} open")
    return found


def _untrue(trace: list[Record], books: dict[str, Record]) -> list[str]:
    found = []
    starts = {r["goal_id"] for r in trace if r["event"] == "goal_started"}
    ends = {r["goal_id"]: r["status"] for r in trace if r["event"] == "goal_ended"}
    for goal in books.values():
        state, end = goal["state"], ends.get(goal["id"])
        name = f"{goal['id']} ({goal['robot']} to {goal['place']})"
        if state in ("new", "sent"):
            found.append(f"{name} has no end")
        elif state == "reached" and not goal["inferred"] and end != SUCCEEDED:
            found.append(f"{name} counts as reached; the robot says {end}")
        elif state == "reached" and end != SUCCEEDED and not _stood_at(trace, goal):
            found.append(f"{name} was inferred as reached; the robot was elsewhere")
        elif (
            state == "failed"
            and goal["id"] in starts
            and end
            not in (
                ABORTED,
                REJECTED,
            )
        ):
            found.append(f"{name} counts as failed; the robot says {end}")
        elif state == "cancelled" and goal["id"] in starts and end != PREEMPTED:
            found.append(f"{name} counts as cancelled; the robot says {end}")
        elif state == "unknown" and not goal["reason"]:
            found.append(f"{name} is unknown without a reason")
    return found


def _stood_at(trace: list[Record], goal: Record) -> bool:
    """Where the robot's last drive before this end had left it."""
    last = None
    for record in trace:
        if record["robot"] == goal["robot"] and record["event"] == "goal_ended":
            if record["at"] > goal["ended_at"] + CLOCKS_S:
                break
            last = record
    return last is not None and _distance_m(last, goal) <= ARRIVAL_M


def _told_otherwise(
    books: dict[str, Record], ended: list[tuple[str, str]]
) -> list[str]:
    found = []
    told = Counter(goal for goal, _ in ended)
    for goal, times in told.items():
        if times > 1:
            found.append(f"{goal} ended {times} times in the history")
    for goal, state in ended:
        if goal not in books or books[goal]["state"] != state:
            found.append(f"{goal} ended as {state} in the history, not in the books")
    for kept in books.values():
        if kept["ended_at"] is not None and kept["id"] not in told:
            found.append(f"{kept['id']} ended without a word in the history")
    return found


def _ended_as(record: Record, status: int) -> bool:
    return bool(record["event"] == "goal_ended" and record["status"] == status)


def _distance_m(record: Record, goal: Record) -> float:
    return math.hypot(record["x_m"] - goal["x_m"], record["y_m"] - goal["y_m"])
