"""The floor drawn on a tablet: with a finger, checked, saved, seen with ten robots."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.axe import complaints_of
from tests.support.house import House

OpenPage = Callable[..., Page]
PICTURES = os.environ.get("FLOOR_PICTURES")


def picture(page: Page, name: str) -> None:
    if PICTURES:
        page.screenshot(path=str(Path(PICTURES) / f"{name}.png"), full_page=True)


def tap_at(page: Page, x_m: float, y_m: float) -> None:
    """A spot of the floor, in metres as the plan has them."""
    spot = page.evaluate(
        """([x, y]) => {
            const metres = document.querySelector('.floor-canvas > g');
            const at = new DOMPoint(x, -y).matrixTransform(metres.getScreenCTM());
            return [at.x, at.y];
        }""",
        [x_m, y_m],
    )
    page.mouse.click(*spot)


def tool(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


@pytest.mark.parametrize("width", [1280])
def test_a_floor_is_drawn_checked_saved_and_previewed(
    house: House, open_page: OpenPage, width: int
) -> None:
    page = open_page("adam", width=width, height=900)
    page.goto(f"{house.address}/admin/floor")
    faults = page.locator("#floor-faults")
    save = page.get_by_role("button", name="Save", exact=True)
    expect(faults).to_contain_text("Nothing is wrong")
    page.locator("#floor-stage").scroll_into_view_if_needed()
    expect(save).to_be_disabled()
    picture(page, f"floor-{width}-begin")
    tool(page, "Place")
    tap_at(page, 10.0, 4.5)  # inside a rack
    expect(faults).to_contain_text("is reached by no robot")
    expect(save).to_be_disabled()
    picture(page, f"floor-{width}-fault")
    tool(page, "Undo")
    expect(faults).to_contain_text("Nothing is wrong")
    tap_at(page, 25.0, 16.0)
    page.get_by_label("Name", exact=True).fill("gate")
    page.get_by_label("Name", exact=True).press("Tab")
    expect(page.locator("#floor-parts")).to_have_value("places/gate")
    tool(page, "Lane")
    for x_m, y_m in ((22.0, 16.0), (22.0, 3.0), (5.0, 2.4)):
        tap_at(page, x_m, y_m)
    tool(page, "Finish")
    page.get_by_label("One way").check()
    page.get_by_label("Width in metres").fill("0.3")
    page.get_by_label("Width in metres").press("Tab")
    expect(faults).to_contain_text("0.30 m wide, too narrow")
    page.get_by_label("Width in metres").fill("2")
    page.get_by_label("Width in metres").press("Tab")
    expect(faults).not_to_contain_text("too narrow")
    tool(page, "Zone")
    for x_m, y_m in ((21.0, 16.0), (24.0, 16.0), (24.0, 18.0)):
        tap_at(page, x_m, y_m)
    tool(page, "Finish")
    page.get_by_label("Who may drive here").select_option("same_direction")
    tool(page, "Wall")
    for x_m, y_m in ((14.0, 19.0), (16.0, 19.0), (16.0, 20.0)):
        tap_at(page, x_m, y_m)
    tool(page, "Finish")
    expect(page.get_by_label("from x in metres")).to_have_value("16")
    tool(page, "Door")
    tap_at(page, 18.0, 19.0)
    tap_at(page, 20.0, 19.0)
    expect(page.locator("#floor-parts")).to_have_value("doors/door_1")
    tool(page, "Package type")
    page.get_by_label("Weight in kg").fill("90000")
    page.get_by_label("Weight in kg").press("Tab")
    expect(faults).to_contain_text("can be carried by no robot")
    page.get_by_label("Weight in kg").fill("25")
    page.get_by_label("Weight in kg").press("Tab")
    expect(faults).not_to_contain_text("carried by no robot")
    tool(page, "Place")
    tap_at(page, 8.0, 17.0)
    page.get_by_label("What it is").select_option("storage")
    page.get_by_label("What lies there at the start").select_option("package_1")
    expect(page.locator(".floor-storage .floor-stocked")).to_have_count(1)
    tool(page, "Robot")
    tap_at(page, 5.0, 16.0)
    tool(page, "Charging zone")
    tap_at(page, 4.0, 15.0)
    tap_at(page, 6.0, 17.0)
    expect(page.get_by_text("Robots charge at: rest_1")).to_be_visible()
    expect(page.locator(".floor-lane .floor-arrow")).to_have_count(2)
    assert complaints_of(page) == []
    picture(page, f"floor-{width}-drawn")
    page.locator("#floor-reason").fill("a gate to the yard")
    save.click()
    page.wait_for_url("**/admin/floor?version=*")
    use = page.get_by_role("button", name="Use this version")
    expect(use).to_be_disabled()
    page.get_by_role("button", name="Preview", exact=True).click()
    expect(page.locator("#floor-figures")).to_contain_text("10 robots")
    expect(page.locator("#floor-figures")).to_contain_text("0 contacts")
    expect(page.locator(".floor-simulated")).to_have_count(10)
    expect(use).to_be_enabled()
    # Whichever of them is the first to drive.
    spots = "all => all.map((each) => each.getAttribute('transform')).join()"
    before = page.locator(".floor-simulated").evaluate_all(spots)
    page.get_by_role("button", name="Play").click()
    page.wait_for_function(
        f"(before) => ({spots})([...document.querySelectorAll('.floor-simulated')])"
        " !== before",
        arg=before,
    )
    page.get_by_role("button", name="Pause").click()
    picture(page, f"floor-{width}-preview")
    if PICTURES:
        for wide in (360, 1920):
            page.set_viewport_size({"width": wide, "height": 900})
            page.reload()
            page.wait_for_timeout(1500)
            picture(page, f"floor-{wide}-saved")


@pytest.mark.covers("K61", "K62")
def test_a_warehouse_is_launched_and_commanded_on_a_phone(
    house: House, open_page: OpenPage
) -> None:
    page = open_page("adam", width=360, height=740)
    page.goto(f"{house.address}/warehouse/trial")
    page.get_by_role("button", name="Small").click()
    robots = page.locator(".trial-robot")
    expect(robots).to_have_count(2)
    assert complaints_of(page) == []
    free = page.locator(".trial-belts circle").first
    free.scroll_into_view_if_needed()
    free.click()
    x_m, y_m = free.get_attribute("cx"), free.get_attribute("cy")
    expect(page.locator("input[name=x]")).to_have_value(str(round(float(str(x_m)))))
    page.get_by_role("button", name="Drive there").click()
    where = f"translate({x_m} {y_m})"
    expect(robots.first).to_have_attribute("transform", where)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 360
    picture(page, "trial-360")
    if PICTURES:
        page.get_by_role("button", name="Large").click()
        page.set_viewport_size({"width": 1920, "height": 1080})
        page.wait_for_timeout(2000)
        picture(page, "trial-1920")
    page.get_by_role("button", name="End it").click()
    expect(page.get_by_text("None runs.")).to_be_visible()


@pytest.mark.covers("K65")
def test_a_person_is_put_on_the_plan_with_a_finger_and_taken_away(
    house: House, open_page: OpenPage
) -> None:
    page = open_page("sofia", width=1024, height=900)
    page.goto(f"{house.address}/fleet")
    plan = page.locator("#fleet-floor svg")
    expect(plan).to_be_visible()
    page.get_by_role("button", name="Place a person").click()
    draw = page.locator("[data-fleet-tap]")
    expect(draw).to_be_visible()
    draw.scroll_into_view_if_needed()
    spot = page.evaluate(
        """([x, y]) => {
            const drawing = document.querySelector('[data-fleet-tap]');
            const at = new DOMPoint(x, -y).matrixTransform(drawing.getScreenCTM());
            return [at.x, at.y];
        }""",
        [16.0, 17.5],
    )
    page.mouse.click(*spot)
    expect(page.locator(".flash")).to_have_text("The fleet has received it.")
    expect(plan.locator(".fleet-things circle")).to_have_count(1)
    expect(plan.locator(".fleet-things circle")).to_have_attribute("cx", "16.0")
    assert complaints_of(page) == []
    picture(page, "fleet-1024")
    if PICTURES:
        for wide in (360, 1920):
            page.set_viewport_size({"width": wide, "height": 900})
            page.wait_for_timeout(500)
            picture(page, f"fleet-{wide}")
        page.set_viewport_size({"width": 1024, "height": 900})
    page.get_by_role("button", name="Take it away").click()
    expect(page.locator(".fleet-things circle")).to_have_count(0)
