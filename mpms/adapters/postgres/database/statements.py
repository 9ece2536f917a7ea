"""What every repository shares: run a named statement, read and write JSON.

Errors of the driver become errors of ours here, at the statement that met them, so
that no caller has to know the driver: a lock that was waited for in vain is
``InstanceBusy``, a server that cannot answer is ``DatabaseAway``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from typing import Any
from uuid import UUID

import orjson
import psycopg2
from psycopg2.errors import DeadlockDetected, LockNotAvailable
from psycopg2.extensions import connection, cursor, new_type, register_type

from mpms.domain.errors import DatabaseAway, InstanceBusy

Row = tuple[Any, ...]

JSON_OID = 114
REACH = 32


def _read_json(value: str | bytes | None, cursor: cursor) -> Any:
    if value is None:
        return None
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return json.loads(value)  # half a surrogate pair, which PostgreSQL accepts


JSON = new_type((JSON_OID,), "JSON", _read_json)


def as_json(value: Any) -> str:
    """Write a value as JSON; a Decimal keeps all its digits."""
    return orjson.dumps(
        value, default=_as_json_value, option=orjson.OPT_NON_STR_KEYS
    ).decode()


def _as_json_value(value: Any) -> Any:
    if isinstance(value, Decimal) and value.is_finite():
        return orjson.Fragment(str(value))
    raise TypeError(f"{value!r} cannot be written as JSON")


def is_uuid(text: str) -> bool:
    """Tell whether a text from outside can be the id of a row at all."""
    try:
        UUID(text)
    except ValueError:
        return False
    return True


class Statements:
    """The named statements, bound to one transaction."""

    def __init__(self, connection: connection, queries: Mapping[str, str]) -> None:
        register_type(JSON, connection)
        self._connection = connection
        self._queries = queries
        self._waiting: list[bytes] = []

    def run(self, name: str, /, **parameters: Any) -> int:
        """Return how many rows were changed."""
        with self._executed(name, parameters) as done:
            return done.rowcount

    def run_later(self, name: str, /, **parameters: Any) -> None:
        """Run in order, but on the way of the next statement or of the commit.

        For changes without an answer: to ask the database costs more than to change
        a row.
        """
        with self._connection.cursor() as cursor:
            statement = cursor.mogrify(self._queries[name], parameters)
        self._waiting.append(statement.rstrip().rstrip(b";"))

    def flush(self) -> None:
        """Run what waits; the transaction is about to end."""
        if self._waiting:
            with our_errors(), self._connection.cursor() as cursor:
                cursor.execute(self._with_waiting(b""))

    def _with_waiting(self, statement: bytes) -> bytes:
        together = b"\n;\n".join([*self._waiting, statement])
        self._waiting.clear()
        return together

    def row(self, name: str, /, **parameters: Any) -> Row | None:
        with self._executed(name, parameters) as done:
            return done.fetchone()

    def rows(self, name: str, /, **parameters: Any) -> list[Row]:
        with self._executed(name, parameters) as done:
            return done.fetchall()

    def claim(
        self, name: str, /, *, reach: int = REACH, **parameters: Any
    ) -> list[Row]:
        """Look at the head of a queue, and at all of it if that is taken."""
        return self.rows(name, reach=reach, **parameters) or self.rows(
            name, reach=None, **parameters
        )

    @contextmanager
    def undoable(self) -> Iterator[None]:
        """What fails in this block is undone; what was done before it stands."""
        self.flush()
        self._plain("SAVEPOINT remembered")
        try:
            yield
            self.flush()
        except BaseException:
            self._waiting.clear()
            self._plain("ROLLBACK TO SAVEPOINT remembered")
            raise
        finally:  # one inside another must not be mistaken for it
            self._plain("RELEASE SAVEPOINT remembered")

    def _plain(self, statement: str) -> None:
        with our_errors(), self._connection.cursor() as cursor:
            cursor.execute(statement)

    @contextmanager
    def waiting_at_most(self, wait_s: float) -> Iterator[None]:
        """Limit the time that the statements of a block wait for a lock."""
        self.run("instances_limit_wait", milliseconds=max(1, round(wait_s * 1000)))
        yield
        # After an error the transaction is over, and the limit with it.
        self.run("instances_unlimit_wait")

    @contextmanager
    def _executed(self, name: str, parameters: dict[str, Any]) -> Iterator[cursor]:
        statement = self._queries[name]
        with our_errors(), self._connection.cursor() as cursor:
            if self._waiting:
                written = cursor.mogrify(statement, parameters)
                cursor.execute(self._with_waiting(written))
            else:
                cursor.execute(statement, parameters)
            yield cursor


@contextmanager
def our_errors() -> Iterator[None]:
    """Translate what the driver raises."""
    try:
        yield
    except (LockNotAvailable, DeadlockDetected) as error:
        raise InstanceBusy from error
    except (psycopg2.OperationalError, psycopg2.InterfaceError) as error:
        raise DatabaseAway(
            f"the database cannot answer: {' '.join(str(error).split())}"
        ) from error


class Repository:
    """One noun's rows."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements
