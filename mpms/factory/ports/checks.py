"""Tests of what lies outside, step by step and without changing anything there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

Values = Mapping[str, object]


@dataclass(frozen=True)
class CheckStep:
    """One step of a test. ``cause`` is a word that the pages explain; ``detail`` is
    what the library or the server said."""

    name: str
    ok: bool | None  # None: neither good nor bad, only told
    cause: str = ""
    detail: str = ""
    values: Values = field(default_factory=dict)


class Tell(Protocol):
    """Takes each step as soon as it is known."""

    def __call__(self, step: CheckStep, /) -> None: ...


class MailCheck(Protocol):
    """Tests the two mail servers of the plant's own settings."""

    def places(self) -> Mapping[str, str]:
        """Which servers would be asked, in words without secrets."""
        ...

    def imap(self, tell: Tell) -> None: ...
    def smtp(self, tell: Tell, *, send: bool) -> None:
        """``send``: also hand over a short message to our own address."""
        ...


@dataclass(frozen=True)
class ProfileShown:
    """How the plant speaks with a make of robot."""

    name: str
    description: str
    dialect: str
    driver: str
    topics: Sequence[tuple[str, str, str]]  # what for, full name, type
    address: str


class RobotCheck(Protocol):
    """Listens to a robot of the plant and never tells it anything."""

    def profile(self, robot: str) -> ProfileShown | None: ...
    def check(self, robot: str, tell: Tell) -> None: ...
