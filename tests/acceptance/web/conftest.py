"""A whole factory with pages, and browsers to look at it: the system's Chromium."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Playwright,
    expect,
    sync_playwright,
)

from mpms.demo.people import settle_people
from mpms.demo.plant import factory
from mpms.demo.site import DemoSite
from mpms.factory.settings import with_factory
from mpms.settings import Settings
from tests.acceptance.web.sights import Sights
from tests.support.browsers import Tab, Tabs, collect_errors, launch
from tests.support.databases import Databases
from tests.support.factory import ROOT
from tests.support.house import PATIENCE_MS, House

FOR_EVER_S = 1e9

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="package")
def playwright_(chromium_path: str) -> Iterator[Playwright]:
    """One for all files here; it ends before tests that want an event loop."""
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="package")
def browser(playwright_: Playwright, shell_path: str) -> Iterator[Browser]:
    browser = launch(playwright_, shell_path)
    yield browser
    browser.close()


@pytest.fixture(scope="package")
def usual_house(databases: Databases, postgres_directory: Path) -> Iterator[House]:
    """One for all files that want nothing special: starting it takes some seconds."""
    with started_house(databases, postgres_directory) as house:
        yield house


@pytest.fixture(scope="package")
def sights(
    usual_house: House,
    browser: Browser,
    close_context: Callable[[BrowserContext], None],
) -> Iterator[Sights]:
    sights = Sights(usual_house, browser)
    yield sights
    close_context(sights.context)


@pytest.fixture(scope="module")
def house(
    databases: Databases, postgres_directory: Path, request: pytest.FixtureRequest
) -> Iterator[House]:
    """A file may want other ``SETTINGS`` than usual, robots of another ``SPEED``, or a
    house that nobody has used: ``OWN_HOUSE``."""
    wanted = {
        name: getattr(request.module, name.upper())
        for name in ("settings", "speed")
        if hasattr(request.module, name.upper())
    }
    if not wanted and not hasattr(request.module, "OWN_HOUSE"):
        usual: House = request.getfixturevalue("usual_house")
        yield usual
        usual.put_back()
        return
    with started_house(databases, postgres_directory, **wanted) as house:
        yield house


@contextmanager
def started_house(
    databases: Databases,
    directory: Path,
    *,
    settings: dict[str, Any] | None = None,
    speed: float = 20.0,
) -> Iterator[House]:
    state_dir = directory / f"web-{uuid4().hex[:8]}"
    plain = Settings(state_dir=state_dir, web_port=0, webhooks_to_private=True)
    chosen = with_factory(plain, **(settings or {}))
    with ExitStack() as parts:
        url = databases.lend()
        parts.callback(databases.take_back, url)
        mail_again = parts.enter_context(ExitStack())
        plant = parts.enter_context(
            factory(url, chosen, speed=speed, patience_s=FOR_EVER_S, pause_s=0.0)
        )
        settle_people(plant.services.uow)
        site = DemoSite(chosen, url, plant.simulator.url)
        site.__enter__()
        house = House(plant, site, chosen, url, mail_again)
        parts.callback(lambda: house.site.__exit__(None, None, None))
        yield house


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that waited in vain says what the factory did meanwhile."""
    report = yield
    house = getattr(item, "funcargs", {}).get("house")
    if report.when == "call" and report.failed and house is not None:
        report.sections.append(("the factory", house.report()))
    return report


@pytest.fixture(autouse=True)
def free_robots(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "house" in request.fixturenames:
        request.getfixturevalue("house").clear()


@pytest.fixture
def open_context(
    browser: Browser, close_context: Callable[[BrowserContext], None]
) -> Iterator[Callable[..., BrowserContext]]:
    """Contexts are separate browsers; an error that a page reports fails the test."""
    opened: list[BrowserContext] = []
    errors: list[list[str]] = []

    def open_one(**settings: Any) -> BrowserContext:
        context = browser.new_context(**settings)
        context.set_default_timeout(PATIENCE_MS)
        errors.append(collect_errors(context))
        opened.append(context)
        return context

    yield open_one
    for context in opened:
        close_context(context)
    assert [error for each in errors for error in each] == []


@pytest.fixture(scope="package")
def tabs(
    browser: Browser, close_context: Callable[[BrowserContext], None]
) -> Iterator[Tabs]:
    tabs = Tabs(browser)
    yield tabs
    for tab in tabs.all:
        close_context(tab.page.context)


@pytest.fixture
def open_page(house: House, tabs: Tabs) -> Iterator[Callable[..., Page]]:
    """``open_page("sofia")`` is a page of a browser without service worker in which
    she is signed in. Earlier tests may have used it: its process is warm. An error
    that it reports fails the test."""
    taken: list[Tab] = []

    def open_one(
        login: str | None, *, width: int = 1280, height: int = 900, touch: bool = False
    ) -> Page:
        taken.append(tabs.take(touch=touch))
        page = taken[-1].page
        page.set_viewport_size({"width": width, "height": height})
        if login is not None:
            house.sign_in(page, login)
        return page

    yield open_one
    for tab in taken:
        tabs.give_back(tab, house.address)
    assert [error for tab in taken for error in tab.told()] == []


@pytest.fixture(scope="session", autouse=True)
def built_pages() -> None:
    dist = ROOT / "mpms" / "web" / "static" / "dist" / "manifest.json"
    assert dist.exists(), "the pages are not built; run: make web"
