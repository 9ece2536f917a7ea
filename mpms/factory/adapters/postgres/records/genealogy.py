"""Which lots went into which orders."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from mpms.adapters.postgres.database.statements import Repository
from mpms.factory.ports.records.genealogy import LotHere, LotUse

DEEPEST = 12  # products in products; more is a circle


class Genealogy(Repository):
    """Read from ``record_lines``, and from ``lots`` and ``stock`` what is left."""

    def of_lot(self, lot: str, *, limit: int) -> Sequence[LotUse]:
        rows = self._statements.rows(
            "genealogy_of_lot", lot=lot, limit=limit, deepest=DEEPEST
        )
        return [LotUse(*row) for row in rows]

    def in_plant(self, lot: str) -> Sequence[LotHere]:
        rows = self._statements.rows("genealogy_in_plant", lot=lot)
        return [
            LotHere(place, Decimal(grams) / 1000, orders or "")
            for place, grams, orders in rows
        ]

    def of_supplier(self, text: str, *, limit: int) -> Sequence[tuple[str, str]]:
        rows = self._statements.rows("genealogy_of_supplier", text=text, limit=limit)
        return [(lot, material) for lot, material in rows]

    def lots(self, text: str, *, limit: int) -> Sequence[tuple[str, str, bool]]:
        rows = self._statements.rows("genealogy_lots", text=text, limit=limit)
        return [(lot, material, what == "produced") for lot, material, what in rows]
