"""``db/schema.sql`` is today's truth; the migrations must lead exactly there.

Also here: every named query is understood by a database of that shape.
"""

import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg2
import pytest
from psycopg2.extensions import cursor

from mpms.adapters.postgres.database.migrate import migrate
from mpms.adapters.postgres.database.queries import PARAMETER, Queries, Query
from tests.support.schema import describe, difference

DB = Path(__file__).resolve().parents[2] / "db"
PREPARABLE = re.compile(r"(SELECT|INSERT|UPDATE|DELETE|MERGE|VALUES|WITH)\b", re.I)


@pytest.fixture
def open_cursor(
    create_database: Callable[..., str], request: pytest.FixtureRequest
) -> Callable[[], cursor]:
    def open_one() -> cursor:
        connection = psycopg2.connect(create_database())
        request.addfinalizer(connection.close)
        return connection.cursor()

    return open_one


def load_schema(target: cursor) -> None:
    schema = DB / "schema.sql"
    if schema.exists() and (text := schema.read_text(encoding="utf-8")).strip():
        target.execute(text)


def prepared(query: Query) -> str:
    """Turn named parameters into numbered ones."""
    numbers = {name: n for n, name in enumerate(query.parameters, start=1)}
    pieces = query.statement.split("%%")
    return "%".join(
        PARAMETER.sub(lambda match: f"${numbers[match['name']]}", piece)
        for piece in pieces
    )


def test_the_migrations_lead_exactly_to_the_schema(
    open_cursor: Callable[[], cursor],
) -> None:
    from_schema, from_migrations = open_cursor(), open_cursor()
    load_schema(from_schema)
    migrate(from_migrations.connection, DB / "migrations")
    assert not difference(describe(from_schema), describe(from_migrations))


def test_a_difference_between_two_shapes_is_shown_by_name(
    open_cursor: Callable[[], cursor],
) -> None:
    first, second = open_cursor(), open_cursor()
    common = """
        CREATE TYPE state AS ENUM ('new', 'done');
        CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                             state state NOT NULL DEFAULT 'new');
        CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql
            AS $$ BEGIN RETURN NEW; END $$;
    """
    first.execute(common)
    second.execute(common)
    assert not difference(describe(first), describe(second))
    for change, shown in [
        ("ALTER TABLE orders ADD note text", "column public orders note text"),
        ("ALTER TABLE orders ALTER state DROP DEFAULT", "DEFAULT 'new'"),
        ("ALTER TABLE orders ALTER state DROP NOT NULL", "NOT NULL"),
        ("ALTER TABLE orders ADD CHECK (id > 0)", "CHECK ((id > 0))"),
        ("CREATE INDEX by_state ON orders (state)", "by_state"),
        ("ALTER TYPE state ADD VALUE 'late'", "new,done,late"),
        ("CREATE SEQUENCE numbers", "sequence public numbers"),
        (
            "CREATE TRIGGER touched BEFORE UPDATE ON orders"
            " FOR EACH ROW EXECUTE FUNCTION touch()",
            "touched",
        ),
        ("DROP FUNCTION touch() CASCADE", "FUNCTION public.touch()"),
    ]:
        second.execute("SAVEPOINT before")
        second.execute(change)
        assert shown in difference(describe(first), describe(second))
        second.execute("ROLLBACK TO SAVEPOINT before")


def test_every_query_is_understood_by_the_schema(
    open_cursor: Callable[[], cursor],
) -> None:
    target = open_cursor()
    load_schema(target)
    queries = Queries(DB / "queries", DB / "queries" / "factory")
    refused = []
    for name in queries:
        query = queries.query(name)
        statement = prepared(query)
        bare = re.sub(r"--.*", "", statement).strip()
        target.execute("SAVEPOINT before")
        try:
            if PREPARABLE.match(bare):
                target.execute(f"PREPARE {name} AS {statement}")
            else:
                assert not query.parameters, f"{name}: parameters in {bare[:40]}"
                target.execute(statement)
        except psycopg2.Error as error:
            refused.append(f"{query.file}, {name}: {error}")
        target.execute("ROLLBACK TO SAVEPOINT before")
    assert not refused, "\n".join(refused)


def test_a_query_that_the_schema_contradicts_is_found(
    tmp_path: Path, open_cursor: Callable[[], cursor]
) -> None:
    (tmp_path / "orders.sql").write_text(
        "-- name: orders_find\n-- Finds one.\n"
        "SELECT id FROM orders WHERE id = %(id)s AND note LIKE 'a%%' AND id <> %(id)s"
    )
    query = Queries(tmp_path).query("orders_find")
    assert "id = $1 AND note LIKE 'a%' AND id <> $1" in prepared(query)
    with closing(open_cursor()) as target:
        target.execute("CREATE TABLE orders (id int)")
        with pytest.raises(psycopg2.errors.UndefinedColumn, match="note"):
            target.execute(f"PREPARE wrong AS {prepared(query)}")
