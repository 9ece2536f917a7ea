"""Picks in memory, a warehouse in which everything always lies at its place, and tanks
that nobody asks to mix.

For test-drives: nobody keeps stock of orders that nobody makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mpms.factory.domain.mixing import TankRun
from mpms.factory.domain.stock import Held, Lot, Move, Pick, PickState


class NoLots:
    """No material has lots, so its place is the one of the world."""

    def with_lots(self, materials: Iterable[str]) -> set[str]:
        return set()

    def lots_of(self, materials: Iterable[str]) -> Sequence[tuple[Lot, Held]]:
        return []

    def moves(self, **wanted: object) -> Sequence[Move]:
        return []


class NoTanks:
    """Tanks without a controller: none has run, and cleaning takes no time."""

    def of_order(self, number: str) -> Sequence[TankRun]:
        return []

    def content(self, tank: str) -> None:
        return None

    def fill(self, tank: str, *, product: str, order_number: str) -> None:
        return None

    def clean(self, tank: str, *, by: str) -> None:
        return None


class MemoryPicks:
    """The picks of the orders of one run."""

    def __init__(self) -> None:
        self._of: dict[str, dict[int, Pick]] = {}

    def of_order(self, order_number: str) -> Sequence[Pick]:
        return [pick for _, pick in sorted(self._of.get(order_number, {}).items())]

    def replace(self, order_number: str, picks: Sequence[Pick]) -> None:
        kept = self._of.setdefault(order_number, {})
        for number, pick in list(kept.items()):
            if pick.state is PickState.PLANNED:
                del kept[number]
        kept |= {pick.pick: pick for pick in picks}

    def save(self, pick: Pick) -> None:
        self._of.setdefault(pick.order_number, {})[pick.pick] = pick

    def drop_planned(self, order_number: str) -> int:
        """An order that has ended is not asked for again."""
        return len(self._of.pop(order_number, {}))

    def promised(
        self, lots: Iterable[str], *, without: str | None = None
    ) -> dict[tuple[str, str], int]:
        return {}

    def carriers(self) -> dict[str, str]:
        return {}

    def last_answer_by(self, instance_id: str) -> str | None:
        return None
