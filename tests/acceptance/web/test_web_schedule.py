"""The schedule in a browser: what comes first, and what would change."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from mpms.factory.domain.orders import Order, OrderLine
from tests.support.house import House

OpenPage = Callable[..., Page]
SIZES = ((360, 740), (1024, 768), (1920, 1080))


@pytest.fixture
def waiting(house: House) -> str:
    """An order that nobody begins: the process does not hear of it."""
    number = f"MO-{uuid4().hex[:6]}"
    with house.services.uow() as tx:
        tx.orders.add(
            Order(number, "Test paint", (OrderLine("RM-001", "Water", Decimal(50)),))
        )
    return number


def test_an_order_is_dragged_and_moved_by_keys_to_another_priority(
    house: House, open_page: OpenPage, waiting: str
) -> None:
    page = open_page("sofia", width=1024, height=768)
    page.goto(f"{house.address}/schedule")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        over = "document.scrollingElement.scrollWidth - window.innerWidth"
        assert page.evaluate(over) <= 0, width
        expect(page.locator(".gantt-now")).to_be_attached()
    page.set_viewport_size({"width": 1024, "height": 768})
    handle = page.get_by_role("button", name=f"Move {waiting}")
    handle.focus()
    with page.expect_response("**/schedule/now*"):
        page.keyboard.press("ArrowUp")
    of = f"SELECT priority FROM orders WHERE number = '{waiting}'"
    house.until("it is high", lambda: house.rows(of) == [("high",)])
    expect(page.locator("[data-level=high]")).to_contain_text(waiting)
    expect(handle).to_be_focused()
    urgent = page.locator("[data-level=urgent]")
    handle.scroll_into_view_if_needed()
    box, to = handle.bounding_box(), urgent.bounding_box()
    assert box is not None
    assert to is not None
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(to["x"] + 30, to["y"] + 20, steps=4)
    page.mouse.up()
    house.until("it is urgent", lambda: house.rows(of) == [("urgent",)])
    expect(urgent).to_contain_text(waiting)
    order = page.locator(f"[data-number='{waiting}']")
    order.locator("summary").click()
    order.locator("input[name=due]").fill("2026-12-24")
    order.get_by_role("button", name="What would change?").click()
    expect(order.locator(".what-if-list, .what-if p").first).to_be_visible()
    assert house.rows(of.replace("priority", "due")) == [(None,)]
    page.goto(f"{house.address}/orders/{waiting}")
    page.get_by_text("Cancel the order").click()
    page.locator(".order-actions [open] textarea").fill("the test is over")
    page.get_by_role("button", name=f"Yes, cancel {waiting}").click()
    expect(page.locator(".order-head")).to_contain_text("cancelled")
