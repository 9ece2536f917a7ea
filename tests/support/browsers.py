"""How tests start the system's Chromium."""

from __future__ import annotations

import os

from playwright.sync_api import Browser, BrowserContext, Page, Playwright

from tests.support.axe import axe_on_demand

PATIENCE_MS = 60_000
HEADED = bool(os.environ.get("MPMS_TEST_HEADED"))
CHROMIUM_FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--disable-dev-shm-usage"),
    # Else each page that is opened starts a process: a fifth of the CPU time.
    "--process-per-site",
]


def launch(playwright: Playwright, path: str) -> Browser:
    return playwright.chromium.launch(
        executable_path=path,
        args=CHROMIUM_FLAGS,
        headless=not HEADED,
        slow_mo=float(os.environ.get("MPMS_TEST_SLOW_MO_MS", "0")),
    )


def collect_errors(context: BrowserContext) -> list[str]:
    """What goes wrong in its pages from now on: scripts that throw, and what the
    Content Security Policy refuses."""
    errors: list[str] = []

    def listen(page: Page) -> None:
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on(
            "console",
            lambda said: (
                errors.append(said.text)
                if "Content Security Policy" in said.text
                else None
            ),
        )

    context.on("page", listen)
    return errors


class Tab:
    """A page that one test after the other uses, and what went wrong in it."""

    def __init__(self, context: BrowserContext, *, touch: bool) -> None:
        self.touch = touch
        self.free = True
        self._errors = collect_errors(context)
        self.page = context.new_page()
        self._wire = context.new_cdp_session(self.page)

    def told(self) -> list[str]:
        errors = list(self._errors)
        self._errors.clear()
        return errors

    def forget(self, address: str) -> None:
        """What a test has left in it. An empty answer keeps the process of the site,
        which a blank page would not."""
        page = self.page
        for other in page.context.pages:
            if other != page:
                other.close()
        page.unroute_all()
        page.emulate_media(color_scheme="light")
        page.goto(f"{address}/healthz/word")
        page.evaluate("() => sessionStorage.clear()")
        stored = {"origin": address, "storageTypes": "local_storage,indexeddb"}
        self._wire.send("Storage.clearDataForOrigin", stored)
        self._wire.send("Page.resetNavigationHistory")
        page.context.clear_cookies()
        page.context.clear_permissions()


class Tabs:
    """Pages that were opened; each is lent to one test at a time."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self.all: list[Tab] = []

    def take(self, *, touch: bool) -> Tab:
        tab = next((t for t in self.all if t.free and t.touch == touch), None)
        if tab is None:
            context = self._browser.new_context(
                has_touch=touch, service_workers="block"
            )
            context.set_default_timeout(PATIENCE_MS)
            context.add_init_script(script=axe_on_demand())
            tab = Tab(context, touch=touch)
            self.all.append(tab)
        tab.free = False
        return tab

    def give_back(self, tab: Tab, address: str) -> None:
        tab.forget(address)
        tab.free = True
