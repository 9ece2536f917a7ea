"""A mailbox in memory that already holds orders instead of messages."""

from __future__ import annotations

import threading

from mpms.factory.domain.errors import OrderNumberTaken
from mpms.factory.domain.orders import Order
from mpms.factory.ports.mail.intake import MailboxUnavailable
from mpms.factory.ports.store import UnitOfWork


class MemoryIntake:
    """Stores what was posted, once; ``broken`` makes it fail with that reason."""

    def __init__(self, uow: UnitOfWork) -> None:
        self._uow = uow
        self._lock = threading.Lock()
        self._posted: list[Order] = []
        self.broken: str | None = None
        self.reads = 0

    def post(self, order: Order) -> None:
        with self._lock:
            self._posted.append(order)

    def __call__(self) -> tuple[int, int]:
        self.reads += 1
        if self.broken is not None:
            raise MailboxUnavailable(self.broken)
        with self._lock:
            posted = list(self._posted)
        accepted = 0
        for order in posted:
            try:
                with self._uow() as tx:
                    tx.orders.add(order)
                    accepted += 1
            except OrderNumberTaken:
                pass
        with self._lock:
            del self._posted[: len(posted)]
        return len(posted), accepted
