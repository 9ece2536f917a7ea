"""The history of what people did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from mpms.adapters.postgres.database.statements import Repository, Statements
from mpms.domain.history.kinds import Audit, Kinds
from mpms.ports.history.audit import AuditFilter, AuditLine, AuditPlace

FEW = 10_000  # lines about one thing that are fetched before they are sorted
LONGEST = 200  # as long as the index knows values


class AuditLog(Repository):
    """Rows of ``events`` that a person wrote."""

    def __init__(self, statements: Statements, kinds: Kinds) -> None:
        super().__init__(statements)
        self._kinds = kinds.kinds.values()
        self._machines = ["mpms", "process", *kinds.machines]

    def lines(
        self, wanted: AuditFilter, *, below: AuditPlace | None, limit: int
    ) -> Sequence[AuditLine]:
        rows = self._statements.rows(
            "audit_lines",
            actor=wanted.actor,
            kind=wanted.kind,
            since=wanted.since,
            until=wanted.until,
            below_at=None if below is None else below[0],
            below_id=None if below is None else below[1],
            limit=limit,
            never=self._named(Audit.NEVER),
            machines=self._machines,
            by_people=self._named(Audit.BY_PEOPLE),
            **self._about((wanted.thing or "").strip()),
        )
        return [AuditLine(*row) for row in rows]

    def _named(self, audit: Audit) -> list[str]:
        return [kind.name for kind in self._kinds if kind.audit is audit]

    def _about(self, thing: str) -> dict[str, Any]:
        """The lines about a thing if they are few, else what tells whether one is."""
        if not thing:
            nothing = ("ids", "begins", "instance_id", "business_key")
            return dict.fromkeys(nothing)
        asked = {
            "begins": _beginning(thing[:LONGEST]),
            "instance_id": _uuid(thing),
            "business_key": thing,
        }
        found = self._statements.rows("audit_about", limit=FEW + 1, **asked)
        if len(found) > FEW:
            return {"ids": None, **asked}
        return dict.fromkeys(asked) | {"ids": [row[0] for row in found]}


def _beginning(text: str) -> str:
    """A query for values that begin with the text itself, whatever it consists of."""
    plain = text.replace("\\", "\\\\").replace("'", "''")
    return f"'{plain}':*"


def _uuid(text: str) -> str | None:
    try:
        return str(UUID(text))
    except ValueError:
        return None
