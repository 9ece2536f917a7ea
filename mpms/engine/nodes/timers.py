"""When a timer event is due, from the three ways BPMN has to say it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid
from mpms.engine.cron import Cron, parse_cron
from mpms.engine.expressions import (
    Expression,
    compile_value,
    parse_duration,
    parse_instant,
)
from mpms.engine.model import EventTrigger
from mpms.engine.nodes.base import evaluate
from mpms.engine.schedules import read_cycle
from mpms.engine.tokens import Token, Tokens

NEVER = "9999-12-31T00:00:00+00:00"


class Timer:
    """A timer definition; its text may be an expression."""

    def __init__(self, trigger: EventTrigger) -> None:
        self.kind = trigger.timer
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

    @staticmethod
    def again(timer: dict[str, Any], now: datetime) -> dict[str, Any] | None:
        """The next turn of a cycle, None when it is over."""
        if "cron" in timer:
            later = max(now, due_at(timer))
            return _cron_turn(timer["cron"], parse_cron(timer["cron"]), later)
        if "every" not in timer:
            return None
        left = None if timer["left"] is None else timer["left"] - 1
        if left is not None and left < 1:
            return None
        due = parse_duration(timer["every"]).added_to(due_at(timer))
        return {"due": due.isoformat(), "left": left, "every": timer["every"]}


def _cron_turn(text: str, cron: Cron, now: datetime) -> dict[str, Any] | None:
    turn = cron.after(now)
    return None if turn is None else {"due": turn.isoformat(), "cron": text}


def due_at(timer: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(timer["due"])
