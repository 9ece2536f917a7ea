"""Clients of the API and the answers they got."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from mpms.adapters.postgres.database.statements import Repository, Row
from mpms.domain.people.people import Role
from mpms.ports.api import ApiToken, KeptAnswer


class ApiTokens(Repository):
    """Rows of ``api_tokens``."""

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
    ) -> ApiToken:
        row = self._statements.row(
            "api_tokens_add",
            token_hash=token_hash,
            name=name,
            role=str(role),
            groups=list(groups),
            expires_at=expires_at,
            by=by,
            owner=owner,
            scopes=list(scopes),
            per_minute=per_minute,
        )
        assert row is not None  # noqa: S101
        return _token(row)

    def find(self, token_hash: str) -> ApiToken | None:
        """Also expired and revoked ones."""
        row = self._statements.row("api_tokens_find", token_hash=token_hash)
        return None if row is None else _token(row)

    def get(self, token_id: int) -> ApiToken | None:
        row = self._statements.row("api_tokens_get", token_id=token_id)
        return None if row is None else _token(row)

    def listing(self) -> Sequence[ApiToken]:
        return [_token(row) for row in self._statements.rows("api_tokens_listing")]

    def named(self, name: str) -> ApiToken | None:
        """The one of this name that is not revoked; nobody adds one meanwhile."""
        self._statements.run("api_tokens_lock")
        row = self._statements.row("api_tokens_named", name=name)
        return None if row is None else _token(row)

    def touch(self, token_id: int, *, every_s: float) -> None:
        self._statements.run("api_tokens_touch", token_id=token_id, every_s=every_s)

    def revoke_of(self, owner: str) -> Sequence[str]:
        rows = self._statements.rows("api_tokens_revoke_of", owner=owner)
        return [name for (name,) in rows]

    def revoke(self, token_id: int) -> bool:
        return self._statements.run("api_tokens_revoke", token_id=token_id) > 0


class ApiAnswers(Repository):
    """Rows of ``api_answers``."""

    def lock(self, token_id: int, key: str) -> bool:
        """False: somebody works on this key."""
        row = self._statements.row("api_answers_lock", token_id=str(token_id), key=key)
        return row is not None and bool(row[0])

    def find(self, token_id: int, key: str) -> KeptAnswer | None:
        row = self._statements.row("api_answers_find", token_id=token_id, key=key)
        return None if row is None else KeptAnswer(row[0], row[1], bytes(row[2]))

    def keep(self, token_id: int, key: str, answer: KeptAnswer) -> None:
        self._statements.run(
            "api_answers_keep",
            token_id=token_id,
            key=key,
            request_hash=answer.request_hash,
            status=answer.status,
            body=answer.body,
        )

    def sweep(self, token_id: int, *, older_than_s: float) -> None:
        self._statements.run(
            "api_answers_sweep", token_id=token_id, older_than_s=older_than_s
        )


def _token(row: Row) -> ApiToken:
    ident, name, role, groups, by, created, expires, used, revoked = row[:9]
    owner, scopes, per_minute = row[9:]
    return ApiToken(
        *(ident, name, Role(role), tuple(groups), by, created, expires, used, revoked),
        owner=owner,
        scopes=tuple(scopes),
        per_minute=per_minute,
    )
