"""People and what they sign in with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from mpms.domain.people.people import Person, Role
from mpms.ports.people.cards import PersonCard
from mpms.ports.people.identity import SignInElsewhere


@dataclass(frozen=True)
class Secrets:
    """Hashes of what a person signs in with; None where there is none."""

    password_hash: str | None
    pin_hash: str | None


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

    def unbind_identity(self, issuer: str, subject: str, login: str) -> bool: ...
    def ask_link(self, issuer: str, subject: str, login: str, name: str) -> None:
        """Somebody there asks for this account; an administrator decides."""
        ...

    def sign_ins(self, login: str) -> Sequence[SignInElsewhere]: ...
    def drop_request(self, issuer: str, subject: str, login: str) -> bool: ...
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
