"""A history that came from another server is read on where everybody stopped."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mpms.adapters.postgres.database.connections import Connections
from mpms.adapters.postgres.database.queries import Queries
from mpms.adapters.postgres.history.restored import renumber_restored
from tests.support.factory import Database

# Lines 1 to 8; the third was written by a slow transaction and is read as the fifth.
OLD = {1: 10, 2: 10, 3: 12, 4: 11, 5: 11, 6: 20, 7: 21, 8: 21}
AHEAD = 1 << 40
UNREAD = """
    SELECT array_agg(e.id ORDER BY e.transaction, e.id)
    FROM events AS e, {table} AS r
    WHERE {one} AND (e.transaction, e.id) > (r.transaction, r.line)
        AND e.id <= 9
"""


@pytest.fixture
def restored(own_database_url: str) -> Iterator[Database]:
    """Nine lines, the last written on the new server, and who has read how far."""
    database = Database(own_database_url)
    run = database.rows
    run("ALTER TABLE events DISABLE TRIGGER events_are_final")
    for line in range(1, 10):
        run("INSERT INTO events (kind, actor) VALUES ('deployed', %s)", str(line))
    for line, number in OLD.items():
        run(
            "UPDATE events SET transaction = %s::text::xid8 WHERE id = %s",
            str(AHEAD + number),
            line,
        )
    run("ALTER TABLE events ENABLE TRIGGER events_are_final")
    run("DELETE FROM readers")
    for name, number, line in (("none", 0, 0), ("some", AHEAD + 11, 5)):
        run(
            "INSERT INTO readers VALUES (%s, %s::text::xid8, %s)",
            name,
            str(number),
            line,
        )
    run(
        "INSERT INTO webhooks (url, secret, kinds, created_by, transaction, line)"
        " VALUES ('http://x', 's', '{}', 'admin', %s::text::xid8, 8)",
        str(AHEAD + 21),
    )
    yield database
    database.close()


def unread(database: Database) -> dict[str, list[int]]:
    found = {
        name: database.rows(UNREAD.format(table="readers", one=f"r.name = '{name}'"))
        for name in ("none", "some")
    }
    found["webhook"] = database.rows(UNREAD.format(table="webhooks", one="true"))
    return {name: rows[0][0] for name, rows in found.items()}


def test_everybody_reads_on_where_he_stopped(
    restored: Database, pool: Connections, queries: Queries
) -> None:
    with Connections(restored.url) as connections:
        assert renumber_restored(connections, queries)
        # Line 9 came after the dump: nobody had read it, though its number was small.
        assert unread(restored) == {
            "none": [1, 2, 4, 5, 3, 6, 7, 8, 9],
            "some": [3, 6, 7, 8, 9],
            "webhook": [9],
        }
        ahead = restored.rows(
            "SELECT count(*) FROM events"
            " WHERE transaction >= pg_snapshot_xmax(pg_current_snapshot())"
        )
        assert ahead == [(0,)]
        noted = "SELECT data ->> 'lines' FROM events WHERE kind = 'history renumbered'"
        assert restored.rows(noted) == [("9",)]
        # Once is enough, and lines are final again.
        assert not renumber_restored(connections, queries)
        assert restored.rows(noted) == [("9",)]
    trigger = "SELECT tgenabled FROM pg_trigger WHERE tgname = 'events_are_final'"
    assert restored.rows(trigger) == [("O",)]


def test_a_history_of_this_server_is_left_alone(
    pool: Connections, queries: Queries, database_url: str
) -> None:
    database = Database(database_url)
    database.rows("INSERT INTO events (kind, actor) VALUES ('deployed', 'x')")
    before = database.rows("SELECT id, transaction FROM events")
    assert not renumber_restored(pool, queries)
    assert database.rows("SELECT id, transaction FROM events") == before
    database.close()
