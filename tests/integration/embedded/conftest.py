"""Homes and servers of the embedded PostgreSQL."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mpms.embedded import postgres
from mpms.embedded.postgres import PostgresServer
from tests.support.embedded_server import (
    FAST,
    ROOT,
    SUPERVISOR,
    Supervise,
    sweep,
)


@pytest.fixture(scope="package")
def home_for_all(postgres_directory: Path) -> Iterator[Path]:
    """Made where somebody had begun to make a cluster."""
    path = postgres_directory / f"embedded-used-{os.getpid()}"
    part = path / "cluster.part"
    part.mkdir(parents=True)
    (part / "PG_VERSION").write_text("18\n")
    with postgres.start(path, settings=FAST):
        pass
    yield path
    shutil.rmtree(path)


@pytest.fixture
def used_home(home_for_all: Path) -> Iterator[Path]:
    """A home for tests of something else than its making, which takes long.

    It goes from test to test; whatever still runs in it then is stopped.
    """
    yield home_for_all
    sweep(home_for_all)


@pytest.fixture
def server(used_home: Path) -> Iterator[PostgresServer]:
    with postgres.start(used_home, settings=FAST) as server:
        yield server


@pytest.fixture
def home(postgres_directory: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A directory that the server's account can enter, swept clean afterwards."""
    path = postgres_directory / f"embedded-{request.node.name[:60]}-{os.getpid()}"
    yield path
    sweep(path)
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def spawn_supervisor() -> Iterator[Supervise]:
    started: list[subprocess.Popen[str]] = []

    def spawn(
        directory: Path, *, uid: int | None = None, bindir: Path | None = None
    ) -> "subprocess.Popen[str]":
        user = os.geteuid() if uid is None else uid
        process = subprocess.Popen(
            [sys.executable, "-c", SUPERVISOR, directory, str(user), bindir or ""],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        started.append(process)
        return process

    yield spawn
    for process in started:
        if process.poll() is None:
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
