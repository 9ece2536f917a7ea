"""Lots and what was moved of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from psycopg2.errors import CheckViolation

from mpms.adapters.postgres.database.statements import Repository, Row
from mpms.factory.domain.errors import StockMissing
from mpms.factory.domain.stock import Held, Lot, LotState, Move, MoveKind

NEVER_NEGATIVE = "stock_never_negative"


class Stock(Repository):
    """Rows of ``lots``, ``stock_moves`` and ``stock``."""

    def add_lot(self, lot: Lot, *, by: str) -> bool:
        """False if there is a lot of this name already."""
        added = self._statements.run(
            "lots_insert",
            lot=lot.lot,
            material=lot.material,
            supplier=lot.supplier,
            supplier_lot=lot.supplier_lot,
            state=lot.state.value,
            expires_on=lot.expires_on,
            by=by,
        )
        return bool(added)

    def lot(self, lot: str) -> Lot | None:
        row = self._statements.row("lots_get", lot=lot)
        return None if row is None else _lot(row)

    def lock(self, lot: str) -> Lot | None:
        """The lot, which nobody else moves until this transaction ends."""
        row = self._statements.row("lots_lock", lot=lot)
        return None if row is None else _lot(row)

    def change_lot(self, lot: str, *, state: LotState, expires_on: date | None) -> None:
        self._statements.run(
            "lots_change", lot=lot, state=state.value, expires_on=expires_on
        )

    def lots(self, material: str | None = None) -> Sequence[Lot]:
        """Those that are not used up first, then by expiry."""
        return [
            _lot(row) for row in self._statements.rows("lots_list", material=material)
        ]

    def move(self, moves: Iterable[Move]) -> None:
        """Write these and change what lies where.

        StockMissing if a place would hold less than nothing.
        """
        listed = list(moves)
        if not listed:
            return
        try:
            self._statements.run(
                "stock_move",
                lots=[m.lot for m in listed],
                places=[m.place for m in listed],
                grams=[m.grams for m in listed],
                kinds=[m.kind.value for m in listed],
                orders=[m.order_number for m in listed],
                lines=[m.line for m in listed],
                reasons=[m.reason for m in listed],
                by=[m.by for m in listed],
            )
        except CheckViolation as refused:
            if refused.diag.constraint_name != NEVER_NEGATIVE:
                raise
            raise StockMissing from refused

    def held(
        self, *, lot: str | None = None, place: str | None = None
    ) -> Sequence[Held]:
        """What lies where; places with nothing are missing."""
        rows = self._statements.rows("stock_held", lot=lot, place=place)
        return [Held(*row) for row in rows]

    def lots_of(self, materials: Iterable[str]) -> Sequence[tuple[Lot, Held]]:
        """What lies of these materials at places of the floor, robots left out."""
        rows = self._statements.rows("stock_of_materials", materials=list(materials))
        return [(_lot(row[:8]), Held(row[0], row[8], row[9])) for row in rows]

    def with_lots(self, materials: Iterable[str]) -> set[str]:
        """Those of these materials of which there ever was a lot."""
        rows = self._statements.rows("lots_materials", materials=list(materials))
        return {material for (material,) in rows}

    def totals(self, today: date) -> dict[str, tuple[int, int]]:
        """Material to grams at places: of usable lots, and of all lots."""
        rows = self._statements.rows("stock_totals", today=today)
        return {material: (usable, total) for material, usable, total in rows}

    def told_short(
        self, kind: str, *, by: str, aside_s: float
    ) -> Sequence[tuple[int, str, bool]]:
        """(Id, message, open) of incidents about what runs short: open ones, and those
        that others than ``by`` have put aside so long ago at most."""
        rows = self._statements.rows(
            "stock_told_short", kind=kind, by=by, aside_s=aside_s
        )
        return [(number, message, is_open) for number, message, is_open in rows]

    def lock_short(self) -> None:
        """Nobody else tells what runs short until this transaction ends."""
        self._statements.run("stock_lock_short")

    def moves(
        self,
        *,
        lot: str | None = None,
        order_number: str | None = None,
        limit: int = 200,
    ) -> Sequence[Move]:
        """The newest first."""
        rows = self._statements.rows(
            "stock_moves_list", lot=lot, order_number=order_number, limit=limit
        )
        return [
            Move(lot_, place, grams, MoveKind(kind), *rest)
            for lot_, place, grams, kind, *rest in rows
        ]


def _lot(row: Row) -> Lot:
    lot, material, state, *rest = row
    return Lot(lot, material, LotState(state), *rest)
