"""When timers come that nobody waits for: timer start events, and cron everywhere.

A schedule goes by the calendar, not by when somebody looked: turns that were missed
while nothing ran are used up, and one late turn stands for all of them.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from mpms.domain.errors import ExpressionFailed
from mpms.domain.processes.starts import Due
from mpms.engine.cron import Cron, is_cron, parse_cron
from mpms.engine.expressions import (
    Cycle,
    Duration,
    compile_value,
    parse_cycle,
    parse_duration,
    parse_instant,
)

MONTH = timedelta(days=31)


def read_cycle(text: str) -> Cron | Cycle:
    """A repeated timer's text: cron or ISO 8601. ExpressionInvalid."""
    return parse_cron(text) if is_cron(text) else parse_cycle(text)


def first_due(timer: str, text: str, now: datetime) -> Due | None:
    """When a timer start comes first after its deployment; None: never any more.

    A date that is over comes at once, the past turns of a cycle are over.
    ExpressionInvalid, ExpressionFailed.
    """
    value = compile_value(text).evaluate({}, now=now)
    if not isinstance(value, str):
        raise ExpressionFailed(f"A timer needs a text such as PT5M, not {value!r}.")
    if timer == "date":
        at = parse_instant(value)
        return Due(at, at, 1, value)
    if timer == "duration":
        at = parse_duration(value).added_to(now)
        return Due(at, at, 1, value)
    cycle = read_cycle(value)
    if isinstance(cycle, Cron):
        turn = cycle.after(now)
        return None if turn is None else Due(turn, turn, None, value)
    first = cycle.start_at or cycle.duration.added_to(now)
    due = Due(first, first, cycle.repetitions, value)
    return due if first > now else _turn_after(cycle, due, now)


def next_due(timer: str, due: Due, now: datetime) -> Due | None:
    """The turn after one that has come, later than now; None when it was the last."""
    if timer != "cycle":
        return None
    cycle = read_cycle(due.text)
    if isinstance(cycle, Cron):
        at = cycle.after(max(due.at, now))
        return None if at is None else Due(at, due.anchor_at, None, due.text)
    return _turn_after(cycle, due, max(due.at, now))


def _turn_after(cycle: Cycle, due: Due, instant: datetime) -> Due | None:
    every = cycle.duration
    longest = every.months * MONTH + every.exact
    turn = max(0, (instant - due.anchor_at) // longest)
    try:
        while (at := _turn(due.anchor_at, every, turn)) <= instant:
            turn += 1
    except ExpressionFailed:
        return None  # beyond the calendar
    left = None if cycle.repetitions is None else cycle.repetitions - turn
    if left is not None and left < 1:
        return None
    return Due(at.astimezone(UTC), due.anchor_at, left, due.text)


def _turn(anchor: datetime, every: Duration, number: int) -> datetime:
    try:
        scaled = Duration(every.months * number, every.exact * number)
    except OverflowError:
        raise ExpressionFailed("a cycle passes the year 9999") from None
    return scaled.added_to(anchor)
