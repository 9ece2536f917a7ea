"""What a file says besides the model: one record per attribute, child, extension.

A reader that picks what it knows overlooks the rest. Here the rest is written
down too, and the lint has to know what becomes of every word of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from lxml import etree

from mpms.engine.reading.names import shown_name, split, tag_of, text_of

_SELF_EXPLAINING = frozenset({"id", "name"})


class Trait(NamedTuple):
    """One attribute or child element as it stands in the file.

    ``element`` and ``name`` are those of the nearest element that somebody finds
    in the modeller; ``owner`` is the tag that carries the word itself: plain for
    BPMN (``userTask``), with its dialect for extensions (``camunda:in``).
    ``dialect`` is ``bpmn``, ``camunda``, ``zeebe``, ... or the namespace where
    unknown; it is empty for attributes without a namespace.
    """

    element: str
    name: str
    owner: str
    dialect: str
    word: str
    value: str = ""
    is_attribute: bool = False
    node: int = 0  # of the owner in the file: many elements need no id


@dataclass(frozen=True)
class Facts:
    """The traits of everything in the file that is meant to be executed."""

    traits: tuple[Trait, ...] = ()


class _Place(NamedTuple):
    node: etree._Element
    element: str
    name: str
    owner: str
    is_holder: bool = False  # extensionElements speak for what holds them
    number: int = 0


def traits_of(
    root: etree._Element, shown: frozenset[str], closed: frozenset[str]
) -> Iterator[Trait]:
    """All traits of a part of the file, in file order.

    ``shown`` are the tags whose id and name a person finds in the modeller;
    ``closed`` those whose inside cannot matter for execution.
    """
    stack = [_Place(root, root.get("id") or "", shown_name(root), tag_of(root)[1])]
    numbers = count(1)
    while stack:
        place = stack.pop()
        if not place.is_holder:
            yield from _attributes(place)
        inner = []
        for node in place.node:
            dialect, word = tag_of(node)
            if dialect == "bpmn" and word == "extensionElements":
                inner.append(place._replace(node=node, is_holder=True))
                continue
            element, name = place.element, place.name
            if dialect == "bpmn" and word in shown:
                element, name = node.get("id") or "", shown_name(node)
            text, number = text_of(node), place.number
            yield Trait(element, name, place.owner, dialect, word, text, node=number)
            if dialect == "bpmn" and word not in closed:
                owner = word
            elif dialect in ("camunda", "zeebe"):
                owner = f"{dialect}:{word}"
            else:
                continue
            inner.append(_Place(node, element, name, owner, number=next(numbers)))
        stack.extend(reversed(inner))


def _attributes(place: _Place) -> Iterator[Trait]:
    for key, value in place.node.attrib.items():
        dialect, word = split(str(key))
        if dialect or word not in _SELF_EXPLAINING:
            text = str(value).strip()
            yield Trait(
                place.element,
                place.name,
                place.owner,
                dialect,
                word,
                text,
                is_attribute=True,
                node=place.number,
            )
