"""What is different between two versions of a model, in the words of its drawing.

A part is told by its id, so a step that only got another id counts as removed and
added. What was drawn elsewhere but does the same is told apart: it changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Place = tuple[float, ...]  # x, y, width, height of a shape; the corners of a line


@dataclass(frozen=True)
class ModelPart:
    """A process, step or flow: what it says, and where it is drawn."""

    id: str
    name: str
    kind: str  # the tag: userTask, sequenceFlow, process...
    facts: Mapping[str, str] = field(default_factory=dict)
    place: Place | None = None


@dataclass(frozen=True)
class FactChange:
    """One fact that differs; None: it was not said."""

    fact: str
    old: str | None
    new: str | None


@dataclass(frozen=True)
class PartChange:
    """A part that is in one version only, or differs."""

    how: str  # added, removed, changed, moved
    id: str
    name: str
    kind: str
    facts: tuple[FactChange, ...] = ()
    moved: bool = False  # drawn elsewhere, besides


HOWS = ("added", "removed", "changed", "moved")


def difference(
    old: Sequence[ModelPart], new: Sequence[ModelPart]
) -> tuple[PartChange, ...]:
    """Every part that differs: added, removed, changed, then those only moved."""
    before = {part.id: part for part in old}
    after = {part.id: part for part in new}
    found = [
        *(_whole("added", part) for part in new if part.id not in before),
        *(_whole("removed", part) for part in old if part.id not in after),
    ]
    for part in new:
        if (was := before.get(part.id)) is not None:
            change = _compared(was, part)
            if change is not None:
                found.append(change)
    return tuple(sorted(found, key=lambda change: HOWS.index(change.how)))


def _whole(how: str, part: ModelPart) -> PartChange:
    facts = (
        (FactChange(fact, None, value) for fact, value in part.facts.items())
        if how == "added"
        else (FactChange(fact, value, None) for fact, value in part.facts.items())
    )
    return PartChange(how, part.id, part.name, part.kind, tuple(facts))


def _compared(old: ModelPart, new: ModelPart) -> PartChange | None:
    said = {"kind": old.kind, "name": old.name, **old.facts}
    says = {"kind": new.kind, "name": new.name, **new.facts}
    facts = tuple(
        FactChange(fact, said.get(fact), says.get(fact))
        for fact in dict.fromkeys((*said, *says))
        if said.get(fact) != says.get(fact)
    )
    moved = old.place != new.place
    if not facts and not moved:
        return None
    how = "changed" if facts else "moved"
    return PartChange(how, new.id, new.name or old.name, new.kind, facts, moved)
