"""Start events that something outside triggers: each must be told from the others."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mpms.domain.errors import ExpressionInvalid
from mpms.domain.models.definitions import Problem
from mpms.engine.expressions import compile_value
from mpms.engine.lint.view import View, at
from mpms.engine.model import Element, EventTrigger

_ONE_EACH = frozenset({"message", "signal"})


def check_starts(view: View) -> Iterator[Problem]:
    """Rules about the starts of the process itself, not of its subprocesses."""
    seen: dict[tuple[str, str], str] = {}
    for element in view.scopes.get(None, ()):
        if element.tag != "startEvent" or element.id in view.refused:
            continue
        for trigger in element.triggers:
            yield from (at(element, text) for text in _start(element, trigger, seen))


def _start(
    element: Element, trigger: EventTrigger, seen: dict[tuple[str, str], str]
) -> Iterator[str]:
    if trigger.kind in _ONE_EACH:
        other = seen.setdefault((trigger.kind, trigger.name), element.id)
        if other != element.id:
            yield (
                f"the {trigger.kind} '{trigger.name}' starts the process at "
                f"'{other}' already"
            )
    elif trigger.kind == "timer" and (names := _names(trigger.text)):
        yield (
            f"the timer needs {', '.join(names)}, but a process that has not "
            "begun has no variables"
        )


def check_weekdays(view: View) -> Iterator[Problem]:
    """Cron numbers of weekdays are those of Camunda 7; Camunda 8 counts otherwise."""
    if not any(e.settings.camunda_8 for e in view.process.elements.values()):
        return
    for element in view.accepted():
        for trigger in element.triggers:
            fields = trigger.text.split()
            if trigger.timer != "cycle" or len(fields) not in (6, 7):
                continue
            if re.search(r"(^|[,-])[0-9]", fields[5]):
                reason = (
                    f"the weekday '{fields[5]}' is another day in Camunda 7 than in "
                    "Camunda 8; write its name (MON, TUE...)"
                )
                yield at(element, reason)


def _names(text: str) -> list[str]:
    try:
        return sorted(compile_value(text).names)
    except ExpressionInvalid:
        return []  # checked with the other texts
