"""Which errors a model catches at an element: what a person may report there."""

from __future__ import annotations

from collections.abc import Iterator

from mpms.domain.models.definitions import Cause, Causes
from mpms.engine.model import Element, Process


def catchable(process: Process, element: str) -> Causes:
    """Errors caught by boundary events and event subprocesses, innermost first."""
    codes: dict[str, Cause] = {}
    at = process.elements.get(element)
    while at is not None:
        for catchers in (_at_border(process, at), _beside(process, at)):
            any_code = False
            for catcher, code, name in catchers:
                if code is None:
                    any_code = True
                else:
                    codes.setdefault(code, Cause(code, name or catcher.name or code))
            if any_code:
                return Causes(tuple(codes.values()), True)  # nothing gets past it
        at = process.elements.get(at.scope) if at.scope else None
    return Causes(tuple(codes.values()), False)


_Catcher = tuple[Element, str | None, str]


def _at_border(process: Process, at: Element) -> Iterator[_Catcher]:
    for event in process.elements.values():
        if event.attached_to == at.id:
            yield from _errors(event)


def _beside(process: Process, at: Element) -> Iterator[_Catcher]:
    """The event subprocesses of the scope around; none once one has interrupted it."""
    if at.event_subprocess and any(s.interrupting for s in _starts(process, at)):
        return
    for beside in process.within(at.scope):
        if beside.event_subprocess:
            for start in _starts(process, beside):
                yield from _errors(start)


def _starts(process: Process, scope: Element) -> Iterator[Element]:
    return (e for e in process.within(scope.id) if e.tag == "startEvent")


def _errors(event: Element) -> Iterator[_Catcher]:
    for trigger in event.triggers:
        if trigger.kind == "error":
            yield event, trigger.code, trigger.name
