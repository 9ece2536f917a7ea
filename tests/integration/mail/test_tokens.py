"""XOAUTH2 against Dovecot, with tokens that the test issues itself."""

from pathlib import Path
from typing import Any

import pytest

from mpms.adapters.mail_account import Google, Microsoft, TokenUnavailable
from mpms.factory.ports.mail.intake import MailboxUnavailable
from tests.support.mail_servers import Server
from tests.support.mailbox import OpenMailbox, list_messages, raw_of

RAW = b"From: a@example.com\r\n\r\nHello\r\n"
LOGINS = [
    Microsoft("tenant", "application", "secret"),
    Google(Path("key.json")),
]


@pytest.mark.parametrize("login", LOGINS, ids=["microsoft", "google"])
def test_a_token_opens_the_mailbox(
    dovecot: Server, open_mailbox: OpenMailbox, login: Microsoft | Google
) -> None:
    account = dovecot.account(login=login)
    dovecot.deliver(account, RAW)
    mailbox = open_mailbox(account, tokens=lambda: dovecot.issue_token(account.user))
    assert mailbox.wait(60) is True
    with mailbox.open() as session:
        (message,) = list_messages(session, 1)
        assert raw_of(session, message) == RAW


@pytest.mark.parametrize("bad", [{"lifetime_s": -60}, {"key": b"w" * 32}])
def test_a_token_that_is_not_valid_is_named(
    dovecot: Server, open_mailbox: OpenMailbox, bad: dict[str, Any]
) -> None:
    account = dovecot.account(login=LOGINS[0])
    mailbox = open_mailbox(
        account, tokens=lambda: dovecot.issue_token(account.user, **bad)
    )
    words = f"refused the access token of {account.user}"
    with pytest.raises(MailboxUnavailable, match=words), mailbox.open():
        pass


def test_a_token_of_somebody_else_opens_nothing(
    dovecot: Server, open_mailbox: OpenMailbox
) -> None:
    account = dovecot.account(login=LOGINS[0])
    mailbox = open_mailbox(account, tokens=lambda: dovecot.issue_token("somebody"))
    with pytest.raises(MailboxUnavailable, match="access token"), mailbox.open():
        pass


def test_a_token_is_fetched_for_every_connection(
    dovecot: Server, open_mailbox: OpenMailbox
) -> None:
    account = dovecot.account(login=LOGINS[0])
    fetched: list[str] = []

    def tokens() -> str:
        fetched.append(dovecot.issue_token(account.user))
        return fetched[-1]

    mailbox = open_mailbox(account, tokens=tokens)
    with mailbox.open():
        pass
    assert len(fetched) == 1
    with pytest.raises(RuntimeError, match="ours"), mailbox.open():
        raise RuntimeError("ours")  # such a connection is not used again
    with mailbox.open():
        pass
    assert len(fetched) == 2


def test_a_token_that_cannot_be_fetched_is_named(
    dovecot: Server, open_mailbox: OpenMailbox
) -> None:
    def tokens() -> str:
        raise TokenUnavailable("Microsoft refused a token: the secret has expired")

    mailbox = open_mailbox(dovecot.account(login=LOGINS[0]), tokens=tokens)
    with pytest.raises(MailboxUnavailable, match="secret has expired"), mailbox.open():
        pass
    without = open_mailbox(dovecot.account(login=LOGINS[0]))
    with pytest.raises(MailboxUnavailable, match="source of"), without.open():
        pass
