"""``mpms backup`` and ``mpms restore``: the whole database as one file."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from mpms import bootstrap
from mpms.adapters.postgres.database import dump
from mpms.cli.database import database
from mpms.domain.errors import MpmsError
from mpms.settings import Settings


def backup(settings: Settings, file: Path) -> None:
    """Copy the database while it works."""
    with database(settings) as url:
        size = dump.dump(url, file, _bindirs(settings))
    print(f"{file}: {size / 1e6:.1f} MB. Keep it as you keep passwords.")


def restore(settings: Settings, file: Path) -> None:
    """Fill an empty database, bring it up to date and put its history in order."""
    with database(settings) as url:
        dump.restore(url, file, _bindirs(settings))
        applied = bootstrap.migrate_database(url)
    print(f"{file} is restored.")
    if applied:
        print(f"The database was brought up to date: {', '.join(applied)}.")


def _bindirs(settings: Settings) -> list[Path]:
    """Where PostgreSQL's programs may be, beside the system's places."""
    found = [] if settings.pg_bindir is None else [settings.pg_bindir]
    with suppress(MpmsError):  # a server with a database of its own needs it not
        from mpms.embedded.postgres_files import wheel_bindir

        found.append(wheel_bindir())
    return found
