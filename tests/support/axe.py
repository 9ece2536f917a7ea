"""What axe-core complains about on a page, in light and in dark colours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
IS_THERE = """() => {
    if (!('axe' in window) && 'loadAxe' in window) window.loadAxe();
    return 'axe' in window;
}"""
# Rules whose answer depends on colours; the others say the same in the dark.
COLOUR_RULES = ["color-contrast", "link-in-text-block"]
RUN = """async ([exclude, rules]) => {
    for (const each of document.getAnimations())
        if (each instanceof CSSTransition) each.finish();
    const chosen = rules === null ? {} : {runOnly: rules};
    const found = await axe.run(
        {exclude: exclude}, {resultTypes: ['violations'], ...chosen});
    return found.violations.map(each => [
        each.id, each.nodes.slice(0, 3).map(node => node.html.slice(0, 120))]);
}"""


def axe_on_demand() -> str:
    """A script for every page of a context: axe is there and not run until it is
    asked, so a page that nobody asks about costs nearly nothing."""
    return f"window.loadAxe = () => {{ {_axe()} }};"


def complaints_of(page: Page, *, exclude: tuple[str, ...] = ()) -> list[str]:
    """Of a page as it is served: what is evaluated passes by its policy. It is light
    again afterwards."""
    if not page.evaluate(IS_THERE):
        page.evaluate(_axe())
    found: list[str] = []
    for scheme, rules in (("light", None), ("dark", COLOUR_RULES)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        said: list[tuple[str, Any]] = page.evaluate(RUN, [list(exclude), rules])
        found += [f"{scheme}: {rule}: {nodes}" for rule, nodes in said]
    page.emulate_media(color_scheme="light")
    return found


def _axe() -> str:
    assert AXE.exists(), "axe-core is not there; fetch it with: make packages"
    return AXE.read_text(encoding="utf-8")
