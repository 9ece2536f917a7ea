"""Tests the mail servers one step at a time, so that it is seen which one fails.

Each step uses the same library and the same settings as the real conversation; only
resolving and connecting are tried apart beforehand, because their failures look alike
afterwards.
"""

from __future__ import annotations

import imaplib
import smtplib
import socket
import ssl
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from typing import TypeVar

from mpms.adapters.mail_account import (
    Security,
    SmtpAccount,
    Tokens,
    TokenUnavailable,
    explain,
    tls_context,
)
from mpms.adapters.smtp import SmtpSender
from mpms.factory.adapters.mail.account import MailAccount
from mpms.factory.adapters.mail.imap.connection import Patience, connect, drop, leave
from mpms.factory.adapters.mail.imap.session import select
from mpms.factory.ports.checks import CheckStep, Tell
from mpms.factory.ports.mail.intake import MailboxUnavailable
from mpms.ports.outgoing_mail import MailServerAway

CONNECT_S = 5.0
READ_S = 10.0
T = TypeVar("T")


class ServersCheck:
    """Implements MailCheck for two accounts; either may be missing."""

    def __init__(
        self,
        account: MailAccount | None,
        out: SmtpAccount | None,
        tokens: Callable[[MailAccount | SmtpAccount], Tokens | None],
    ) -> None:
        self._account = account
        self._out = out
        self._tokens = tokens

    def places(self) -> Mapping[str, str]:
        found = {}
        for name, account in (("imap", self._account), ("smtp", self._out)):
            if account is not None:
                found[name] = f"{account.host}:{account.port}"
        return found

    def imap(self, tell: Tell) -> None:
        account = self._account
        if account is None:
            tell(CheckStep("configured", False, "not_set"))
            return
        if not self._reach(account, tell):
            return
        try:
            patience = Patience(CONNECT_S, READ_S)
            client = connect(account, self._tokens(account), patience)
        except MailboxUnavailable as failure:
            tell(CheckStep("login", False, cause_of(failure), str(failure)))
            return
        tell(CheckStep("login", True, values={"user": account.user}))
        try:
            select(client, account, readonly=True)
            count = len(client.search("UNDELETED"))
        except Exception as failure:
            drop(client)
            tell(CheckStep("folder", False, "folder", _words(failure, account.place)))
            return
        leave(client)
        values = {"folder": account.folder, "messages": count}
        tell(CheckStep("folder", True, values=values))

    def smtp(self, tell: Tell, *, send: bool) -> None:
        account = self._out
        if account is None:
            tell(CheckStep("configured", False, "not_set"))
            return
        if not self._reach(account, tell):
            return
        mail_sender = SmtpSender(account, self._tokens(account), timeout_s=READ_S)
        try:
            with mail_sender._connected():
                tell(CheckStep("login", True, values={"user": account.user or "–"}))
        except MailServerAway as failure:
            tell(CheckStep("login", False, cause_of(failure), str(failure)))
            return
        if not send:
            return
        try:
            mail_sender.send_raw(
                account.sender, [account.sender], _message(account.sender)
            )
        except MailServerAway as failure:
            tell(CheckStep("send", False, cause_of(failure), str(failure)))
            return
        tell(CheckStep("send", True, values={"to": account.sender}))

    def _reach(self, account: MailAccount | SmtpAccount, tell: Tell) -> bool:
        """Resolve, connect, TLS; False at the first that fails."""
        try:
            found = socket.getaddrinfo(
                account.host, account.port, type=socket.SOCK_STREAM
            )
        except OSError as failure:
            tell(CheckStep("resolve", False, "not_found", str(failure)))
            return False
        address = str(found[0][4][0])
        tell(CheckStep("resolve", True, values={"address": address}))
        try:
            plain = socket.create_connection((account.host, account.port), CONNECT_S)
        except OSError as failure:
            words = explain(failure, account.place)
            tell(CheckStep("connect", False, cause_of(failure), words))
            return False
        with plain:
            tell(CheckStep("connect", True, values={"port": account.port}))
            if account.security is Security.PLAIN:
                tell(CheckStep("tls", None, "no_tls"))
                return True
            try:
                version = self._encrypt(plain, account)
            except Exception as failure:
                words = explain(failure, account.place)
                tell(CheckStep("tls", False, cause_of(failure), words))
                return False
        tell(CheckStep("tls", True, values={"version": version}))
        return True

    def _encrypt(self, plain: socket.socket, account: MailAccount | SmtpAccount) -> str:
        context = tls_context(account.ca_file)
        if account.security is Security.TLS:
            with context.wrap_socket(plain, server_hostname=account.host) as secure:
                return secure.version() or ""
        if isinstance(account, SmtpAccount):
            with smtplib.SMTP(account.host, account.port, timeout=READ_S) as server:
                server.starttls(context=context)
                return _version(server.sock)
        client = imaplib.IMAP4(account.host, account.port, timeout=READ_S)
        with client:
            client.starttls(context)
            return _version(client.sock)


def cause_of(failure: BaseException) -> str:
    """One word for what went wrong, whatever wraps it."""
    each: BaseException | None = failure
    while each is not None:
        match each:
            case TokenUnavailable():
                return "token"
            case smtplib.SMTPAuthenticationError():
                return "login"
            case ssl.SSLCertVerificationError():
                return "certificate"
            case TimeoutError():
                return "timeout"
            case ssl.SSLError():
                return "tls"
            case socket.gaierror():
                return "not_found"
            case ConnectionRefusedError():
                return "refused"
        each = each.__cause__ or each.__context__
    return "login" if "refused the" in str(failure) else "other"


def _words(failure: Exception, place: str) -> str:
    if isinstance(failure, MailboxUnavailable):
        return str(failure)
    return explain(failure, place)


def _version(sock: object) -> str:
    version = getattr(sock, "version", None)
    return str(version()) if callable(version) else ""


def _message(address: str) -> bytes:
    message = EmailMessage()
    message["From"] = message["To"] = address
    message["Subject"] = "MPMS mail test"
    message["Date"] = format_datetime(datetime.now(UTC))
    message["Message-ID"] = make_msgid(domain=address.rpartition("@")[2])
    message["Auto-Submitted"] = "auto-generated"
    message.set_content("This is a test of the mail account. Nobody needs to answer.\n")
    return bytes(message)
