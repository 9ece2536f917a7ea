"""Waking up when another process has committed something.

A notification is a hint, never the truth: it is lost when nobody listens. So a
listener that had to connect again reports every channel once, and while the
database is away it merely lets the time pass; the caller's poll finds the error.
"""

import select
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import psycopg2
from psycopg2 import sql
from psycopg2.extensions import connection

from mpms.domain.errors import DatabaseAway

RETRY_S = 0.5


@dataclass(frozen=True)
class Notification:
    """Something happened on a channel; the payload may be empty."""

    channel: str
    payload: str


class Listener:
    """One listening connection for one waiting thread."""

    def __init__(
        self, connect: Callable[[], connection], channels: Sequence[str]
    ) -> None:
        self._connect = connect
        self._channels = tuple(channels)
        self._connection: connection | None = None
        self._retry_at = 0.0
        self._wake_reader, self._wake_writer = socket.socketpair()
        self._wake_reader.setblocking(False)
        self._wake_writer.setblocking(False)
        self._listen()

    def wait(self, timeout_s: float) -> list[Notification]:
        """Return as soon as something is notified, or nothing after the timeout."""
        give_up_at = time.monotonic() + timeout_s
        while True:
            if self._connection is None:
                if time.monotonic() >= self._retry_at and self._listen():
                    return [Notification(channel, "") for channel in self._channels]
            elif found := self._received():
                return found
            left_s = give_up_at - time.monotonic()
            if left_s <= 0 or self._sleep(left_s):
                return []

    def wake(self) -> None:
        """Make ``wait`` return at once; may be called from any thread."""
        with suppress(OSError):
            self._wake_writer.send(b"\0")

    def close(self) -> None:
        """Stop listening."""
        self._forget()
        self._wake_reader.close()
        self._wake_writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _listen(self) -> bool:
        try:
            self._connection = self._connect()
            self._connection.autocommit = True
            with self._connection.cursor() as cursor:
                for channel in self._channels:
                    cursor.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
        except (DatabaseAway, psycopg2.Error):
            self._forget()
            self._retry_at = time.monotonic() + RETRY_S
            return False
        return True

    def _received(self) -> list[Notification]:
        assert self._connection is not None  # noqa: S101
        try:
            self._connection.poll()
        except psycopg2.Error:
            self._forget()
            return []
        notifies = self._connection.notifies
        found = [Notification(each.channel, each.payload) for each in notifies]
        notifies.clear()
        return found

    def _sleep(self, timeout_s: float) -> bool:
        """Sleep until there is something to do; tell whether somebody woke us."""
        poll = select.poll()
        poll.register(self._wake_reader, select.POLLIN)
        if self._connection is not None:
            poll.register(self._connection.fileno(), select.POLLIN)
        else:
            timeout_s = min(timeout_s, max(0.0, self._retry_at - time.monotonic()))
        ready = [descriptor for descriptor, _ in poll.poll(timeout_s * 1000)]
        if self._wake_reader.fileno() not in ready:
            return False
        with suppress(BlockingIOError):
            while self._wake_reader.recv(4096):
                pass
        return True

    def _forget(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
