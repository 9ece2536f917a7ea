"""What the rest of the product knows about a process model.

The engine reads the drawing; everybody else sees its key, its steps and, where
it was refused, the problems with the place and the reason.
"""

from __future__ import annotations

from dataclasses import dataclass

LATEST = "latest"
"""The usual binding of a model to a process or a decision: the newest version."""


@dataclass(frozen=True)
class Problem:
    """One reason why a model cannot be executed exactly as drawn."""

    element: str
    name: str
    reason: str


_ACTIVITIES = ("task", "subprocess", "callactivity", "transaction")


@dataclass(frozen=True)
class ModelStep:
    """One element of a process as pages and history name it."""

    id: str
    name: str
    kind: str
    lane: str | None
    groups: tuple[str, ...] = ()  # who is offered its form, as far as the model says

    @property
    def title(self) -> str:
        """Its name on one line, or its id."""
        return " ".join(self.name.split()) or self.id

    @property
    def is_activity(self) -> bool:
        return self.kind.lower().endswith(_ACTIVITIES)


@dataclass(frozen=True)
class Definition:
    """A deployed process: one version of one model, told apart by its digest."""

    digest: str
    key: str
    version: int
    name: str
    xml: bytes


@dataclass(frozen=True)
class Cause:
    """An error that a model catches; ``name`` is what people read."""

    code: str
    name: str


@dataclass(frozen=True)
class Causes:
    """What may go wrong at an element, as far as its model knows an answer."""

    codes: tuple[Cause, ...] = ()
    any_code: bool = False  # an event there catches every error
