"""Each page is opened once for all tests that only look at it.

It is opened on a phone, measured, made wider and measured again; axe is asked about it
in light and in dark colours. What the server said and where its links lead is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support.axe import axe_on_demand, complaints_of
from tests.support.browsers import collect_errors
from tests.support.house import PATIENCE_MS, House

PHONE_PX, TABLET_PX, DESK_PX = 360, 1024, 1440
HEIGHT_PX = 900
LINKS = """() => [...document.querySelectorAll('a[href]:not([download])')]
    .map((link) => link.href.split(/[?#]/)[0])"""
# Two frames: what follows the size of the screen has followed it.
OVER_PX = """async () => {
    for (let n = 0; n < 2; n++) await new Promise(requestAnimationFrame);
    return document.scrollingElement.scrollWidth - window.innerWidth;
}"""
Measure = Callable[[Page], list[str]]


@dataclass
class Sight:
    """What there is to say about one page."""

    headers: dict[str, str]
    links: list[str]
    complaints: list[str] = field(default_factory=list)
    too_wide_px: dict[int, int] = field(default_factory=dict)
    too_small: dict[int, list[str]] = field(default_factory=dict)


class Sights:
    """A browser that keeps what it has seen, by person and path."""

    def __init__(self, house: House, browser: Browser) -> None:
        self._house = house
        self._seen: dict[tuple[str | None, str], Sight] = {}
        self._who: str | None = None
        self.context: BrowserContext = browser.new_context(
            viewport={"width": PHONE_PX, "height": HEIGHT_PX}, service_workers="block"
        )
        self.context.set_default_timeout(PATIENCE_MS)
        self.context.add_init_script(script=axe_on_demand())
        self._errors = collect_errors(self.context)
        self._page = self.context.new_page()

    def told(self) -> list[str]:
        """What went wrong in pages since this was asked last; none stays open."""
        self._page.goto("about:blank")
        errors = list(self._errors)
        self._errors.clear()
        return errors

    def open(self, login: str | None, path: str) -> Sight:
        """See it as somebody, or remember it."""
        return self._seen.get((login, path)) or self._open(login, path)

    def remembered(self, path: str) -> Sight | None:
        """What anybody has seen there."""
        found = (sight for (_, at), sight in self._seen.items() if at == path)
        return next(found, None)

    def look(
        self,
        login: str | None,
        path: str,
        *,
        small: Measure,
        widths: Sequence[int],
        onward: Callable[[Page], bool] = lambda page: False,
        before_axe: Callable[[Page], None] = lambda page: None,
    ) -> Sight:
        """Measure it at these widths, the first of which is a phone's, and as often
        as there is something onward; axe is asked once, on a tablet."""
        known = self._seen.get((login, path))
        if known is not None and known.too_wide_px:
            return known
        sight = self._open(login, path)
        asked = False
        while True:
            for width in widths:
                self._resize(width)
                over_px: int = self._page.evaluate(OVER_PX)
                known_px = sight.too_wide_px.get(width, 0)
                sight.too_wide_px[width] = max(over_px, known_px)
                if width == TABLET_PX and not asked:
                    before_axe(self._page)
                    sight.complaints += complaints_of(self._page)
                    asked = True
                sight.too_small.setdefault(width, []).extend(small(self._page))
            if not onward(self._page):
                break
        self._resize(PHONE_PX)
        return sight

    def _resize(self, width: int) -> None:
        self._page.set_viewport_size({"width": width, "height": HEIGHT_PX})

    def _open(self, login: str | None, path: str) -> Sight:
        page = self._page
        if login != self._who:
            # A page that hears news without being signed in loads itself again.
            page.goto("about:blank")
            self.context.clear_cookies()
            if login is not None:
                self._house.sign_in(page, login)
            self._who = login
        answer = page.goto(self._house.address + path)
        assert answer is not None
        expect(page.locator("body")).to_be_visible()
        links: list[str] = page.evaluate(LINKS)
        sight = self._seen[login, path] = Sight(dict(answer.headers), links)
        return sight


def named(found: dict[str, Sight], wrong: Callable[[Sight], Any]) -> dict[str, Any]:
    """What is wrong with each page, if anything is."""
    return {name: said for name, sight in found.items() if (said := wrong(sight))}
