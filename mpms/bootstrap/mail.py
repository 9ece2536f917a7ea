"""Puts the mail parts together: mailbox, reader in its sandbox, sender."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from mpms.adapters.mail_account import (
    AccountInvalid,
    Google,
    Login,
    Microsoft,
    Password,
    Security,
    SmtpAccount,
    expiry_warning,
)
from mpms.adapters.oauth import token_source
from mpms.adapters.smtp import SmtpSender
from mpms.domain.errors import MpmsError
from mpms.embedded.mail import MailHome
from mpms.factory.adapters.mail.account import MailAccount
from mpms.factory.adapters.mail.sandbox import MailSandbox
from mpms.factory.bootstrap import world_directory
from mpms.factory.domain.order_mail import Catalogue, Outcome, Senders
from mpms.factory.ports.mail.mailbox import MailMessage
from mpms.factory.ports.store import UnitOfWork
from mpms.factory.services.catalogue.current import CurrentCatalogue
from mpms.factory.services.mail.receive import ReceiveMail, ReleaseRules
from mpms.factory.services.mail.send_replies import send_reply
from mpms.factory.services.mail.watch import watch_mailbox
from mpms.factory.settings import FactorySettings
from mpms.plugins import BackgroundTask
from mpms.ports.engine import Engine
from mpms.settings import Settings

if TYPE_CHECKING:
    from mpms.factory.adapters.mail.imap import ImapMailbox

WATCH_S = 20.0
SECURITY = {
    "imaps": Security.TLS,
    "imap+starttls": Security.STARTTLS,
    "imap": Security.PLAIN,
    "smtps": Security.TLS,
    "smtp+starttls": Security.STARTTLS,
    "smtp": Security.PLAIN,
}
PORTS = {
    "imaps": 993,
    "imap+starttls": 143,
    "imap": 143,
    "smtps": 465,
    "smtp+starttls": 587,
    "smtp": 25,
}


class MailFilesInvalid(MpmsError):
    """The catalogue or the list of senders cannot be read."""


@dataclass(frozen=True)
class MailDesk:
    """Everything that mail needs, for one process."""

    mailbox: ImapMailbox
    sandbox: MailSandbox
    mail_sender: SmtpSender
    rules: ReleaseRules
    materials: CurrentCatalogue
    prove: Callable[[bytes], frozenset[str]] | None = None  # our own DKIM check
    site_url: str = ""  # where customers open our pages; empty: they cannot
    closing: threading.Event = field(default_factory=threading.Event)

    def intake(self, uow: UnitOfWork, engine: Engine) -> ReceiveMail:
        return ReceiveMail(
            uow,
            self.mailbox,
            lambda message: self.read(message, self._catalogue(uow)),
            engine,
            self.rules,
            stopping=self.closing.is_set,
            concern=self.concern,
            site_url=self.site_url,
        )

    def concern(self) -> str | None:
        """What will stop the mail soon."""
        return expiry_warning(self.mailbox.account.login, datetime.now(UTC).date())

    def read(self, message: MailMessage, catalogue: Catalogue | None = None) -> Outcome:
        if message.raw is not None:
            proven = frozenset[str]() if self.prove is None else self.prove(message.raw)
            return self.sandbox.read(
                message.raw, proven_domains=proven, catalogue=catalogue
            )
        return self.sandbox.read(
            message.headers, size=message.size_bytes, catalogue=catalogue
        )

    def _catalogue(self, uow: UnitOfWork) -> Catalogue | None:
        """Of this moment: somebody may have changed it since the last message."""
        with uow() as tx:
            return self.materials(tx).catalogue

    def background(self, uow: UnitOfWork, worker: str) -> list[BackgroundTask]:
        """What must go on beside the worker."""

        def watch() -> bool:
            watch_mailbox(uow, self.mailbox, timeout_s=WATCH_S)
            return not self.closing.is_set()

        def reply() -> bool:
            return send_reply(uow, self.mail_sender, process=worker)

        return [BackgroundTask("mailbox", watch), BackgroundTask("replies", reply)]

    def close(self) -> None:
        self.closing.set()
        self.mailbox.close()
        self.sandbox.close()


def mail_desk(settings: Settings) -> MailDesk | None:
    """The desk that the settings describe; None if they name no mailbox.

    AccountInvalid names the setting that cannot be used.
    """
    if FactorySettings.of(settings).imap_url is None:
        return None
    if settings.smtp_url is None:
        raise AccountInvalid("MPMS_SMTP_URL is needed where MPMS_IMAP_URL is set.")
    account = imap_account(settings)
    return _desk(settings, account, smtp_account(settings, account.user))


def mail_accounts(
    settings: Settings, home: MailHome | None
) -> tuple[MailAccount | None, SmtpAccount | None]:
    """Where mail comes from and goes to: as the settings say, else our own servers.

    AccountInvalid names the setting that cannot be used.
    """
    imap_url = FactorySettings.of(settings).imap_url
    if imap_url is None and settings.smtp_url is None:
        return (None, None) if home is None else embedded_accounts(home)
    account = None if imap_url is None else imap_account(settings)
    sender = "" if account is None else account.user
    out = None if settings.smtp_url is None else smtp_account(settings, sender)
    return account, out


def imap_account(settings: Settings) -> MailAccount:
    """The mailbox of MPMS_IMAP_URL."""
    url = FactorySettings.of(settings).imap_url or ""
    imap = _server(url, "MPMS_IMAP_URL", _login(settings))
    if imap.login is None:
        raise AccountInvalid("MPMS_IMAP_URL names no password.")
    with _named("MPMS_IMAP_URL"):
        return MailAccount(
            imap.host,
            imap.port,
            imap.security,
            imap.user,
            imap.login,
            folder=imap.path or "INBOX",
            ca_file=settings.mail_ca_file,
        )


def smtp_account(settings: Settings, sender: str) -> SmtpAccount:
    """The server of MPMS_SMTP_URL; ``sender`` where no MPMS_MAIL_FROM is set."""
    smtp = _server(settings.smtp_url or "", "MPMS_SMTP_URL", _login(settings))
    if smtp.user and smtp.login is None:
        raise AccountInvalid("MPMS_SMTP_URL names a user and no password.")
    sender = settings.mail_from or sender
    if "@" not in sender:
        raise AccountInvalid(
            f"MPMS_MAIL_FROM is the address of replies; {sender!r} is none."
        )
    with _named("MPMS_SMTP_URL"):
        return SmtpAccount(
            smtp.host,
            smtp.port,
            smtp.security,
            sender,
            user=smtp.user or None,
            login=smtp.login,
            ca_file=settings.mail_ca_file,
        )


def mail_sender(settings: Settings, sender: str) -> SmtpSender:
    """Whoever hands messages to the server of MPMS_SMTP_URL. AccountInvalid."""
    account = smtp_account(settings, sender)
    return SmtpSender(account, token_source(account.login, account.user or ""))


def embedded_desk(settings: Settings, home: MailHome) -> MailDesk:
    """The desk of the embedded mail servers."""
    return _desk(settings, *embedded_accounts(home))


def embedded_accounts(home: MailHome) -> tuple[MailAccount, SmtpAccount]:
    """The mailbox of orders on this machine."""
    login = Password(home.password(home.orders))
    plain = Security.PLAIN
    account = MailAccount(home.host, home.imap_port, plain, home.orders, login)
    out = SmtpAccount(home.host, home.smtp_port, plain, home.orders, home.orders, login)
    return account, out


def _desk(settings: Settings, account: MailAccount, out: SmtpAccount) -> MailDesk:
    from mpms.factory.adapters.mail.imap import ImapMailbox

    mine = FactorySettings.of(settings)
    world = world_directory(mine.world)
    path = mine.catalogue or world / "catalogue.json"
    catalogue = Catalogue.from_json(_text(path))
    senders = _text(mine.senders or world / "senders.json")
    return MailDesk(
        ImapMailbox(account, token_source(account.login, account.user)),
        MailSandbox(catalogue, Senders.from_json(senders)),
        SmtpSender(out, token_source(out.login, out.user or "")),
        ReleaseRules(mine.release_first_order, mine.release_above_kg),
        CurrentCatalogue(lambda: catalogue, path=str(path)),
        _prover() if mine.check_dkim else None,
        settings.site_url or "",
    )


def _prover() -> Callable[[bytes], frozenset[str]]:
    from mpms.factory.adapters.mail.dkim_check import proven_domains, txt_record

    return lambda raw: proven_domains(raw, txt_record)


@dataclass(frozen=True)
class _Server:
    host: str
    port: int
    security: Security
    user: str
    login: Login | None
    path: str


@contextmanager
def _named(setting: str) -> Iterator[None]:
    try:
        yield
    except AccountInvalid as invalid:
        raise AccountInvalid(f"{setting}: {invalid}") from invalid


def _server(url: str, name: str, login: Login | None) -> _Server:
    kind = name.split("_")[1].lower()
    form = AccountInvalid(
        f"{name} looks like {kind}s://user:password@host:port; also {kind}://"
        f" and {kind}+starttls:// (a password with special characters is written"
        " in percent form)."
    )
    try:
        parts = urlsplit(url)
    except ValueError:
        raise form from None
    security = SECURITY.get(parts.scheme)
    known = security is not None and parts.scheme.startswith(kind)
    if security is None or not known or not parts.hostname:
        raise form
    if parts.query or parts.fragment:  # a ? or # in the password
        raise form
    try:
        port = PORTS[parts.scheme] if parts.port is None else parts.port
    except ValueError:
        port = 0
    if not 0 < port < 65536:
        raise AccountInvalid(f"{name} names no port between 1 and 65535.")
    password = unquote(parts.password or "")
    return _Server(
        parts.hostname,
        port,
        security,
        unquote(parts.username or ""),
        login or (Password(password) if password else None),
        unquote(parts.path.strip("/")),
    )


def _login(settings: Settings) -> Login | None:
    microsoft = {
        "MPMS_MICROSOFT_TENANT": settings.microsoft_tenant,
        "MPMS_MICROSOFT_CLIENT_ID": settings.microsoft_client_id,
        "MPMS_MICROSOFT_CLIENT_SECRET": settings.microsoft_client_secret,
    }
    missing = [name for name, value in microsoft.items() if not value]
    if len(missing) == len(microsoft):
        key_file = settings.google_key_file
        return None if key_file is None else Google(key_file)
    if missing:
        raise AccountInvalid(f"The login at Microsoft lacks {' and '.join(missing)}.")
    if settings.google_key_file is not None:
        raise AccountInvalid("Set either MPMS_GOOGLE_KEY_FILE or MPMS_MICROSOFT_…")
    tenant, client_id, client_secret = (value or "" for value in microsoft.values())
    expires_on = settings.microsoft_secret_expires_on
    return Microsoft(tenant, client_id, client_secret, expires_on)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as failure:
        raise MailFilesInvalid(f"{path} cannot be read: {failure}.") from failure
