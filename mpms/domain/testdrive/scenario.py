"""What a test-drive is given: arrivals, people, and how long each step takes.

Times and answers come from the history where it has enough of them. What it does not
know gets a stated default, and the report names every step that has one.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

LEAST_SAMPLES = 5  # fewer say too little about a step
MOST_SAMPLES = 500  # of a step; more say no more

FORM_S = 60.0
JOB_S = 10.0
EVENT_S = 60.0
"""Where the history knows nothing: a person at a form, a job of a worker that is not
ours, a message from outside."""


@dataclass(frozen=True)
class Arrival:
    """Work that comes. ``details`` are for the plug-in that knows what it is."""

    name: str  # the business key
    at_s: float  # since the beginning
    variables: Mapping[str, Any] = field(default_factory=dict)
    details: Any = None


@dataclass(frozen=True)
class Worker:
    """A person of the plant, present all the time; ``None``: does every form."""

    name: str
    groups: frozenset[str] | None = None

    def does(self, groups: Sequence[str]) -> bool:
        if not groups or self.groups is None:
            return True
        return bool(self.groups & {group.casefold() for group in groups})


@dataclass(frozen=True)
class Learnt:
    """What the history knows of a process, by element."""

    seconds: Mapping[str, Sequence[float]] = field(default_factory=dict)
    answers: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    results: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    problems: Mapping[str, Sequence[str]] = field(default_factory=dict)  # error codes
    instances: int = 0  # that were read

    def knows(self, element: str) -> bool:
        return len(self.seconds.get(element, ())) >= LEAST_SAMPLES

    def duration_s(self, element: str, dice: random.Random) -> float | None:
        """One of those seen, or between two of them; None where too few are known."""
        if not self.knows(element):
            return None
        seen = self.seconds[element]  # sorted
        at = dice.random() * (len(seen) - 1)
        low = int(at)
        high = min(low + 1, len(seen) - 1)
        return seen[low] + (at - low) * (seen[high] - seen[low])

    def problem(self, element: str, dice: random.Random) -> str | None:
        """The error that somebody reports instead of an answer, as often as seen."""
        told, answered = self.problems.get(element, ()), self.answers.get(element, ())
        if not told or dice.random() >= len(told) / (len(told) + len(answered)):
            return None
        return dice.choice(list(told))


@dataclass(frozen=True)
class Scenario:
    """The same for every version that is compared."""

    arrivals: Sequence[Arrival]
    people: Sequence[Worker]
    learnt: Learnt
    source: str  # recorded or generated
    seeds: Sequence[int] = (1,)

    @property
    def last_s(self) -> float:
        return max((one.at_s for one in self.arrivals), default=0.0)


def dice(seed: int, *what: object) -> random.Random:
    """The same throws for the same thing, whatever else happens in the run: so two
    versions of a model meet the same luck, and what differs is the model."""
    return random.Random(f"{seed}/{'/'.join(map(str, what))}")  # noqa: S311
