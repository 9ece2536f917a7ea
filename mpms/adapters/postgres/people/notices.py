"""Mails to people about their own account."""

from __future__ import annotations

from collections.abc import Sequence

from mpms.adapters.postgres.database.statements import Repository
from mpms.ports.people.notices import Notice


class Notices(Repository):
    """Rows of ``account_notices``."""

    def add(self, login: str, what: str, *, by: str) -> None:
        self._statements.run("account_notices_add", login=login, what=what, by=by)

    def take(self, limit: int) -> Sequence[Notice]:
        rows = self._statements.rows("account_notices_take", limit=limit)
        return [Notice(*row) for row in rows]

    def give_back(self, notice_ids: Sequence[int]) -> None:
        self._statements.run("account_notices_give_back", ids=list(notice_ids))
