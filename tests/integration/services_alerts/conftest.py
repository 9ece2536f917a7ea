"""A plant whose people want alerts: real PostgreSQL, the embedded mail servers, and a
push service that does what those of the browsers do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mpms.adapters.web_push import WebPusher
from mpms.embedded import mail
from tests.support.alerted_plant import SOFIA, AlertedPlant, Mailroom
from tests.support.mailbox import FakeMailSender
from tests.support.push_service import PushService


@pytest.fixture
def plant(database_url: str) -> Iterator[AlertedPlant]:
    with AlertedPlant(database_url) as plant:
        yield plant


@pytest.fixture
def mail_sender() -> FakeMailSender:
    return FakeMailSender()


@pytest.fixture
def mailroom(tmp_path: Path) -> Iterator[Mailroom]:
    with mail.start(tmp_path / "mail", others=[SOFIA]) as servers:
        yield Mailroom(servers)


@pytest.fixture
def push_service() -> Iterator[PushService]:
    service = PushService()
    yield service
    service.close()


@pytest.fixture
def pusher() -> WebPusher:
    return WebPusher("mailto:plant@example.com", timeout_s=60, allow_loopback=True)
