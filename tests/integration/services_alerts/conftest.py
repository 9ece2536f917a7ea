"""A plant whose people want alerts: real PostgreSQL, the embedded mail servers, and a
push service that does what those of the browsers do."""

from __future__ import annotations

import base64
import http.server
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import jwt
import psycopg2
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from mpms import bootstrap
from mpms.adapters.mail_account import Password, Security, SmtpAccount
from mpms.adapters.smtp import SmtpPostman
from mpms.adapters.web_push import WebPusher
from mpms.domain.alerts import AlertRules, AlertWish
from mpms.domain.people import Role
from mpms.embedded import mail
from mpms.embedded.mail import MailServers
from mpms.ports.alerts import Subscription
from mpms.ports.mail import Reply
from mpms.services.send_alerts import SendAlerts

SOFIA = "sofia@plant.example.com"
AT_ONCE = AlertRules(gather_s=0.0, apart_s=0.0, over_after_s=0.0)


@dataclass
class FakePostman:
    """Takes letters, or fails in the way a test asks for."""

    failure: BaseException | None = None
    refuses: str | None = None
    taken: list[Reply] = field(default_factory=list)
    refusals: Mapping[str, str] = field(default_factory=dict)

    def send(self, replies: Iterable[Reply]) -> list[str]:
        if self.failure is not None:
            raise self.failure
        letters = list(replies)
        if self.refuses is not None:
            self.refusals = {each.id: self.refuses for each in letters}
            return []
        self.taken += letters
        return [each.id for each in letters]


class Plant:
    """Incidents, and people who are told of them."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.services = bootstrap.connect(url)
        self.uow = self.services.uow

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
        given: dict[str, Any] = {"postman": None, "pusher": None, "rules": AT_ONCE}
        return SendAlerts(
            self.uow,
            self.services.clock,
            site_url="https://mpms.example",
            **(given | parts),
        )

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with (
            closing(psycopg2.connect(self.url)) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []


@pytest.fixture
def plant(database_url: str) -> Iterator[Plant]:
    plant = Plant(database_url)
    yield plant
    plant.services.close()


@pytest.fixture
def postman() -> FakePostman:
    return FakePostman()


# -- real mail ----------------------------------------------------------------------


class Mailroom:
    """The embedded servers, and what lies in a mailbox of theirs."""

    def __init__(self, servers: MailServers) -> None:
        self.servers = servers
        home = servers.home
        login = Password(home.password(home.orders))
        self.postman = SmtpPostman(
            SmtpAccount(
                home.host,
                home.smtp_port,
                Security.PLAIN,
                home.orders,
                home.orders,
                login,
            )
        )

    def letters(self, address: str = SOFIA) -> list[EmailMessage]:
        box = self.servers.mailboxes / address / "new"
        found = sorted(box.iterdir(), key=lambda path: path.stat().st_mtime_ns)
        return [
            message_from_bytes(p.read_bytes(), policy=policy.default) for p in found
        ]


@pytest.fixture
def mailroom(tmp_path: Path) -> Iterator[Mailroom]:
    with mail.start(tmp_path / "mail", others=[SOFIA]) as servers:
        yield Mailroom(servers)


# -- a push service -----------------------------------------------------------------


class Browser:
    """Its keys, and what it can read with them."""

    def __init__(self, endpoint: str) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._secret = os.urandom(16)
        self.point = self._key.public_key().public_bytes(
            Encoding.X962, PublicFormat.UncompressedPoint
        )
        self.subscription = Subscription(
            endpoint, _text(self.point), _text(self._secret)
        )

    def read(self, body: bytes) -> bytes:
        salt, size, length = body[:16], int.from_bytes(body[16:20]), body[20]
        theirs, sealed = body[21 : 21 + length], body[21 + length :]
        assert len(body) <= size
        sender = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), theirs)
        shared = self._key.exchange(ec.ECDH(), sender)
        info = b"WebPush: info\0" + self.point + theirs
        ikm = _derived(shared, self._secret, info, 32)
        key = _derived(ikm, salt, b"Content-Encoding: aes128gcm\0", 16)
        nonce = _derived(ikm, salt, b"Content-Encoding: nonce\0", 12)
        padded = AESGCM(key).decrypt(nonce, sealed, None)
        text, mark, padding = padded.rpartition(b"\x02")
        assert mark
        assert not padding.strip(b"\0")
        return text


class PushService:
    """Keeps what is posted, after checking who posts; answers as it is told."""

    def __init__(self) -> None:
        self.posts: list[tuple[str, Mapping[str, str], bytes]] = []
        self.status = 201
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                service.posts.append((self.path, headers, body))
                self.send_response(service.status)
                if 300 <= service.status < 400:
                    self.send_header("Location", f"{service.address}/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *words: Any) -> None:
                return

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def browser(self, name: str = "one") -> Browser:
        return Browser(f"{self.address}/push/{name}")

    def claims(self, post: int = 0) -> dict[str, Any]:
        """Who posted, proven by the key that the post names."""
        words = self.posts[post][1]["authorization"]
        assert words.startswith("vapid t=")
        token, _, key = words.removeprefix("vapid t=").partition(", k=")
        point = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))
        public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
        return {
            "k": key,
            **jwt.decode(token, public, algorithms=["ES256"], audience=self.address),
        }

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def push_service() -> Iterator[PushService]:
    service = PushService()
    yield service
    service.close()


@pytest.fixture
def pusher() -> WebPusher:
    return WebPusher("mailto:plant@example.com", timeout_s=60, allow_loopback=True)


def _derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
