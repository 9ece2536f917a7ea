"""A database that a test gives back is lent again as if it were new, or not at all."""

from __future__ import annotations

from contextlib import closing

import psycopg2
import pytest

from tests.support.databases import Databases, contents_of, shape
from tests.support.dirt import make_dirty
from tests.support.factory import Database
from tests.support.schema import describe, difference

FUNCTION = """
    CREATE FUNCTION left_over() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RETURN NEW; END $$"""
LEFT = {
    "a table": "CREATE TABLE left_over (n int)",
    "a column": "ALTER TABLE jobs ADD left_over int",
    "a constraint": "ALTER TABLE jobs ADD CONSTRAINT left_over CHECK (true)",
    "a constraint less": "ALTER TABLE jobs DROP CONSTRAINT jobs_state_check",
    "an index": "CREATE INDEX left_over ON jobs (state)",
    "a view": "CREATE VIEW left_over AS SELECT 1",
    "a sequence": "CREATE SEQUENCE left_over",
    "a type": "CREATE TYPE left_over AS ENUM ('x')",
    "a comment": "COMMENT ON TABLE jobs IS 'left over'",
    "a schema": "CREATE SCHEMA left_over",
    "a function": FUNCTION,
    "a trigger": f"""{FUNCTION};
        CREATE TRIGGER left_over BEFORE INSERT ON jobs
            FOR EACH ROW EXECUTE FUNCTION left_over()""",
    "a trigger less": "ALTER TABLE events DISABLE TRIGGER USER",
    "a statistic": "ANALYZE schema_migrations",
    "a large object": "SELECT lo_create(0)",
}


def shape_of(url: str) -> list[str]:
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        return describe(cursor)


def run(url: str, statement: str) -> None:
    with (
        closing(psycopg2.connect(url)) as connection,
        connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)


def exists(url: str) -> bool:
    try:
        run(url, "SELECT 1")
    except psycopg2.OperationalError:
        return False
    return True


def test_every_table_and_every_sequence_is_made_new(
    databases: Databases, own_database_url: str
) -> None:
    """A new table is dirtied too, or named here as one that could not be."""
    url = databases.lend()
    with closing(psycopg2.connect(url)) as connection:
        assert make_dirty(connection) == []
    fresh, dirty = databases.fresh, contents_of(url)
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p')"
            " AND relnamespace = 'public'::regnamespace"
        )
        tables = {name for (name,) in cursor.fetchall()}
    same = [t for t in tables if dirty.rows.get(t) == fresh.rows.get(t)]
    assert (len(tables) > 60, same) == (True, [])
    moved = {s for s, at in dirty.sequences.items() if at != fresh.sequences[s]}
    assert moved == set(fresh.sequences)

    databases.take_back(url)
    assert databases.lend() == url
    assert contents_of(url) == contents_of(own_database_url)
    assert difference(shape_of(own_database_url), shape_of(url)) == ""
    databases.take_back(url)


def test_everything_that_is_no_row_changes_the_shape(database_url: str) -> None:
    with closing(psycopg2.connect(database_url)) as connection:
        for what, statement in LEFT.items():
            with connection.cursor() as cursor:
                before = shape(cursor)
                cursor.execute(statement)
                assert shape(cursor) != before, what
            connection.rollback()


@pytest.mark.parametrize("what", ["a table", "a trigger", "a function", "a statistic"])
def test_a_database_in_which_something_else_than_rows_was_left_is_replaced(
    databases: Databases, what: str
) -> None:
    url = databases.lend()
    run(url, LEFT[what])
    databases.take_back(url)
    assert not exists(url)
    other = databases.lend()
    assert other != url
    databases.take_back(other)


def test_a_database_in_which_rows_alone_were_left_is_kept(databases: Databases) -> None:
    url = databases.lend()
    run(url, "INSERT INTO suspended_processes VALUES ('p', 'ada', 'cleaning')")
    databases.take_back(url)
    assert databases.lend() == url
    databases.take_back(url)


def test_a_connection_that_was_left_open_is_ended(databases: Databases) -> None:
    url = databases.lend()
    with closing(psycopg2.connect(url)) as left, left.cursor() as cursor:
        cursor.execute("LOCK TABLE jobs, events")
        databases.take_back(url)
        with pytest.raises(psycopg2.OperationalError, match=r"terminat|closed"):
            cursor.execute("SELECT 1")
    assert databases.lend() == url
    databases.take_back(url)


def test_a_database_is_lent_to_one_at_a_time(databases: Databases) -> None:
    first, second = databases.lend(), databases.lend()
    assert first != second
    databases.take_back(first)
    assert databases.lend() == first
    third = databases.lend()
    assert third not in (first, second)
    for url in (first, second, third):
        databases.take_back(url)


def test_what_is_wanted_is_in_a_database_that_is_lent(databases: Databases) -> None:
    url = databases.lend()
    run(url, "INSERT INTO suspended_processes VALUES ('p', 'ada', 'cleaning')")
    wanted = contents_of(url)
    databases.take_back(url)
    filled = databases.lend(wanted)
    assert contents_of(filled) == wanted
    databases.take_back(filled)
    plain = databases.lend()
    assert contents_of(plain) == databases.fresh
    databases.take_back(plain)


def test_a_connection_that_a_test_has_ended_is_not_lent_again(
    databases: Databases,
) -> None:
    url = databases.lend()
    one = Database(url)
    [(pid,)] = one.rows("SELECT pg_backend_pid()")
    one.close()
    run(url, f"SELECT pg_terminate_backend({pid}, 10000)")
    assert one.rows("SELECT pg_backend_pid()") != [(pid,)]
    one.close()
    databases.take_back(url)
