"""Let readers of the history go on after a dump was restored on another server.

The history is read in the order of transactions, and their numbers belong to a server.
On a new server they begin anew: what happens from now on would seem older than all that
was restored, so figures would freeze and webhooks would skip lines without a word. This
is found at every start, and repaired by giving old lines numbers that this server has
used up already. Nobody reads a line twice or misses one.
"""

from __future__ import annotations

import logging
from typing import Any

from psycopg2.extensions import cursor

from mpms.adapters.postgres.database.connections import Connections
from mpms.adapters.postgres.database.migrate import LOCK_KEY
from mpms.adapters.postgres.database.queries import Queries

log = logging.getLogger(__name__)

FIRST = 1  # the number of lines that everybody has read


def renumber_restored(connections: Connections, queries: Queries) -> bool:
    """Renumber the history if it is ahead of this server; tell whether it was."""
    with connections.connection() as connection, connection.cursor() as asked:
        if not _is_ahead(asked, queries):
            return False
        asked.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK_KEY,))
        asked.execute(queries["restored_lock"])
        if not _is_ahead(asked, queries):
            return False  # another process has done it meanwhile
        log.warning(
            "The database was restored from another server: its history is renumbered."
        )
        _use_up_numbers(asked, connections, queries)
        (last,) = _row(asked, queries["restored_ahead"])
        asked.execute(queries["restored_open"])
        asked.execute(queries["restored_renumber"], {"last": last or 0})
        lines = asked.rowcount
        asked.execute(queries["restored_close"])
        asked.execute(queries["restored_note"], {"lines": lines})
    log.warning("The history was renumbered: %d lines. Nothing was skipped.", lines)
    return True


def _is_ahead(asked: cursor, queries: Queries) -> bool:
    (line,) = _row(asked, queries["restored_ahead"])
    (reader,) = _row(asked, queries["restored_readers_ahead"])
    return line is not None or bool(reader)


def _use_up_numbers(asked: cursor, connections: Connections, queries: Queries) -> None:
    """A server of a few minutes has used up some hundreds; readers may be more."""
    needed, at = _row(asked, queries["restored_count_places"])
    for _ in range(FIRST + needed + 1 - at):
        with connections.connection() as other, other.cursor() as used:
            used.execute("SELECT pg_current_xact_id()")


def _row(asked: cursor, statement: str) -> tuple[Any, ...]:
    asked.execute(statement)
    row = asked.fetchone()
    assert row is not None  # noqa: S101
    return tuple(row)
