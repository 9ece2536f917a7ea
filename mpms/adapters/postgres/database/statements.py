"""What every repository shares: run a named statement, write JSON.

To ask the database costs more than to change a row. So changes without an answer wait:
they go in one message with the next statement that has one, or with the commit. Rows
that many steps of one transaction write to the same table wait together and become one
statement (``gathered``); what is run often is prepared.

Errors of the driver become errors of ours here, at the message that met them, so that
no caller has to know the driver: a lock that was waited for in vain is
``InstanceBusy``, a server that cannot answer is ``DatabaseAway``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from types import MappingProxyType
from typing import Any
from uuid import UUID

import orjson
import psycopg2
from psycopg2.errorcodes import INVALID_PARAMETER_VALUE, PROGRAM_LIMIT_EXCEEDED
from psycopg2.errors import (
    DeadlockDetected,
    InFailedSqlTransaction,
    LockNotAvailable,
)
from psycopg2.extensions import (
    TRANSACTION_STATUS_IDLE,
    TRANSACTION_STATUS_INERROR,
    cursor,
)

from mpms.adapters.postgres.database.gathered import Gathered
from mpms.adapters.postgres.database.link import Link
from mpms.adapters.postgres.database.prepared import Prepared
from mpms.domain.errors import DatabaseAway, InstanceBusy

Row = tuple[Any, ...]
Additions = Mapping[str, Sequence[str]]  # question of ours: statements of plug-ins
NO_ADDITIONS: Additions = MappingProxyType({})

REACH = 32
NOTIFY = "SELECT pg_notify(%s, '')"
# Why PostgreSQL refuses to notify: the channel has no good name, the queue is full.
NOTHING_SAID = (INVALID_PARAMETER_VALUE, PROGRAM_LIMIT_EXCEEDED)
SAVE, RELEASE = b"SAVEPOINT remembered", b"RELEASE SAVEPOINT remembered"
UNDO = b"ROLLBACK TO SAVEPOINT remembered;" + RELEASE


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
    """The named statements, bound to one transaction.

    Over a connection that begins no transaction by itself (``autocommit``) the first
    message begins one and ``commit`` ends it.
    """

    def __init__(
        self,
        link: Link,
        queries: Mapping[str, str],
        prepared: Mapping[str, Prepared] | None = None,
        additions: Additions = NO_ADDITIONS,
    ) -> None:
        self._link = link
        self._queries = queries
        self._prepared = prepared or {}
        self._additions = additions
        self._waiting: list[bytes] = []
        self._to_prepare: set[str] = set()
        self._gathered = Gathered()
        self._noted: list[object] = []
        self._begun = not link.autocommit
        self._saved = 0  # savepoints that the server knows
        self._unsaved = 0  # those that the next message sets
        self._over = 0  # and those that it releases

    def run(self, name: str, /, **parameters: Any) -> int:
        """Return how many rows were changed."""
        return self._executed(name, parameters).rowcount

    def run_later(self, name: str, /, **parameters: Any) -> None:
        """Run in order, but on the way of the next statement or of the commit."""
        self._spread()
        self._waiting.append(self._written(name, parameters))

    def gather(self, name: str, /, **row: Any) -> None:
        """Give a statement that takes many rows one more; it is run later."""
        self._gathered.add(name, row)

    def ungather(self, name: str, column: str, value: object) -> bool:
        """Take back a row that was gathered; False if it has been written."""
        return self._gathered.drop(name, column, value)

    def note(self, what: object) -> None:
        """Remember what this transaction says, for those who add to it at its end."""
        self._noted.append(what)

    def take_noted(self) -> list[object]:
        taken, self._noted = self._noted, []
        return taken

    def row(self, name: str, /, **parameters: Any) -> Row | None:
        return self._executed(name, parameters).fetchone()

    def row_alone(self, name: str, /, **parameters: Any) -> Row | None:
        """A question that needs no transaction: where none is needed, none begins."""
        if self._begun or self._waiting or self._gathered:
            return self.row(name, **parameters)
        self._begun = True
        try:
            return self.row(name, **parameters)
        finally:
            self._begun = False

    def rows(self, name: str, /, **parameters: Any) -> list[Row]:
        return self._executed(name, parameters).fetchall()

    def added(self, question: str, /, **parameters: Any) -> list[Row]:
        """What plug-ins know beside a statement of ours; each has one of its own."""
        return [
            row
            for name in self._additions.get(question, ())
            for row in self.rows(name, **parameters)
        ]

    def run_added(self, question: str, /, **parameters: Any) -> None:
        """Run theirs on the way of the next statement."""
        for name in self._additions.get(question, ()):
            self.run_later(name, **parameters)

    def claim(
        self, name: str, /, *, reach: int = REACH, **parameters: Any
    ) -> list[Row]:
        """Look at the head of a queue, and at all of it if that is taken."""
        return self.rows(name, reach=reach, **parameters) or self.rows(
            name, reach=None, **parameters
        )

    def flush(self) -> None:
        """Run what waits."""
        self._spread()
        if self._waiting:
            self._send()

    def commit(self, *, notify: str | None = None) -> None:
        """What waits, the commit and the word to a channel, in one message.

        The word is said after the commit and is only a hint: where it cannot be said
        what is committed stands.
        """
        if self._link.info.transaction_status == TRANSACTION_STATUS_INERROR:
            # The server would answer COMMIT with a silent rollback.
            raise InFailedSqlTransaction(
                "an error of the database was caught inside the transaction;"
                " nothing of it is kept"
            )
        self._spread()
        if not self._begun and not self._waiting and notify is None:
            return
        self._waiting.append(b"COMMIT")
        if notify is not None:
            with self._link.cursor() as cursor:
                self._waiting.append(cursor.mogrify(NOTIFY, (notify,)))
        try:
            self._send()
        except (psycopg2.Error, DatabaseAway) as error:
            if not self._is_committed(error):
                raise

    def _is_committed(self, error: Exception) -> bool:
        """Whether the last message failed at its last word only: then no transaction
        is open or broken, and PostgreSQL refused to notify."""
        cause = error if isinstance(error, psycopg2.Error) else error.__cause__
        return (
            self._link.info.transaction_status == TRANSACTION_STATUS_IDLE
            and getattr(cause, "pgcode", None) in NOTHING_SAID
        )

    @contextmanager
    def undoable(self, *, at_once: bool = True) -> Iterator[None]:
        """What fails in this block is undone; what was done before it stands.

        A block that sends no message costs nothing: what it gave is taken back here.
        Not ``at_once``: its last writes go with what comes later, and fail there.
        """
        before = list(self._waiting), self._gathered.copy(), set(self._to_prepare)
        noted = len(self._noted)
        self._unsaved += 1
        depth = self._saved + self._unsaved
        try:
            yield
            if at_once:
                self.flush()
        except BaseException:
            self._waiting, self._gathered, self._to_prepare = before
            del self._noted[noted:]
            if self._saved >= depth:
                self._saved -= 1
                self._plain(UNDO)
            else:
                self._unsaved -= 1
            raise
        if self._saved >= depth:  # one inside another must not be mistaken for it
            self._saved -= 1
            self._over += 1
        else:
            self._unsaved -= 1

    @contextmanager
    def waiting_at_most(self, wait_s: float) -> Iterator[None]:
        """Limit the time that the statements of a block wait for a lock."""
        self.run("instances_limit_wait", milliseconds=max(1, round(wait_s * 1000)))
        yield
        # After an error the transaction is over, and the limit with it.
        self.run("instances_unlimit_wait")

    def _spread(self) -> None:
        """Turn what was gathered into statements that wait."""
        if self._gathered:
            for name, columns in self._gathered.take():
                self._waiting.append(self._written(name, columns))

    def _written(self, name: str, parameters: dict[str, Any]) -> bytes:
        known = self._prepared.get(name)
        if known is None:
            text = self._queries[name]
        else:
            text = known.execute
            self._to_prepare.add(name)
        with self._link.cursor() as cursor:
            return cursor.mogrify(text, parameters).rstrip().rstrip(b";")

    def _executed(self, name: str, parameters: dict[str, Any]) -> cursor:
        self._spread()
        self._waiting.append(self._written(name, parameters))
        return self._send()

    def _send(self) -> cursor:
        """All that waits in one message; the answer is that of the last statement."""
        link, message = self._link, []
        if not self._begun:
            message.append(b"BEGIN")
        if link.must_forget():
            message.append(b"DEALLOCATE ALL")
        message += [RELEASE] * self._over + [SAVE] * self._unsaved
        self._saved, self._unsaved, self._over = self._saved + self._unsaved, 0, 0
        new = self._to_prepare - link.prepared
        message += [self._prepared[name].prepare for name in sorted(new)]
        message += self._waiting
        self._waiting.clear()
        self._to_prepare.clear()
        self._begun = True
        with our_errors():
            cursor = link.cursor()
            try:
                cursor.execute(b"\n;\n".join(message))
            except BaseException:
                if new:
                    link.doubt()
                raise
        if new:
            link.learnt(new)
        return cursor

    def _plain(self, statement: bytes) -> None:
        with our_errors(), self._link.cursor() as cursor:
            cursor.execute(statement)


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
