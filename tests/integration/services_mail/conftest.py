"""A mail desk on real PostgreSQL: messages made to measure, a mailbox that fails on
request, and the same promises on the embedded servers and a private Dovecot."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mpms.embedded.mail import MailServers
from mpms.factory.adapters.mail.sandbox import MailSandbox
from tests.support.checkers import there
from tests.support.intake_desk import IntakeDesk, patient_sandbox
from tests.support.mail_servers import Server
from tests.support.mailbox import BUYER, Box, FakeMailbox, FakeMailSender, empty


@pytest.fixture(scope="session")
def sandbox() -> Iterator[MailSandbox]:
    with patient_sandbox() as reader:
        yield reader


@pytest.fixture
def desk(database_url: str, sandbox: MailSandbox) -> Iterator[IntakeDesk]:
    with IntakeDesk(database_url, sandbox) as desk:
        yield desk


@pytest.fixture
def fake() -> FakeMailbox:
    return FakeMailbox()


@pytest.fixture
def mail_sender() -> FakeMailSender:
    return FakeMailSender()


@pytest.fixture
def servers(embedded: Server) -> Iterator[MailServers]:
    """The embedded servers; the buyer's mailbox is emptied afterwards."""
    servers = there(embedded.embedded)
    yield servers
    empty(servers.home, BUYER)


@pytest.fixture(params=["embedded", "dovecot"])
def box(request: pytest.FixtureRequest) -> Iterator[Box]:
    """An empty mailbox; the same tests run on each kind of server."""
    box = Box(request.getfixturevalue(request.param))
    yield box
    box.mailbox.close()
