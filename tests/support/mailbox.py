"""Mailboxes of tests: messages to measure, who waits for them, and fakes that fail."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from imapclient import IMAPClient

from mpms.adapters.mail_account import (
    Password,
)
from mpms.embedded.mail import MailHome
from mpms.factory.adapters.mail.account import MailAccount
from mpms.factory.adapters.mail.imap import ImapMailbox
from mpms.factory.adapters.mail.imap.connection import Patience
from mpms.factory.ports.mail.intake import MailboxUnavailable
from mpms.factory.ports.mail.mailbox import MailboxSession, MailMessage, MailMessageId
from mpms.ports.outgoing_mail import Reply
from tests.support.checkers import there
from tests.support.mail_servers import Server
from tests.support.waiting import PATIENCE_S, eventually

BUYER = "orders@brightcoat.example.com"
PATIENT = Patience(connect_s=60, read_s=60)  # the machine may be busy


def write_order(
    number: str = "MO-2026-0901",
    *,
    sender: str = BUYER,
    message_id: str | None = "<1@brightcoat.example.com>",
    body: str = "",
    auth_result: str = "pass",
    extra: str = "",
) -> bytes:
    """A message as the trusted host hands it on; ``body`` replaces the usual one."""
    domain = sender.rpartition("@")[2]
    head = (
        f"Return-Path: <{sender}>\r\n"
        f"Authentication-Results: mx.plant.example.com;"
        f" dmarc={auth_result} header.from={domain}\r\n"
        f"From: {sender}\r\nTo: orders@plant.example.com\r\n"
        f"Subject: Order {number}\r\n{extra}"
    )
    if message_id is not None:
        head += f"Message-ID: {message_id}\r\n"
    text = body or f"Order: {number}\r\n\r\nMaterials:\r\n- RM-001 Water 5 kg\r\n"
    return f"{head}\r\n{text}".encode()


def list_messages(session: MailboxSession, count: int) -> list[MailMessageId]:
    """List messages once that many are there."""

    def found() -> list[MailMessageId] | None:
        messages = list(session.messages())
        return messages if len(messages) >= count else None

    messages = eventually(found, f"{count} messages are listed")
    assert messages is not None
    assert len(messages) == count
    return messages


def fetched(session: MailboxSession, message: MailMessageId) -> MailMessage:
    """A message that must not be gone."""
    return there(session.fetch(message))


def raw_of(session: MailboxSession, message: MailMessageId) -> bytes:
    """The bytes of a message that must not be gone, nor be too large."""
    return there(fetched(session, message).raw)


def empty(home: MailHome, user: str) -> list[bytes]:
    """Take everything out of an inbox of the embedded servers."""
    with IMAPClient(home.host, home.imap_port, ssl=False, timeout=60) as client:
        client.login(user, home.password(user))
        client.select_folder("INBOX")
        uids = client.search()
        found = client.fetch(uids, ["BODY.PEEK[]"]) if uids else {}
        if uids:
            client.delete_messages(uids)
            client.expunge()
    return [each[b"BODY[]"] for each in found.values()]


class OpenMailbox(Protocol):
    """Makes a mailbox that is closed when its test ends."""

    def __call__(
        self,
        account: MailAccount,
        *,
        patience: Patience = ...,
        tokens: Callable[[], str] | None = ...,
    ) -> ImapMailbox: ...


class Waiting:
    """A mailbox that waits in a thread."""

    def __init__(self, mailbox: ImapMailbox, timeout_s: float) -> None:
        self.mailbox = mailbox
        self.answer: bool | None = None
        self.thread = threading.Thread(target=self._run, args=(timeout_s,))
        self.thread.start()

    def _run(self, timeout_s: float) -> None:
        self.answer = self.mailbox.wait(timeout_s)

    def result(self) -> bool | None:
        self.thread.join(PATIENCE_S)
        assert not self.thread.is_alive()
        return self.answer


class LetWait(Protocol):
    """Lets a mailbox wait in a thread that ends with its test."""

    def __call__(self, mailbox: ImapMailbox, timeout_s: float = ...) -> Waiting: ...


class Box:
    """One empty mailbox of a real server."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._account = server.account()
        self.mailbox = ImapMailbox(self._account, patience=PATIENT)

    def deliver(self, raw: bytes) -> None:
        self._server.deliver(self._account, raw)

    def contents(self, folder: str) -> list[bytes]:
        """What another mail program sees in a folder."""
        account = self._account
        assert isinstance(account.login, Password)
        with IMAPClient(account.host, account.port, ssl=False, timeout=60) as client:
            client.login(account.user, account.login.password)
            if not client.folder_exists(folder):
                return []
            client.select_folder(folder, readonly=True)
            uids = client.search()
            found = client.fetch(uids, ["BODY.PEEK[]"]) if uids else {}
        return [found[uid][b"BODY[]"] for uid in sorted(found)]


@dataclass
class FakeMailbox:
    """Implements Mailbox and its session; what is called ``on_…`` may raise."""

    uidvalidity: int = 1
    last_uid: int = 0
    messages_here: dict[int, bytes] = field(default_factory=dict)
    filed: list[tuple[int, str]] = field(default_factory=list)
    away: str | None = None
    news: bool = False
    on_list: Callable[[], object] = lambda: None
    on_fetch: Callable[[int], None] = lambda uid: None
    on_file: Callable[[int], None] = lambda uid: None

    def put(self, *messages: bytes) -> None:
        for raw in messages:
            self.last_uid += 1
            self.messages_here[self.last_uid] = raw

    @contextmanager
    def open(self) -> Iterator[FakeMailbox]:
        if self.away is not None:
            raise MailboxUnavailable(self.away)
        yield self

    def wait(self, timeout_s: float) -> bool:
        if self.away is not None:
            raise MailboxUnavailable(self.away)
        return self.news

    def close(self) -> None:
        pass

    def messages(self) -> Sequence[MailMessageId]:
        found = [self.mail_id(uid) for uid in sorted(self.messages_here)]
        self.on_list()
        return found

    def mail_id(self, uid: int) -> MailMessageId:
        return MailMessageId("fake/orders", "INBOX", self.uidvalidity, uid)

    def fetch(self, message: MailMessageId) -> MailMessage | None:
        self.on_fetch(message.uid)
        raw = self.messages_here.get(message.uid)
        return None if raw is None else MailMessage(message, len(raw), raw)

    def file_away(self, message: MailMessageId, folder: str) -> None:
        self.on_file(message.uid)
        if self.messages_here.pop(message.uid, None) is not None:
            self.filed.append((message.uid, folder))


@dataclass
class FakeMailSender:
    """Implements MailSender: takes, refuses, is away, or breaks off, as it is told."""

    failure: BaseException | None = None
    refuses: str | None = None
    taken: list[Reply] = field(default_factory=list)
    refusals: Mapping[str, str] = field(default_factory=dict)

    def send(self, replies: Iterable[Reply]) -> list[str]:
        self.refusals = {}
        if self.failure is not None:
            raise self.failure
        messages = list(replies)
        if self.refuses is not None:
            self.refusals = {each.id: self.refuses for each in messages}
            return []
        self.taken += messages
        return [each.id for each in messages]
