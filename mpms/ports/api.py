"""The rows behind the API: its clients, and the answers they got."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from mpms.domain.people.people import Role


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
    owner: str | None = None  # with whose leaving it ends
    scopes: tuple[str, ...] = ()  # sections, also as section:read; none: everything
    per_minute: int | None = None

    def allows(self, section: str, *, writes: bool) -> bool:
        """Whether it was made for this, besides what its role may do."""
        return (
            not self.scopes
            or section in self.scopes
            or (not writes and f"{section}:read" in self.scopes)
        )

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
        owner: str | None = None,
        scopes: Sequence[str] = (),
        per_minute: int | None = None,
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
    def revoke_of(self, owner: str) -> Sequence[str]:
        """All of somebody's; their names."""
        ...

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
