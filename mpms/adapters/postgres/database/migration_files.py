"""The migrations as files, and the record that none of them ever changes.

``digests.txt`` beside the files names the SHA-256 of every migration. A file that has
another one is refused before it reaches a database. A file has a second line there
only if an earlier edition of it reached databases; then a later migration brings both
to the same shape.

``python -m mpms.adapters.postgres.database.migration_files DIRECTORY`` is the check of
make lint.
"""

from __future__ import annotations

import hashlib
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from mpms.domain.errors import MpmsError

FILE_NAME = re.compile(r"(?P<version>\d{4})_[a-z0-9]+(?:_[a-z0-9]+)*\.sql")
OWN_TRANSACTION = re.compile(
    r"^\s*(BEGIN|COMMIT|ROLLBACK|START\s+TRANSACTION)(\s+(WORK|TRANSACTION))?\s*;",
    re.IGNORECASE | re.MULTILINE,
)
DIGESTS = "digests.txt"
DIGEST_LINE = re.compile(r"(?P<sha256>[0-9a-f]{64})  (?P<name>\w+)\.sql")


class MigrationsInvalid(MpmsError):
    """The migration files are not a sequence."""


@dataclass(frozen=True)
class Migration:
    """One file; ``name`` is the file's stem, number included."""

    version: int
    name: str
    sha256: str
    statements: str
    editions: frozenset[str]  # digests that a database may have applied under this name


def read_migrations(directory: Path) -> list[Migration]:
    """Read the files in order; they are numbered 0001, 0002 ... without gaps."""
    recorded = _recorded(directory / DIGESTS)
    migrations = []
    for expected, path in enumerate(sorted(directory.glob("*.sql")), start=1):
        match = FILE_NAME.fullmatch(path.name)
        if match is None:
            raise MigrationsInvalid(
                f"{path.name}: a migration is named like 0007_add_job_deadline.sql"
            )
        if int(match["version"]) != expected:
            raise MigrationsInvalid(
                f"{path.name}: number {expected:04} is expected here; numbers have"
                " neither gaps nor duplicates"
            )
        # A checkout may have changed the line ends; the digest must not notice.
        content = path.read_bytes().replace(b"\r\n", b"\n")
        statements = content.decode("utf-8")
        if found := OWN_TRANSACTION.search(statements):
            raise MigrationsInvalid(
                f"{path.name}: {found[0].strip()} is not allowed, every migration"
                " already runs in one transaction"
            )
        digest = hashlib.sha256(content).hexdigest()
        editions = frozenset({digest})
        if recorded is not None:
            editions = recorded.get(path.stem, frozenset())
            _require_recorded(path.name, digest, editions)
        migrations.append(Migration(expected, path.stem, digest, statements, editions))
    return migrations


def _require_recorded(file_name: str, digest: str, editions: frozenset[str]) -> None:
    if not editions:
        raise MigrationsInvalid(
            f"{file_name} is not recorded: add this line to {DIGESTS} when the file is"
            f" final\n{digest}  {file_name}"
        )
    if digest not in editions:
        raise MigrationsInvalid(
            f"{file_name} was changed after it was recorded in {DIGESTS}: restore the"
            " file and put the change into a new migration"
        )


def _recorded(path: Path) -> dict[str, frozenset[str]] | None:
    """The digests by name; None where none are recorded at all."""
    if not path.exists():
        return None
    recorded: dict[str, frozenset[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        match = DIGEST_LINE.fullmatch(line)
        if match is None:
            raise MigrationsInvalid(f"{path.name}: {line!r} is not a digest and a file")
        digests = recorded.get(match["name"], frozenset())
        recorded[match["name"]] = digests | {match["sha256"]}
    return recorded


def main(directory: str) -> int:
    try:
        read_migrations(Path(directory))
    except MigrationsInvalid as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
