"""Say so when less of a material may be used than should always be there.

The stock page has said it since there are minimums, but nobody looks at it all day. The
incident names what to order and from whom; it closes when enough is there again. Who
puts it aside, because it is ordered, has peace for a day.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.services.catalogue.current import CurrentCatalogue
from mpms.factory.services.stock.show import Short, runs_short
from mpms.ports.clock import Clock
from mpms.services.incidents.open import open_incident

KIND = "stock"
ACTOR = "worker"
LOOK_S = 20.0
ASIDE_S = 86_400.0


@dataclass
class WatchStock:
    """A worker's phase; it never has work for others."""

    uow: UnitOfWork
    materials: CurrentCatalogue
    clock: Clock
    monotonic_s: Callable[[], float] = time.monotonic
    _look_at: float = 0.0

    def __call__(self) -> bool:
        now = self.monotonic_s()
        if now < self._look_at:
            return False
        self._look_at = now + LOOK_S
        with self.uow() as tx:
            wanted = self._wanted(tx)
            told = tx.stock.told_short(KIND, by=ACTOR, aside_s=ASIDE_S)
        still_open = {words for _, words, is_open in told if is_open}
        known = {words for _, words, _ in told}
        if wanted - known or still_open - wanted:
            self._tell()
        return False

    def _tell(self) -> None:
        with self.uow() as tx:
            tx.stock.lock_short()
            wanted = self._wanted(tx)
            told = tx.stock.told_short(KIND, by=ACTOR, aside_s=ASIDE_S)
            for words in sorted(wanted - {words for _, words, _ in told}):
                open_incident(tx, KIND, words, actor=ACTOR)
            for number, words, is_open in told:
                over = is_open and words not in wanted
                if over and tx.incidents.close(number, by=ACTOR):
                    tx.events.append(
                        "stock is back", actor=ACTOR, data={"message": words}
                    )
            tx.wake()

    def _wanted(self, tx: Transaction) -> set[str]:
        catalogue = self.materials(tx).catalogue
        today = self.clock.now().date()
        return {words_for(each) for each in runs_short(tx, catalogue, today=today)}


def words_for(short: Short) -> str:
    """Without what is there now, which changes with every load: the page shows it."""
    order = ""
    if short.reorder_kg is not None:
        whom = f" from {short.supplier}" if short.supplier else ""
        order = f" Order {short.reorder_kg:f} kg{whom}."
    elif short.supplier:
        order = f" Order it from {short.supplier}."
    return (
        f"'{short.material}' {short.name}: less than {short.minimum_kg:f} kg may be"
        f" used, which should always be there.{order}"
    )
