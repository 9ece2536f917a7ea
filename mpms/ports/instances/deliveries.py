"""Commands and messages that an instance shall get."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from mpms.domain.instances.steps import EventWait, Throw


@dataclass(frozen=True)
class Delivery:
    """A command that lay ready for an instance."""

    id: int
    instance_id: str
    kind: str
    task_id: str | None
    data: dict[str, Any]
    failures: int = 0


@dataclass(frozen=True)
class Fitting:
    """A live event that a message fits."""

    instance_id: str
    task_id: str
    element: str


class Deliveries(Protocol):
    """Commands that an instance shall get and nobody waits for."""

    @property
    def locks_messages(self) -> bool:
        """Whether messages of others wait until this transaction ends."""
        ...

    def add(
        self,
        instance_id: str,
        kind: str,  # start, receive, complete, fail, cancel, retry
        *,
        task_id: str | None = None,
        data: dict[str, Any] | None = None,
    ) -> None: ...

    def claim(self) -> Delivery | None:
        """Take the oldest of any free instance and lock that instance; the row is
        deleted with this transaction."""
        ...

    def postpone(self, delivery_id: int, delay_s: float) -> None:
        """A command that could not be applied must not hold up the others."""
        ...

    def signalled(self) -> Sequence[int]:
        """The definitions in which somebody waits for a signal, or that one starts."""
        ...

    def throw(
        self, throw: Throw, *, keep_s: float | None = None, by: str | None = None
    ) -> int:
        """Hand a signal to all who wait for it and all it starts; a message to one
        who waits, else to the process that it starts, else keep it: for ever, for a
        while, or with 0 not at all. ``by``: an instance whose own waits have the
        signal already."""
        ...

    def fitting(
        self,
        event: str,
        correlation: str | None,
        *,
        instance_id: str | None = None,
        business_key: str | None = None,
        most: int,
    ) -> Sequence[Fitting]:
        """Whom a message fits that none is on its way to, oldest first.

        No other message or subscription comes between until the commit. A message
        without a key fits an event that asks for one only where the instance is
        named.
        """
        ...

    def keep(self, throw: Throw, *, keep_s: float | None = None) -> None:
        """Keep a message until somebody waits for it, or for a while only."""
        ...

    def note_id(
        self, event: str, correlation: str | None, message_id: str, *, keep_s: float
    ) -> bool:
        """Note the id of a message for a while; False if it is noted already."""
        ...

    def expire(self) -> None:
        """Forget messages, and ids of messages, whose time is up."""
        ...

    def match(self, wait: EventWait, instance_id: str) -> bool:
        """Give a new subscription the message that already lies there."""
        ...
