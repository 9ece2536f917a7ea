"""When a person's work is due, when it is shown, and how urgent it is.

A day without a time is due when the day ends and shown when it begins. What is no
time is an incident: a task that is never late would be late in silence.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid
from mpms.engine.expressions import (
    Expression,
    compile_value,
    parse_duration,
    parse_instant,
)
from mpms.engine.model import Settings
from mpms.engine.nodes.base import Priority, evaluate
from mpms.engine.tokens import Token, Tokens

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ZONE_NAME = re.compile(r"\[[^\]]*\]$|@[\w/+-]+$")
_WHOLE_DAY = timedelta(days=1)


class TaskTimes:
    """Due date, follow-up date and priority of a user task, compiled."""

    def __init__(self, settings: Settings) -> None:
        self._times: list[tuple[str, str, Expression]] = [
            (key, noun, compile_value(text))
            for key, noun, text in (
                ("due", "due date", settings.due_date),
                ("follow_up", "follow-up date", settings.follow_up_date),
            )
            if text
        ]
        priority = settings.priority
        self._priority = Priority("priority", priority) if priority else None

    def of(self, token: Token) -> dict[str, Any]:
        """What the token keeps of them, as JSON."""
        found: dict[str, Any] = {}
        for key, noun, text in self._times:
            value = evaluate(text, token)
            if value is not None and value != "":
                at = _read(token, noun, value, ends=key == "due")
                found[key] = at.isoformat()
        if self._priority is not None:
            found["priority"] = self._priority.of(token)
        return found


def instant(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _read(token: Token, noun: str, value: object, *, ends: bool) -> datetime:
    run: Tokens = token.workflow
    if not isinstance(value, str):
        raise ExpressionFailed(f"The {noun} must be a date and time, not {value!r}.")
    text = value.strip()
    try:
        if text.startswith("P"):
            return parse_duration(text).added_to(run.around.now)
        if _DAY.fullmatch(text):
            begins = parse_instant(f"{text}T00:00:00")
            return begins + _WHOLE_DAY if ends else begins
        return parse_instant(_ZONE_NAME.sub("", text))
    except (ExpressionInvalid, OverflowError) as failure:
        raise ExpressionFailed(f"The {noun}: {failure}") from failure
