"""When the mail server is what is broken, devices hear of it, and mailboxes later."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mpms.adapters.mail_account import (
    Password,
    Security,
)
from mpms.adapters.web_push import WebPusher
from mpms.embedded import mail
from mpms.factory.adapters.mail.account import MailAccount
from mpms.factory.adapters.mail.imap import ImapMailbox
from mpms.factory.adapters.mail.imap.connection import Patience
from mpms.factory.ports.mail.intake import MailboxUnavailable
from mpms.factory.ports.mail.mailbox import MailMessage
from mpms.factory.services.mail.receive import ReceiveMail
from mpms.ports.incidents.inbox import CauseFilter
from tests.support.alerted_plant import AlertedPlant, Mailroom
from tests.support.push_service import PushService


def nothing_to_read(message: MailMessage) -> Any:
    raise AssertionError(f"nobody sent {message}")


@pytest.mark.covers("A52")
def test_a_stopped_mail_server_is_told_by_push_at_once_and_by_mail_when_it_is_back(
    plant: AlertedPlant,
    mailroom: Mailroom,
    push_service: PushService,
    pusher: WebPusher,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mpms.services.alerts.send.FIRST_DELAY_S", 0.0)
    plant.person()
    browser = push_service.browser()
    plant.subscribe(browser.subscription)
    send = plant.sender(mail_sender=mailroom.mail_sender, pusher=pusher)
    home = mailroom.servers.home
    login = Password(home.password(home.orders))
    account = MailAccount(home.host, home.imap_port, Security.PLAIN, home.orders, login)
    mailbox = ImapMailbox(account, patience=Patience(connect_s=60, read_s=60))
    intake = ReceiveMail(plant.uow, mailbox, nothing_to_read, plant.engine)
    assert intake() == (0, 0)
    assert not send()

    mailroom.servers.stop()
    for _ in range(3):
        with pytest.raises(MailboxUnavailable):
            intake()
    with plant.uow() as tx:
        (row,) = tx.inbox.causes(CauseFilter(), limit=10)
    assert (row.kind, row.incidents) == ("mailbox", 1)
    assert plant.rows("SELECT count(*) FROM events WHERE kind = 'incident'") == [(1,)]
    assert send()
    ((_, _, body),) = push_service.posts
    notice = json.loads(browser.read(body))
    assert "The mailbox cannot be read" in notice["title"]
    assert notice["path"] == f"/incidents/{row.cause}"
    assert mailroom.messages() == []

    with mail.start(mailroom.servers.directory):
        while send():
            pass
        (message,) = mailroom.messages()
        assert "The mailbox cannot be read" in message["Subject"]
        assert intake() == (0, 0)
        while send():
            pass
    with plant.uow() as tx:
        assert tx.inbox.causes(CauseFilter(), limit=10) == []
    assert len(push_service.posts) == 1
    assert len(mailroom.messages()) == 1
    mailbox.close()
