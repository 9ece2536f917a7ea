"""Mail servers for a machine that has none: IMAP and SMTP on loopback.

``start`` runs both as child processes on sockets that this process opened, so a
server that dies is replaced behind the same port and a waiting client just waits.
One process supervises; the others read the ports and passwords from a file that only
this account can read. When the supervisor dies, its servers end with it.
"""

from __future__ import annotations

import errno
import fcntl
import json
import logging
import os
import secrets
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from mpms.domain.errors import MpmsError
from mpms.embedded.maildrop import make_mailbox

START_TIMEOUT_S = 60.0
STOP_PATIENCE_S = 10.0
POLL_S = 0.05
LONGEST_PAUSE_S = 10.0
FIRST_PORT, PORTS = 20_000, 12_000
PACKAGES = Path(__file__).parents[2]
HOST = "127.0.0.1"
ORDERS = "orders@plant.example.com"
BUYER = "buyer@harbourpaints.example.org"
TRUSTED_HOST = "mx.plant.example.com"

log = logging.getLogger(__name__)


class MailNotStarted(MpmsError):
    """The embedded mail servers could not be started."""


@dataclass(frozen=True)
class MailHome:
    """How to reach the servers: everything on 127.0.0.1, no TLS, login needed."""

    imap_port: int
    smtp_port: int
    orders: str
    trusted_host: str
    users: dict[str, str] = field(repr=False)  # address to password
    host: str = HOST

    def password(self, address: str) -> str:
        """Return a user's password; KeyError if there is no such user."""
        return {name.lower(): key for name, key in self.users.items()}[address.lower()]


def start(
    directory: Path,
    *,
    orders: str = ORDERS,
    others: Sequence[str] = (BUYER,),
    trusted_host: str = TRUSTED_HOST,
    imap_port: int | None = None,
    smtp_port: int | None = None,
    timeout_s: float = START_TIMEOUT_S,
) -> MailServers:
    """Return the servers of this directory: started, or joined if they run.

    Ports are chosen once and kept; users are added and never lose their password.
    """
    servers = MailServers(directory, timeout_s)
    try:
        servers.open(orders, others, trusted_host, (imap_port, smtp_port))
    except OSError as error:
        servers.stop()
        raise MailNotStarted(f"no mail servers in {directory}: {error}") from error
    except BaseException:
        servers.stop()
        raise
    return servers


def read(directory: Path) -> MailHome | None:
    """Return how to reach the directory's servers without starting anything."""
    try:
        text = (directory / "mail.json").read_text("utf-8")
        return MailHome(**json.loads(text))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise MailNotStarted(
            f"the mail settings in {directory} cannot be read: {error}"
        ) from error


class MailServers:
    """Both servers, seen from one of the processes that use them."""

    def __init__(self, directory: Path, timeout_s: float) -> None:
        self.home: MailHome
        self.directory = directory.absolute()
        self._timeout_s = timeout_s
        self._locks: list[IO[str]] = []
        self._sockets: list[socket.socket] = []
        self._children: list[_Child] = []
        self._stopping = threading.Event()
        self._watcher: threading.Thread | None = None

    @property
    def owned(self) -> bool:
        """Tell whether this process supervises the servers."""
        return bool(self._children)

    @property
    def pids(self) -> list[int]:
        return [child.pid for child in self._children]

    @property
    def mailboxes(self) -> Path:
        return self.directory / "mailboxes"

    def open(
        self,
        orders: str,
        others: Sequence[str],
        trusted_host: str,
        ports: tuple[int | None, int | None],
    ) -> None:
        """Take the supervision or join the process that has it."""
        give_up_at = time.monotonic() + self._timeout_s
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        while not self._take("supervisor.lock"):
            known = read(self.directory)
            if known is not None and _answers(known):
                self.home = known
                return
            self._pause(give_up_at, "another process supervises them but none answers")
        # Held by the servers too: those of a killed supervisor may still be ending.
        while not self._take("servers.lock"):
            self._pause(give_up_at, "the servers of an earlier process do not end")
        self._settle(orders, others, trusted_host, ports)
        for name, sock in zip(("imap", "smtp"), self._sockets, strict=True):
            child = _Child(name, sock, self._locks[1], self.directory)
            self._children.append(child)
            child.start(give_up_at)
        self._watcher = threading.Thread(
            target=self._watch, name="mail-supervisor", daemon=True
        )
        self._watcher.start()

    def stop(self) -> None:
        """End the servers if they are ours; nothing happens to joined ones."""
        self._stopping.set()
        if self._watcher is not None:
            self._watcher.join()
            self._watcher = None
        for child in self._children:
            child.stop()
        for sock in self._sockets:
            sock.close()
        for lock in reversed(self._locks):
            lock.close()
        self._children, self._sockets, self._locks = [], [], []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _settle(
        self,
        orders: str,
        others: Sequence[str],
        trusted_host: str,
        ports: tuple[int | None, int | None],
    ) -> None:
        """Open the ports and write down users and passwords."""
        known = read(self.directory)
        remembered = (known.imap_port, known.smtp_port) if known else (None, None)
        for wanted, last in zip(ports, remembered, strict=True):
            self._sockets.append(self._listen(wanted, last))
        users = dict(known.users) if known else {}
        taken = {address.lower() for address in users}
        for address in (orders, *others):
            if not _is_address(address):
                raise MailNotStarted(f"{address!r} cannot be a user of the mail server")
            if address.lower() not in taken:
                taken.add(address.lower())
                users[address] = secrets.token_urlsafe(18)
        imap_port, smtp_port = (sock.getsockname()[1] for sock in self._sockets)
        self.home = MailHome(imap_port, smtp_port, orders, trusted_host, users)
        for folder in (self.mailboxes, self.directory / "tmp"):
            folder.mkdir(exist_ok=True, mode=0o700)
        for address in users:
            make_mailbox(self.mailboxes / address)
        draft = self.directory / "mail.json.new"
        draft.unlink(missing_ok=True)
        with open(draft, "x", opener=_private, encoding="utf-8") as file:
            json.dump(asdict(self.home), file, indent=1)
        draft.rename(self.directory / "mail.json")

    def _listen(self, wanted: int | None, last: int | None) -> socket.socket:
        """Open a port: the one asked for, else the last one, else any."""
        try:
            port = wanted or last
            return _bind(port) if port else _bind_any()
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
            if wanted:
                raise MailNotStarted(
                    f"port {wanted} for mail cannot be used: {error.strerror}"
                ) from error
            log.warning("port %s for mail is taken; another one is used", last)
            return _bind_any()

    def _take(self, name: str) -> bool:
        lock = open(self.directory / name, "a", opener=_private)  # noqa: SIM115
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            return False
        self._locks.append(lock)
        return True

    def _pause(self, give_up_at: float, why: str) -> None:
        if time.monotonic() >= give_up_at:
            raise MailNotStarted(f"no mail servers in {self.directory}: {why}")
        time.sleep(POLL_S)

    def _watch(self) -> None:
        while not self._stopping.wait(POLL_S * 4):
            for child in self._children:
                if child.is_running() or not child.may_start():
                    continue
                log.warning("the %s server ended and is started again", child.name)
                try:
                    child.start(time.monotonic() + self._timeout_s)
                except (OSError, MpmsError) as error:
                    log.error("%s", error)


class _Child:
    """One server process."""

    def __init__(
        self, name: str, sock: socket.socket, lock: IO[str], directory: Path
    ) -> None:
        self.name = name
        self.pid = 0
        self._socket = sock
        self._lock = lock
        self._directory = directory
        self._process: subprocess.Popen[bytes] | None = None
        self._starts = 0
        self._not_before = 0.0

    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def may_start(self) -> bool:
        return time.monotonic() >= self._not_before

    def start(self, give_up_at: float) -> None:
        """Start the process and wait until it serves. MailNotStarted."""
        self.stop()
        mailboxes = self._directory / "mailboxes"
        self._starts += 1
        now = time.monotonic()
        self._not_before = now + min(0.2 * 2**self._starts, LONGEST_PAUSE_S)
        journal = self._directory / f"{self.name}.log"
        number = self._socket.fileno()
        with open(journal, "wb", opener=_private) as errors:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-m", f"mpms.embedded.{self.name}_server"),
                    *(str(mailboxes), str(number)),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                pass_fds=[number, self._lock.fileno()],
                env=os.environ
                | {
                    "PYTHONPATH": str(PACKAGES),
                    # pymap renames its files from there into the mail directories.
                    "TMPDIR": str(self._directory / "tmp"),
                },
            )
        self.pid = self._process.pid
        if not _says_ready(self._process, give_up_at):
            self.stop()
            last = journal.read_text("utf-8", "replace").strip().splitlines()[-1:]
            raise MailNotStarted(
                f"the {self.name} server did not start: {''.join(last) or 'no reason'}"
            )

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(STOP_PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def _says_ready(process: subprocess.Popen[bytes], give_up_at: float) -> bool:
    assert process.stdout is not None  # noqa: S101
    left_s = max(0.0, give_up_at - time.monotonic())
    readable, _, _ = select.select([process.stdout], [], [], left_s)
    return bool(readable) and process.stdout.readline() == b"ready\n"


def _bind(port: int) -> socket.socket:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((HOST, port))
        sock.listen(128)
    except BaseException:
        sock.close()
        raise
    return sock


def _bind_any() -> socket.socket:
    """Choose a port below those that the system gives to passing connections.

    It must still be free after a restart: mail programs have it in their settings.
    """
    for _ in range(100):
        try:
            return _bind(FIRST_PORT + secrets.randbelow(PORTS))
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
    return _bind(0)


def _answers(home: MailHome) -> bool:
    try:
        for port in (home.imap_port, home.smtp_port):
            socket.create_connection((HOST, port), timeout=5).close()
    except OSError:
        return False
    return True


def _is_address(text: str) -> bool:
    local, at, domain = text.rpartition("@")
    plain = all(c.isalnum() or c in "@.-_+" for c in text) and text.isascii()
    return bool(local and at and domain) and plain and not text.startswith(".")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
