"""The embedded database of a command lives as long as the command."""

from __future__ import annotations

import os
import signal
from contextlib import closing
from pathlib import Path

import psycopg2

from mpms.cli.database import database
from mpms.settings import Settings
from tests.support.waiting import eventually


def pid_of(state_dir: Path) -> int:
    lines = (state_dir / "postgres" / "cluster" / "postmaster.pid").read_text()
    return int(lines.splitlines()[0])


def answers(url: str) -> bool:
    try:
        with closing(psycopg2.connect(url)):
            return True
    except psycopg2.OperationalError:
        return False


def test_a_database_that_dies_under_a_command_is_started_again(
    postgres_directory: Path,
) -> None:
    settings = Settings(state_dir=postgres_directory / "own-database")
    with database(settings) as url:
        before = pid_of(settings.state_dir)
        os.kill(before, signal.SIGKILL)
        eventually(lambda: answers(url) and pid_of(settings.state_dir) != before)
    assert not answers(url)
