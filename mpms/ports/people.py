"""The rows behind signing in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from mpms.domain.people import Person, Role
from mpms.ports.administration import PersonCard


@dataclass(frozen=True)
class Secrets:
    """Hashes of what a person signs in with; None where there is none."""

    password_hash: str | None
    pin_hash: str | None


@dataclass(frozen=True)
class Session:
    """Somebody is signed in somewhere."""

    person: Person
    tablet_id: int | None
    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    password_once: bool = False  # a new password comes before anything else


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


class People(Protocol):
    """People and their secrets."""

    def add(
        self,
        login: str,
        name: str,
        role: Role,
        *,
        groups: Sequence[str] = (),
        language: str = "en",
    ) -> Person: ...  # LoginTaken
    def get(self, login: str) -> Person | None: ...
    def listing(self) -> Sequence[Person]: ...
    def secrets(self, login: str) -> Secrets | None: ...
    def set_password(self, login: str, password_hash: str | None) -> None: ...
    def set_pin(self, login: str, pin_hash: str | None) -> None: ...
    def set_badge(self, login: str, badge_hash: str | None) -> None: ...
    def set_language(self, login: str, language: str) -> None: ...
    def set_mail(self, login: str, mail: str | None) -> None: ...
    def set_active(self, login: str, active: bool) -> None: ...
    def set_access(self, login: str, role: Role, groups: Sequence[str]) -> None: ...
    def of_identity(self, issuer: str, subject: str) -> str | None:
        """The login of whom another sign-in service calls by this name."""
        ...

    def bind_identity(self, issuer: str, subject: str, login: str) -> bool:
        """False: the person is known there by another name, or the name is taken."""
        ...

    def set_password_once(self, login: str, once: bool) -> None: ...
    def edit(
        self,
        login: str,
        *,
        name: str,
        role: Role,
        groups: Sequence[str],
        language: str,
    ) -> None: ...
    def lock_admins(self) -> set[str]:
        """The logins of all active administrators, whom nobody else changes until
        the commit."""
        ...

    def cards(self) -> Sequence[PersonCard]: ...
    def by_badge(self, badge_hash: str) -> Person | None: ...
    def with_pin(self) -> Sequence[Person]:
        """Active people who may be switched to on a tablet."""
        ...


class Sessions(Protocol):
    """Who is signed in where, by the hash of the token that the browser keeps."""

    def open(
        self,
        token_hash: str,
        person_id: int,
        *,
        tablet_id: int | None,
        expires_at: datetime,
    ) -> None: ...
    def find(self, token_hash: str) -> Session | None:
        """Active people only; expired sessions are not found."""
        ...

    def touch(self, token_hash: str) -> None: ...
    def close(self, token_hash: str) -> None: ...
    def close_all(self, person_id: int) -> int: ...
    def on_tablet(self, tablet_id: int, token_hash: str) -> TabletSignIn | None:
        """Active people only; remembered for some weeks after the sign-in ended."""
        ...

    def enrol(self, token_hash: str, name: str, *, by: str) -> int: ...
    def tablet(self, token_hash: str) -> Tablet | None: ...
    def tablets(self) -> Sequence[Tablet]: ...
    def revoke(self, tablet_id: int) -> None: ...


class Attempts(Protocol):
    """Failed sign-ins, counted for all processes together."""

    def note(self, key: str) -> None: ...
    def count(self, key: str, *, within_s: float) -> int: ...
    def forget(self, key: str) -> None: ...
    def sweep(self, *, older_than_s: float) -> None: ...
