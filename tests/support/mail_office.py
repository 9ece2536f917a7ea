"""The factory with real mail: PostgreSQL, the embedded servers, the mail loop.

Time stands still until a test moves it and the worker runs in the test's own thread.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import Message
from pathlib import Path

from mpms import assets
from mpms.adapters.mail_account import Password, Security, SmtpAccount
from mpms.adapters.smtp import SmtpSender
from mpms.bootstrap.mail import embedded_desk
from mpms.embedded import mail
from mpms.embedded.mail import MailNotStarted, MailServers
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.adapters.memory import FixedClock
from mpms.factory.services.mail.send_replies import send_reply
from mpms.factory.services.mail.watch import CHANGED
from mpms.factory.settings import with_factory
from mpms.settings import Settings
from tests.support.factory import ROOT, Factory

DATA = ROOT / "tests" / "data" / "orders"
BUYER = "orders@brightcoat.example.com"
STRANGER = "eve@example.com"
MORNING = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)


def write_order(
    number: str, *, sender: str = BUYER, name: str = "", lines: str = ""
) -> bytes:
    """An order as a mail program writes it; ``name`` makes its Message-ID."""
    materials = lines or "- RM-001 Water 310 kg\r\n- RM-002 Titanium dioxide 120.5 kg"
    return (
        f"From: {sender}\r\nTo: orders@plant.example.com\r\nSubject: Order {number}\r\n"
        f"Message-ID: <{name or number}@example.com>\r\n\r\n"
        f"Order: {number}\r\n\r\nMaterials:\r\n{materials}\r\n"
    ).encode()


class MailOffice(Factory):
    """A plant whose orders come by mail."""

    clock: FixedClock

    def __init__(self, url: str, servers: MailServers) -> None:
        super().__init__(url, clock=FixedClock(MORNING))
        self.servers = servers
        self.home = servers.home
        settings = with_factory(
            Settings(),
            catalogue=DATA / "catalogue.json",
            senders=DATA / "senders.json",
        )
        self.desk = embedded_desk(settings, self.home)
        self.intake = self.desk.intake(self.uow, self.engine)
        self.handlers = factory_bootstrap.factory_handlers(
            self.uow, self.advance, self.world, intake=self.intake
        )
        self.worker = self.another_worker("by hand")
        self.deploy_files(assets.shipped_models())

    def open(self) -> str:
        """Open the plant; nothing is to be done yet."""
        instance_id = self.start_only("orders_handling")
        self.worker.settle()
        return instance_id

    def send(self, raw: bytes, sender: str = BUYER) -> None:
        """Hand a message to the mail server, as its sender's mail program does."""
        login = Password(self.home.password(sender))
        account = SmtpAccount(
            self.home.host,
            self.home.smtp_port,
            Security.PLAIN,
            sender,
            user=sender,
            login=login,
        )
        SmtpSender(account).send_raw(sender, [self.home.orders], raw)

    def look(self) -> None:
        """Somebody says that the mailbox changed; everything happens that can."""
        with self.uow() as tx:
            tx.deliveries.throw(CHANGED)
        self.worker.settle()

    def send_replies(self) -> None:
        while send_reply(self.uow, self.desk.mail_sender, process="by hand"):
            pass

    def received(self, address: str = BUYER) -> list[Message]:
        """What lies in somebody's mailbox."""
        folder = self.servers.mailboxes / address / "new"
        files = sorted(folder.iterdir())
        return [message_from_bytes(path.read_bytes()) for path in files]

    def complaints(self, kind: str) -> list[str]:
        with self.uow() as tx:
            return [i.message for i in tx.incidents.listing() if i.kind == kind]

    def close(self) -> None:
        self.desk.close()
        super().close()


def start_mail(directory: Path, *others: str) -> MailServers:
    """Servers on ports that no outgoing connection takes while they are away."""
    for _ in range(50):
        imap_port, smtp_port = random.sample(range(15000, 32000), 2)
        try:
            return mail.start(
                directory, others=others, imap_port=imap_port, smtp_port=smtp_port
            )
        except MailNotStarted as failure:
            if "cannot be used" not in str(failure):
                raise
    raise AssertionError("no free ports")
