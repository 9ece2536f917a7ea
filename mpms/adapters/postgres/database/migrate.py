"""Bring a database to the present shape, forward only.

Several processes may start at once: an advisory lock lets one of them work while
the others wait and then find nothing to do. The lock and the migration share a
transaction, so a killed process leaves neither half a migration nor a lock. An
applied file never changes; the database remembers its digest and one that is not
recorded for the file is refused, because nobody could say which shape is there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg2
from psycopg2.extensions import STATUS_READY, connection, cursor

from mpms.adapters.postgres.database.migration_files import Migration, read_migrations
from mpms.domain.errors import MpmsError

# Any number will do as long as every MPMS process uses the same one.
LOCK_KEY = 0x4D504D53
OURS = "schema_migrations"
LEDGER = """
    CREATE TABLE IF NOT EXISTS {ledger} (
        version integer PRIMARY KEY,
        name text NOT NULL,
        sha256 text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now()
    )
"""


class MigrationChanged(MpmsError):
    """A migration was changed after it was applied."""


class MigrationFailed(MpmsError):
    """A migration could not be applied; the database is as it was before it."""


class DatabaseNewer(MpmsError):
    """The database was made by a newer version of this program."""


def migrate(connection: connection, directory: Path, ledger: str = OURS) -> list[str]:
    """Apply what is missing and return the names of what was applied here.

    Plug-ins have ledgers of their own, so that each can be updated by itself.
    """
    migrations = read_migrations(directory)
    applied: list[str] = []
    while True:
        with _transaction(connection) as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK_KEY,))
            cursor.execute(LEDGER.format(ledger=ledger))
            missing = _missing(cursor, migrations, ledger)
            if not missing:
                return applied
            _apply(cursor, missing[0], ledger)
        applied.append(missing[0].name)


def pending(connection: connection, directory: Path, ledger: str = OURS) -> list[str]:
    """Return the names of what ``migrate`` would apply; change nothing."""
    migrations = read_migrations(directory)
    with _transaction(connection) as cursor:
        cursor.execute("SELECT to_regclass(%s) IS NOT NULL", (ledger,))
        (has_ledger,) = cursor.fetchone() or (False,)
        missing = _missing(cursor, migrations, ledger) if has_ledger else migrations
    return [migration.name for migration in missing]


def _missing(
    cursor: cursor, migrations: list[Migration], ledger: str
) -> list[Migration]:
    cursor.execute(f"SELECT version, name, sha256 FROM {ledger} ORDER BY version")
    applied = cursor.fetchall()
    if len(applied) > len(migrations):
        known = migrations[-1].name if migrations else "none"
        raise DatabaseNewer(
            f"the database has the migration {applied[-1][1]}, but the last one this"
            f" version of MPMS knows is {known}: use a newer version of MPMS"
        )
    for (version, name, sha256), ours in zip(applied, migrations, strict=False):
        same_name = (version, name) == (ours.version, ours.name)
        if not same_name or sha256 not in ours.editions:
            raise MigrationChanged(
                f"the migration {name} was applied to this database and"
                f" {ours.name}.sql is no longer the same: restore the file and put"
                " the change into a new migration"
            )
    return migrations[len(applied) :]


def _apply(cursor: cursor, migration: Migration, ledger: str) -> None:
    try:
        cursor.execute(migration.statements)
    except psycopg2.Error as error:
        raise MigrationFailed(
            f"the migration {migration.name} failed, the database is as it was before"
            f" it: {str(error).strip()}"
        ) from error
    cursor.execute(
        f"INSERT INTO {ledger} (version, name, sha256) VALUES (%s, %s, %s)",
        (migration.version, migration.name, migration.sha256),
    )


@contextmanager
def _transaction(connection: connection) -> Iterator[cursor]:
    if connection.status != STATUS_READY or connection.autocommit:
        raise ValueError("migrations need a connection with no open transaction")
    with connection, connection.cursor() as cursor:
        yield cursor
