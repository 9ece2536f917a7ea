"""The time of the database, for everybody who works on it.

Timers, leases and expiries are compared by several machines; one whose clock is an
hour ahead would fire a timer an hour early. So there is one clock, the database's.
It is asked every half minute, on a connection that is lent anyway; in between its time
is counted on by a clock of this machine that nobody can set.
"""

from __future__ import annotations

import threading
import time
from datetime import datetime, timedelta

from psycopg2.extensions import connection

ASK_AGAIN_S = 30.0


def _since_start_s() -> float:
    """Goes on while the machine sleeps, unlike ``time.monotonic``."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class ServerTime:
    """What the database's clock says now, as far as it is known."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at: datetime | None = None
        self._noted_s = 0.0

    def ask(self, lent: connection) -> None:
        """Ask with a connection outside a transaction, if it is time to."""
        if not self.is_stale():
            return
        asked_s = _since_start_s()
        with lent.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            (at,) = cursor.fetchone() or (None,)
        answered_s = _since_start_s()
        lent.rollback()
        with self._lock:
            self._at = at
            self._noted_s = (asked_s + answered_s) / 2

    def is_stale(self) -> bool:
        with self._lock:
            return self._at is None or _since_start_s() - self._noted_s > ASK_AGAIN_S

    def now(self) -> datetime | None:
        """None before anybody has asked."""
        with self._lock:
            if self._at is None:
                return None
            return self._at + timedelta(seconds=_since_start_s() - self._noted_s)
