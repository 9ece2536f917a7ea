"""Real PostgreSQL, a real server process, and browsers that only read streams."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from mpms import bootstrap
from mpms.domain.people import Role
from mpms.services.tokens import hash_of

HERE = Path(__file__).parent
WAIT_S = 60.0
TOKEN = "a token that only this test knows"


class Browser:
    """One open stream, read as a browser would read it."""

    def __init__(
        self, url: str, *, query: str = "", last_id: str | None = None
    ) -> None:
        parts = urlsplit(url)
        self.socket = socket.create_connection((parts.hostname, parts.port), WAIT_S)
        resumed = f"Last-Event-ID: {last_id}\r\n" if last_id else ""
        self.socket.sendall(
            f"GET /events{query} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
            f"Accept: text/event-stream\r\nCookie: mpms_session={TOKEN}\r\n"
            f"{resumed}\r\n".encode().replace(TOKEN.encode(), quoted(TOKEN))
        )
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        self.headers: dict[str, str] = {}
        while line := self.file.readline().strip():
            name, _, value = line.decode().partition(": ")
            self.headers[name.lower()] = value
        self.last_id = last_id
        self.events: list[tuple[str, str]] = []
        self.ended = False
        self._rest = b""

    def read(self) -> None:
        """One chunk; ``ended`` when there is no more."""
        size = int(self.file.readline().strip() or b"0", 16)
        if size == 0:
            self.ended = True
            return
        self._rest += self.file.read(size)
        self.file.readline()
        *whole, self._rest = self._rest.split(b"\n\n")
        for block in whole:
            fields = dict(
                line.split(": ", 1) for line in block.decode().split("\n") if line
            )
            self.last_id = fields.get("id", self.last_id)
            if "event" in fields:
                self.events.append((fields["event"], fields["data"]))

    def until(self, condition: Callable[[], object]) -> None:
        give_up_at = time.monotonic() + WAIT_S
        while not condition() and not self.ended:
            assert time.monotonic() < give_up_at, f"in vain, heard {self.events}"
            self.read()
        assert condition(), f"the stream ended, heard {self.events}"

    def until_ended(self) -> None:
        self.until(lambda: self.ended)

    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.events if kind != "beat"]

    def orders(self) -> list[str]:
        hints = [json.loads(data) for kind, data in self.events if kind == "hint"]
        return [order for hint in hints for order in hint.get("orders", [])]

    def close(self) -> None:
        self.file.close()
        self.socket.close()


def quoted(token: str) -> bytes:
    return b'"' + token.encode() + b'"'


class Server:
    """The server process; its parent is this test."""

    def __init__(self, database_url: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "live_server.py"), database_url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=HERE.parents[3],
            env=environment(),
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        assert self.url.startswith("http://127.0.0.1:"), "the server did not start"

    def health(self) -> dict[str, Any]:
        parts = urlsplit(self.url)
        link = HTTPConnection(str(parts.hostname), parts.port, timeout=WAIT_S)
        try:
            link.request("GET", "/healthz")
            return dict(json.loads(link.getresponse().read()))
        finally:
            link.close()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(WAIT_S)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(WAIT_S)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


def environment() -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MPMS_")}
    return kept | {"PYTHONPATH": str(HERE.parents[3])}


@pytest.fixture
def services(database_url: str) -> Iterator[bootstrap.Services]:
    made = bootstrap.connect(database_url)
    with made.uow() as tx:
        worker = tx.people.add("ana", "Ana", Role.WORKER)
        tx.sessions.open(
            hash_of(TOKEN),
            worker.id,
            tablet_id=None,
            expires_at=datetime.now(UTC) + timedelta(hours=1),
        )
    yield made
    made.close()


@pytest.fixture
def write(services: bootstrap.Services) -> Callable[[str], None]:
    """Write a line of the history about an order, and wake whoever listens."""

    def append(order: str) -> None:
        with services.uow() as tx:
            tx.events.append("order status", actor="test", data={"order": order})
            tx.wake()

    return append


@pytest.fixture
def start_server(
    services: bootstrap.Services, database_url: str
) -> Iterator[Callable[[], Server]]:
    started: list[Server] = []

    def start() -> Server:
        started.append(Server(database_url))
        return started[-1]

    yield start
    for server in started:
        server.close()


@pytest.fixture
def browse() -> Iterator[Callable[..., Browser]]:
    opened: list[Browser] = []

    def open_stream(server: Server, **more: Any) -> Browser:
        opened.append(Browser(server.url, **more))
        return opened[-1]

    yield open_stream
    for browser in opened:
        browser.close()


@pytest.fixture
def sign_out(services: bootstrap.Services) -> Callable[[], None]:
    def close() -> None:
        with services.uow() as tx:
            tx.sessions.close(hash_of(TOKEN))

    return close
