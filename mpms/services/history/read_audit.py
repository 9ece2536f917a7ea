"""What people did, page by page or all of it for a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mpms.ports.history.audit import AuditFilter, AuditLine, AuditPlace
from mpms.ports.store import UnitOfWork

ON_A_PAGE = 50
IN_A_PIECE = 1000


@dataclass(frozen=True)
class AuditPage:
    """Some lines, newest first, and where the older ones begin."""

    lines: Sequence[AuditLine]
    below: AuditPlace | None


def read_audit(
    uow: UnitOfWork,
    wanted: AuditFilter,
    *,
    below: AuditPlace | None = None,
    limit: int = ON_A_PAGE,
) -> AuditPage:
    with uow() as tx:
        lines = tx.audit.lines(wanted, below=below, limit=limit + 1)
    shown = lines[:limit]
    more = len(lines) > limit
    return AuditPage(shown, (shown[-1].at, shown[-1].id) if more else None)


def export_audit(uow: UnitOfWork, wanted: AuditFilter) -> Iterator[AuditLine]:
    """All lines, each piece in a transaction of its own: nothing waits for a slow
    reader."""
    below: AuditPlace | None = None
    while True:
        with uow() as tx:
            lines = tx.audit.lines(wanted, below=below, limit=IN_A_PIECE)
        yield from lines
        if len(lines) < IN_A_PIECE:
            return
        below = (lines[-1].at, lines[-1].id)
