"""Telling people of incidents: what they asked for, what they were told and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from mpms.domain.alerts.rules import AlertWish, ToldCause


class PushUnavailable(Exception):
    """The push service does not answer, or asks to come later."""


class PushGone(Exception):
    """The browser has taken its subscription back."""


class PushRefused(Exception):
    """The push service will not take this message, however often it is sent."""


@dataclass(frozen=True)
class Subscription:
    """A browser that asked for alerts; the keys encrypt what only it can read."""

    endpoint: str
    p256dh: str = field(repr=False)
    auth: str = field(repr=False)


@dataclass(frozen=True)
class Listener:
    """One way to one person: a mail address or a browser."""

    channel: str  # mail:<login> or push:<hash of the endpoint>
    login: str
    language: str
    wish: AlertWish
    address: str | None = None
    subscription: Subscription | None = None


class Pusher(Protocol):
    """Posts to push services."""

    def new_key(self) -> bytes: ...
    def public_key(self, private_key: bytes) -> str:
        """As browsers want it when they subscribe."""
        ...

    def send(self, private_key: bytes, to: Subscription, message: bytes) -> None:
        """PushUnavailable, PushGone, PushRefused."""
        ...


class Alerts(Protocol):
    """Wishes, subscriptions and what was told."""

    def lock(self) -> bool:
        """Decide alone until the transaction ends; False: another does."""
        ...

    def wish(self, login: str) -> AlertWish: ...
    def set_wish(self, login: str, wish: AlertWish) -> None: ...
    def subscribe(self, login: str, to: Subscription) -> None: ...
    def unsubscribe(self, endpoint: str, login: str | None = None) -> bool: ...
    def subscriptions(self, login: str) -> int:
        """On how many devices somebody is told."""
        ...

    def push_key(self, fresh: bytes | None = None) -> bytes | None:
        """The plant's key; ``fresh`` becomes it if there is none yet."""
        ...

    def listeners(self) -> Sequence[Listener]:
        """Ways to active leaders who asked."""
        ...

    def told(self) -> Mapping[str, frozenset[str]]:
        """By channel, the causes that it was told and that are not over."""
        ...

    def last_told_at(self) -> Mapping[str, datetime]:
        """By channel."""
        ...

    def take(self, channel: str, causes: Sequence[ToldCause]) -> list[str]:
        """Claim what shall be told now; the causes that nobody has claimed before."""
        ...

    def sent(self, channel: str, causes: Sequence[str]) -> None: ...
    def give_back(self, channel: str, causes: Sequence[str]) -> None:
        """Nothing went out: it is still to be told."""
        ...

    def note(self, channel: str, causes: Sequence[str], error: str) -> None:
        """It is not told again, although it may never have arrived."""
        ...

    def end(self, over_after_s: float) -> int:
        """Mark what is over; who asked for it is owed the good news."""
        ...

    def owed(self) -> Mapping[str, Sequence[ToldCause]]:
        """By channel, what is over and was not told so yet."""
        ...

    def take_owed(self, channel: str, causes: Sequence[str]) -> list[str]: ...
    def owe(self, channel: str, causes: Sequence[str]) -> None: ...
