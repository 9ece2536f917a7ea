"""The Mailbox port over IMAP: one conversation for the intake, one for waiting."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from mpms.adapters.mail_account import (
    Tokens,
)
from mpms.factory.adapters.mail.account import MailAccount
from mpms.factory.adapters.mail.imap.connection import Patience, connect, drop, leave
from mpms.factory.adapters.mail.imap.session import ImapSession
from mpms.factory.adapters.mail.imap.waiting import Waiter
from mpms.factory.ports.mail.intake import MailboxUnavailable
from mpms.factory.ports.mail.mailbox import MailboxSession, MailMessageId

# A connection that was silent for longer is probably dead; a new one costs less
# than finding that out.
REUSE_S = 120.0


class ImapMailbox:
    """Implements Mailbox. Safe to use from several threads."""

    def __init__(
        self,
        account: MailAccount,
        tokens: Tokens | None = None,
        patience: Patience | None = None,
    ) -> None:
        self.account = account
        self._tokens = tokens
        self._patience = patience or Patience()
        self._waiter = Waiter(account, tokens, self._patience)
        self._spare: tuple[Any, float] | None = None
        self._guard = threading.Lock()
        self._closed = False

    @contextmanager
    def open(self) -> Iterator[MailboxSession]:
        """Talk to the mailbox. MailboxUnavailable."""
        client, session = self._begin()
        try:
            yield session
        except BaseException:
            drop(client)
            raise
        self._keep(client)

    def wait(self, timeout_s: float) -> bool:
        """Sleep until there is mail nobody listed yet, or the time is over.

        Also True when the server is away or back again: the next ``open`` then says
        why, or reads what came meanwhile. Never raises MailboxUnavailable itself.
        """
        return self._waiter.wait(timeout_s)

    def close(self) -> None:
        """End both conversations and wake whoever waits."""
        with self._guard:
            self._closed = True
            spare, self._spare = self._spare, None
        if spare is not None:
            leave(spare[0])
        self._waiter.close()

    def _begin(self) -> tuple[Any, ImapSession]:
        client = self._take_spare()
        if client is not None:
            try:
                return client, _Listed(client, self.account, self._waiter)
            except MailboxUnavailable:
                drop(client)
        client = connect(self.account, self._tokens, self._patience)
        try:
            return client, _Listed(client, self.account, self._waiter)
        except BaseException:
            drop(client)
            raise

    def _take_spare(self) -> Any:
        with self._guard:
            if self._closed:
                raise MailboxUnavailable(f"the mailbox {self.account.name} is closed")
            spare, self._spare = self._spare, None
        if spare is None:
            return None
        client, used_at = spare
        if time.monotonic() - used_at > REUSE_S:
            drop(client)
            return None
        return client

    def _keep(self, client: Any) -> None:
        with self._guard:
            if self._spare is None and not self._closed:
                self._spare = (client, time.monotonic())
                return
        leave(client)


class _Listed(ImapSession):
    """A session that tells the waiter what has been listed."""

    def __init__(self, client: Any, account: MailAccount, waiter: Waiter) -> None:
        super().__init__(client, account)
        self._waiter = waiter

    def messages(self) -> Sequence[MailMessageId]:
        found = super().messages()
        if found:
            self._waiter.know(self.uidvalidity, found[-1].uid)
        return found
