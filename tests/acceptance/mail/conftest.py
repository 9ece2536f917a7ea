"""The factory with real mail: PostgreSQL, the embedded servers, the mail loop.

Time stands still until a test moves it and the worker runs in the test's own thread.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any

import psycopg2
import pytest

from mpms import assets, bootstrap
from mpms.adapters.mail_account import Password, Security, SmtpAccount
from mpms.adapters.memory import FixedClock, LoopbackRobots
from mpms.adapters.smtp import SmtpPostman
from mpms.bootstrap_mail import embedded_desk
from mpms.embedded import mail
from mpms.embedded.mail import MailNotStarted, MailServers
from mpms.services.deploy_models import deploy_models
from mpms.services.send_replies import send_reply
from mpms.services.start_instance import start_instance
from mpms.services.watch_mailbox import CHANGED
from mpms.settings import Settings
from mpms.worker import Worker

DATA = Path(__file__).resolve().parents[2] / "data" / "orders"
BUYER = "orders@brightcoat.example.com"
STRANGER = "eve@example.com"
MORNING = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
GIVE_UP_S = 120.0


def wait_until(condition: Callable[[], Any], what: str) -> Any:
    give_up_at = time.monotonic() + GIVE_UP_S
    while time.monotonic() < give_up_at:
        if result := condition():
            return result
        time.sleep(0.02)
    raise AssertionError(f"waited in vain until {what}")


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


class SilentAlarm:
    """Nobody sleeps here, so nobody is woken."""

    def wait(self, timeout_s: float) -> object:
        raise AssertionError("a worker driven by hand does not sleep")

    def wake(self) -> None:
        pass


class Office:
    """A plant whose orders come by mail."""

    def __init__(self, url: str, servers: MailServers) -> None:
        self.url = url
        self.servers = servers
        self.home = servers.home
        settings = Settings(
            catalogue=DATA / "catalogue.json", senders=DATA / "senders.json"
        )
        self.desk = embedded_desk(settings, self.home)
        self.clock = FixedClock(MORNING)
        self.services = bootstrap.connect(url, clock=self.clock)
        self.uow = self.services.uow
        self.intake = self.desk.intake(self.uow)
        self.world = world = bootstrap.world_named("paint_factory")
        self.robots = LoopbackRobots(world)
        self.worker = Worker(
            self.uow,
            self.services.advance,
            bootstrap.factory_handlers(self.services, world, intake=self.intake),
            self.robots,
            SilentAlarm(),
            name="by hand",
        )
        deploy_models(
            self.uow, self.services.engine, assets.shipped_models(), by="engineer"
        )

    def start(self) -> str:
        """Open the plant; nothing is to be done yet."""
        with self.uow() as tx:
            instance_id = start_instance(
                tx, self.services.advance, "orders_handling", actor="operator"
            )
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
        SmtpPostman(account).send_raw(sender, [self.home.orders], raw)

    def look(self) -> None:
        """Somebody says that the mailbox changed; everything happens that can."""
        with self.uow() as tx:
            tx.deliveries.throw(CHANGED)
        self.worker.settle()

    def send_replies(self) -> None:
        while send_reply(self.uow, self.desk.postman, process="by hand"):
            pass

    def received(self, address: str = BUYER) -> list[Message]:
        """What lies in somebody's mailbox."""
        folder = self.servers.mailboxes / address / "new"
        files = sorted(folder.iterdir())
        return [message_from_bytes(path.read_bytes()) for path in files]

    def rows(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        with (
            closing(psycopg2.connect(self.url)) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement, parameters)
            return cursor.fetchall() if cursor.description else []

    def incidents(self, kind: str) -> list[str]:
        with self.uow() as tx:
            return [i.message for i in tx.incidents.listing() if i.kind == kind]

    def close(self) -> None:
        self.desk.close()
        self.robots.close()
        self.services.close()


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


@pytest.fixture
def mail_servers(tmp_path: Path) -> Iterator[MailServers]:
    with start_mail(tmp_path / "mail", BUYER, STRANGER) as servers:
        yield servers


@pytest.fixture
def office(database_url: str, mail_servers: MailServers) -> Iterator[Office]:
    office = Office(database_url, mail_servers)
    yield office
    office.close()


@pytest.fixture(scope="session")
def order() -> Callable[..., bytes]:
    return write_order


@pytest.fixture(scope="session")
def eventually() -> Callable[[Callable[[], Any], str], Any]:
    return wait_until
