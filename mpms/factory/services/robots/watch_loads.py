"""Say so when a robot carries what nobody brings back.

A robot with a load is given to no other order. A cancelled order starts a process that
brings the material back; if that one is cancelled too, or no such process is deployed,
the robot would wait for ever and nobody would know why. So whoever leads is told, and
says that the robot is empty (``empty``). The incident closes when the load is settled.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from mpms.factory.ports.store import UnitOfWork
from mpms.factory.services.robots.empty import LEFT_OVER, close_over, words_for
from mpms.services.incidents.open import open_incident

LOOK_S = 5.0
ACTOR = "worker"


@dataclass
class WatchLoads:
    """A worker's phase; it never has work for others."""

    uow: UnitOfWork
    monotonic_s: Callable[[], float] = time.monotonic
    _look_at: float = 0.0

    def __call__(self) -> bool:
        now = self.monotonic_s()
        if now < self._look_at:
            return False
        self._look_at = now + LOOK_S
        with self.uow() as tx:
            left = {words_for(pick) for pick in tx.picks.left_over()}
            told = {words for _, words in tx.picks.told_left_over(LEFT_OVER)}
        if left != told:
            self._tell()
        return False

    def _tell(self) -> None:
        with self.uow() as tx:
            tx.picks.lock_left_over()
            told = {words for _, words in tx.picks.told_left_over(LEFT_OVER)}
            for pick in tx.picks.left_over():
                if (words := words_for(pick)) not in told:
                    open_incident(tx, LEFT_OVER, words, actor=ACTOR)
            close_over(tx, by=ACTOR)
            tx.wake()
