"""Which errors a model catches at an element: what a person may report there."""

from __future__ import annotations

from mpms.domain.models import Cause, Causes
from mpms.engine.model import Element, Process


def catchable(process: Process, element: str) -> Causes:
    """Errors caught by boundary events and event subprocesses, innermost first."""
    codes: dict[str, Cause] = {}
    any_code = False
    at = process.elements.get(element)
    while at is not None:
        for catcher in _catchers(process, at):
            for trigger in catcher.triggers:
                if trigger.kind != "error":
                    continue
                if trigger.code is None:
                    any_code = True
                else:
                    name = trigger.name or catcher.name or trigger.code
                    codes.setdefault(trigger.code, Cause(trigger.code, name))
        if any_code:
            break  # nothing gets past it
        at = process.elements.get(at.scope) if at.scope else None
    return Causes(tuple(codes.values()), any_code)


def _catchers(process: Process, at: Element) -> list[Element]:
    found = [e for e in process.elements.values() if e.attached_to == at.id]
    for beside in process.within(at.scope):
        if beside.event_subprocess:
            found += [e for e in process.within(beside.id) if e.tag == "startEvent"]
    return found
