"""The cockpit in a browser: live counts, heat, and instances found on the diagram."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.support.axe import complaints_of
from tests.support.house import House

OpenPage = Callable[..., Page]

ROOT = Path(__file__).resolve().parents[3]


def watermark_is_whole(page: Page) -> bool:
    return bool(
        page.evaluate(
            """() => {
                const mark = document.querySelector('.bjs-powered-by');
                const box = mark.getBoundingClientRect();
                const stage = document.querySelector('.diagram-stage')
                    .getBoundingClientRect();
                const top = document.elementFromPoint(
                    box.x + box.width / 2, box.y + box.height / 2);
                return box.width > 20 && box.right <= stage.right + 1
                    && box.bottom <= stage.bottom + 1 && mark.contains(top);
            }"""
        )
    )


def test_a_supervisor_follows_a_process_on_its_diagram(
    house: House, open_page: OpenPage
) -> None:
    first = house.order()
    house.task(first, "load_material")
    page = open_page("sofia", width=1440, height=1000)
    page.goto(f"{house.address}/cockpit")
    assert complaints_of(page) == []
    page.locator("a[href='/cockpit/warehouse']").click()

    load = page.locator("tr[data-element=load_material]")
    drawn = page.locator(".djs-element[data-element-id=load_material]")
    badges = page.locator(".djs-overlays[data-container-id=load_material] .token")
    expect(load).to_have_attribute("data-tokens", "1")
    expect(drawn).to_have_class(re.compile("diagram-live"))
    expect(badges).to_have_text("1")
    second = house.order(start=1)
    house.task(second, "load_material")
    expect(load).to_have_attribute("data-tokens", "2")
    expect(badges).to_have_text("2")

    shows = page.get_by_role("group", name="What the diagram shows")
    shows.get_by_role("button", name="Count").click()
    expect(drawn).not_to_have_class(re.compile("diagram-live"))
    expect(page.locator(".djs-element.heat-5").first).to_be_attached()
    expect(page.locator("[data-legend=count]")).to_be_visible()
    expect(page).to_have_url(re.compile(r"[?&]show=count"))
    assert complaints_of(page) == []
    shows.get_by_role("button", name="Live").click()
    expect(page.locator(".djs-element.heat-5")).to_have_count(0)

    rows = page.locator(".instances-table tbody tr")
    expect(rows).to_have_count(2)
    page.locator("#step-load_material").click()
    expect(page).to_have_url(re.compile(r"[?&]element=load_material"))
    expect(page.locator(".cockpit-at")).to_contain_text("Load material")
    expect(drawn).to_have_class(re.compile("diagram-chosen"))
    expect(rows).to_have_count(2)
    page.locator("input[name=q]").fill(second)
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text(second)
    page.locator(".cockpit-at").click()
    expect(page.locator(".cockpit-at")).to_have_count(0)
    assert watermark_is_whole(page)
    assert complaints_of(page) == []
