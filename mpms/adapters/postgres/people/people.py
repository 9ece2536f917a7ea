"""People and what they sign in with."""

from __future__ import annotations

from collections.abc import Sequence

from mpms.adapters.postgres.database.statements import Repository, Row
from mpms.domain.errors import LoginTaken
from mpms.domain.people.people import Person, Role
from mpms.ports.people.cards import PersonCard
from mpms.ports.people.identity import SignInElsewhere
from mpms.ports.people.people import Secrets


class People(Repository):
    """Rows of ``people``."""

    def add(
        self,
        login: str,
        name: str,
        role: Role,
        *,
        groups: Sequence[str] = (),
        language: str = "en",
    ) -> Person:
        row = self._statements.row(
            "people_add",
            login=login,
            name=name,
            role=str(role),
            groups=list(groups),
            language=language,
        )
        if row is None:
            raise LoginTaken(f"There is a person with the login {login} already.")
        return person_of(row)

    def get(self, login: str) -> Person | None:
        row = self._statements.row("people_get", login=login)
        return None if row is None else person_of(row)

    def listing(self) -> Sequence[Person]:
        return [person_of(row) for row in self._statements.rows("people_listing")]

    def secrets(self, login: str) -> Secrets | None:
        row = self._statements.row("people_secrets", login=login)
        return None if row is None else Secrets(*row)

    def set_password(self, login: str, password_hash: str | None) -> None:
        self._statements.run("people_set_password", login=login, hash=password_hash)

    def set_pin(self, login: str, pin_hash: str | None) -> None:
        self._statements.run("people_set_pin", login=login, hash=pin_hash)

    def set_badge(self, login: str, badge_hash: str | None) -> None:
        self._statements.run("people_set_badge", login=login, hash=badge_hash)

    def set_language(self, login: str, language: str) -> None:
        self._statements.run("people_set_language", login=login, language=language)

    def set_mail(self, login: str, mail: str | None) -> None:
        self._statements.run("people_set_mail", login=login, mail=mail)

    def set_active(self, login: str, active: bool) -> None:
        self._statements.run("people_set_active", login=login, active=active)

    def set_access(self, login: str, role: Role, groups: Sequence[str]) -> None:
        self._statements.run(
            "people_set_access", login=login, role=str(role), groups=list(groups)
        )

    def of_identity(self, issuer: str, subject: str) -> str | None:
        row = self._statements.row("people_of_identity", issuer=issuer, subject=subject)
        return None if row is None else str(row[0])

    def bind_identity(self, issuer: str, subject: str, login: str) -> bool:
        changed = self._statements.run(
            "people_bind_identity", issuer=issuer, subject=subject, login=login
        )
        return changed > 0

    def unbind_identity(self, issuer: str, subject: str, login: str) -> bool:
        changed = self._statements.run(
            "people_unbind_identity", issuer=issuer, subject=subject, login=login
        )
        return changed > 0

    def ask_link(self, issuer: str, subject: str, login: str, name: str) -> None:
        self._statements.run(
            "people_ask_link", issuer=issuer, subject=subject, login=login, name=name
        )

    def sign_ins(self, login: str) -> Sequence[SignInElsewhere]:
        rows = self._statements.rows("people_sign_ins", login=login)
        return [SignInElsewhere(*row) for row in rows]

    def drop_request(self, issuer: str, subject: str, login: str) -> bool:
        changed = self._statements.run(
            "people_drop_request", issuer=issuer, subject=subject, login=login
        )
        return changed > 0

    def set_password_once(self, login: str, once: bool) -> None:
        self._statements.run("people_set_password_once", login=login, once=once)

    def edit(
        self,
        login: str,
        *,
        name: str,
        role: Role,
        groups: Sequence[str],
        language: str,
    ) -> None:
        self._statements.run(
            "people_edit",
            login=login,
            name=name,
            role=str(role),
            groups=list(groups),
            language=language,
        )

    def lock_admins(self) -> set[str]:
        return {str(row[0]) for row in self._statements.rows("people_lock_admins")}

    def cards(self) -> Sequence[PersonCard]:
        return [
            PersonCard(person_of(row[:8]), *row[8:])
            for row in self._statements.rows("people_cards")
        ]

    def by_badge(self, badge_hash: str) -> Person | None:
        row = self._statements.row("people_by_badge", hash=badge_hash)
        return None if row is None else person_of(row)

    def with_pin(self) -> Sequence[Person]:
        """Active people who may be switched to on a tablet."""
        return [person_of(row) for row in self._statements.rows("people_with_pin")]


def person_of(row: Row) -> Person:
    ident, login, name, role, groups, language, active, mail = row
    return Person(ident, login, name, Role(role), tuple(groups), language, active, mail)
