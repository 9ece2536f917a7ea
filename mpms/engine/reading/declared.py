"""Messages, signals, errors and escalations: declared once, referred to by id."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree

from mpms.domain.models.definitions import Problem
from mpms.engine.reading.names import attribute, camunda, children, referred, tag_of
from mpms.engine.reading.zeebe import plain, subscription_key

_CODES = {"error": "errorCode", "escalation": "escalationCode"}
_KINDS = frozenset({"message", "signal", "error", "escalation"})


@dataclass(frozen=True)
class Named:
    """What an event refers to."""

    name: str = ""
    code: str | None = None
    correlation: str | None = None
    message: str | None = None  # of an error


@dataclass
class Declared:
    """The named things of a file, and the references to them that lead nowhere."""

    things: dict[tuple[str, str], Named] = field(default_factory=dict)
    event_definitions: dict[str, etree._Element] = field(default_factory=dict)

    def find(
        self, kind: str, node: etree._Element, asker: Problem, into: list[Problem]
    ) -> Named:
        """What ``node`` refers to by its ``<kind>Ref``; a blank if it does not."""
        reference = attribute(node, f"{kind}Ref")
        if reference is None:
            return Named()
        for id_ in (reference, referred(reference)):
            if found := self.things.get((kind, id_ or "")):
                return found
        reason = f"refers to the {kind} '{reference}', which the file does not declare"
        into.append(Problem(asker.element, asker.name, reason))
        return Named()


def read_declared(definitions: etree._Element) -> Declared:
    declared = Declared()
    for node in children(definitions):
        _, tag = tag_of(node)
        id_ = attribute(node, "id")
        if id_ is None:
            continue
        if tag in _KINDS:
            code = attribute(node, _CODES[tag]) if tag in _CODES else None
            named = Named(
                plain(attribute(node, "name")) or "",
                plain(code),
                subscription_key(node),
                camunda(node, "errorMessage") if tag == "error" else None,
            )
            declared.things.setdefault((tag, id_), named)
        elif tag.endswith("EventDefinition"):
            declared.event_definitions.setdefault(id_, node)
    return declared
