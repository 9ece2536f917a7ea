"""What goes on beside the worker never ends it and never spins."""

from __future__ import annotations

import logging
import threading

import pytest

from mpms.background import BackgroundLoop
from mpms.factory.ports.mail.intake import MailboxUnavailable
from mpms.factory.services.mail.watch import watch_mailbox
from tests.support.intake_desk import IntakeDesk
from tests.support.mailbox import FakeMailbox


def test_a_loop_that_fails_is_told_once_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("mpms.background.AFTER_FAILURE_S", 0.001)
    enough = threading.Event()
    runs: list[int] = []

    def run() -> bool:
        runs.append(1)
        if len(runs) > 20:
            enough.set()
        raise MailboxUnavailable("connection refused")

    loop = BackgroundLoop("mailbox", run)
    with caplog.at_level(logging.WARNING):
        loop.start()
        assert enough.wait(60)
        loop.stop()
        loop.join()
    assert [r.getMessage() for r in caplog.records] == ["mailbox: connection refused"]


def test_a_loop_with_nothing_to_do_rests_until_it_is_stopped() -> None:
    ran = threading.Event()
    runs: list[int] = []

    def run() -> bool:
        runs.append(1)
        ran.set()
        return False

    loop = BackgroundLoop("replies", run, pause_s=3600.0)
    loop.start()
    assert ran.wait(60)
    loop.stop()
    loop.join()
    assert len(runs) == 1


def test_mail_that_came_is_told_to_the_process_once(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    assert not watch_mailbox(desk.uow, fake, timeout_s=0)
    fake.news = True
    for _ in range(3):
        assert watch_mailbox(desk.uow, fake, timeout_s=0)
    assert desk.rows("SELECT event FROM messages") == [("mailbox changed",)]


def test_a_watch_on_a_mailbox_that_is_away_says_why(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    fake.away = "connection refused"
    with pytest.raises(MailboxUnavailable, match="connection refused"):
        watch_mailbox(desk.uow, fake, timeout_s=0)
    assert desk.rows("SELECT * FROM messages") == []
