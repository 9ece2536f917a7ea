"""Fixtures and habits of the whole test run.

One embedded PostgreSQL serves every test of a process that needs a database. A test
gets a migrated database that nobody else uses; it is emptied and lent again.
"""

import asyncio
import gc
import logging
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, BrowserContext, Playwright, sync_playwright
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from mpms.embedded import postgres
from mpms.embedded.postgres import PostgresServer
from tests.support.browsers import HEADED, launch
from tests.support.databases import Contents, Databases, hash_password_quickly
from tests.support.factory import stocked_contents
from tests.support.quick_flask import keep_compiled_code

TESTS = Path(__file__).resolve().parent
TOGETHER = "tests/acceptance/web/"
# But for files there that share neither the factory nor its pages.
APART = ("test_web_faults.py", "test_web_serve.py")
# A page that stays open asks on after its test, when the captured log is closed.
logging.getLogger("werkzeug").setLevel(logging.WARNING)
# The same examples in every run, however slow the machine is at that moment.
settings.register_profile(
    "steady",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")
keep_compiled_code()
# Modules are compiled once, not by each of the many processes that tests start.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
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
        hash_password_quickly(server.dsn)
        yield server


@pytest.fixture(scope="session")
def databases(postgres_server: PostgresServer) -> Iterator[Databases]:
    """The migrated databases of this process of the test run."""
    databases = Databases(postgres_server.dsn)
    yield databases
    databases.close()


@pytest.fixture
def database_url(databases: Databases) -> Iterator[str]:
    """The URL of a migrated database that nobody else uses meanwhile."""
    url = databases.lend()
    yield url
    databases.take_back(url)


@pytest.fixture(scope="session")
def stocked(databases: Databases) -> Contents:
    """What a database holds in which the shipped models are deployed."""
    return stocked_contents(databases)


@pytest.fixture
def stocked_url(databases: Databases, stocked: Contents) -> Iterator[str]:
    """The URL of a database in which the shipped models are deployed."""
    url = databases.lend(stocked)
    yield url
    databases.take_back(url)


@pytest.fixture
def create_database(databases: Databases) -> Iterator[Callable[..., str]]:
    """Return a function that makes a database and returns its URL.

    For tests of migrations, of crashes and of the adapter: what they leave behind is
    not to be cleaned but to be dropped.
    """
    made: list[str] = []

    def create(template: str = "template0") -> str:
        made.append(databases.create(template))
        return made[-1]

    yield create
    for url in made:
        databases.drop(url)


@pytest.fixture
def own_database_url(create_database: Callable[..., str], databases: Databases) -> str:
    """The URL of a migrated database that is dropped afterwards."""
    return create_database(databases.template)


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


# What takes long comes first, so that no process waits for another at the end.
FIRST = (
    *("acceptance/web", "acceptance", "packaging"),
    *("integration", "processes", "migration"),
)


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    if hasattr(config, "workerinput"):  # one process of several
        items.sort(key=lambda item: _place(item.path.relative_to(TESTS)))


def pytest_collection_finish() -> None:
    """What is imported by now stays, so the collector need not look through it again:
    with each application that a test makes it did, a third of the CPU time of tests of
    pages. What tests leave is collected as ever, in somewhat larger portions."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(2_000, 10, 40)


def _place(path: Path) -> tuple[int, bool]:
    folders = (n for n, first in enumerate(FIRST) if path.is_relative_to(first))
    return next(folders, len(FIRST)), path.name in APART


class InOneProcess(LoadScopeScheduling):  # type: ignore[misc]
    """Keeps tests in one process that share fixtures: those of a file, and all that
    use one browser and one factory."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::")[0]
        shares = file.startswith(TOGETHER) and not file.endswith(APART)
        return TOGETHER if shares else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(
    config: pytest.Config, log: Producer
) -> LoadScopeScheduling:
    return InOneProcess(config, log)


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


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Where the system's browser is; tests are skipped without it, and fail in CI."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(
            "Chromium is not installed"
        )
    return found


@pytest.fixture(scope="session")
def shell_path(chromium_path: str) -> str:
    """The browser without anything to show a window with: much less to start."""
    wanted = None if HEADED else shutil.which("chromium-headless-shell")
    return wanted or chromium_path


@pytest.fixture(scope="module")
def playwright_(chromium_path: str) -> Iterator[Playwright]:
    """One at a time, and no longer than needed: it keeps an event loop running."""
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="module")
def browser(playwright_: Playwright, shell_path: str) -> Iterator[Browser]:
    browser = launch(playwright_, shell_path)
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def whole_browser(playwright_: Playwright, chromium_path: str) -> Iterator[Browser]:
    """With all that a browser with windows has, such as notices of the system."""
    browser = launch(playwright_, chromium_path)
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
