"""Mail servers to test against: the embedded one, pymap as it comes, a private
Dovecot, and one that misbehaves on purpose."""

import base64
import contextlib
import datetime
import getpass
import ipaddress
import itertools
import os
import pwd
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from mpms.adapters.imap import ImapMailbox
from mpms.adapters.imap.connection import Patience
from mpms.adapters.mail_account import MailAccount, Password, Security
from mpms.embedded import imap_server, mail, maildrop
from mpms.ports.mail import LetterId, MailboxSession

PATIENT = Patience(connect_s=60, read_s=60)  # the machine may be busy
GIVE_UP_S = 60.0
DOVECOT = shutil.which("dovecot") or "/usr/sbin/dovecot"
NO_DOVECOT = "dovecot is not installed (Debian package dovecot-imapd)"


def wait_until(condition: Callable[[], Any], what: str) -> Any:
    give_up_at = time.monotonic() + GIVE_UP_S
    while time.monotonic() < give_up_at:
        if result := condition():
            return result
        time.sleep(0.02)
    raise AssertionError(f"waited in vain until {what}")


@pytest.fixture(scope="session")
def eventually() -> Callable[[Callable[[], Any], str], Any]:
    return wait_until


# --- certificates ---------------------------------------------------------------


@dataclass(frozen=True)
class Certificates:
    ca_file: Path
    other_ca_file: Path
    cert: Path
    key: Path


def make_authority(name: str) -> tuple[Any, Any]:
    key = ec.generate_private_key(ec.SECP256R1())
    return key, sign(name, name, key.public_key(), key, authority=True)


def sign(name: str, issuer: str, public: Any, key: Any, *, authority: bool) -> Any:
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=2))
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), True)
    )
    if authority:
        usage = dict.fromkeys(
            (
                "digital_signature",
                "content_commitment",
                "key_encipherment",
                "data_encipherment",
                "key_agreement",
                "encipher_only",
                "decipher_only",
            ),
            False,
        )
        builder = builder.add_extension(
            x509.KeyUsage(key_cert_sign=True, crl_sign=True, **usage), True
        )
        builder = builder.add_extension(
            x509.SubjectKeyIdentifier.from_public_key(public), False
        )
    else:
        builder = builder.add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), False
        ).add_extension(
            x509.SubjectAlternativeName(
                [
                    x509.DNSName("localhost"),
                    x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
                ]
            ),
            False,
        )
    return builder.sign(key, hashes.SHA256())


@pytest.fixture(scope="session")
def shared_directory() -> Iterator[Path]:
    """A directory that Dovecot can enter also when root runs the tests."""
    path = Path(tempfile.mkdtemp(prefix="mpms-mail-"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="session")
def certificates(shared_directory: Path) -> Certificates:
    folder = shared_directory / "certificates"
    folder.mkdir(mode=0o755)
    ca_key, ca = make_authority("Test authority")
    _, stranger = make_authority("Somebody else")
    key = ec.generate_private_key(ec.SECP256R1())
    leaf = sign(
        "localhost", "Test authority", key.public_key(), ca_key, authority=False
    )
    files = Certificates(
        folder / "ca.pem", folder / "other.pem", folder / "cert.pem", folder / "key.pem"
    )
    pem = serialization.Encoding.PEM
    files.ca_file.write_bytes(ca.public_bytes(pem))
    files.other_ca_file.write_bytes(stranger.public_bytes(pem))
    files.cert.write_bytes(leaf.public_bytes(pem))
    files.key.write_bytes(
        key.private_bytes(
            pem,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return files


# --- servers ----------------------------------------------------------------------


@dataclass
class Server:
    """One running IMAP server; ``new_user`` hands out an empty mailbox."""

    kind: str
    ports: dict[Security, int]
    users: Iterator[tuple[str, str]]
    folder_of: Callable[[str], Path]
    owner: int | None = None
    ca_file: Path | None = None
    issue_token: Callable[..., str] = field(default=lambda user: "")

    def account(self, security: Security | None = None, **changes: Any) -> MailAccount:
        security = security or next(iter(self.ports))
        if "user" in changes:
            user, password = changes.pop("user"), ""
        else:
            user, password = next(self.users)
        settings: dict[str, Any] = {
            "host": "127.0.0.1",
            "port": self.ports[security],
            "security": security,
            "user": user,
            "login": Password(password),
            "ca_file": self.ca_file if security is not Security.PLAIN else None,
        }
        return MailAccount(**settings | changes)

    def deliver(self, account: MailAccount, raw: bytes) -> None:
        folder = self.folder_of(account.user)
        if not folder.exists():
            maildrop.make_mailbox(folder)
            if self.owner is not None:
                for path in (folder.parent, folder, *folder.iterdir()):
                    os.chown(path, self.owner, -1)
        path = maildrop.drop_into(folder, raw)
        if self.owner is not None:
            os.chown(path, self.owner, -1)


def free_port() -> int:
    """Return a port of a range that is not given to connections by itself."""
    while True:
        port = 12000 + secrets.randbelow(8000)
        with socket.socket() as sock, contextlib.suppress(OSError):
            sock.bind(("127.0.0.1", port))
            return port


def greets(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as sock:
            return sock.recv(100).startswith(b"* OK")
    except OSError:
        return False


@pytest.fixture(scope="session")
def embedded(shared_directory: Path) -> Iterator[Server]:
    addresses = [f"box{number}@plant.example.com" for number in range(80)]
    with mail.start(shared_directory / "embedded", others=addresses) as servers:
        home = servers.home
        yield Server(
            "embedded",
            {Security.PLAIN: home.imap_port},
            iter([(name, home.password(name)) for name in addresses]),
            lambda user: servers.mailboxes / user,
        )


@pytest.fixture(scope="session")
def pymap(shared_directory: Path, certificates: Certificates) -> Iterator[Server]:
    """pymap without our changes, with TLS on request."""
    folder = shared_directory / "pymap"
    (folder / "tmp").mkdir(parents=True)
    users = {f"box{number}@plant.example.com": f"pw{number}" for number in range(20)}
    imap_server.write_users(folder, users)
    for name in users:
        maildrop.make_mailbox(folder / name)
    port = free_port()
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [
                *(sys.executable, "-c", "from pymap.main import main; main()"),
                *("--host", "127.0.0.1", "--port", str(port)),
                *("--cert", str(certificates.cert), "--key", str(certificates.key)),
                *("maildir", str(folder)),
            ],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=os.environ | {"TMPDIR": str(folder / "tmp")},
        )
    try:
        wait_until(lambda: process.poll() is not None or greets(port), "pymap answers")
        assert process.poll() is None, (folder / "log").read_text()
        yield Server(
            "pymap",
            {Security.STARTTLS: port},
            iter(users.items()),
            lambda user: folder / user,
            ca_file=certificates.ca_file,
        )
    finally:
        process.terminate()
        process.wait(30)


DOVECOT_CONF = """
protocols = imap
listen = 127.0.0.1
base_dir = {base}/run
state_dir = {base}/state
instance_name = mpms-test
log_path = {base}/dovecot.log
shutdown_clients = yes
default_internal_user = {internal}
default_internal_group = {group}
default_login_user = {login}
ssl = yes
ssl_cert = <{cert}
ssl_key = <{key}
disable_plaintext_auth = no
auth_mechanisms = plain login xoauth2
auth_failure_delay = 0
first_valid_uid = 1
mail_location = maildir:{base}/mail/%u/Maildir
mail_max_userip_connections = 100
namespace inbox {{
  inbox = yes
  prefix = {prefix}
  separator = .
}}
passdb {{
  driver = oauth2
  mechanisms = xoauth2
  args = {base}/oauth2.conf
}}
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={owner} gid={owner_group} home={base}/mail/%u
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {imap_port}
  }}
  inet_listener imaps {{
    port = {imaps_port}
    ssl = yes
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
OAUTH2_CONF = """
introspection_mode = local
local_validation_key_dict = fs:posix:prefix={base}/keys/
username_attribute = sub
"""
TOKEN_KEY = b"0123456789abcdef0123456789abcdef"


@pytest.fixture(scope="session")
def dovecot(shared_directory: Path, certificates: Certificates) -> Iterator[Server]:
    with run_dovecot(shared_directory / "dovecot", certificates) as server:
        yield server


@contextlib.contextmanager
def run_dovecot(
    base: Path, certificates: Certificates, prefix: str = ""
) -> Iterator[Server]:
    if not Path(DOVECOT).exists():
        pytest.skip(NO_DOVECOT)
    root = os.geteuid() == 0
    me = getpass.getuser()
    owner = pwd.getpwnam("nobody" if root else me)
    names = ("dovecot", "dovecot", "dovenull") if root else (me, me, me)
    key_file = base / "keys" / "default" / "HS256" / "default"
    key_file.parent.mkdir(parents=True)
    key_file.write_bytes(base64.b64encode(TOKEN_KEY))
    (base / "mail").mkdir()
    os.chown(base / "mail", owner.pw_uid, owner.pw_gid)
    (base / "oauth2.conf").write_text(OAUTH2_CONF.format(base=base))
    ports = {security: free_port() for security in (Security.PLAIN, Security.TLS)}
    (base / "dovecot.conf").write_text(
        DOVECOT_CONF.format(
            base=base,
            internal=names[0],
            group=names[1] if root else owner.pw_gid,
            login=names[2],
            cert=certificates.cert,
            key=certificates.key,
            prefix=prefix,
            password="secret",
            owner=owner.pw_uid,
            owner_group=owner.pw_gid,
            imap_port=ports[Security.PLAIN],
            imaps_port=ports[Security.TLS],
        )
    )
    process = subprocess.Popen(
        [DOVECOT, "-F", "-c", str(base / "dovecot.conf")],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        wait_until(
            lambda: process.poll() is not None or greets(ports[Security.PLAIN]),
            "dovecot answers",
        )
        assert process.poll() is None, process.stderr and process.stderr.read()
        ports[Security.STARTTLS] = ports[Security.PLAIN]
        yield Server(
            "dovecot",
            ports,
            ((f"box{number}", "secret") for number in itertools.count()),
            lambda user: base / "mail" / user / "Maildir",
            owner.pw_uid if root else None,
            certificates.ca_file,
            issue_token,
        )
    finally:
        process.terminate()
        process.wait(30)
        assert process.stderr is not None
        process.stderr.close()


def issue_token(user: str, *, lifetime_s: int = 600, key: bytes = TOKEN_KEY) -> str:
    now = int(time.time())
    claims = {"sub": user, "iat": now - 3600, "nbf": now - 3600}
    return jwt.encode(claims | {"exp": now + lifetime_s}, key, algorithm="HS256")


@pytest.fixture(scope="session")
def start_dovecot() -> Any:
    return run_dovecot


@pytest.fixture(params=["embedded", "dovecot"])
def server(request: pytest.FixtureRequest) -> Server:
    """The same tests run against each of these."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def open_mailbox() -> Iterator[Callable[..., ImapMailbox]]:
    """Return a function that makes a mailbox which is closed in the end."""
    with contextlib.ExitStack() as stack:

        def make(account: MailAccount, **options: Any) -> ImapMailbox:
            mailbox = ImapMailbox(account, **{"patience": PATIENT} | options)
            stack.callback(mailbox.close)
            return mailbox

        yield make


@pytest.fixture
def waiting() -> Iterator[Callable[..., "Waiting"]]:
    """Return a function that lets a mailbox wait in a thread."""
    started: list[Waiting] = []

    def start(mailbox: ImapMailbox, timeout_s: float = GIVE_UP_S) -> Waiting:
        started.append(Waiting(mailbox, timeout_s))
        return started[-1]

    yield start
    for each in started:
        each.mailbox.close()
        each.thread.join()


class Waiting:
    def __init__(self, mailbox: ImapMailbox, timeout_s: float) -> None:
        self.mailbox = mailbox
        self.answer: bool | None = None
        self.thread = threading.Thread(target=self._run, args=(timeout_s,))
        self.thread.start()

    def _run(self, timeout_s: float) -> None:
        self.answer = self.mailbox.wait(timeout_s)

    def result(self) -> bool | None:
        self.thread.join(GIVE_UP_S)
        assert not self.thread.is_alive()
        return self.answer


@pytest.fixture(scope="session")
def list_letters() -> Callable[[MailboxSession, int], list[LetterId]]:
    """Return a function that lists letters once that many are there."""

    def look(session: MailboxSession, count: int) -> list[LetterId]:
        def found() -> list[LetterId] | None:
            letters = list(session.letters())
            return letters if len(letters) >= count else None

        letters: list[LetterId] = wait_until(found, f"{count} letters are listed")
        assert len(letters) == count
        return letters

    return look


# --- a server that misbehaves -------------------------------------------------------


@dataclass
class Oddity:
    """What the scripted server does wrong; every list is used up from the front."""

    capabilities: str = "IMAP4rev1 IDLE MOVE UIDPLUS"
    uidvalidity: int = 1
    messages: dict[int, bytes] = field(default_factory=dict)
    deleted: set[int] = field(default_factory=set)
    filed: list[tuple[str, int]] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    fetch: list[str] = field(default_factory=list)  # drop, stall, split, nonsense
    idle: list[str] = field(default_factory=list)  # close, split, with-answer
    search: list[str] = field(default_factory=list)  # late
    login: list[str] = field(default_factory=list)  # drop, stall, bye


class OddServer:
    """A few IMAP commands, each of which can go wrong as a test wants it."""

    def __init__(self) -> None:
        self.odd = Oddity()
        self.idling = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._ending = threading.Event()
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def account(self, **changes: Any) -> MailAccount:
        settings: dict[str, Any] = {
            "host": "127.0.0.1",
            "port": self.port,
            "security": Security.PLAIN,
            "user": "orders",
            "login": Password("secret"),
        }
        return MailAccount(**settings | changes)

    def announce(self, raw: bytes) -> None:
        """Put a message there and tell whoever idles."""
        self.odd.messages[max(self.odd.messages, default=0) + 1] = raw
        for sock in list(self._open):
            with contextlib.suppress(OSError):
                sock.sendall(b"* %d EXISTS\r\n" % len(self.odd.messages))

    def hang_up(self) -> None:
        """Close every connection, as a server that restarts."""
        for sock in list(self._open):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._ending.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.hang_up()
        for thread in self._threads:
            thread.join(GIVE_UP_S)

    def _accept(self) -> None:
        while not self._ending.is_set():
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._open.append(sock)
            thread = threading.Thread(target=self._talk, args=(sock,))
            self._threads.append(thread)
            thread.start()

    def _talk(self, sock: socket.socket) -> None:
        with sock, contextlib.suppress(OSError, StopIteration):
            sock.sendall(b"* OK odd\r\n")
            lines = iter(sock.makefile("rb").readline, b"")
            for line in lines:
                tag, _, rest = line.decode().strip().partition(" ")
                self.odd.log.append(rest)
                command = rest.upper().removeprefix("UID ").split(" ")[0]
                answer = getattr(self, f"_{command.lower()}", self._unknown)
                answer(sock, rest, lines)
                sock.sendall(f"{tag} OK done\r\n".encode())
        self._open.remove(sock)

    def _unknown(self, sock: socket.socket, rest: str, lines: Any) -> None:
        pass

    def _capability(self, sock: socket.socket, rest: str, lines: Any) -> None:
        sock.sendall(f"* CAPABILITY {self.odd.capabilities}\r\n".encode())

    def _login(self, sock: socket.socket, rest: str, lines: Any) -> None:
        trouble = self.odd.login.pop(0) if self.odd.login else ""
        if trouble == "drop":
            raise StopIteration
        if trouble == "stall":
            self._ending.wait(GIVE_UP_S)

    def _select(self, sock: socket.socket, rest: str, lines: Any) -> None:
        sock.sendall(
            b"* FLAGS (\\Deleted)\r\n* %d EXISTS\r\n* 0 RECENT\r\n"
            b"* OK [UIDVALIDITY %d] x\r\n"
            % (len(self.odd.messages), self.odd.uidvalidity)
        )

    _examine = _select

    def _search(self, sock: socket.socket, rest: str, lines: Any) -> None:
        wanted = re.search(r"SEARCH UID (\d+)", rest.upper())
        uids = [
            uid
            for uid in self.odd.messages
            if (uid == int(wanted[1]) if wanted else uid not in self.odd.deleted)
        ]
        sock.sendall(f"* SEARCH {' '.join(map(str, uids))}\r\n".encode())
        if self.odd.search and self.odd.search.pop(0) == "late":
            self.odd.messages[max(self.odd.messages, default=0) + 1] = b"x"
            sock.sendall(b"* %d EXISTS\r\n" % len(self.odd.messages))

    def _fetch(self, sock: socket.socket, rest: str, lines: Any) -> None:
        uids = [int(uid) for uid in rest.split(" ")[2].split(",")]
        for number, uid in enumerate(sorted(self.odd.messages), 1):
            if uid not in uids:
                continue
            raw = self.odd.messages[uid]
            if "RFC822.SIZE" in rest:
                line = f"* {number} FETCH (UID {uid} RFC822.SIZE {len(raw)})\r\n"
                sock.sendall(line.encode())
                continue
            key = "BODY[HEADER]" if "HEADER" in rest else "BODY[]"
            if key == "BODY[HEADER]":
                raw = raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
            head = f"* {number} FETCH (UID {uid} {key} {{{len(raw)}}}\r\n".encode()
            self._send_message(sock, head + raw + b")\r\n")

    def _send_message(self, sock: socket.socket, answer: bytes) -> None:
        trouble = self.odd.fetch.pop(0) if self.odd.fetch else ""
        if trouble == "drop":
            sock.sendall(answer[: len(answer) // 2])
            raise StopIteration
        if trouble == "stall":
            sock.sendall(answer[: len(answer) // 2])
            self._ending.wait(GIVE_UP_S)
        elif trouble == "split":
            for place in range(len(answer)):
                sock.sendall(answer[place : place + 1])
        elif trouble == "nonsense":
            sock.sendall(b"* 1 FETCH (UID 1 BODY[] (((((\r\n")
        else:
            sock.sendall(answer)

    def _idle(self, sock: socket.socket, rest: str, lines: Any) -> None:
        trouble = self.odd.idle.pop(0) if self.odd.idle else ""
        if trouble == "with-answer":
            self.odd.messages[max(self.odd.messages, default=0) + 1] = b"x"
            sock.sendall(b"+ idling\r\n* %d EXISTS\r\n" % len(self.odd.messages))
        else:
            sock.sendall(b"+ idling\r\n")
        self.idling.set()
        if trouble == "close":
            raise StopIteration
        if trouble == "split":
            self.odd.messages[max(self.odd.messages, default=0) + 1] = b"x"
            sock.sendall(b"* 1 EX")
            time.sleep(0.05)  # the oddity itself: a pause inside a line
            sock.sendall(b"ISTS\r\n")
        assert next(lines).strip() == b"DONE"

    def _list(self, sock: socket.socket, rest: str, lines: Any) -> None:
        sock.sendall(b'* LIST () "/" "Processed"\r\n')

    def _move(self, sock: socket.socket, rest: str, lines: Any) -> None:
        uid = int(rest.split(" ")[2])
        if self.odd.messages.pop(uid, None) is not None:
            self.odd.filed.append(("move", uid))

    def _copy(self, sock: socket.socket, rest: str, lines: Any) -> None:
        self.odd.filed.append(("copy", int(rest.split(" ")[2])))

    def _store(self, sock: socket.socket, rest: str, lines: Any) -> None:
        assert "\\Deleted" in rest
        self.odd.deleted.add(int(rest.split(" ")[2]))

    def _expunge(self, sock: socket.socket, rest: str, lines: Any) -> None:
        uid = int(rest.split(" ")[2])
        del self.odd.messages[uid]
        self.odd.filed.append(("expunge", uid))


@pytest.fixture
def odd_server() -> Iterator[OddServer]:
    server = OddServer()
    yield server
    server.close()


@pytest.fixture(scope="session")
def choose_port() -> Callable[[], int]:
    return free_port


@pytest.fixture
def unused_port() -> Iterator[int]:
    """A port nobody listens on; held so that nobody else takes it."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        yield int(sock.getsockname()[1])
