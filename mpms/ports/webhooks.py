"""Who is told of events, and how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from mpms.domain.history.events import Cursor


@dataclass(frozen=True)
class Webhook:
    """An address that is told of events."""

    id: int
    url: str
    kinds: tuple[str, ...]
    created_by: str
    created_at: datetime
    paused_at: datetime | None
    last_error: str | None
    failures: int  # in a row
    sent_at: datetime | None
    sent_event: int | None
    waiting: int = 0  # posts that have not been taken


@dataclass(frozen=True)
class WebhookPost:
    """One event on its way to one address."""

    id: int
    webhook_id: int
    event_id: int
    body: dict[str, Any]
    attempts: int  # with this one
    url: str
    secret: str


class Webhooks(Protocol):
    """Who is told, and what is still to be told."""

    def add(self, url: str, secret: str, kinds: Sequence[str], *, by: str) -> Webhook:
        """Told of what happens from now on."""
        ...

    def get(self, webhook_id: int) -> Webhook | None: ...
    def listing(self) -> Sequence[Webhook]: ...
    def change(self, webhook_id: int, *, url: str, kinds: Sequence[str]) -> None: ...
    def set_secret(self, webhook_id: int, secret: str) -> None: ...
    def pause(self, webhook_id: int, error: str | None) -> None: ...
    def resume(self, webhook_id: int) -> None: ...
    def delete(self, webhook_id: int) -> bool: ...
    def replay(self, webhook_id: int, event_id: int) -> bool:
        """Tell again, this event first; False: there is no such event."""
        ...

    def to_follow(self, *, most: int) -> Sequence[tuple[Webhook, Cursor]]:
        """Those that are told, have less than so many posts waiting, and whom nobody
        reads for now, locked."""
        ...

    def queue(self, webhook_id: int, event_id: int, body: dict[str, Any]) -> None: ...
    def move(self, webhook_id: int, cursor: Cursor) -> None: ...
    def take(self, *, lease_s: float, limit: int) -> Sequence[WebhookPost]:
        """The first post of each address, where it is due and nobody has it."""
        ...

    def delivered(self, post: WebhookPost) -> None: ...
    def failed(self, post: WebhookPost, error: str, *, delay_s: float) -> int:
        """Try again later; how often in a row this address has failed."""
        ...

    def posts(self, webhook_id: int, *, limit: int) -> Sequence[tuple[Any, ...]]:
        """(event id, kind, attempts, not before, last error), the next first."""
        ...


class Poster(Protocol):
    """Hands one post over."""

    def __call__(self, url: str, body: bytes, headers: dict[str, str]) -> None:
        """PostFailed names the cause."""
        ...
