"""Migrated databases for tests: lent, emptied and lent again.

To copy a database costs about two seconds, most of them in the kernel; to delete its
rows takes a few milliseconds. What was left in the catalogue of a database (a table,
a trigger, a statistic) cannot be deleted as rows are: such a database is replaced.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg2
from psycopg2 import extensions, sql

from mpms.adapters.postgres.database.migrate import migrate
from tests.support import kept_connections

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = "mpms_template"
VACUUM_FROM_BYTES = 256 * 1024  # dead rows beyond that slow down the next test
OURS = "relnamespace = 'public'::regnamespace"
TABLES = f"SELECT relname FROM pg_class WHERE relkind = 'r' AND {OURS} ORDER BY 1"
TABLES_WITH_ROWS = f"""
    SELECT relname FROM pg_class
     WHERE relkind = 'r' AND {OURS} AND pg_relation_size(oid) > 0 ORDER BY 1"""
SEQUENCES = f"SELECT relname FROM pg_class WHERE relkind = 'S' AND {OURS} ORDER BY 1"
LARGE = f"""
    SELECT relname FROM pg_class
     WHERE relkind = 'r' AND {OURS} AND pg_relation_size(oid) > %s"""
# Every change of a catalogue writes its row anew, so that the newest writer tells.
SHAPE = """
    SELECT 'tables', count(*), max(xmin::text::bigint) FROM pg_class
     WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT 'columns', count(*), max(a.xmin::text::bigint)
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE c.relnamespace = 'public'::regnamespace
    UNION ALL SELECT 'constraints', count(*), max(xmin::text::bigint)
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT 'triggers', count(*), max(xmin::text::bigint) FROM pg_trigger
    UNION ALL SELECT 'functions', count(*), max(xmin::text::bigint)
      FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT 'types', count(*), max(xmin::text::bigint)
      FROM pg_type WHERE typnamespace = 'public'::regnamespace
    UNION ALL SELECT 'comments', count(*), max(xmin::text::bigint)
      FROM pg_description WHERE objoid >= 16384
    UNION ALL SELECT 'schemas', count(*), 0
      FROM pg_namespace WHERE nspname !~ '^pg_'
    UNION ALL SELECT 'extensions', count(*), 0 FROM pg_extension
    UNION ALL SELECT 'large objects', count(*), 0 FROM pg_largeobject_metadata
    UNION ALL SELECT 'settings', count(*), 0
      FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
     WHERE d.datname = current_database()
    UNION ALL SELECT 'statistics', count(*), 0
      FROM pg_statistic s JOIN pg_class c ON c.oid = s.starelid
     WHERE c.relnamespace = 'public'::regnamespace"""
# Waits for each, so that nothing that they hold is left when it returns.
END_OTHERS = """
    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND pid <> ALL (%s)"""

Shape = list[tuple[str, int, int]]


@dataclass(frozen=True)
class Contents:
    """The rows of every table that has some, and where each sequence stands."""

    rows: dict[str, str]
    sequences: dict[str, tuple[int, bool]]


def contents(cursor: extensions.cursor) -> Contents:
    """Read everything that a database of this application holds."""
    rows, sequences = {}, {}
    for table in names(cursor, TABLES):
        text = io.StringIO()
        cursor.copy_expert(_with("COPY {} TO STDOUT", cursor, table), text)
        if text.tell():
            rows[table] = text.getvalue()
    for sequence in names(cursor, SEQUENCES):
        cursor.execute(
            sql.SQL("SELECT last_value, is_called FROM {}").format(
                sql.Identifier(sequence)
            )
        )
        last, called = cursor.fetchall()[0]
        sequences[sequence] = (last, called)
    return Contents(rows, sequences)


def contents_of(url: str) -> Contents:
    """Read everything in the database at a URL."""
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        return contents(cursor)


def names(cursor: extensions.cursor, statement: str) -> list[str]:
    cursor.execute(statement)
    return [name for (name,) in cursor.fetchall()]


def shape(cursor: extensions.cursor) -> Shape:
    """Tell whether anything but rows was changed, by comparing with an earlier one."""
    cursor.execute(SHAPE)
    return sorted(cursor.fetchall())


def refill(connection: extensions.connection, wanted: Contents) -> None:
    """Replace all rows, whatever triggers and foreign keys say."""
    with connection, connection.cursor() as cursor:
        cursor.execute(
            "SET LOCAL session_replication_role = replica;"
            + "".join(
                _with("DELETE FROM {};", cursor, table)
                for table in names(cursor, TABLES_WITH_ROWS)
            )
        )
        for table, rows in wanted.rows.items():
            copy = _with("COPY {} FROM STDIN", cursor, table)
            cursor.copy_expert(copy, io.StringIO(rows))
        cursor.execute(
            "SELECT setval(name, last, called)"
            " FROM unnest(%s::text[], %s::bigint[], %s::boolean[])"
            " AS wanted (name, last, called)",
            (
                list(wanted.sequences),
                *map(list, zip(*wanted.sequences.values(), strict=True)),
            ),
        )
    _vacuum(connection)


def _vacuum(connection: extensions.connection) -> None:
    with connection.cursor() as cursor:
        cursor.execute(LARGE, (VACUUM_FROM_BYTES,))
        large = [name for (name,) in cursor.fetchall()]
    connection.rollback()
    if large:
        connection.autocommit = True
        with connection.cursor() as cursor:
            for table in large:
                cursor.execute(_with("VACUUM {}", cursor, table))
        connection.autocommit = False


def _with(statement: str, cursor: extensions.cursor, table: str) -> str:
    return sql.SQL(statement).format(sql.Identifier(table)).as_string(cursor)


def hash_password_quickly(server_url: str) -> None:
    """Let those who connect repeat one round of a hash, not the usual 4096.

    Every connection pays for them: 5 ms, which tests spend thousands of times.
    """
    with closing(psycopg2.connect(server_url)) as connection:
        if connection.server_version < 160000:
            return  # knows no other number
        with connection, connection.cursor() as cursor:
            cursor.execute("SET LOCAL scram_iterations = 1")
            password = urlsplit(server_url).password
            cursor.execute("ALTER ROLE CURRENT_USER PASSWORD %s", (password,))


class Databases:
    """The migrated databases of one PostgreSQL server."""

    def __init__(self, server_url: str) -> None:
        self._server_url = server_url
        self._free: list[str] = []
        self._used: set[str] = set()
        self._shapes: dict[str, Shape] = {}
        self._fresh: Contents | None = None
        self._prepared: dict[str, Contents] = {}
        self._connections: dict[str, extensions.connection] = {}

    def lend(self, wanted: Contents | None = None) -> str:
        """Return the URL of a database that holds what a new one holds, or that."""
        url = self._free.pop() if self._free else self._copy()
        if wanted is not None or url in self._used:
            refill(self._connection(url), self.fresh if wanted is None else wanted)
        self._used.add(url)
        return url

    def take_back(self, url: str) -> None:
        """End what still uses a database; its rows are replaced when it is lent.

        Connections that were given back as new stay for the next test."""
        connection = self._connection(url)
        with connection, connection.cursor() as cursor:
            cursor.execute(END_OTHERS, (kept_connections.OF[url].pids(),))
        with connection, connection.cursor() as cursor:
            same = shape(cursor) == self._shapes[url]
        if same:
            self._free.append(url)
        else:
            self.drop(url)

    @contextmanager
    def lent(self, wanted: Contents | None = None) -> Iterator[str]:
        """Lend a database and take it back."""
        url = self.lend(wanted)
        try:
            yield url
        finally:
            self.take_back(url)

    def prepared(self, name: str, fill: Callable[[str], None]) -> Contents:
        """What a database holds that was filled so; the first call fills one."""
        if name not in self._prepared:
            with self.lent() as url:
                fill(url)
                self._prepared[name] = contents_of(url)
        return self._prepared[name]

    @property
    def fresh(self) -> Contents:
        """What a database holds that was migrated and never used."""
        if self._fresh is None:
            self._migrate_template()
        assert self._fresh is not None
        return self._fresh

    @property
    def template(self) -> str:
        """The name of a database that was migrated once, to be copied."""
        assert self.fresh
        return TEMPLATE

    def create(self, template: str = "template0") -> str:
        """Make a database that is nobody else's; return its URL."""
        name = f"test_{uuid4().hex}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url_of(name)

    def drop(self, url: str) -> None:
        if url in self._connections:
            self._connections.pop(url).close()
        if url in kept_connections.OF:
            kept_connections.OF.pop(url).close()
        name = urlsplit(url).path.lstrip("/")
        self.run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def run(self, statement: str) -> None:
        """Run one statement of administration."""
        with closing(psycopg2.connect(self._server_url)) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(statement)

    def url_of(self, name: str) -> str:
        return urlunsplit(urlsplit(self._server_url)._replace(path=f"/{name}"))

    def close(self) -> None:
        """Before the server ends."""
        for url in self._shapes:
            if url in kept_connections.OF:
                kept_connections.OF.pop(url).close()
        for connection in self._connections.values():
            connection.close()

    def _connection(self, url: str) -> extensions.connection:
        """Ours to a database that is lent. A new one would read the whole catalogue
        again, which costs ten times what it does; a test may have ended this one."""
        known = self._connections.get(url)
        if known is not None:
            try:
                with known, known.cursor() as cursor:
                    cursor.execute("SELECT 1")
                return known
            except psycopg2.Error:
                known.close()
        self._connections[url] = psycopg2.connect(url)
        return self._connections[url]

    def _copy(self) -> str:
        url = self.create(self.template)
        kept_connections.OF[url] = kept_connections.KeptConnections()
        with self._connection(url) as connection, connection.cursor() as cursor:
            self._shapes[url] = shape(cursor)
        return url

    def _migrate_template(self) -> None:
        self.run(f"CREATE DATABASE {TEMPLATE}")
        with closing(psycopg2.connect(self.url_of(TEMPLATE))) as connection:
            migrate(connection, ROOT / "db" / "migrations")
            with connection.cursor() as cursor:
                self._fresh = contents(cursor)
            connection.rollback()
