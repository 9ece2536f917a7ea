"""Server processes, and browsers that only read streams."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.support.factory import ROOT
from tests.support.waiting import PATIENCE_S


class ServerProcess:
    """A script that serves and prints its address; its parent is this test."""

    def __init__(self, script: Path, *arguments: str) -> None:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("MPMS_")}
        self.process = subprocess.Popen(
            [sys.executable, str(script), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=kept | {"PYTHONPATH": str(ROOT)},
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        assert self.url.startswith("http://127.0.0.1:"), "the server did not start"
        parts = urlsplit(self.url)
        self.at = (str(parts.hostname), int(parts.port or 0))

    def ask(
        self, method: str, path: str, body: Any = None, headers: Any = None
    ) -> tuple[HTTPResponse, bytes]:
        link = HTTPConnection(*self.at, timeout=PATIENCE_S)
        try:
            link.request(method, path, body, headers or {})
            answer = link.getresponse()
            return answer, answer.read()
        finally:
            link.close()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(PATIENCE_S)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


class LiveServer(ServerProcess):
    """Beats quickly and tells how it is."""

    def __init__(self, database_url: str) -> None:
        folder = ROOT / "tests" / "integration" / "web" / "live"
        super().__init__(folder / "live_server.py", database_url)

    def state(self) -> dict[str, Any]:
        return dict(json.loads(self.ask("GET", "/state")[1]))

    def streams(self) -> int:
        return int(self.state()["streams"])


class Stream:
    """One open stream, read as a browser would read it."""

    def __init__(
        self, url: str, token: str, *, query: str = "", last_id: str | None = None
    ) -> None:
        parts = urlsplit(url)
        self.socket = socket.create_connection((parts.hostname, parts.port), PATIENCE_S)
        resumed = f"Last-Event-ID: {last_id}\r\n" if last_id else ""
        self.socket.sendall(
            f"GET /events{query} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
            f"Accept: text/event-stream\r\nCookie: mpms_session={token}\r\n"
            f"{resumed}\r\n".encode()
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
        give_up_at = time.monotonic() + PATIENCE_S
        while not condition() and not self.ended:
            assert time.monotonic() < give_up_at, f"in vain, heard {self.events}"
            self.read()
        assert condition(), f"the stream ended, heard {self.events}"

    def until_placed(self) -> None:
        """It knows its place in the history: whatever comes later is heard."""
        self.until(lambda: self.last_id)

    def until_ended(self) -> None:
        self.until(lambda: self.ended)

    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.events if kind != "beat"]

    def orders(self) -> list[str]:
        hints = [json.loads(data) for kind, data in self.events if kind == "hint"]
        return [order for hint in hints for order in hint.get("instances", [])]

    def close(self) -> None:
        self.file.close()
        self.socket.close()
