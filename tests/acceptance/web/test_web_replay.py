"""The past is played again: one slider moves the diagram and the map together."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.support.axe import complaints_of
from tests.support.house import House

OpenPage = Callable[..., Page]

ROOT = Path(__file__).resolve().parents[3]


def loading(house: House) -> tuple[str, str]:
    """An order whose robot waits to be loaded: its instance and that robot."""
    task = house.task(house.order(), "load_material")
    ((instance, robot),) = house.rows(
        "SELECT t.instance_id::text, h.robot FROM tasks AS t"
        f" JOIN robot_holds AS h USING (instance_id) WHERE task_id = '{task}'"
    )
    return instance, robot


def badge_on(page: Page, element: str) -> Locator:
    return page.locator(f".instance-badge[data-element={element}]")


def step_until(page: Page, badge: Locator) -> None:
    """Press the arrow until a token stands there."""
    for _ in range(80):
        if badge.is_visible():
            return
        before = page.locator("mpms-replay").get_attribute("data-ms")
        page.keyboard.press("ArrowRight")
        if page.locator("mpms-replay").get_attribute("data-ms") == before:
            break
    expect(badge).to_be_visible()


def test_one_slider_moves_diagram_and_map(house: House, open_page: OpenPage) -> None:
    instance, robot = loading(house)
    house.until(
        "the drive is on record",
        lambda: house.rows(
            f"SELECT 1 FROM robot_tracks WHERE instance_id = '{instance}' LIMIT 1"
        ),
    )
    page = open_page("vera", width=1440, height=1000)
    page.goto(f"{house.address}/cockpit/i/{instance}")
    play_again(page, robot)


def play_again(page: Page, robot: str) -> None:
    expect(badge_on(page, "load_material")).to_be_visible()
    page.get_by_role("button", name="Replay").click()
    floor = page.locator("#replay-floor")
    drawn = floor.locator(f"[data-robot={robot}]")
    expect(drawn).to_be_visible()
    slider = page.get_by_role("slider", name="Moment of the past")
    expect(slider).to_be_focused()
    expect(badge_on(page, "load_material")).to_have_count(0)
    step_until(page, badge_on(page, "move_to_material"))
    began = drawn.get_attribute("transform")
    step_until(page, badge_on(page, "load_material"))
    expect(badge_on(page, "move_to_material")).to_have_count(0)
    expect(drawn).not_to_have_attribute("transform", str(began))
    expect(page.locator("[data-replay=told]")).not_to_be_empty()
    assert complaints_of(page) == []

    page.keyboard.press("Home")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(badge_on(page, "load_material")).to_be_visible()
    page.get_by_role("button", name="Back to now").click()
    expect(floor).to_be_hidden()
    expect(page.locator("#instance-steps")).to_be_visible()
    expect(badge_on(page, "load_material")).to_be_visible()


def test_a_token_leads_to_its_robot_and_back(house: House, open_page: OpenPage) -> None:
    instance, robot = loading(house)
    page = open_page("sofia", width=1440, height=1000)
    page.goto(f"{house.address}/cockpit/i/{instance}")
    badge_on(page, "load_material").click()
    page.wait_for_url(re.compile(rf"/map\?robot={robot}$"))
    sheet = page.locator("#map-sheet")
    expect(sheet).to_contain_text(robot)
    back = sheet.get_by_role("link", name="Show its token")
    # The floor may be told a moment later than the task which order the robot serves.
    expect(back).to_have_attribute("href", f"/cockpit/i/{instance}?robot={robot}")
    back.click()
    page.wait_for_url(re.compile(rf"/cockpit/i/{instance}\?robot={robot}$"))
    expect(page.locator(".instance-badge.instance-chosen")).to_have_attribute(
        "data-element", "load_material"
    )
    expect(page.locator(".instance-token.instance-chosen")).to_be_visible()


def test_the_replay_fits_a_phone(house: House, open_page: OpenPage) -> None:
    instance, _ = loading(house)
    page = open_page("vera", width=360, height=740)
    page.goto(f"{house.address}/cockpit/i/{instance}?replay=1")
    expect(page.get_by_role("slider")).to_be_visible()
    expect(page.locator("#replay-floor .robot").first).to_be_attached()
    over_px = page.evaluate(
        "() => document.scrollingElement.scrollWidth - window.innerWidth"
    )
    assert over_px <= 0


def test_the_figures_are_drawn_and_told(house: House, open_page: OpenPage) -> None:
    loading(house)
    house.until("it is counted", lambda: house.rows("SELECT 1 FROM robot_hours"))
    page = open_page("sofia", width=1440, height=1000)
    page.goto(f"{house.address}/figures")
    expect(page.locator("mpms-figure canvas")).to_have_count(3)
    expect(page.get_by_role("table").filter(has_text="robot1")).to_be_visible()
    page.get_by_text("The figures of the charts as a table").click()
    expect(page.locator(".figures-days tbody tr")).to_have_count(7)
    assert complaints_of(page) == []
    page.get_by_label("Window of time").select_option("month")
    page.wait_for_url(re.compile("window=month"))
    expect(page.locator("mpms-figure canvas")).to_have_count(3)
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV of this table: days").click()
    assert Path(download.value.path()).read_text(encoding="utf-8").count("\n") == 31
