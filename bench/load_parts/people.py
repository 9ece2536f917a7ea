"""People of ``bench/load.py``: they look at their list, open a task and answer it.

A person is a thread with one connection and a session; a stream for live hints is held
for everybody by one thread. The number of turns is bounded by the time that is given.
"""

from __future__ import annotations

import json
import random
import re
import selectors
import socket
import statistics
import threading
import time
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from urllib.parse import SplitResult, urlsplit

COOKIE = "mpms_session"
TIMEOUT_S = 30.0
LOOK_EVERY_S = 3.0
TASK_LINK = re.compile(r'href="/tasks/([0-9a-f-]{36}|[\w-]+)"')
ANSWERS = (
    ("start_mixing", {"amounts_verified": True, "mixing_started": True}),
    ("unload_material", {"unloaded": True}),
    ("load_material", {"confirmed": True}),
)
GONE = (404, 409, 410, 422)  # somebody else was quicker


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1] if len(values) > 1 else float("nan")


class Person(threading.Thread):
    """One of those who work at a tablet."""

    def __init__(self, address: str, token: str, number: int, until: float) -> None:
        super().__init__(name=f"person {number}", daemon=True)
        self._parts = urlsplit(address)
        self._link = connection(self._parts)
        self._headers = {"Cookie": f"{COOKIE}={token}", "Accept": "text/html"}
        self._chance = random.Random(number)
        self._until = until
        self.looks_ms: list[float] = []  # each request for the list
        self.faults: list[str] = []

    def run(self) -> None:
        time.sleep(self._chance.uniform(0, LOOK_EVERY_S))
        while time.monotonic() < self._until:
            begun = time.monotonic()
            try:
                self._turn()
            except (OSError, HTTPException) as fault:
                self.faults.append(repr(fault))
                self._link.close()
                self._link = connection(self._parts)
            left_s = begun + LOOK_EVERY_S - time.monotonic()
            time.sleep(max(0.05, left_s))
        self._link.close()

    def _turn(self) -> None:
        begun = time.perf_counter()
        status, page = self._ask("GET", "/tasks")
        self.looks_ms.append((time.perf_counter() - begun) * 1000)
        if status != 200:
            self.faults.append(f"/tasks: {status}")
            return
        tasks = list(dict.fromkeys(TASK_LINK.findall(page)))
        if not tasks:
            return
        chosen = self._chance.choice(tasks)
        status, page = self._ask("GET", f"/tasks/{chosen}")
        if status != 200:
            return
        for field, answers in ANSWERS:
            if next(iter(answers)) in page:
                body = json.dumps({"answers": answers})
                status, said = self._ask("POST", f"/tasks/{chosen}/answer", body)
                if status >= 400 and status not in GONE:
                    self.faults.append(f"{field}: {status} {said[:200]}")
                return

    def _ask(self, method: str, path: str, body: str | None = None) -> tuple[int, str]:
        headers = dict(self._headers)
        if body is not None:
            headers["Content-Type"] = "application/json"
            headers["Accept"] = "application/json"
        self._link.request(method, path, body, headers)
        answer = self._link.getresponse()
        return answer.status, answer.read().decode(errors="replace")


def connection(parts: SplitResult) -> HTTPConnection:
    return HTTPConnection(str(parts.hostname), parts.port, timeout=TIMEOUT_S)


class Sockets(threading.Thread):
    """Many connections that one thread holds; those that end are opened again."""

    def __init__(self, address: str, openings: list[bytes]) -> None:
        super().__init__(name="sockets", daemon=True)
        self._parts = urlsplit(address)
        self._ready = selectors.DefaultSelector()
        self._openings = openings
        self.stop = threading.Event()
        self.open = 0
        self.refused = 0
        self.reopened = 0

    def begin(self) -> None:
        """Open all of them once, then hold them in the background."""
        for opening in self._openings:
            self._open(opening)
        self.start()

    def run(self) -> None:
        while not self.stop.is_set():
            for key, _ in self._ready.select(0.5):
                link: socket.socket = key.fileobj  # type: ignore[assignment]
                with suppress(OSError):
                    heard = link.recv(65536)
                    if heard:
                        if b" 503 " in heard[:20] or b" 429 " in heard[:20]:
                            self.refused += 1
                        continue
                self._ready.unregister(link)
                link.close()
                self.open -= 1
                self.reopened += 1
                if not self.stop.wait(0.01):
                    self._open(key.data)
        for key in list(self._ready.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self._ready.close()

    def _open(self, opening: bytes) -> None:
        try:
            link = socket.create_connection(
                (str(self._parts.hostname), self._parts.port or 80), TIMEOUT_S
            )
            link.sendall(opening)
        except OSError:
            self.refused += 1
            return
        self._ready.register(link, selectors.EVENT_READ, opening)
        self.open += 1


def slow_sender() -> bytes:
    return (
        b"POST /login HTTP/1.1\r\nHost: plant\r\n"
        b"Content-Type: application/x-www-form-urlencoded\r\n"
        b"Content-Length: 1000\r\n\r\nlogin=a"
    )


def idle_stream(token: str, number: int) -> bytes:
    return (
        f"GET /events?client={number} HTTP/1.1\r\nHost: plant\r\n"
        f"Cookie: {COOKIE}={token}\r\n\r\n"
    ).encode()
