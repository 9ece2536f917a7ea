"""What is drawn beside the flow and still means something: associations and data.

An association from a compensation event names its handler. A data association is a
drawing, since variables are shared; only one that fills a declared data input, or
empties a data output, would copy a value.
"""

from __future__ import annotations

from collections.abc import Iterable

from lxml import etree

from mpms.engine.reading.names import (
    attribute,
    child,
    child_text,
    children,
    referred,
    tag_of,
)

_SIDES = {
    "dataInputAssociation": ("dataInput", "targetRef", "sourceRef"),
    "dataOutputAssociation": ("dataOutput", "sourceRef", "targetRef"),
}


def read_associations(nodes: Iterable[etree._Element]) -> dict[str, list[str]]:
    """Which elements the associations that leave an element lead to."""
    found: dict[str, list[str]] = {}
    for node in nodes:
        source = referred(attribute(node, "sourceRef"))
        target = referred(attribute(node, "targetRef"))
        if source and target:
            found.setdefault(source, []).append(target)
    return found


def data_copies(node: etree._Element) -> tuple[str, ...]:
    """The data that associations would copy into or out of this element."""
    declared = child(node, "ioSpecification")
    holder = node if declared is None else declared
    own = {attribute(p, "id") for p in children(holder) if tag_of(p)[1] in _DECLARING}
    found = []
    for part in children(node):
        _, tag = tag_of(part)
        if tag not in _SIDES:
            continue
        _, inner, outer = _SIDES[tag]
        if referred(child_text(part, inner)) in own:
            found.append(referred(child_text(part, outer)) or tag)
    return tuple(found)


_DECLARING = frozenset(tag for tag, _, _ in _SIDES.values())
