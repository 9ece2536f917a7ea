"""When a timer event is due, from the three ways BPMN has to say it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid
from mpms.engine.cron import Cron, parse_cron
from mpms.engine.expressions import (
    Duration,
    Expression,
    compile_value,
    parse_duration,
    parse_instant,
)
from mpms.engine.model import EventTrigger
from mpms.engine.nodes.base import evaluate
from mpms.engine.schedules import read_cycle
from mpms.engine.tokens import Token, Tokens

MISSED_TURNS = "missedTurns"
"""A property of a timer event: ``all`` catches up what fell due while nothing ran."""

NEVER = "9999-12-31T00:00:00+00:00"


class Timer:
    """A timer definition; its text may be an expression."""

    def __init__(self, trigger: EventTrigger, *, takes_all: bool = False) -> None:
        self.kind = trigger.timer
        self.takes_all = takes_all
        self._text: Expression = compile_value(trigger.text)

    def start(self, token: Token) -> dict[str, Any]:
        """Work out the first due time: ``due`` and, for a cycle, what repeats."""
        run: Tokens = token.workflow
        now = run.around.now
        text = evaluate(self._text, token)
        if not isinstance(text, str):
            raise ExpressionFailed(f"A timer needs a text such as PT5M, not {text!r}.")
        try:
            if self.kind == "date":
                return {"due": parse_instant(text).isoformat()}
            if self.kind == "duration":
                return {"due": parse_duration(text).added_to(now).isoformat()}
            cycle = read_cycle(text)
        except ExpressionInvalid as failure:
            raise ExpressionFailed(str(failure)) from failure
        if isinstance(cycle, Cron):
            return _cron_turn(text, cycle, now) or {"due": NEVER}
        first = cycle.start_at or cycle.duration.added_to(now)
        every = text.rsplit("/", 1)[-1]
        return {"due": first.isoformat(), "left": cycle.repetitions, "every": every}

    def again(
        self, timer: dict[str, Any], now: datetime
    ) -> tuple[dict[str, Any] | None, int]:
        """The next turn of a cycle, None when it is over, and how many were missed.

        What fell due while nothing ran is one turn; a model may ask for all of them.
        """
        if "cron" in timer:
            later = due_at(timer) if self.takes_all else max(now, due_at(timer))
            return _cron_turn(timer["cron"], parse_cron(timer["cron"]), later), 0
        if "every" not in timer:
            return None, 0
        left, every = timer["left"], parse_duration(timer["every"])
        due, missed = every.added_to(due_at(timer)), 0
        if not self.takes_all:
            due, missed = _after(now, due, every, left)
        left = None if left is None else left - 1 - missed
        if left is not None and left < 1:
            return None, missed
        return {"due": due.isoformat(), "left": left, "every": timer["every"]}, missed


def _after(
    now: datetime, due: datetime, every: Duration, left: int | None
) -> tuple[datetime, int]:
    """The first turn later than now, and how many of those left are before it."""
    missed = 0
    if due <= now and not every.months:
        missed = (now - due) // every.exact + 1
        due += every.exact * missed
    while due <= now:
        missed += 1
        due = every.added_to(due)
    return due, missed if left is None else min(missed, left - 1)


def _cron_turn(text: str, cron: Cron, now: datetime) -> dict[str, Any] | None:
    turn = cron.after(now)
    return None if turn is None else {"due": turn.isoformat(), "cron": text}


def due_at(timer: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(timer["due"])
