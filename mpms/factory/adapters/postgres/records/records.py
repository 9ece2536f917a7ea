"""Batch records: lines that are only added."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from mpms.adapters.postgres.database.statements import Repository
from mpms.factory.domain.records import Entry, Head, Line

PIECE = 20_000  # lines read at once by whoever reads all


class Records(Repository):
    """Rows of ``record_lines`` and ``record_heads``."""

    def note(self, entry: Entry) -> None:
        self._statements.note(entry)

    def lock(self, records: Iterable[str]) -> tuple[Mapping[str, Head], datetime]:
        names = sorted(records)
        self._statements.run_later("records_open", records=names)
        rows = self._statements.rows("records_lock", records=names)
        heads = {row[0]: Head(row[0], row[1], row[2]) for row in rows}
        return heads, rows[-1][3]

    def append(self, lines: Sequence[Line]) -> None:
        if not lines:
            return
        self._statements.run_later(
            "records_append",
            records=[each.record for each in lines],
            lines=[each.line for each in lines],
            contents=[each.content for each in lines],
            hashes=[each.hash for each in lines],
        )
        last = {each.record: each for each in lines}.values()
        self._statements.run_later(
            "records_move_heads",
            records=[each.record for each in last],
            lines=[each.line for each in last],
            hashes=[each.hash for each in last],
        )

    def orders_of(self, keys: Iterable[str]) -> set[str]:
        rows = self._statements.rows("orders_known", keys=list(keys))
        return {row[0] for row in rows}

    def keys_of(self, instance_ids: Iterable[str]) -> Mapping[str, str | None]:
        rows = self._statements.rows("records_keys", ids=list(instance_ids))
        return {str(row[0]): row[1] for row in rows}

    def names_of(self, logins: Iterable[str]) -> Mapping[str, str]:
        rows = self._statements.rows("records_names", logins=list(logins))
        return {row[0]: row[1] for row in rows}

    def set_ended(self, record: str, ended: bool) -> None:
        self._statements.run_later("records_set_ended", record=record, ended=ended)

    def lines(self, record: str) -> Sequence[Line]:
        rows = self._statements.rows("records_lines", record=record)
        return [Line(*row) for row in rows]

    def lines_of(self, record: str, what: Iterable[str]) -> Sequence[Line]:
        rows = self._statements.rows("records_lines_of", record=record, what=list(what))
        return [Line(*row) for row in rows]

    def every_line(self) -> Iterator[Line]:
        record, line = "", 0
        while True:
            rows = self._statements.rows(
                "records_after", record=record, line=line, limit=PIECE
            )
            for row in rows:
                yield Line(*row)
            if len(rows) < PIECE:
                return
            record, line = rows[-1][0], rows[-1][1]

    def head(self, record: str) -> Head:
        row = self._statements.row("records_head", record=record)
        return Head(record) if row is None else Head(*row)

    def heads(self) -> Sequence[Head]:
        return [Head(*row) for row in self._statements.rows("records_heads")]

    def to_seal(self, *, quiet_s: float, limit: int) -> Sequence[str]:
        rows = self._statements.rows("records_to_seal", quiet_s=quiet_s, limit=limit)
        return sorted(row[0] for row in rows)

    def set_sealed(self, record: str, lines: int) -> None:
        self._statements.run_later("records_set_sealed", record=record, lines=lines)

    def unnoted(self) -> Sequence[Head]:
        return [Head(*row) for row in self._statements.rows("records_unnoted")]

    def set_noted(self, heads: Iterable[Head]) -> None:
        told = list(heads)
        self._statements.run_later(
            "records_set_noted",
            records=[head.record for head in told],
            lines=[head.lines for head in told],
        )

    def orders_since_first(self) -> Sequence[str]:
        return [row[0] for row in self._statements.rows("records_orders_since_first")]
