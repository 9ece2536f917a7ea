"""Mail servers to test against: the embedded one, pymap as it comes, a private
Dovecot, and one that misbehaves on purpose."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mpms.embedded.mail import BUYER, ORDERS, MailServers
from mpms.factory.adapters.mail.account import MailAccount
from mpms.factory.adapters.mail.imap import ImapMailbox
from mpms.factory.adapters.mail.imap.connection import Patience
from tests.support.certificates import Certificates
from tests.support.checkers import there
from tests.support.mail_servers import Server, run_pymap
from tests.support.mailbox import PATIENT, LetWait, OpenMailbox, Waiting, empty
from tests.support.odd_imap import OddServer
from tests.support.waiting import PATIENCE_S


@pytest.fixture(scope="session")
def pymap(mail_directory: Path, certificates: Certificates) -> Iterator[Server]:
    with run_pymap(mail_directory / "pymap", certificates) as server:
        yield server


@pytest.fixture
def servers(embedded: Server) -> Iterator[MailServers]:
    """The embedded servers; the two mailboxes of their own are emptied afterwards."""
    servers = there(embedded.embedded)
    yield servers
    for user in (ORDERS, BUYER):
        empty(servers.home, user)


@pytest.fixture(params=["embedded", "dovecot"])
def server(request: pytest.FixtureRequest) -> Server:
    """The same tests run against each of these."""
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Server)
    return found


@pytest.fixture
def open_mailbox() -> Iterator[OpenMailbox]:
    """Return a function that makes a mailbox which is closed in the end."""
    with contextlib.ExitStack() as stack:

        def make(
            account: MailAccount,
            *,
            patience: Patience = PATIENT,
            tokens: Callable[[], str] | None = None,
        ) -> ImapMailbox:
            mailbox = ImapMailbox(account, tokens, patience)
            stack.callback(mailbox.close)
            return mailbox

        yield make


@pytest.fixture
def waiting() -> Iterator[LetWait]:
    """Return a function that lets a mailbox wait in a thread."""
    started: list[Waiting] = []

    def start(mailbox: ImapMailbox, timeout_s: float = PATIENCE_S) -> Waiting:
        started.append(Waiting(mailbox, timeout_s))
        return started[-1]

    yield start
    for each in started:
        each.mailbox.close()
        each.thread.join()


@pytest.fixture
def odd_server() -> Iterator[OddServer]:
    server = OddServer()
    yield server
    server.close()


@pytest.fixture
def unused_port() -> Iterator[int]:
    """A port nobody listens on; held so that nobody else takes it."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        yield int(sock.getsockname()[1])
