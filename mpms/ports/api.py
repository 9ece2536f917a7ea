"""The rows behind the API: its clients, the answers they got, who is told of events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from mpms.domain.history.events import Cursor
from mpms.domain.people import Role


@dataclass(frozen=True)
class ApiToken:
    """A program that may use the API; its secret is known to nobody but itself."""

    id: int
    name: str
    role: Role
    groups: tuple[str, ...]
    created_by: str
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None
    revoked_at: datetime | None

    def usable(self, now: datetime) -> bool:
        return self.revoked_at is None and now < self.expires_at


class ApiTokens(Protocol):
    """Clients of the API, by the hash of their token."""

    def add(
        self,
        token_hash: str,
        name: str,
        role: Role,
        *,
        groups: Sequence[str],
        expires_at: datetime,
        by: str,
    ) -> ApiToken: ...
    def find(self, token_hash: str) -> ApiToken | None:
        """Also expired and revoked ones, so that the cause can be told."""
        ...

    def get(self, token_id: int) -> ApiToken | None: ...
    def listing(self) -> Sequence[ApiToken]: ...
    def named(self, name: str) -> ApiToken | None:
        """The one of this name that is not revoked."""
        ...

    def touch(self, token_id: int, *, every_s: float) -> None: ...
    def revoke(self, token_id: int) -> bool:
        """False if it is unknown or revoked already."""
        ...


@dataclass(frozen=True)
class KeptAnswer:
    """What a request with a key was answered the first time."""

    request_hash: str
    status: int
    body: bytes


class ApiAnswers(Protocol):
    """Answers by the key that a client gave its request."""

    def lock(self, token_id: int, key: str) -> bool:
        """Until the end of this transaction nobody else works on this key; False:
        somebody does."""
        ...

    def find(self, token_id: int, key: str) -> KeptAnswer | None: ...
    def keep(self, token_id: int, key: str, answer: KeptAnswer) -> None: ...
    def sweep(self, token_id: int, *, older_than_s: float) -> None: ...


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
