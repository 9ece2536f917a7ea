"""Sign-ins that failed."""

from __future__ import annotations

from mpms.adapters.postgres.database.statements import Repository


class Attempts(Repository):
    """Rows of ``sign_in_attempts``."""

    def note(self, key: str) -> None:
        self._statements.run("attempts_note", key=key)

    def count(self, key: str, *, within_s: float) -> int:
        row = self._statements.row("attempts_count", key=key, within_s=within_s)
        return 0 if row is None else int(row[0])

    def forget(self, key: str) -> None:
        self._statements.run("attempts_forget", key=key)

    def forget_login(self, login: str) -> int:
        return self._statements.run("attempts_forget_login", login=login)

    def sweep(self, *, older_than_s: float) -> None:
        self._statements.run("attempts_sweep", older_than_s=older_than_s)
