"""Connections to a lent database, which the next test on it goes on with.

A new one costs the server 3.5 ms, and its first statements twice that: it reads the
catalogue again. What a test has left in one is taken off, so that it is as a new one.
"""

from __future__ import annotations

import select
from contextlib import suppress

import psycopg2
from psycopg2.extensions import TRANSACTION_STATUS_IDLE, connection

from mpms.adapters.postgres.database.connections import SETTINGS, Connections
from mpms.adapters.postgres.database.link import Link

MOST_EACH = 3
# All that DISCARD ALL does but for forgetting the catalogue's plans, in one message.
AS_NEW = """
    CLOSE ALL; UNLISTEN *; DEALLOCATE ALL; DISCARD TEMP; RESET ALL;
    SELECT pg_advisory_unlock_all();"""


class KeptConnections:
    """Those of one database."""

    def __init__(self) -> None:
        self._links: list[Link] = []
        self._plain: list[connection] = []

    def pids(self) -> list[int]:
        """Of the servers behind them."""
        kept = [*self._links, *self._plain]
        return [each.info.backend_pid for each in kept if not each.closed]

    def give(self, pool: Connections) -> None:
        """The pool, which was just made, has them."""
        pool._idle += [link for link in self._links if _is_alive(link)]
        self._links = []

    def take(self, pool: Connections) -> None:
        """Before the pool is closed."""
        with pool._change:
            idle, pool._idle = pool._idle, []
        for link in idle:
            if len(self._links) < MOST_EACH and _as_new(link, SETTINGS):
                link.prepared.clear()
                self._links.append(link)
            else:
                link.close()

    def lend_plain(self) -> connection | None:
        """One that commits each statement."""
        while self._plain:
            found = self._plain.pop()
            if _is_alive(found):
                return found
            found.close()
        return None

    def take_plain(self, one: connection) -> None:
        if len(self._plain) < MOST_EACH and _as_new(one):
            self._plain.append(one)
        else:
            one.close()

    def close(self) -> None:
        for each in (*self._links, *self._plain):
            each.close()
        self._links, self._plain = [], []


OF: dict[str, KeptConnections] = {}
"""By the URL of a database that is lent, emptied and lent again."""


def _is_alive(one: connection) -> bool:
    """A server that a test has ended while nobody used it has said so."""
    return not one.closed and not select.select([one], [], [], 0)[0]


def _as_new(one: connection, settings: str = "") -> bool:
    """False: it is lost, or in the middle of something."""
    if one.closed or one.info.transaction_status != TRANSACTION_STATUS_IDLE:
        return False
    with suppress(psycopg2.Error):
        with one.cursor() as cursor:
            cursor.execute(AS_NEW + settings)
        if not one.autocommit:
            one.commit()
        one.notices.clear()
        one.notifies.clear()
        return True
    return False
