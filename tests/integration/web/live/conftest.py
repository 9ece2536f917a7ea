"""Real PostgreSQL, real server processes, and browsers that only read streams.

Tests that do not end their server share one; each has a sign-in of its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mpms.domain.people.people import Role
from tests.support.databases import Databases
from tests.support.site import Site
from tests.support.web_live import LiveServer, ServerProcess, Stream


@pytest.fixture(scope="module")
def plant(databases: Databases) -> Iterator[Site]:
    with databases.lent() as url, Site(url) as plant:
        plant.person("ana", Role.WORKER)
        yield plant


@pytest.fixture(scope="module")
def server(plant: Site) -> Iterator[LiveServer]:
    """One that a test must leave as it was."""
    server = LiveServer(plant.url)
    yield server
    server.close()


@pytest.fixture
def start_server(plant: Site) -> Iterator[Callable[[], LiveServer]]:
    started: list[LiveServer] = []

    def start() -> LiveServer:
        started.append(LiveServer(plant.url))
        return started[-1]

    yield start
    for server in started:
        server.close()


@pytest.fixture
def gone() -> Callable[[int], bool]:
    """Return a function that tells whether a process has ended."""

    def has_ended(pid: int) -> bool:
        try:
            os.kill(pid, 0)
            stat = Path(f"/proc/{pid}/stat").read_text()
        except (ProcessLookupError, FileNotFoundError):
            return True
        return stat.split(") ")[1].startswith("Z")

    return has_ended


@pytest.fixture
def write(plant: Site) -> Callable[[str], None]:
    """Write a line of the history about an order, and wake whoever listens."""

    def append(order: str) -> None:
        with plant.uow() as tx:
            tx.events.append("order status", actor="test", data={"order": order})
            tx.wake()

    return append


@pytest.fixture
def token(plant: Site) -> str:
    return plant.session_of("ana")


@pytest.fixture
def listen(token: str) -> Iterator[Callable[..., Stream]]:
    """Return a function that opens a stream of a server."""
    opened: list[Stream] = []

    def open_stream(server: ServerProcess, **more: Any) -> Stream:
        opened.append(Stream(server.url, token, **more))
        return opened[-1]

    yield open_stream
    for stream in opened:
        stream.close()
