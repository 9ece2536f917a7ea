"""A mail desk on real PostgreSQL: messages made to measure, a mailbox that fails on
request, and the same promises on the embedded servers and a private Dovecot."""

from __future__ import annotations

import getpass
import itertools
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from imapclient import IMAPClient

from mpms import bootstrap
from mpms.adapters.imap import ImapMailbox
from mpms.adapters.imap.connection import Patience
from mpms.adapters.mail_account import MailAccount, Password, Security
from mpms.adapters.mail_sandbox import MailSandbox
from mpms.domain.order_mail import Catalogue, Outcome, Senders
from mpms.embedded import mail
from mpms.embedded.mail import MailServers
from mpms.embedded.smtp_server import drop_into, make_mailbox
from mpms.ports.mail import Letter, LetterId, Mailbox, MailboxUnavailable, Reply
from mpms.services.receive_mail import ReceiveMail

DATA = Path(__file__).resolve().parents[2] / "data" / "orders"
BUYER = "orders@brightcoat.example.com"
PATIENT = Patience(connect_s=60, read_s=60)
GIVE_UP_S = 60.0
BOXES = 40
DOVECOT = shutil.which("dovecot") or "/usr/sbin/dovecot"
DOVECOT_CONF = """
protocols = imap
listen = 127.0.0.1
base_dir = {base}/run
state_dir = {base}/state
instance_name = mpms-services-test
log_path = {base}/dovecot.log
shutdown_clients = yes
default_internal_user = {internal}
default_internal_group = {group}
default_login_user = {login}
ssl = no
disable_plaintext_auth = no
auth_failure_delay = 0
first_valid_uid = 1
mail_location = maildir:{base}/mail/%u/Maildir
mail_max_userip_connections = 100
passdb {{
  driver = static
  args = password=secret
}}
userdb {{
  driver = static
  args = uid={owner} gid={owner_group} home={base}/mail/%u
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service anvil {{
  chroot =
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service stats {{
  chroot =
}}
"""


def wait_until(condition: Callable[[], Any], what: str) -> Any:
    give_up_at = time.monotonic() + GIVE_UP_S
    while time.monotonic() < give_up_at:
        if result := condition():
            return result
        time.sleep(0.02)
    raise AssertionError(f"waited in vain until {what}")


def write_order(
    number: str = "MO-2026-0901",
    *,
    sender: str = BUYER,
    message_id: str | None = "<1@brightcoat.example.com>",
    body: str = "",
    verdict: str = "pass",
    extra: str = "",
) -> bytes:
    """A message as the trusted host hands it on; ``body`` replaces the usual one."""
    domain = sender.rpartition("@")[2]
    head = (
        f"Return-Path: <{sender}>\r\n"
        f"Authentication-Results: mx.plant.example.com;"
        f" dmarc={verdict} header.from={domain}\r\n"
        f"From: {sender}\r\nTo: orders@plant.example.com\r\n"
        f"Subject: Order {number}\r\n{extra}"
    )
    if message_id is not None:
        head += f"Message-ID: {message_id}\r\n"
    text = body or f"Order: {number}\r\n\r\nMaterials:\r\n- RM-001 Water 5 kg\r\n"
    return f"{head}\r\n{text}".encode()


# -- a mailbox in memory ------------------------------------------------------------


@dataclass
class FakeMailbox:
    """Implements Mailbox and its session; ``on_fetch`` and ``on_file`` may raise."""

    uidvalidity: int = 1
    last_uid: int = 0
    letters_here: dict[int, bytes] = field(default_factory=dict)
    filed: list[tuple[int, str]] = field(default_factory=list)
    away: str | None = None
    news: bool = False
    on_fetch: Callable[[int], None] = lambda uid: None
    on_file: Callable[[int], None] = lambda uid: None

    def put(self, *messages: bytes) -> None:
        for raw in messages:
            self.last_uid += 1
            self.letters_here[self.last_uid] = raw

    @contextmanager
    def open(self) -> Iterator[FakeMailbox]:
        if self.away is not None:
            raise MailboxUnavailable(self.away)
        yield self

    def wait(self, timeout_s: float) -> bool:
        if self.away is not None:
            raise MailboxUnavailable(self.away)
        return self.news

    def close(self) -> None:
        pass

    def letters(self) -> Sequence[LetterId]:
        return [self.letter_id(uid) for uid in sorted(self.letters_here)]

    def letter_id(self, uid: int) -> LetterId:
        return LetterId("fake/orders", "INBOX", self.uidvalidity, uid)

    def fetch(self, letter: LetterId) -> Letter | None:
        self.on_fetch(letter.uid)
        raw = self.letters_here.get(letter.uid)
        return None if raw is None else Letter(letter, len(raw), raw)

    def file_away(self, letter: LetterId, folder: str) -> None:
        self.on_file(letter.uid)
        if self.letters_here.pop(letter.uid, None) is not None:
            self.filed.append((letter.uid, folder))


# -- the desk -----------------------------------------------------------------------


@pytest.fixture(scope="session")
def sandbox() -> Iterator[MailSandbox]:
    catalogue = Catalogue.from_json((DATA / "catalogue.json").read_bytes())
    senders = Senders.from_json((DATA / "senders.json").read_bytes())
    # A loaded machine is slow; what this is for is tested elsewhere.
    with MailSandbox(catalogue, senders, wall_s=300) as reader:
        yield reader


class Desk:
    """An intake over a mailbox, and what one sees in the database."""

    def __init__(self, url: str, sandbox: MailSandbox) -> None:
        self.url = url
        self.sandbox = sandbox
        self.services = bootstrap.connect(url)
        self.uow = self.services.uow

    def read(self, letter: Letter) -> Outcome:
        if letter.raw is None:
            return self.sandbox.read(letter.headers, size=letter.size_bytes)
        return self.sandbox.read(letter.raw)

    def intake(self, mailbox: Mailbox, **options: Any) -> ReceiveMail:
        return ReceiveMail(
            self.uow, mailbox, **{"read": self.read, "round_s": 600.0} | options
        )

    def rows(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        with (
            closing(psycopg2.connect(self.url)) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement, parameters)
            return cursor.fetchall() if cursor.description else []

    def outcomes(self) -> list[str]:
        return [row[0] for row in self.rows("SELECT outcome FROM mails ORDER BY id")]

    def codes(self) -> list[list[str]]:
        rows = self.rows("SELECT reasons FROM mails ORDER BY id")
        return [[reason["code"] for reason in row[0]] for row in rows]

    def orders(self) -> list[str]:
        return [row[0] for row in self.rows("SELECT number FROM orders ORDER BY 1")]

    def replies(self) -> list[tuple[str, str]]:
        return self.rows("SELECT recipient, in_reply_to FROM outbox ORDER BY mail_id")

    def incidents(self, kind: str) -> list[str]:
        with self.uow() as tx:
            return [i.message for i in tx.incidents.listing() if i.kind == kind]

    def close(self) -> None:
        self.services.close()


@pytest.fixture
def desk(database_url: str, sandbox: MailSandbox) -> Iterator[Desk]:
    desk = Desk(database_url, sandbox)
    yield desk
    desk.close()


@pytest.fixture
def fake() -> FakeMailbox:
    return FakeMailbox()


@pytest.fixture(scope="session")
def order() -> Callable[..., bytes]:
    return write_order


@pytest.fixture(scope="session")
def eventually() -> Callable[[Callable[[], Any], str], Any]:
    return wait_until


class FakePostman:
    """Implements Postman: takes, refuses, is away, or breaks off, as it is told."""

    def __init__(self) -> None:
        self.taken: list[Reply] = []
        self.refusals: dict[str, str] = {}
        self.failure: Exception | None = None
        self.refuses: str | None = None

    def send(self, replies: Sequence[Reply]) -> list[str]:
        self.refusals = {}
        if self.failure is not None:
            raise self.failure
        if self.refuses is not None:
            self.refusals = {reply.id: self.refuses for reply in replies}
            return []
        self.taken += replies
        return [reply.id for reply in replies]


@pytest.fixture
def postman() -> FakePostman:
    return FakePostman()


# -- real servers -------------------------------------------------------------------


@dataclass
class Box:
    """One empty mailbox of a real server."""

    mailbox: ImapMailbox
    folder: Path
    owner: int | None = None

    def deliver(self, raw: bytes) -> None:
        if not self.folder.exists():
            make_mailbox(self.folder)
            self._give(self.folder.parent, self.folder, *self.folder.iterdir())
        self._give(drop_into(self.folder, raw))

    def _give(self, *paths: Path) -> None:
        for path in paths:
            if self.owner is not None:
                os.chown(path, self.owner, -1)

    def contents(self, folder: str) -> list[bytes]:
        """What another mail program sees in a folder."""
        account = self.mailbox.account
        assert isinstance(account.login, Password)
        with IMAPClient(account.host, account.port, ssl=False, timeout=60) as client:
            client.login(account.user, account.login.password)
            if not client.folder_exists(folder):
                return []
            client.select_folder(folder, readonly=True)
            uids = client.search()
            found = client.fetch(uids, ["BODY.PEEK[]"]) if uids else {}
        return [found[uid][b"BODY[]"] for uid in sorted(found)]


@pytest.fixture(scope="session")
def mail_directory() -> Iterator[Path]:
    """A directory that Dovecot can enter also when root runs the tests."""
    path = Path(tempfile.mkdtemp(prefix="mpms-desk-"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="session")
def servers(mail_directory: Path) -> Iterator[MailServers]:
    boxes = [f"box{number}@plant.example.com" for number in range(BOXES)]
    with mail.start(mail_directory / "embedded", others=[BUYER, *boxes]) as servers:
        yield servers


@pytest.fixture(scope="session")
def embedded_boxes(servers: MailServers) -> Iterator[Box]:
    home = servers.home

    def boxes() -> Iterator[Box]:
        for number in range(BOXES):
            user = f"box{number}@plant.example.com"
            login = Password(home.password(user))
            account = MailAccount(
                home.host, home.imap_port, Security.PLAIN, user, login
            )
            mailbox = ImapMailbox(account, patience=PATIENT)
            yield Box(mailbox, servers.mailboxes / user)

    return boxes()


@pytest.fixture(scope="session")
def dovecot_boxes(mail_directory: Path) -> Iterator[Iterator[Box]]:
    if not Path(DOVECOT).exists():
        pytest.skip("dovecot is not installed (Debian package dovecot-imapd)")
    base = mail_directory / "dovecot"
    root, me = os.geteuid() == 0, getpass.getuser()
    owner = pwd.getpwnam("nobody" if root else me)
    (base / "mail").mkdir(parents=True)
    base.chmod(0o711)
    os.chown(base / "mail", owner.pw_uid, owner.pw_gid)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    names = ("dovecot", "dovecot", "dovenull") if root else (me, owner.pw_gid, me)
    (base / "dovecot.conf").write_text(
        DOVECOT_CONF.format(
            base=base,
            internal=names[0],
            group=names[1],
            login=names[2],
            owner=owner.pw_uid,
            owner_group=owner.pw_gid,
            port=port,
        )
    )
    with (base / "output").open("wb") as output:
        process = subprocess.Popen(
            [DOVECOT, "-F", "-c", str(base / "dovecot.conf")],
            stdin=subprocess.DEVNULL,
            stderr=output,
        )
    try:
        wait_until(
            lambda: process.poll() is not None or _greets(port), "dovecot answers"
        )
        assert process.poll() is None, (base / "output").read_text()

        def boxes() -> Iterator[Box]:
            for number in itertools.count():
                user = f"box{number}"
                account = MailAccount(
                    "127.0.0.1", port, Security.PLAIN, user, Password("secret")
                )
                folder = base / "mail" / user / "Maildir"
                uid = owner.pw_uid if root else None
                yield Box(ImapMailbox(account, patience=PATIENT), folder, uid)

        yield boxes()
    finally:
        process.terminate()
        process.wait(60)


def _greets(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as sock:
            return sock.recv(100).startswith(b"* OK")
    except OSError:
        return False


@pytest.fixture(params=["embedded_boxes", "dovecot_boxes"])
def box(request: pytest.FixtureRequest) -> Iterator[Box]:
    """An empty mailbox; the same tests run on each kind of server."""
    box = next(request.getfixturevalue(request.param))
    yield box
    box.mailbox.close()
