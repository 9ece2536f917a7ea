"""The paths that instances really took: the same steps in the same order are one.

A path is what an instance completed, with every round of a loop. One that still runs
has no path yet: it could become any of those that begin like it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median


@dataclass(frozen=True)
class Path:
    """What one instance completed."""

    instance_id: str
    elements: tuple[str, ...]
    cut: bool  # it completed more than that
    lead_time_s: float


@dataclass(frozen=True)
class Variant:
    """A path and those that took it."""

    elements: tuple[str, ...]
    cut: bool
    count: int
    share: float  # of all that have ended
    median_s: float  # from the start to the end
    example: str  # the first that took it


@dataclass
class _Taken:
    example: str
    lead_times_s: list[float] = field(default_factory=list)


def variants_of(paths: Iterable[Path]) -> Sequence[Variant]:
    """The most frequent first; of those that are as frequent, the shorter path."""
    found: dict[tuple[tuple[str, ...], bool], _Taken] = {}
    total = 0
    for path in paths:
        total += 1
        taken = found.setdefault((path.elements, path.cut), _Taken(path.instance_id))
        taken.lead_times_s.append(path.lead_time_s)
    ranked = sorted(
        found.items(),
        key=lambda one: (-len(one[1].lead_times_s), len(one[0][0]), one[0]),
    )
    return [
        Variant(
            elements,
            cut,
            len(taken.lead_times_s),
            len(taken.lead_times_s) / total,
            median(taken.lead_times_s),
            taken.example,
        )
        for (elements, cut), taken in ranked
    ]
