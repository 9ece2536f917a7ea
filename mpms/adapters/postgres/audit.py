"""The history of what people did."""

from __future__ import annotations

from collections.abc import Sequence

from mpms.adapters.postgres.statements import Repository
from mpms.ports.administration import AuditFilter, AuditLine, AuditPlace


class AuditLog(Repository):
    """Rows of ``events`` that a person wrote."""

    def lines(
        self, wanted: AuditFilter, *, below: AuditPlace | None, limit: int
    ) -> Sequence[AuditLine]:
        rows = self._statements.rows(
            "audit_lines",
            actor=wanted.actor,
            kind=wanted.kind,
            thing=wanted.thing,
            part=None if wanted.thing is None else _anywhere(wanted.thing),
            since=wanted.since,
            until=wanted.until,
            below_at=None if below is None else below[0],
            below_id=None if below is None else below[1],
            limit=limit,
        )
        return [AuditLine(*row) for row in rows]


def _anywhere(text: str) -> str:
    """A pattern that finds the text itself, whatever it consists of."""
    plain = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{plain}%"
