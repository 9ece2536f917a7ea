"""Which signals let a process go on to some work: as the model draws it."""

from __future__ import annotations

from mpms.engine.model import Process


def signals_to(process: Process, topic: str) -> frozenset[str]:
    """Names of signals after which the next activity may be one with this topic."""
    return frozenset(
        trigger.name
        for element in process.elements.values()
        if element.tag in ("startEvent", "intermediateCatchEvent", "boundaryEvent")
        for trigger in element.triggers
        if trigger.kind == "signal" and topic in _next_topics(process, element.id)
    )


def _next_topics(process: Process, element: str) -> set[str | None]:
    """The topics of the activities that come next; gateways and events are passed."""
    found: set[str | None] = set()
    seen: set[str] = set()
    pending = [element]
    while pending:
        for flow in process.elements[pending.pop()].outgoing:
            target = process.flows[flow].target
            if target in seen or target not in process.elements:
                continue
            seen.add(target)
            if process.elements[target].tag.endswith(("Gateway", "Event")):
                pending.append(target)
            else:
                found.add(process.elements[target].settings.topic)
    return found
