"""The log of what people did, as a chain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mpms.adapters.postgres.database.statements import Repository, Statements
from mpms.domain.history.audit_chain import (
    AuditEntry,
    ChainHead,
    ChainLine,
    next_line,
)
from mpms.domain.history.kinds import Audit, Kinds


class AuditChain(Repository):
    """Rows of ``audit_chain``."""

    def __init__(self, statements: Statements, kinds: Kinds) -> None:
        super().__init__(statements)
        self._kinds = kinds

    def follow(self, limit: int) -> bool:
        place = self._statements.row("audit_chain_place")
        if place is None:
            return False
        since = {"transaction": place[0], "line": place[1]}
        reach = self._statements.row("audit_chain_reach", limit=limit, **since)
        if reach is None:
            return False
        to_transaction, to_line = reach
        rows = self._statements.rows(
            "audit_chain_news",
            to_transaction=to_transaction,
            to_line=to_line,
            never=self._named(Audit.NEVER),
            by_people=self._named(Audit.BY_PEOPLE),
            machines=["mpms", "process", *self._kinds.machines],
            **since,
        )
        head = self._head() if rows else ChainHead()
        for row in rows:
            line = next_line(head, AuditEntry(*row))
            self._statements.run(
                "audit_chain_add",
                number=line.number,
                event_id=line.event_id,
                text=line.text,
                hash=line.hash,
            )
            head = ChainHead(line.number, line.hash)
        self._statements.run(
            "audit_chain_move", transaction=to_transaction, line=to_line
        )
        return True

    def lines(self, *, after: int, limit: int) -> Sequence[ChainLine]:
        rows = self._statements.rows("audit_chain_lines", after=after, limit=limit)
        return [ChainLine(*row) for row in rows]

    def told(self, event_ids: Sequence[int]) -> Mapping[int, AuditEntry]:
        rows = self._statements.rows("audit_chain_events", ids=list(event_ids))
        return {row[0]: AuditEntry(*row) for row in rows}

    def _head(self) -> ChainHead:
        row = self._statements.row("audit_chain_head")
        return ChainHead() if row is None else ChainHead(*row)

    def _named(self, audit: Audit) -> list[str]:
        return [k.name for k in self._kinds.kinds.values() if k.audit is audit]
