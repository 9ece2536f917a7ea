"""The wall screen: the plant with depth, its orders, and alarms nobody overlooks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.axe import complaints_of
from tests.support.house import House

OpenPage = Callable[..., Page]


@pytest.mark.parametrize("width", [360, 1024, 1920])
def test_the_wall_screen_draws_the_plant_and_fits_its_screen(
    house: House, open_page: OpenPage, width: int
) -> None:
    page = open_page("sofia", width=width)
    page.goto(f"{house.address}/floor")
    expect(page.locator("canvas[data-pictures]")).to_have_count(1)
    # A change of the window empties the canvas until the next frame.
    page.wait_for_function(
        """() => {
          const canvas = document.querySelector("canvas");
          const data = canvas.getContext("2d").getImageData(
            0, 0, canvas.width, canvas.height).data;
          const seen = new Set();
          for (let at = 0; at < data.length; at += 4)
            seen.add(`${data[at]},${data[at + 1]},${data[at + 2]}`);
          return seen.size > 20;
        }"""
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_wall_screen_shows_orders_and_what_has_stopped(
    house: House, open_page: OpenPage
) -> None:
    page = open_page("sofia", width=1920)
    page.goto(f"{house.address}/floor")
    number = house.order()
    task = house.task(number, "load_material")
    orders = page.locator("[data-wall-orders]")
    expect(orders).to_contain_text(number)
    with house.services.uow() as tx:
        instance_id = tx.tasks.get(task).instance_id
        tx.incidents.open("stuck", "no scale answers", instance_id=instance_id)
        tx.events.append("incident", actor="test", instance_id=instance_id)
    alarm = page.locator(".wall-alarm")
    expect(alarm).to_contain_text("1 thing waits for a decision")
    expect(alarm).to_contain_text("no scale answers")
    assert complaints_of(page) == []
    page.get_by_role("link", name="Leave").click()
    expect(page.locator("#stuck-title")).to_be_visible()
