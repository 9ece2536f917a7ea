"""People, their sessions and tablets, and failed sign-ins."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from mpms.adapters.postgres.statements import Repository, Row
from mpms.domain.errors import LoginTaken
from mpms.domain.people import Person, Role
from mpms.ports.administration import PersonCard
from mpms.ports.people import Secrets, Session, Tablet, TabletSignIn

SIGN_INS_KEPT_DAYS = 30  # for tablets that are without network or in a drawer


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
        return _person(row)

    def get(self, login: str) -> Person | None:
        row = self._statements.row("people_get", login=login)
        return None if row is None else _person(row)

    def listing(self) -> Sequence[Person]:
        return [_person(row) for row in self._statements.rows("people_listing")]

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
            PersonCard(_person(row[:8]), *row[8:])
            for row in self._statements.rows("people_cards")
        ]

    def by_badge(self, badge_hash: str) -> Person | None:
        row = self._statements.row("people_by_badge", hash=badge_hash)
        return None if row is None else _person(row)

    def with_pin(self) -> Sequence[Person]:
        """Active people who may be switched to on a tablet."""
        return [_person(row) for row in self._statements.rows("people_with_pin")]


class Sessions(Repository):
    """Rows of ``sessions``, ``tablets`` and ``tablet_sign_ins``."""

    def open(
        self,
        token_hash: str,
        person_id: int,
        *,
        tablet_id: int | None,
        expires_at: datetime,
    ) -> None:
        self._statements.run(
            "sessions_open",
            token_hash=token_hash,
            person_id=person_id,
            tablet_id=tablet_id,
            expires_at=expires_at,
        )
        if tablet_id is not None:
            self._statements.run(
                "tablet_sign_ins_begin",
                token_hash=token_hash,
                person_id=person_id,
                tablet_id=tablet_id,
                expires_at=expires_at,
            )
            self._statements.run(
                "tablet_sign_ins_sweep", older_than_days=SIGN_INS_KEPT_DAYS
            )

    def find(self, token_hash: str) -> Session | None:
        row = self._statements.row("sessions_find", token_hash=token_hash)
        return None if row is None else Session(_person(row[:8]), *row[8:])

    def touch(self, token_hash: str) -> None:
        self._statements.run("sessions_touch", token_hash=token_hash)

    def close(self, token_hash: str) -> None:
        self._statements.run("sessions_close", token_hash=token_hash)
        self._statements.run("tablet_sign_ins_end", token_hash=token_hash)

    def close_all(self, person_id: int) -> int:
        self._statements.run("tablet_sign_ins_end_all", person_id=person_id)
        return self._statements.run("sessions_close_all", person_id=person_id)

    def on_tablet(self, tablet_id: int, token_hash: str) -> TabletSignIn | None:
        row = self._statements.row(
            "tablet_sign_ins_find", tablet_id=tablet_id, token_hash=token_hash
        )
        return None if row is None else TabletSignIn(_person(row[:8]), *row[8:])

    def enrol(self, token_hash: str, name: str, *, by: str) -> int:
        row = self._statements.row(
            "tablets_enrol", token_hash=token_hash, name=name, by=by
        )
        assert row is not None  # noqa: S101
        return int(row[0])

    def tablet(self, token_hash: str) -> Tablet | None:
        row = self._statements.row("tablets_find", token_hash=token_hash)
        return None if row is None else Tablet(*row)

    def tablets(self) -> Sequence[Tablet]:
        return [Tablet(*row) for row in self._statements.rows("tablets_listing")]

    def revoke(self, tablet_id: int) -> None:
        self._statements.run("tablets_revoke", tablet_id=tablet_id)


class Attempts(Repository):
    """Rows of ``sign_in_attempts``."""

    def note(self, key: str) -> None:
        self._statements.run("attempts_note", key=key)

    def count(self, key: str, *, within_s: float) -> int:
        row = self._statements.row("attempts_count", key=key, within_s=within_s)
        return 0 if row is None else int(row[0])

    def forget(self, key: str) -> None:
        self._statements.run("attempts_forget", key=key)

    def sweep(self, *, older_than_s: float) -> None:
        self._statements.run("attempts_sweep", older_than_s=older_than_s)


def _person(row: Row) -> Person:
    ident, login, name, role, groups, language, active, mail = row
    return Person(ident, login, name, Role(role), tuple(groups), language, active, mail)
