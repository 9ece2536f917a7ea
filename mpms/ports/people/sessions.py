"""Who is signed in, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from mpms.domain.people.people import Person


@dataclass(frozen=True)
class Session:
    """Somebody is signed in somewhere."""

    person: Person
    tablet_id: int | None
    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    password_once: bool = False  # a new password comes before anything else
    means: str = ""  # what it was opened with
    has_second_factor: bool = False  # its person, not this sign-in


@dataclass(frozen=True)
class OpenSession:
    """One of the places where somebody is signed in."""

    id: int
    token_hash: str
    tablet: str | None
    created_at: datetime
    seen_at: datetime
    means: str
    address: str
    browser: str


@dataclass(frozen=True)
class Tablet:
    """A tablet on which a PIN or a badge is enough."""

    id: int
    name: str


@dataclass(frozen=True)
class TabletSignIn:
    """Somebody was signed in on a tablet for a while, or still is."""

    person: Person
    signed_in_at: datetime
    ended_at: datetime  # in the future: when it will end by itself
    entry_key: bytes | None = None  # what was answered then is signed with it


class Sessions(Protocol):
    """Who is signed in where, by the hash of the token that the browser keeps."""

    def open(
        self,
        token_hash: str,
        person_id: int,
        *,
        tablet_id: int | None,
        expires_at: datetime,
        means: str = "",
        address: str = "",
        browser: str = "",
    ) -> None: ...
    def of(self, person_id: int) -> Sequence[OpenSession]: ...
    def find(self, token_hash: str) -> Session | None:
        """Active people only; expired sessions are not found."""
        ...

    def touch(self, token_hash: str) -> None: ...
    def close(self, token_hash: str) -> None: ...
    def close_all(self, person_id: int) -> int: ...
    def on_tablet(self, tablet_id: int, token_hash: str) -> TabletSignIn | None:
        """Active people only; remembered for some weeks after the sign-in ended."""
        ...

    def give_entry_key(self, token_hash: str, entry_key: bytes) -> bool:
        """False: this sign-in is on no tablet, is over, or has a key."""
        ...

    def enrol(self, token_hash: str, name: str, *, by: str) -> int: ...
    def tablet(self, token_hash: str) -> Tablet | None: ...
    def tablets(self) -> Sequence[Tablet]: ...
    def revoke(self, tablet_id: int) -> None: ...
