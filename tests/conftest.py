"""Fixtures and habits of the whole test run.

One embedded PostgreSQL serves every test that needs a database; each such test
gets a database of its own, copied from a template that is migrated once.
"""

import asyncio
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg2
import pytest
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, BrowserContext, Playwright, sync_playwright

from mpms.adapters.postgres.migrate import migrate
from mpms.embedded import postgres
from mpms.embedded.postgres import PostgresServer

ROOT = Path(__file__).resolve().parents[1]
TEMPLATE = "mpms_template"
# The same examples in every run, however slow the machine is at that moment.
settings.register_profile(
    "steady",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")
# Nothing in a test's database must outlive a power cut.
FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
# Readers of the history wait for every older transaction, also for a vacuum's.
QUIET = {"autovacuum": "off"}


@pytest.fixture(scope="session")
def postgres_directory() -> Iterator[Path]:
    """A directory that PostgreSQL can enter also when root runs the tests.

    pytest's own temporary directories are closed to every other account.
    """
    path = Path(tempfile.mkdtemp(prefix="mpms-test-"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="session")
def postgres_server(postgres_directory: Path) -> Iterator[PostgresServer]:
    bindir = os.environ.get("MPMS_TEST_PG_BINDIR")
    with postgres.start(
        postgres_directory / "postgres",
        bindir=Path(bindir) if bindir else None,
        settings=FAST | {"max_connections": "200"} | QUIET,
    ) as server:
        yield server


@pytest.fixture(scope="session")
def run_in_postgres(postgres_server: PostgresServer) -> Callable[[str], None]:
    """Return a function that runs one administrative statement."""

    def run(statement: str) -> None:
        with closing(psycopg2.connect(postgres_server.dsn)) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(statement)

    return run


@pytest.fixture(scope="session")
def template_database(
    postgres_server: PostgresServer, run_in_postgres: Callable[[str], None]
) -> str:
    """The name of a database migrated once, to be copied by every test."""
    run_in_postgres(f"CREATE DATABASE {TEMPLATE}")
    with closing(psycopg2.connect(url_of(postgres_server, TEMPLATE))) as connection:
        migrate(connection, ROOT / "db" / "migrations")
    return TEMPLATE


@pytest.fixture
def create_database(
    postgres_server: PostgresServer, run_in_postgres: Callable[[str], None]
) -> Iterator[Callable[..., str]]:
    """Return a function that copies a template and returns the copy's URL."""
    made: list[str] = []

    def create(template: str = "template0") -> str:
        name = f"test_{uuid4().hex}"
        run_in_postgres(f"CREATE DATABASE {name} TEMPLATE {template}")
        made.append(name)
        return url_of(postgres_server, name)

    yield create
    for name in made:
        run_in_postgres(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@pytest.fixture
def database_url(create_database: Callable[..., str], template_database: str) -> str:
    """The URL of a fresh, migrated database that nobody else uses."""
    return create_database(template_database)


def url_of(server: PostgresServer, database: str) -> str:
    return urlunsplit(urlsplit(server.dsn)._replace(path=f"/{database}"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--list-covered",
        action="store_true",
        help="print the rows of the feature list that the collected tests show",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    if not session.config.getoption("--list-covered"):
        return None
    covered = {
        str(row)
        for item in session.items
        for mark in item.iter_markers("covers")
        for row in mark.args
    }
    print(f"\n{len(covered)} covered")
    for row in sorted(covered, key=_letters_then_number):
        print(row)
    return True


def _letters_then_number(row: str) -> tuple[str, int, str]:
    digits = re.search(r"\d+", row)
    return (row[: digits.start()], int(digits[0]), row) if digits else (row, 0, row)


def skips_are_failures() -> bool:
    """On the build machine everything is installed, so a skip hides a fault."""
    return os.environ.get("CI") == "true"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if skips_are_failures() and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI=true forbids: {_reason(report.longrepr)}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if skips_are_failures() and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI=true forbids: {_reason(report.longrepr)}"
    return report


def _reason(longrepr: object) -> str:
    return str(longrepr[2]) if isinstance(longrepr, tuple) else str(longrepr)


CLOSE_S = 60.0
CHROMIUM_FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--disable-dev-shm-usage"),
]


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Where the system's browser is; tests are skipped without it, and fail in CI."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(
            "Chromium is not installed"
        )
    return found


@pytest.fixture(scope="module")
def playwright_(chromium_path: str) -> Iterator[Playwright]:
    """One at a time, and no longer than needed: it keeps an event loop running."""
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="module")
def browser(playwright_: Playwright, chromium_path: str) -> Iterator[Browser]:
    browser = playwright_.chromium.launch(
        executable_path=chromium_path, args=CHROMIUM_FLAGS
    )
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def close_context() -> Callable[[BrowserContext], None]:
    """Return a function that closes a context; what is left of it after a minute ends
    with the browser.

    Playwright's own ``close`` waits without a limit, and Chromium was seen never to
    answer it.
    """

    def close(context: BrowserContext) -> None:
        in_time = asyncio.wait_for(context._impl_obj.close(None), CLOSE_S)
        try:
            context._sync(in_time)
        except TimeoutError:
            print(f"a context was not closed within {CLOSE_S:g} s")

    return close
