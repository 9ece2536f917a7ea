"""One logged-in connection to an IMAP server, and the words for what goes wrong.

imapclient has no timeout of its own and lets through whatever a server's answer
breaks in its parser, so every call of the library happens inside ``plainly``.
"""

from __future__ import annotations

import imaplib
import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from imapclient import IMAPClient, SocketTimeout
from imapclient.exceptions import LoginError

from mpms.adapters.mail_account import (
    Password,
    Security,
    Tokens,
    TokenUnavailable,
    XOAuth2,
    explain,
    tls_context,
)
from mpms.factory.adapters.mail.account import MailAccount
from mpms.factory.ports.mail.intake import MailboxUnavailable

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Patience:
    """How long to wait for a server before it counts as away."""

    connect_s: float = 15.0
    read_s: float = 60.0


def connect(account: MailAccount, tokens: Tokens | None, patience: Patience) -> Any:
    """Return a logged-in client. MailboxUnavailable."""
    with plainly(account):
        token = None if isinstance(account.login, Password) else _fetch(tokens)
        context = (
            None if account.security is Security.PLAIN else tls_context(account.ca_file)
        )
        client = IMAPClient(
            account.host,
            account.port,
            ssl=account.security is Security.TLS,
            ssl_context=context,
            timeout=SocketTimeout(patience.connect_s, patience.read_s),
        )
        # The library lets imaplib write out every answer for its debug log, which for
        # a message of 20 MB takes another 50 MB.
        client._imap.debug = 0
    try:
        with plainly(account):
            if account.security is Security.STARTTLS:
                client.starttls(context)
            _log_in(client, account, token)
    except BaseException:
        drop(client)
        raise
    return client


@contextmanager
def plainly(account: MailAccount) -> Iterator[None]:
    """Turn whatever the library raises into MailboxUnavailable with its cause."""
    try:
        yield
    except MailboxUnavailable:
        raise
    except Exception as error:
        raise MailboxUnavailable(_words(error, account)) from error


def leave(client: Any) -> None:
    """Say goodbye to a healthy server."""
    try:
        client.logout()
    except Exception as error:
        log.debug("goodbye was not heard: %s", error)
        drop(client)


def drop(client: Any) -> None:
    """Close a connection without a word; the server may not answer any more."""
    with suppress(Exception):
        client.shutdown()


def _fetch(tokens: Tokens | None) -> str:
    if tokens is None:
        raise TokenUnavailable("this login needs a source of access tokens")
    return tokens()


def _log_in(client: Any, account: MailAccount, token: str | None) -> None:
    if token is not None:
        client.sasl_login("XOAUTH2", XOAuth2(account.user, token))
        return
    assert isinstance(account.login, Password)  # noqa: S101
    password = account.login.password
    if (account.user + password).isascii() and not client.has_capability(
        "LOGINDISABLED"
    ):
        client.login(account.user, password)
    else:  # LOGIN cannot carry other characters
        client.plain_login(account.user, password)


def _words(error: Exception, account: MailAccount) -> str:
    if isinstance(error, LoginError) and not isinstance(
        error.__context__, imaplib.IMAP4.abort
    ):
        what = "password" if isinstance(account.login, Password) else "access token"
        return f"{account.place} refused the {what} of {account.user}: {error}"
    if isinstance(error, LoginError) and error.__context__ is not None:
        return explain(error.__context__, account.place)
    return explain(error, account.place)
