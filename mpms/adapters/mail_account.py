"""Accounts at mail servers, their TLS, and why a server is out of reach.

Secrets never show in a representation, so an account may be logged.
"""

from __future__ import annotations

import imaplib
import ipaddress
import smtplib
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from pathlib import Path

from mpms.domain.errors import MpmsError

WARN_DAYS = 30


class AccountInvalid(MpmsError):
    """The settings of a mail account cannot be used."""


class TokenUnavailable(MpmsError):
    """No access token could be fetched for the mail server."""


class Security(StrEnum):
    """How a connection is protected. PLAIN is allowed on this machine only."""

    TLS = "tls"
    STARTTLS = "starttls"
    PLAIN = "plain"


@dataclass(frozen=True)
class Password:
    """A password, or an app password of a provider that wants one."""

    password: str = field(repr=False)


@dataclass(frozen=True)
class Microsoft:
    """An Entra application that may use the account (client credentials)."""

    tenant: str
    client_id: str
    client_secret: str = field(repr=False)
    secret_expires_on: date | None = None
    authority: str = "https://login.microsoftonline.com"
    scope: str = "https://outlook.office365.com/.default"


@dataclass(frozen=True)
class Google:
    """A service account with domain-wide delegation for the account's user."""

    key_file: Path
    scope: str = "https://mail.google.com/"


Login = Password | Microsoft | Google
Tokens = Callable[[], str]  # a fresh access token, or TokenUnavailable


@dataclass(frozen=True)
class SmtpAccount:
    """The server that takes our replies; without a login it must not want one."""

    host: str
    port: int
    security: Security
    sender: str
    user: str | None = None
    login: Login | None = None
    ca_file: Path | None = None

    def __post_init__(self) -> None:
        check_server(self.host, self.port, self.security)
        if "@" not in self.sender or has_controls(self.sender):
            raise AccountInvalid(f"{self.sender!r} is not a mail address.")
        if self.login is not None:
            check_login(self.user or "", self.login)

    @property
    def place(self) -> str:
        return f"the mail server {self.host}:{self.port}"


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine; a name must be literally localhost."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def tls_context(ca_file: Path | None) -> ssl.SSLContext:
    """Verify against the machine's authorities, or against one's own file only."""
    try:
        context = ssl.create_default_context(cafile=ca_file)
    except OSError as error:
        raise AccountInvalid(
            f"the certificate file {ca_file} cannot be read: {error}"
        ) from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def expiry_warning(login: Login | None, today: date) -> str | None:
    """Say so when a client secret ends within 30 days, before the mail stops."""
    if not isinstance(login, Microsoft) or login.secret_expires_on is None:
        return None
    days = (login.secret_expires_on - today).days
    if days > WARN_DAYS:
        return None
    when = f"expires in {days} days" if days > 0 else "has expired"
    return f"The client secret of the application {login.client_id} {when}."


def explain(error: BaseException, place: str) -> str:
    """Say in plain words why a mail server could not be used."""
    match error:
        case MpmsError():
            return str(error)
        case ssl.SSLCertVerificationError():
            return f"the certificate of {place} is not accepted: {error.verify_message}"
        case TimeoutError():
            return f"{place} did not answer in time"
        case ssl.SSLError():
            why = getattr(error, "reason", None) or error
            return f"no encrypted connection to {place}: {why}"
        case socket.gaierror():
            return f"{place} cannot be found: {error.strerror}"
        case ConnectionRefusedError():
            return f"{place} cannot be reached: connection refused"
        case imaplib.IMAP4.readonly():
            return f"{place} lets nobody write there: {error}"
        case (
            ConnectionResetError()
            | BrokenPipeError()
            | EOFError()
            | imaplib.IMAP4.abort()
            | smtplib.SMTPServerDisconnected()
        ):
            return f"{place} closed the connection ({error})"
        case imaplib.IMAP4.error():
            return f"{place} refused: {error}"
        case OSError():
            return f"{place} cannot be reached: {error.strerror or error}"
        case _:
            return f"{place} gave an answer that makes no sense: {error!r}"


class XOAuth2:
    """Answers the challenges of XOAUTH2: the token first, then nothing.

    A second challenge carries the reason of a refusal and wants an empty line.
    """

    def __init__(self, user: str, token: str) -> None:
        self._answers = iter([f"user={user}\1auth=Bearer {token}\1\1"])

    def __call__(self, _challenge: bytes | None = None) -> str:
        return next(self._answers, "")


def check_server(host: str, port: int, security: Security) -> None:
    if not host or has_controls(host) or " " in host:
        raise AccountInvalid(f"{host!r} is not the name of a mail server.")
    if not 0 < port < 65536:
        raise AccountInvalid(f"{port} is not a port.")
    if security is Security.PLAIN and not is_loopback(host):
        raise AccountInvalid(
            f"Without TLS only this machine's own mail server may be used, not {host}."
        )


def check_login(user: str, login: Login) -> None:
    secret = login.password if isinstance(login, Password) else ""
    if not user or has_controls(user) or has_controls(secret):
        raise AccountInvalid("A mail account needs a user name and a password in one.")


def has_controls(text: str) -> bool:
    return any(ord(character) < 32 or ord(character) == 127 for character in text)
