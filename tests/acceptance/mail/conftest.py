"""Plants whose orders come by mail, each with mail servers of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mpms.embedded.mail import MailServers
from tests.support.mail_office import BUYER, STRANGER, MailOffice, start_mail


@pytest.fixture
def mail_servers(tmp_path: Path) -> Iterator[MailServers]:
    with start_mail(tmp_path / "mail", BUYER, STRANGER) as servers:
        yield servers


@pytest.fixture
def office(database_url: str, mail_servers: MailServers) -> Iterator[MailOffice]:
    office = MailOffice(database_url, mail_servers)
    yield office
    office.close()
