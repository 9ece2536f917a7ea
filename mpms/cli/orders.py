"""What ``mpms orders`` does: send, list, release, refuse. Checking is pure: see
``order_commands``."""

from __future__ import annotations

from email import message_from_bytes, policy
from email.utils import getaddresses
from pathlib import Path

from mpms import bootstrap
from mpms.adapters.mail_account import Password, Security, SmtpAccount
from mpms.adapters.smtp import SmtpSender
from mpms.bootstrap.mail import mail_sender
from mpms.cli.commands import FileUnreadable
from mpms.cli.database import plain, who, with_services
from mpms.domain.errors import MpmsError
from mpms.embedded import mail
from mpms.factory.services.orders.release import refuse_order, release_order
from mpms.ports.outgoing_mail import MailServerAway
from mpms.settings import Settings


class OrderNotSent(MpmsError):
    """The message could not be handed to a mail server."""


def send(settings: Settings, path: Path) -> int:
    """Hand a message to the configured SMTP server, else to the demo's."""
    try:
        raw = path.read_bytes()
    except OSError as failure:
        raise FileUnreadable(f"{path}: {failure.strerror}.") from failure
    headers = message_from_bytes(raw[: 1 << 20], policy=policy.compat32)
    sender = _addresses(headers.get_all("From", []))
    recipients = _addresses(headers.get_all("To", []))
    if len(sender) != 1:
        raise OrderNotSent(f"{path} does not say who it is from.")
    carrier, orders = _mail_sender(settings, sender[0])
    if orders is None and not recipients:
        raise OrderNotSent(f"{path} does not say who it is to.")
    try:
        carrier.send_raw(sender[0], [orders] if orders else recipients, raw)
    except MailServerAway as away:
        raise OrderNotSent(f"{away}.") from away
    print(f"{path.name}: handed to {carrier.account.place}")
    return 0


def _mail_sender(settings: Settings, sender: str) -> tuple[SmtpSender, str | None]:
    if settings.smtp_url is not None:
        return mail_sender(settings, sender), None
    home = mail.read(settings.state_dir / "mail")
    if home is None:
        raise OrderNotSent(
            "No mail server is configured (MPMS_SMTP_URL) and the demo does not run."
        )
    try:
        login = Password(home.password(sender))
    except KeyError:
        raise OrderNotSent(
            f"The demo's mail server knows no user {sender};"
            f" it knows {', '.join(sorted(home.users))}."
        ) from None
    embedded = SmtpAccount(
        home.host, home.smtp_port, Security.PLAIN, sender, sender, login
    )
    return SmtpSender(embedded), home.orders


def _addresses(texts: list[str]) -> list[str]:
    return [address for _, address in getaddresses(map(str, texts)) if address]


def listing(settings: Settings) -> int:
    """The latest orders and where they stand."""

    def show(services: bootstrap.Services) -> None:
        with services.uow() as tx:
            orders = tx.orders.listing()
        for order in orders:
            print(f"{order.number}  {order.status:<20} {order.product}")

    return with_services(settings, show)


def release(settings: Settings, number: str) -> int:
    """Let an order that waits be made."""
    return with_services(
        settings, lambda s: release_order(s.uow, s.engine, plain(number), by=who())
    )


def refuse(settings: Settings, number: str, reason: str) -> int:
    """Cancel an order that waits and tell its sender why."""
    return with_services(
        settings,
        lambda s: refuse_order(s.uow, plain(number), by=who(), reason=plain(reason)),
    )
