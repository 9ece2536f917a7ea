"""Wait for mail with IDLE, on a connection of its own.

imapclient's own ``idle_check`` is not used: it returns at once and without an error
when the server has closed the connection, and it aborts when an announcement comes
in two packets. Here the socket is only watched; reading is left to DONE, which waits
for whole lines and notices the end. What counts is never the announcement but the
newest message there is, so nothing that came between two waits is missed.
"""

from __future__ import annotations

import logging
import os
import select
import threading
import time
from contextlib import suppress
from typing import Any

from mpms.adapters.mail_account import (
    Tokens,
)
from mpms.factory.adapters.mail.account import MailAccount
from mpms.factory.adapters.mail.imap import session
from mpms.factory.adapters.mail.imap.connection import (
    Patience,
    connect,
    drop,
    leave,
    plainly,
)
from mpms.factory.ports.mail.intake import MailboxUnavailable

IDLE_S = 300.0  # some routers forget a silent connection soon after
POLL_S = 15.0  # for a server without IDLE
LONGEST_PAUSE_S = 60.0

log = logging.getLogger(__name__)


class Waiter:
    """Waits in whichever thread asks; ``close`` wakes it from another one."""

    def __init__(
        self, account: MailAccount, tokens: Tokens | None, patience: Patience
    ) -> None:
        self._account = account
        self._tokens = tokens
        self._patience = patience
        self._turn = threading.Lock()
        self._client: Any = None
        self._failures = 0
        self._closed = threading.Event()
        self._bell, self._rope = os.pipe()
        # The newest message somebody was told of: (UIDVALIDITY, UID).
        self._known: tuple[int, int] = (0, 0)
        self._knowing = threading.Lock()

    def know(self, uidvalidity: int, uid: int) -> None:
        """Take note that the intake has seen everything up to this message."""
        with self._knowing:
            if self._known[0] != uidvalidity or self._known[1] < uid:
                self._known = (uidvalidity, uid)

    def wait(self, timeout_s: float) -> bool:
        """Return True if one should look: something came, or the server is away."""
        give_up_at = time.monotonic() + timeout_s
        if not self._turn.acquire(timeout=max(timeout_s, 0)):
            return False
        try:
            while not self._closed.is_set():
                try:
                    return self._watch(give_up_at)
                except MailboxUnavailable as error:
                    self._forget_connection()
                    self._failures += 1
                    log.info("waiting for mail: %s", error)
                    if self._failures == 1:
                        continue  # a server may hang up; once is no trouble
                    if self._failures == 2 or time.monotonic() >= give_up_at:
                        return not self._closed.is_set()
            return False
        finally:
            self._turn.release()

    def close(self) -> None:
        """End a wait and the connection. Waits for a thread that is inside."""
        if self._closed.is_set():
            return
        self._closed.set()
        os.write(self._rope, b"!")
        with self._turn:
            if self._client is not None:
                leave(self._client)
                self._client = None
            os.close(self._bell)
            os.close(self._rope)

    def _watch(self, give_up_at: float) -> bool:
        is_back = False
        if self._client is None:
            self._pause(give_up_at)
            if self._closed.is_set():
                return False
            self._client = connect(self._account, self._tokens, self._patience)
            is_back = self._failures > 1
        uidvalidity = session.select(self._client, self._account, readonly=True)
        if is_back:
            return True
        while True:
            if self._has_news(uidvalidity):
                return True
            left_s = give_up_at - time.monotonic()
            if left_s <= 0 or self._closed.is_set():
                return False
            with plainly(self._account):
                if self._client.has_capability("IDLE"):
                    self._idle(min(left_s, IDLE_S))
                else:
                    self._listen(None, min(left_s, POLL_S))
                    self._client.noop()
            self._failures = 0  # only now: a server may take us and hang up again

    def _has_news(self, uidvalidity: int) -> bool:
        with plainly(self._account):
            newest = self._newest()
        with self._knowing:
            known = self._known[1] if self._known[0] == uidvalidity else 0
            if newest <= known:
                return False
            self._known = (uidvalidity, newest)
        return True

    def _newest(self) -> int:
        """Return the newest message's number.

        A server may search first and then mention, in the same answer, that something
        has arrived. IDLE would not mention it again.
        """
        newest = 0
        for _ in range(5):
            self._arrivals()
            newest = max(self._client.search("UNDELETED"), default=0)
            if not self._arrivals():
                break
        return newest

    def _arrivals(self) -> bool:
        """Tell whether the server mentioned arrivals, and forget it."""
        _, mentioned = self._client._imap.response("EXISTS")
        return bool(mentioned != [None])

    def _idle(self, timeout_s: float) -> None:
        self._client.idle()
        if not _has_unread(self._client):
            self._listen(self._client.socket(), timeout_s)
        self._client.idle_done()
        self._client.noop()

    def _listen(self, socket: Any, timeout_s: float) -> None:
        """Sleep until the server says something, the bell rings or time is over."""
        poller = select.poll()
        poller.register(self._bell, select.POLLIN)
        if socket is not None:
            poller.register(socket.fileno(), select.POLLIN)
        poller.poll(timeout_s * 1000)

    def _pause(self, give_up_at: float) -> None:
        """Leave a server that is away alone for a while, longer each time."""
        if self._failures < 2:
            return
        pause_s = min(2.0 ** (self._failures - 2), LONGEST_PAUSE_S)
        self._listen(None, max(0.0, min(pause_s, give_up_at - time.monotonic())))

    def _forget_connection(self) -> None:
        if self._client is not None:
            drop(self._client)
            self._client = None


def _has_unread(client: Any) -> bool:
    """Tell whether the answer to IDLE brought an announcement along.

    It then lies in a buffer of this process and the socket stays silent.
    """
    stream, kept = client._imap, None
    if hasattr(stream, "_readbuf"):  # Python 3.14 buffers by itself
        kept = bool(stream._readbuf)
    if kept is None:
        socket = client.socket()
        timeout_s = socket.gettimeout()
        socket.setblocking(False)
        try:
            with suppress(OSError):  # TLS has no other way to say: nothing yet
                kept = bool(stream.file.peek(1))
        finally:
            socket.settimeout(timeout_s)
    pending = getattr(client.socket(), "pending", None)
    return bool(kept) or bool(pending is not None and pending())
