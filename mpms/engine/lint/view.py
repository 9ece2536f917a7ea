"""A process with the indexes that the rules share, so that none is quadratic."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from mpms.domain.models.definitions import Problem
from mpms.engine.model import Element, Flow, Process

Names = frozenset[str] | None


@dataclass(frozen=True)
class Known:
    """What the plant has; ``None`` means that it is not known and not compared."""

    topics: Names = None
    forms: Names = None
    decisions: Names = None
    processes: Names = None


@dataclass(frozen=True)
class View:
    """What a rule looks at. ``refused`` are elements that a table refused already:
    a rule need not say the same in other words."""

    process: Process
    refused: frozenset[str] = frozenset()
    scopes: dict[str | None, list[Element]] = field(default_factory=dict)
    boundaries: dict[str, list[Element]] = field(default_factory=dict)

    @classmethod
    def of(cls, process: Process, refused: frozenset[str]) -> View:
        scopes: dict[str | None, list[Element]] = defaultdict(list)
        boundaries: dict[str, list[Element]] = defaultdict(list)
        for element in process.elements.values():
            scopes[element.scope].append(element)
            if element.tag == "boundaryEvent" and element.attached_to:
                boundaries[element.attached_to].append(element)
        return cls(process, refused, dict(scopes), dict(boundaries))

    def accepted(self) -> Iterator[Element]:
        """The elements that no table refused."""
        return (e for e in self.process.elements.values() if e.id not in self.refused)

    def incoming(self, element: Element) -> list[Flow]:
        return [self.process.flows[id_] for id_ in element.incoming]

    def outgoing(self, element: Element) -> list[Flow]:
        return [self.process.flows[id_] for id_ in element.outgoing]

    def source(self, flow: Flow) -> Element:
        return self.process.elements[flow.source]

    def target(self, flow: Flow) -> Element:
        return self.process.elements[flow.target]


def at(place: Element | Flow | Process, reason: str) -> Problem:
    return Problem(place.id, place.name, reason)
