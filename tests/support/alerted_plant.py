"""A plant whose people want alerts, and the room where their mail arrives."""

from __future__ import annotations

from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from mpms.adapters.mail_account import Password, Security, SmtpAccount
from mpms.adapters.smtp import SmtpSender
from mpms.domain.alerts.rules import AlertRules, AlertWish
from mpms.domain.people.people import Role
from mpms.embedded.mail import MailServers
from mpms.ports.alerts import Subscription
from mpms.services.alerts.send import SendAlerts
from tests.support.factory import Factory

SOFIA = "sofia@plant.example.com"
AT_ONCE = AlertRules(gather_s=0.0, apart_s=0.0, over_after_s=0.0)


class AlertedPlant(Factory):
    """Incidents, and people who are told of them."""

    def person(
        self,
        login: str = "sofia",
        *,
        role: Role = Role.SUPERVISOR,
        mail: str | None = SOFIA,
        language: str = "en",
        wish: AlertWish | None = None,
    ) -> None:
        with self.uow() as tx:
            tx.people.add(login, login.title(), role, language=language)
            tx.people.set_mail(login, mail)
            tx.alerts.set_wish(login, wish or AlertWish(by_mail=True))

    def subscribe(self, to: Subscription, login: str = "sofia") -> None:
        with self.uow() as tx:
            tx.alerts.subscribe(login, to)

    def incident(self, kind: str, message: str) -> None:
        with self.uow() as tx:
            tx.incidents.open(kind, message)

    def settle(self, kind: str) -> None:
        with self.uow() as tx:
            assert tx.incidents.resolve(by="test", kind=kind)

    def sender(self, **parts: Any) -> SendAlerts:
        """Alerts without patience, by nothing unless the test says by what."""
        given: dict[str, Any] = {"mail_sender": None, "pusher": None, "rules": AT_ONCE}
        return SendAlerts(
            self.uow,
            self.clock,
            site_url="https://mpms.example",
            **(given | parts),
        )


class Mailroom:
    """Embedded mail servers, and what lies in a mailbox of theirs."""

    def __init__(self, servers: MailServers) -> None:
        self.servers = servers
        home = servers.home
        login = Password(home.password(home.orders))
        self.mail_sender = SmtpSender(
            SmtpAccount(
                home.host,
                home.smtp_port,
                Security.PLAIN,
                home.orders,
                home.orders,
                login,
            )
        )

    def messages(self, address: str = SOFIA) -> list[EmailMessage]:
        box = self.servers.mailboxes / address / "new"
        found = sorted(box.iterdir(), key=lambda path: path.stat().st_mtime_ns)
        return [
            message_from_bytes(p.read_bytes(), policy=policy.default) for p in found
        ]
