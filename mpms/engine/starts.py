"""Which start events a process has, and which one a start means."""

from __future__ import annotations

from collections.abc import Sequence

from mpms.domain.errors import StartUnknown
from mpms.domain.processes.starts import StartEvent
from mpms.engine.model import Process
from mpms.engine.reading import read_model

__all__ = ["StartEvent", "chosen_start", "starts", "starts_of"]


def starts(xml: bytes) -> list[StartEvent]:
    """The start events of every executable process in a file. ModelRefused."""
    return [
        start
        for process in read_model(xml).processes
        if process.executable
        for start in starts_of(process)
    ]


def starts_of(process: Process) -> tuple[StartEvent, ...]:
    """The start events of a process, not those inside its subprocesses."""
    found = []
    for element in process.within(None):
        if element.tag != "startEvent":
            continue
        found += [
            StartEvent(
                process=process.id,
                element=element.id,
                name=element.name,
                kind="none" if trigger is None else trigger.kind,
                event=(trigger.name or None) if trigger else None,
                timer=trigger.timer if trigger else "",
                text=trigger.text if trigger else "",
            )
            for trigger in element.triggers or (None,)
        ]
    return tuple(found)


def chosen_start(starts: Sequence[StartEvent], at: str | None) -> str:
    """The element where a process begins. StartUnknown names those it has."""
    fitting = [
        start.element
        for start in starts
        if (start.kind == "none" if at is None else start.element == at)
    ]
    if fitting:
        return fitting[0]
    known = ", ".join(f"'{start.element}' ({_words(start)})" for start in starts)
    if at is None:
        raise StartUnknown(
            f"The process has no plain start event; name the one to begin at: {known}."
        )
    raise StartUnknown(f"The process has no start event '{at}', only {known}.")


def _words(start: StartEvent) -> str:
    if start.kind == "none":
        return "plain"
    return f"{start.kind} {start.event or start.text}"
