"""Who is signed in, and where."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from mpms.adapters.postgres.database.statements import Repository
from mpms.adapters.postgres.people.people import person_of
from mpms.ports.people.sessions import (
    OpenSession,
    Session,
    Tablet,
    TabletSignIn,
)

SIGN_INS_KEPT_DAYS = 30  # for tablets that are without network or in a drawer


class Sessions(Repository):
    """Rows of ``sessions``, ``tablets`` and ``tablet_sign_ins``."""

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
    ) -> None:
        self._statements.run(
            "sessions_open",
            token_hash=token_hash,
            person_id=person_id,
            tablet_id=tablet_id,
            expires_at=expires_at,
            means=means,
            address=address,
            browser=browser,
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
        return None if row is None else Session(person_of(row[:8]), *row[8:])

    def of(self, person_id: int) -> Sequence[OpenSession]:
        rows = self._statements.rows("sessions_of", person_id=person_id)
        return [OpenSession(*row) for row in rows]

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
        if row is None:
            return None
        person, (since, until, key) = person_of(row[:8]), row[8:]
        return TabletSignIn(person, since, until, None if key is None else bytes(key))

    def give_entry_key(self, token_hash: str, entry_key: bytes) -> bool:
        given = self._statements.run(
            "tablet_sign_ins_give_key", token_hash=token_hash, entry_key=entry_key
        )
        return given > 0

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
