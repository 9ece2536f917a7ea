"""Copy a whole database into one file and back, by PostgreSQL's own programs.

A dump is one moment of the database, taken while everybody goes on working. The program
must be at least as new as the server, so of several that a machine has the oldest that
fits is taken.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import psycopg2
from psycopg2.extensions import make_dsn, parse_dsn

from mpms.adapters.postgres.database.connections import Connections
from mpms.domain.errors import MpmsError

DEBIAN = Path("/usr/lib/postgresql")  # keeps a directory a version


class BackupFailed(MpmsError):
    """The database could not be copied; nothing was written."""


class RestoreFailed(MpmsError):
    """The dump could not be restored; the database is as it was."""


def dump(url: str, file: Path, bindirs: Sequence[Path]) -> int:
    """Write a dump that is whole or not there; return its size in bytes."""
    if file.exists():
        raise BackupFailed(f"{file} exists already; name another file.")
    partial = file.with_name(f".{file.name}.part")
    try:
        partial.touch(mode=0o600)  # it holds password hashes and mails
    except OSError as failure:
        raise BackupFailed(f"{file}: {failure.strerror}.") from failure
    try:
        said = _run(bindirs, "pg_dump", url, ["--format=custom", f"--file={partial}"])
        if said is not None:
            raise BackupFailed(f"The database was not copied: {said}")
        with partial.open("rb") as written:
            os.fsync(written.fileno())
        os.link(partial, file)  # unlike a rename, this never replaces a file
    except OSError as failure:
        raise BackupFailed(f"{file}: {failure.strerror}.") from failure
    finally:
        partial.unlink(missing_ok=True)
    return file.stat().st_size


def restore(url: str, file: Path, bindirs: Sequence[Path]) -> None:
    """Fill an empty database with a dump, wholly or not at all."""
    if not file.is_file():
        raise RestoreFailed(f"{file}: there is no such file.")
    if table := _a_table(url):
        raise RestoreFailed(
            f"The database is not empty: it has the table {table}. Nothing was"
            " changed. Make a new database and restore into that one."
        )
    options = ["--exit-on-error", "--single-transaction", "--no-owner"]
    said = _run(bindirs, "pg_restore", url, [*options, "--no-privileges", str(file)])
    if said is not None:
        raise RestoreFailed(f"{file} was not restored: {said}")


def _a_table(url: str) -> str | None:
    with (
        Connections(url) as pool,
        pool.connection() as connection,
        connection.cursor() as asked,
    ):
        asked.execute(
            "SELECT min(relname) FROM pg_class WHERE relkind IN ('r', 'p')"
            " AND relnamespace = 'public'::regnamespace"
        )
        row = asked.fetchone()
    return None if row is None else row[0]


def _run(
    bindirs: Sequence[Path], name: str, url: str, options: Sequence[str]
) -> str | None:
    """Run it; return what it complains about if it fails."""
    path = _program(name, url, bindirs)
    address, password = _without_password(url)
    done = subprocess.run(
        [path, f"--dbname={address}", *options],
        env=os.environ | password,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if done.returncode == 0:
        return None
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return " ".join(lines[:3]) or f"{name} ended with {done.returncode}."


def _program(name: str, url: str, bindirs: Sequence[Path]) -> Path:
    """The oldest that is new enough for the server."""
    with Connections(url) as pool, pool.connection() as connection:
        wanted = connection.info.server_version // 10_000
    found = {_version(path): path for path in _candidates(name, bindirs)}
    for version in sorted(found):
        if version >= wanted:
            return found[version]
    has = ", ".join(str(version) for version in sorted(found) if version) or "none"
    raise BackupFailed(
        f"This needs {name} of PostgreSQL {wanted} or newer; found here: {has}. Install"
        " PostgreSQL's client programs, or set MPMS_PG_BINDIR to their directory."
    )


def _candidates(name: str, bindirs: Sequence[Path]) -> list[Path]:
    on_path = shutil.which(name)
    return [
        *([Path(on_path)] if on_path else []),
        *(path for path in DEBIAN.glob(f"*/bin/{name}") if path.is_file()),
        *(path for each in bindirs if (path := each / name).is_file()),
    ]


def _version(path: Path) -> int:
    """The first number that it says of itself; 0 if it cannot say."""
    said = subprocess.run([path, "--version"], capture_output=True, check=False).stdout
    found = re.search(rb"\d+", said)
    return int(found[0]) if found else 0


def _without_password(url: str) -> tuple[str, dict[str, str]]:
    """Everybody on the machine can read the arguments of a process."""
    try:
        parts = parse_dsn(url)
    except psycopg2.ProgrammingError as failure:
        raise BackupFailed(f"The database's address: {failure}") from failure
    password = parts.pop("password", None)
    return make_dsn(**parts), {} if password is None else {"PGPASSWORD": password}
