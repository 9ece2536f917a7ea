"""Connections to PostgreSQL that survive its restarts.

One ``connection()`` block is one transaction: it commits at the end and rolls back
when the block raises. The server may be restarted at any moment, so an idle
connection that the server has closed is noticed before it is lent, and losing the
server inside a block is reported as ``DatabaseAway`` whatever psycopg2 calls it.
"""

import select
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from types import TracebackType
from typing import Self

import psycopg2
from psycopg2.errors import InFailedSqlTransaction, QueryCanceled
from psycopg2.extensions import TRANSACTION_STATUS_IDLE, TRANSACTION_STATUS_INERROR

from mpms.adapters.postgres.database.link import Link
from mpms.adapters.postgres.database.listening import Listener
from mpms.adapters.postgres.database.server_time import ServerTime
from mpms.domain.errors import DatabaseAway, DatabaseSlow

MAXIMUM = 10
CONNECT_TIMEOUT_S = 10
PATIENCE_S = 30.0
# What is prepared finds few rows by their keys: it is planned once, not for every
# value, and a key is looked up, however small the table was when it was planned.
SETTINGS = """
SET TIME ZONE 'UTC';
SET plan_cache_mode TO force_generic_plan;
SET random_page_cost TO 1.1
"""


class Connections:
    """Lend connections to threads, one transaction at a time.

    ``dsn`` may be a function: an embedded server that comes back after a crash may
    have had to take another port.
    """

    def __init__(
        self,
        dsn: str | Callable[[], str],
        *,
        maximum: int = MAXIMUM,
        application_name: str = "mpms",
        patience_s: float = PATIENCE_S,
        statement_s: float | None = None,
    ) -> None:
        self._dsn = dsn if callable(dsn) else lambda: dsn
        self._maximum = maximum
        self._application_name = application_name
        self._patience_s = patience_s
        self._statement_s = statement_s  # what one statement may take
        self._time = ServerTime()
        self._idle: list[Link] = []
        self._lent = 0
        self._closed = False
        self._change = threading.Condition()

    @contextmanager
    def connection(self) -> Iterator[Link]:
        """Lend a connection for one transaction."""
        with self._lending() as lent:
            yield lent
            if lent.info.transaction_status == TRANSACTION_STATUS_INERROR:
                # The server would answer COMMIT with a silent rollback.
                raise InFailedSqlTransaction(
                    "an error of the database was caught inside the transaction;"
                    " nothing of it is kept"
                )
            lent.commit()

    @contextmanager
    def bare(self) -> Iterator[Link]:
        """Lend a connection to somebody who begins and commits by himself, together
        with what he has to say; what he has not committed is rolled back."""
        with self._lending() as lent:
            lent.autocommit = True
            try:
                yield lent
            finally:
                with suppress(psycopg2.Error):
                    if lent.info.transaction_status != TRANSACTION_STATUS_IDLE:
                        lent.cursor().execute("ROLLBACK")
                    lent.autocommit = False

    @contextmanager
    def _lending(self) -> Iterator[Link]:
        lent = self._borrow()
        try:
            self._time.ask(lent)
            yield lent
        except BaseException as error:
            with suppress(psycopg2.Error):
                lent.rollback()
            if isinstance(error, QueryCanceled) and self._statement_s is not None:
                raise DatabaseSlow(
                    f"the database took longer than {self._statement_s:g} s for one"
                    " statement, which was ended"
                ) from error
            if lent.closed and isinstance(
                error, psycopg2.OperationalError | psycopg2.InterfaceError
            ):
                raise DatabaseAway(
                    f"the connection to the database was lost: {_said(error)}"
                ) from error
            raise
        finally:
            self._give_back(lent)

    def now(self) -> datetime:
        """The time of the database. DatabaseAway if it was never reached."""
        if (at := self._time.now()) is not None:
            return at
        with self._lending():
            pass
        found = self._time.now()
        assert found is not None  # noqa: S101
        return found

    def connect(self) -> Link:
        """Open a connection outside the pool; the caller closes it."""
        try:
            opened = psycopg2.connect(
                self._dsn(),
                connection_factory=Link,
                application_name=self._application_name,
                connect_timeout=CONNECT_TIMEOUT_S,
                keepalives_idle=30,
                keepalives_interval=10,
                keepalives_count=3,
            )
        except psycopg2.Error as error:  # also an address that cannot be read
            raise DatabaseAway(
                f"the database does not answer: {_said(error)}"
            ) from error
        try:
            opened.set_client_encoding("UTF8")
            with opened.cursor() as cursor:
                cursor.execute(SETTINGS)
                if self._statement_s is not None:
                    longest_ms = int(1000 * self._statement_s)
                    cursor.execute("SET statement_timeout = %s", [longest_ms])
            opened.commit()
        except psycopg2.Error as error:
            opened.close()
            raise DatabaseAway(
                f"the database does not answer: {_said(error)}"
            ) from error
        return opened

    def listen(self, *channels: str) -> Listener:
        """Return what wakes a thread when one of the channels is notified."""
        return Listener(self.connect, channels)

    def close(self) -> None:
        """Close the idle connections now and the lent ones when they come back."""
        with self._change:
            self._closed = True
            idle, self._idle = self._idle, []
            self._change.notify_all()
        for each in idle:
            each.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _borrow(self) -> Link:
        give_up_at = time.monotonic() + self._patience_s
        with self._change:
            while self._lent >= self._maximum and not self._closed:
                if not self._change.wait(give_up_at - time.monotonic()):
                    raise DatabaseAway(
                        f"all {self._maximum} connections to the database have been"
                        f" in use for {self._patience_s:.0f} s"
                    )
            if self._closed:
                raise DatabaseAway("the connections to the database are closed")
            self._lent += 1
            idle = self._idle.pop() if self._idle else None
        try:
            while idle is not None:
                if not _was_closed_by_server(idle):
                    return idle
                idle.close()
                with self._change:
                    idle = self._idle.pop() if self._idle else None
            return self.connect()
        except BaseException:
            self._return_place()
            raise

    def _give_back(self, lent: Link) -> None:
        usable = (
            not lent.closed
            and not lent.autocommit
            and lent.info.transaction_status == TRANSACTION_STATUS_IDLE
        )
        with self._change:
            keep = usable and not self._closed
            if keep:
                self._idle.append(lent)
        if not keep:
            lent.close()
        self._return_place()

    def _return_place(self) -> None:
        with self._change:
            self._lent -= 1
            self._change.notify()


def _was_closed_by_server(idle: Link) -> bool:
    """A server has nothing to say to an idle client except that it goes away."""
    if idle.closed:
        return True
    poll = select.poll()
    poll.register(idle.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def _said(error: Exception) -> str:
    return " ".join(str(error).split())
