"""``db/schema.sql`` is today's truth; the migrations must lead exactly there.

Also here: every named query is understood by a database of that shape.
"""

import difflib
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg2
import pytest
from psycopg2.extensions import cursor

from mpms.adapters.postgres.migrate import migrate
from mpms.adapters.postgres.queries import PARAMETER, Queries, Query

DB = Path(__file__).resolve().parents[2] / "db"
PREPARABLE = re.compile(r"(SELECT|INSERT|UPDATE|DELETE|MERGE|VALUES|WITH)\b", re.I)

OURS = """
    {schema} NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
    AND {relation} <> 'schema_migrations'
"""
# Columns are compared by name, not by place: a later migration appends its column
# where schema.sql may show it beside its like.
CATALOGUE = {
    "table": """
        SELECT n.nspname, c.relname, c.relkind, c.relpersistence,
               coalesce(array_to_string(c.reloptions, ','), '')
          FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE c.relkind IN ('r', 'p', 'v', 'm') AND {ours}""",
    "column": """
        SELECT n.nspname, c.relname, a.attname,
               format_type(a.atttypid, a.atttypmod),
               CASE WHEN a.attnotnull THEN 'NOT NULL' ELSE 'NULL' END,
               coalesce('DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), ''),
               'identity:' || a.attidentity::text,
               'generated:' || a.attgenerated::text,
               coalesce('COLLATE ' || l.collname, '')
          FROM pg_attribute a
          JOIN pg_class c ON c.oid = a.attrelid
          JOIN pg_namespace n ON n.oid = c.relnamespace
          LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
          LEFT JOIN pg_collation l ON l.oid = a.attcollation
         WHERE a.attnum > 0 AND NOT a.attisdropped
           AND c.relkind IN ('r', 'p', 'v', 'm', 'c') AND {ours}""",
    "constraint": """
        SELECT n.nspname, coalesce(c.relname, t.typname), k.conname,
               pg_get_constraintdef(k.oid)
          FROM pg_constraint k
          JOIN pg_namespace n ON n.oid = k.connamespace
          LEFT JOIN pg_class c ON c.oid = k.conrelid
          LEFT JOIN pg_type t ON t.oid = k.contypid
         WHERE k.contype <> 'n' AND {ours}""",
    "index": """
        SELECT n.nspname, c.relname, pg_get_indexdef(i.indexrelid)
          FROM pg_index i
          JOIN pg_class c ON c.oid = i.indrelid
          JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE {ours}""",
    "view": """
        SELECT n.nspname, c.relname, pg_get_viewdef(c.oid)
          FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE c.relkind IN ('v', 'm') AND {ours}""",
    "trigger": """
        SELECT n.nspname, c.relname, pg_get_triggerdef(g.oid), g.tgenabled
          FROM pg_trigger g
          JOIN pg_class c ON c.oid = g.tgrelid
          JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE NOT g.tgisinternal AND {ours}""",
    "sequence": """
        SELECT n.nspname, c.relname, format_type(s.seqtypid, NULL), s.seqstart,
               s.seqincrement, s.seqmin, s.seqmax, s.seqcache, s.seqcycle,
               coalesce(pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid), '')
          FROM pg_sequence s
          JOIN pg_class c ON c.oid = s.seqrelid
          JOIN pg_namespace n ON n.oid = c.relnamespace
          LEFT JOIN pg_depend d ON d.classid = 'pg_class'::regclass
               AND d.objid = c.oid AND d.deptype IN ('a', 'i')
         WHERE {ours}""",
    "function": """
        SELECT n.nspname, c.proname, pg_get_functiondef(c.oid)
          FROM pg_proc c JOIN pg_namespace n ON n.oid = c.pronamespace
         WHERE c.prokind IN ('f', 'p') AND {plain}""",
    "type": """
        SELECT n.nspname, c.typname, c.typtype,
               coalesce(format_type(nullif(c.typbasetype, 0), c.typtypmod), ''),
               coalesce((SELECT string_agg(e.enumlabel, ',' ORDER BY e.enumsortorder)
                           FROM pg_enum e WHERE e.enumtypid = c.oid), '')
          FROM pg_type c JOIN pg_namespace n ON n.oid = c.typnamespace
         WHERE c.typtype IN ('e', 'd', 'r') AND {plain}""",
    "comment": """
        SELECT pg_describe_object(classoid, objoid, objsubid), description
          FROM pg_description
         WHERE objoid >= 16384""",
}


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


def describe(source: cursor) -> list[str]:
    """Return one line, or for bodies several, per object; equal shapes read equal."""
    objects = []
    for kind, statement in CATALOGUE.items():
        plain = OURS.format(schema="n.nspname", relation="''")
        ours = OURS.format(schema="n.nspname", relation="coalesce(c.relname, '')")
        source.execute(statement.format(ours=ours, plain=plain))
        for row in source.fetchall():
            objects.append(" ".join([kind, *(str(value) for value in row)]))
    return [line for text in sorted(objects) for line in text.splitlines()]


def difference(first: list[str], second: list[str]) -> str:
    lines = difflib.unified_diff(
        first, second, "db/schema.sql", "db/migrations", lineterm="", n=0
    )
    return "\n".join(lines)


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
    queries = Queries(DB / "queries")
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
