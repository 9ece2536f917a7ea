"""A whole factory with pages, and browsers to look at it: the system's Chromium."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from mpms.demo.people import settle_people
from mpms.demo.plant import factory
from mpms.demo.site import Site
from mpms.settings import Settings
from tests.support.databases import Databases
from tests.support.factory import ROOT
from tests.support.house import PATIENCE_MS, House

FOR_EVER_S = 1e9

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def house_database(databases: Databases) -> Iterator[str]:
    url = databases.lend()
    yield url
    databases.take_back(url)


@pytest.fixture(scope="module")
def house(
    house_database: str, postgres_directory: Path, request: pytest.FixtureRequest
) -> Iterator[House]:
    """One for all tests of a file: starting a factory takes some seconds.

    A file may want other ``SETTINGS`` than usual, or robots of another ``SPEED``.
    """
    directory = postgres_directory / f"web-{uuid4().hex[:8]}"
    wanted = getattr(request.module, "SETTINGS", {})
    settings = Settings(state_dir=directory, web_port=0, **wanted)
    with ExitStack() as parts:
        mail_again = parts.enter_context(ExitStack())
        plant = parts.enter_context(
            factory(
                house_database,
                settings,
                speed=getattr(request.module, "SPEED", 20.0),
                patience_s=FOR_EVER_S,
                pause_s=0.0,
            )
        )
        settle_people(plant.services.uow)
        site = Site(settings, house_database, plant.simulator.url)
        site.__enter__()
        house = House(plant, site, settings, house_database, mail_again)
        parts.callback(lambda: house.site.__exit__(None, None, None))
        yield house


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
    complaints: list[str] = []

    def listen(page: Page) -> None:
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda said: (
                complaints.append(said.text)
                if "Content Security Policy" in said.text
                else None
            ),
        )

    def open_one(**settings: Any) -> BrowserContext:
        context = browser.new_context(**settings)
        context.set_default_timeout(PATIENCE_MS)
        context.on("page", listen)
        opened.append(context)
        return context

    yield open_one
    for context in opened:
        close_context(context)
    assert complaints == []


@pytest.fixture(scope="session", autouse=True)
def built_pages() -> None:
    dist = ROOT / "mpms" / "web" / "static" / "dist" / "manifest.json"
    assert dist.exists(), "the pages are not built; run: make web"
