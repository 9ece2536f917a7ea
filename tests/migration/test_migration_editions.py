"""Migrations that were edited once: databases of both editions go on, and no file is
ever edited again without being noticed."""

import hashlib
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg2
import pytest

from mpms.adapters.postgres.database import migration_files
from mpms.adapters.postgres.database.migrate import migrate
from mpms.adapters.postgres.database.migration_files import (
    DIGESTS,
    MigrationsInvalid,
    read_migrations,
)

MIGRATIONS = Path(__file__).resolve().parents[2] / "db" / "migrations"
# What the edited files said before.
EARLIER = {
    "0007_cockpit.sql": (
        "CREATE INDEX orders_open_by_due ON orders (due)\n"
        "    WHERE status IN ('waiting for release', 'new', 'in process');\n",
        "",
    ),
    "0017_things.sql": (
        """    FROM (
        SELECT value
        FROM json_each_text(
            CASE
                WHEN json_typeof(data) != 'object' THEN '{}'
                -- What JSON may say and text cannot hold must not refuse the line.
                WHEN data::text ~* '\\\\u(0000|d[89a-f])' THEN '{}'
                ELSE data
            END
        )
        WHERE key NOT IN ('reason', 'note') AND length(value) BETWEEN 1 AND 200
        LIMIT 200
    ) AS things
""",
        "    FROM json_each_text("
        "CASE json_typeof(data) WHEN 'object' THEN data ELSE '{}' END)"
        """
    WHERE key NOT IN ('reason', 'note') AND length(value) BETWEEN 1 AND 200
""",
    ),
}
SHAPE = """
    SELECT pg_get_functiondef('things_of'::regproc),
           array_agg(indexdef ORDER BY indexname)
      FROM pg_indexes WHERE schemaname = 'public'
"""


def earlier_directory(tmp_path: Path) -> Path:
    """The migrations as they were before the two were edited, without a record."""
    directory = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, directory)
    (directory / DIGESTS).unlink()
    for path in directory.glob("*.sql"):
        if path.name > "0018":
            path.unlink()
    for name, (now, before) in EARLIER.items():
        text = (directory / name).read_text(encoding="utf-8")
        assert now in text
        (directory / name).write_text(text.replace(now, before), encoding="utf-8")
    return directory


def test_a_database_of_an_earlier_edition_reaches_the_same_shape(
    tmp_path: Path, create_database: Callable[..., str]
) -> None:
    shapes = []
    for first in (earlier_directory(tmp_path), MIGRATIONS):
        with closing(psycopg2.connect(create_database())) as connection:
            migrate(connection, first)
            migrate(connection, MIGRATIONS)
            assert migrate(connection, MIGRATIONS) == []
            with connection.cursor() as cursor:
                cursor.execute(SHAPE)
                shapes.append(cursor.fetchone())
    assert shapes[0] == shapes[1]


def test_both_editions_of_an_edited_file_are_recorded(tmp_path: Path) -> None:
    recorded = {m.name: m.editions for m in read_migrations(MIGRATIONS)}
    earlier = earlier_directory(tmp_path)
    for name in EARLIER:
        digest = hashlib.sha256((earlier / name).read_bytes()).hexdigest()
        assert digest in recorded[Path(name).stem]


def test_every_other_file_has_one_edition() -> None:
    several = [m.name for m in read_migrations(MIGRATIONS) if len(m.editions) > 1]
    assert several == [Path(name).stem for name in EARLIER]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    return Path(shutil.copytree(MIGRATIONS, tmp_path / "migrations"))


def test_an_edited_file_is_refused_before_it_reaches_a_database(copied: Path) -> None:
    with (copied / "0002_robots.sql").open("a", encoding="utf-8") as file:
        file.write("-- a later thought\n")
    with pytest.raises(MigrationsInvalid, match=r"0002_robots\.sql was changed"):
        read_migrations(copied)


def test_a_new_file_without_a_record_is_told_with_the_line_to_add(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    number = len(list(copied.glob("*.sql"))) + 1
    new = copied / f"{number:04}_new.sql"
    new.write_text("SELECT 1;\n", encoding="utf-8")
    assert migration_files.main(str(copied)) == 1
    told = capsys.readouterr().err
    with (copied / DIGESTS).open("a", encoding="utf-8") as file:
        file.write(told.splitlines()[-1] + "\n")
    assert migration_files.main(str(copied)) == 0


def test_a_line_that_is_no_digest_is_named(copied: Path) -> None:
    (copied / DIGESTS).write_text("abc  0001_foundation.sql\n", encoding="utf-8")
    with pytest.raises(MigrationsInvalid, match="abc"):
        read_migrations(copied)
