"""Every page for every eye and finger: axe-core, sizes of targets, narrow screens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.house import House

Open = Callable[..., BrowserContext]

ROOT = Path(__file__).resolve().parents[3]
AXE = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
GLOVE_PX, FINGER_PX, FLOOR_PX = 64, 44, 24
"""Worker pages; buttons elsewhere; the least that any target may have."""

SMALL_TARGETS = """least => [...document.querySelectorAll(
        'main a, main button, main summary, main select, main label.choice,'
        + ' main input:not([type=hidden]):not([type=checkbox]):not([type=radio])')]
    .filter(element => {
        const box = element.getBoundingClientRect();
        const style = getComputedStyle(element);
        const inText = element.tagName === 'A' && style.display === 'inline';
        return box.width > 1 && box.height > 1 && style.visibility !== 'hidden'
            && !inText && !element.closest('.visually-hidden, .skip')
            && Math.min(box.width, box.height) < least - 0.5;
    })
    .map(element => {
        const box = element.getBoundingClientRect();
        return `${element.outerHTML.slice(0, 90)} ${box.width}x${box.height}`;
    })"""


def pages_of(house: House) -> dict[str, tuple[str | None, str]]:
    number = house.order(materials=2)
    task = house.task(number, "load_material")
    ((instance,),) = house.rows(
        f"SELECT instance_id::text FROM tasks WHERE task_id = '{task}'"
    )
    return {
        "login": (None, "/login"),
        "trust": (None, "/trust"),
        "start": ("sofia", "/"),
        "tasks": ("ana", "/tasks"),
        "task": ("ana", f"/tasks/{task}"),
        "supervisor's tasks": ("sofia", "/tasks"),
        "late answers": ("sofia", "/late"),
        "orders": ("sofia", "/orders"),
        "order": ("sofia", f"/orders/{number}"),
        "new order": ("sofia", "/orders/new"),
        "map": ("vera", "/map"),
        "cockpit": ("sofia", "/cockpit"),
        "process": ("vera", "/cockpit/warehouse"),
        "instance": ("sofia", f"/cockpit/i/{instance}"),
        "incidents": ("sofia", "/incidents"),
        "alerts": ("sofia", "/incidents/alerts"),
        "bulk actions": ("sofia", "/batches"),
        "figures": ("sofia", "/figures"),
        "models": ("vera", "/models"),
        "model": ("vera", "/models/warehouse/1"),
        "compared": ("vera", "/models/warehouse/compare?from=1&to=1"),
        "decision": ("vera", "/models/decisions/weight_tolerance"),
        "form preview": ("vera", "/models/forms/load_material"),
        "design": ("adam", "/design"),
        "deploy": ("adam", "/models/deploy"),
        "follow": ("adam", "/models/warehouse/1/migrate"),
        "decision edited": ("adam", "/models/decisions/weight_tolerance/edit"),
        "new model": ("adam", "/models/new"),
        "tokens": ("adam", "/tokens"),
        "webhooks": ("adam", "/webhooks"),
        "API": ("adam", "/api/v1/docs"),
        "me": ("ana", "/me"),
        "tablets": ("sofia", "/tablets"),
        "nothing here": ("sofia", "/no-such-page"),
    }


def visit(
    house: House, context: BrowserContext, pages: dict[str, tuple[str | None, str]]
) -> Any:
    """Opens one page after the other, signed in as who shall see it."""
    page = context.new_page()
    who: str | None = None
    for name, (login, path) in pages.items():
        if login != who:
            # A page that hears news without being signed in loads itself again.
            page.goto("about:blank")
            context.clear_cookies()
            if login is not None:
                house.sign_in(page, login)
            who = login
        page.goto(house.address + path)
        page.wait_for_load_state("load")
        expect(page.locator("body")).to_be_visible()
        yield name, page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page(
    house: House, open_context: Open, scheme: str
) -> None:
    context = open_context(
        viewport={"width": 1024, "height": 900},
        color_scheme=scheme,
        bypass_csp=True,
        service_workers="block",
    )
    found: dict[str, list[str]] = {}
    for name, page in visit(house, context, pages_of(house)):
        page.add_script_tag(path=AXE)
        result = page.evaluate("() => axe.run({resultTypes: ['violations']})")
        complaints = [
            f"{each['id']}: {[node['html'][:120] for node in each['nodes'][:3]]}"
            for each in result["violations"]
        ]
        if complaints:
            found[name] = complaints
    assert found == {}


@pytest.mark.covers("A14")
def test_a_narrow_screen_shows_every_page_without_scrolling_sideways(
    house: House, open_context: Open
) -> None:
    context = open_context(
        viewport={"width": 360, "height": 740}, service_workers="block"
    )
    wide = {}
    for name, page in visit(house, context, pages_of(house)):
        over_px = page.evaluate(
            "() => document.scrollingElement.scrollWidth - window.innerWidth"
        )
        if over_px > 0:
            wide[name] = over_px
    assert wide == {}


@pytest.mark.parametrize("width", [360, 1024])
def test_targets_are_large_enough_for_gloves_and_fingers(
    house: House, open_context: Open, width: int
) -> None:
    context = open_context(
        viewport={"width": width, "height": 900}, service_workers="block"
    )
    small: dict[str, list[str]] = {}
    for name, page in visit(house, context, pages_of(house)):
        least = GLOVE_PX if name in ("tasks", "task") else FLOOR_PX
        for _ in range(6):
            if found := page.evaluate(SMALL_TARGETS, least):
                small[name] = found
            if name != "task" or not next_card(page):
                break
    assert small == {}


def next_card(page: Page) -> bool:
    onward = page.locator("[data-step-next]")
    count = page.locator("[data-stepper-count]")
    expect(count).not_to_be_empty()  # before, no script has hidden the other cards
    title = count.inner_text()
    for box in page.locator("[data-step] input[type=checkbox]:visible").all():
        box.check()
    if "4 of 4" in title or page.locator("[data-step=confirm]").is_visible():
        return False
    onward.click()
    page.wait_for_function(
        "before => document.querySelector('[data-stepper-count]').textContent.trim()"
        " !== before",
        arg=title.strip(),
    )
    return True


def test_the_map_moves_under_a_finger(house: House, open_context: Open) -> None:
    context = open_context(
        viewport={"width": 800, "height": 1000}, has_touch=True, service_workers="block"
    )
    page = context.new_page()
    house.sign_in(page, "vera")
    page.goto(f"{house.address}/map")
    wall = page.locator("main svg path, main svg line, main svg rect").first
    expect(wall).to_be_attached()
    robot = page.locator("main svg text", has_text="robot1").first
    expect(robot).to_be_visible()
    before = robot.bounding_box()
    assert before is not None
    wire = context.new_cdp_session(page)

    def touch(kind: str, x: float, y: float) -> None:
        points = [] if kind == "touchEnd" else [{"x": x, "y": y}]
        wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    box = page.locator("main svg").first.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] * 0.35, box["y"] + box["height"] * 0.3
    touch("touchStart", x, y)
    for step in range(1, 11):
        touch("touchMove", x + 8 * step, y + 4 * step)
    touch("touchEnd", x, y)
    house.until(
        "the floor has moved",
        lambda: (
            (after := robot.bounding_box()) is not None
            and after["x"] - before["x"] > 40
        ),
    )
