"""Read the mailbox: every message has one outcome, every order is stored once.

What became of a message is a row, see ``record_mail``. Moving the message to another
folder comes after the commit and means nothing: a crash in between leaves a message
in the inbox that is known, and is only moved.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Self

from mpms.factory.domain.order_mail import Outcome
from mpms.factory.ports.mail.intake import MailboxUnavailable
from mpms.factory.ports.mail.mailbox import (
    Mailbox,
    MailboxSession,
    MailMessage,
    MailMessageId,
)
from mpms.factory.ports.store import UnitOfWork
from mpms.factory.services.mail.record import (
    ACTOR,
    AlreadyRead,
    RecordMail,
    ReleaseRules,
)
from mpms.factory.services.mail.watch import CHANGED
from mpms.ports.engine import Engine
from mpms.services.incidents.open import open_incident

__all__ = ["ReceiveMail", "ReleaseRules"]

log = logging.getLogger(__name__)

FOLDERS = {"accepted": "Processed", "ignored": "Processed", "rejected": "Rejected"}
AWAY = "mailbox"  # the kind of incident that says why no mail can be read
CONCERN = "mail account"  # and the one that says what will go wrong soon
ROUND_S = 30.0
AHEAD_BYTES = 1 << 20  # not two large messages at once
Reader = Callable[[MailMessage], Outcome]


@dataclass(frozen=True)
class ReceiveMail:
    """Reads what is new; see ``mpms.ports.plant.Intake``.

    A round ends after ``round_s`` and asks for another one, so that a full inbox does
    not look like a mailbox that hangs.
    """

    uow: UnitOfWork
    mailbox: Mailbox
    read: Reader
    engine: Engine
    rules: ReleaseRules = field(default_factory=ReleaseRules)
    round_s: float = ROUND_S
    site_url: str = ""
    stopping: Callable[[], bool] = lambda: False
    concern: Callable[[], str | None] = lambda: None
    _failed: dict[MailMessageId, int] = field(default_factory=dict)

    def __call__(self) -> tuple[int, int]:
        """Read what lies in the inbox. MailboxUnavailable, shown as an incident."""
        if self.stopping():
            return 0, 0
        try:
            with self.mailbox.open() as session:
                result = self._round(session)
        except MailboxUnavailable as away:
            if self.stopping():
                return 0, 0
            with self.uow() as tx:
                told = f"The mailbox cannot be read: {away}"
                open_incident(tx, AWAY, told, actor=ACTOR)
                tx.workers.failed("imap", str(away))
            raise
        concern = self.concern()
        with self.uow() as tx:
            tx.workers.reached("imap")
            if tx.incidents.resolve(by=ACTOR, kind=AWAY):
                tx.events.append("mailbox back", actor=ACTOR)
            if concern is None:
                tx.incidents.resolve(by=ACTOR, kind=CONCERN)
            else:
                open_incident(tx, CONCERN, concern, actor=ACTOR)
        return result

    def receive(self, message: MailMessage) -> str:
        """Read one message and write down everything it leads to. AlreadyRead."""
        return RecordMail(self.uow, self.engine, self.rules, self.site_url)(
            message, self.read(message)
        )

    def _round(self, session: MailboxSession) -> tuple[int, int]:
        end_at = time.monotonic() + self.round_s
        messages = self._in_turn(session.messages())
        with self.uow() as tx:
            known = tx.mails.known(messages)
        mails = accepted = 0
        with _Line(session) as line:
            for mail_id in messages:
                if mail_id in known:
                    line.file_away(mail_id, known[mail_id])
            new = [mail_id for mail_id in messages if mail_id not in known]
            for mail_id, following in zip(new, [*new[1:], None], strict=False):
                if self.stopping() or time.monotonic() > end_at:
                    with self.uow() as tx:
                        tx.deliveries.throw(CHANGED)
                    break
                message = self._fetch(line, mail_id)
                if message is None:
                    continue
                if following is not None and message.size_bytes <= AHEAD_BYTES:
                    line.fetch_ahead(following)
                try:
                    outcome = self.receive(message)
                except AlreadyRead:
                    continue
                mails += 1
                accepted += outcome == "accepted"
                line.file_away(mail_id, outcome)
        return mails, accepted

    def _in_turn(self, messages: Sequence[MailMessageId]) -> list[MailMessageId]:
        """Oldest first, but what could not be fetched before comes last: one message
        that breaks its server must not keep all others from being read."""
        for gone in self._failed.keys() - set(messages):
            del self._failed[gone]
        return sorted(messages, key=lambda message: self._failed.get(message, 0))

    def _fetch(self, line: _Line, mail_id: MailMessageId) -> MailMessage | None:
        try:
            message = line.fetch(mail_id)
        except MailboxUnavailable as away:
            self._failed[mail_id] = self._failed.get(mail_id, 0) + 1
            raise MailboxUnavailable(
                f"{away} (at message {mail_id.uid} of {mail_id.folder})"
            ) from away
        self._failed.pop(mail_id, None)
        return message


class _Line:
    """A conversation that goes on while a message is read and stored.

    One thread speaks with the server, in the order it is asked to: the next message
    is fetched and the last one filed away meanwhile.
    """

    def __init__(self, session: MailboxSession) -> None:
        self._session = session
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="mailbox")
        self._ahead: dict[MailMessageId, Future[MailMessage | None]] = {}
        self._filing: list[Future[None]] = []
        self._can_file = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._thread.shutdown(cancel_futures=exception[0] is not None)
        for filing in self._filing:
            if not filing.cancelled():
                filing.result()

    def fetch_ahead(self, mail_id: MailMessageId) -> None:
        self._ahead[mail_id] = self._thread.submit(self._session.fetch, mail_id)

    def fetch(self, mail_id: MailMessageId) -> MailMessage | None:
        if mail_id not in self._ahead:
            self.fetch_ahead(mail_id)
        return self._ahead.pop(mail_id).result()

    def file_away(self, mail_id: MailMessageId, outcome: str) -> None:
        self._filing.append(self._thread.submit(self._file, mail_id, outcome))

    def _file(self, mail_id: MailMessageId, outcome: str) -> None:
        """If the server itself is away, the next fetch will tell."""
        if not self._can_file:
            return
        try:
            self._session.file_away(mail_id, FOLDERS[outcome])
        except MailboxUnavailable as away:
            self._can_file = False
            log.warning("message %s stays in the inbox: %s", mail_id.uid, away)
