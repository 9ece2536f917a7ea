"""A load on one card: scanned, weighed by itself, confirmed by one tap."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from mpms.services.tasks.claim import claim_task
from tests.support.house import House

OpenPage = Callable[..., Page]

SIZES = ((360, 740), (1024, 768), (1920, 1080))
# What a worker must see, and what lies outside of the screen or below the buttons.
UNSEEN = """() => {
    const least = document.querySelector('.task-thumb').getBoundingClientRect().top;
    const wanted = ['.one-amount .big-number', '.material-picture', '.place-huge',
        'input[name=lot]', '[data-scan=keypad]', 'input[name=weighed_kg]',
        '.weigh-state', '.scale-says'];
    return wanted.filter((one) => {
        const box = document.querySelector(one)?.getBoundingClientRect();
        return !box || box.height === 0 || box.top < 0 || box.bottom > least + 1
            || box.left < 0 || box.right > innerWidth;
    });
}"""


def taken(house: House, number: str, login: str) -> str:
    task = house.task(number, "load_material")
    with house.services.uow() as tx:
        person = tx.people.get(login)
    assert person is not None
    claim_task(house.services.uow, task, person=person)
    return task


@pytest.mark.covers("A15")
def test_a_normal_load_takes_a_scan_and_one_tap_and_nothing_is_scrolled(
    house: House, open_page: OpenPage
) -> None:
    page = open_page("ana", width=1024, height=768, touch=True)
    task = taken(house, house.order(), "ana")
    house.open_task(page, task)
    expect(page.locator("input[name=weighed_kg]")).to_have_value("310")
    expect(page.locator(".scale-says")).to_have_text("From the scale, at rest")
    expect(page.locator("[data-promise]")).to_have_text(
        "You confirm: The amount is on the robot"
    )
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(UNSEEN) == [], (width, height)
    page.keyboard.type("L-2026-0042")  # as a scanner does, wherever one is
    page.keyboard.press("Enter")
    expect(page.locator("input[name=lot]")).to_have_value("L-2026-0042")
    page.locator("[data-step-next]").click()
    expect(page.locator(".task-end-ok")).to_be_visible()
    with house.services.uow() as tx:
        answer = tx.tasks.answer(task)
    assert answer is not None
    assert answer.answers == {
        "lot": "L-2026-0042",
        "weighed_kg": 310,
        "confirmed": True,
    }


def test_what_somebody_types_stays_and_is_judged_beside_its_field(
    house: House, open_page: OpenPage
) -> None:
    page = open_page("ana", width=360, height=740, touch=True)
    house.open_task(page, taken(house, house.order(), "ana"))
    weight = page.locator("input[name=weighed_kg]")
    expect(weight).to_have_value("310")
    weight.fill("330")
    expect(page.locator(".weigh-state")).to_have_text("20 kg too much")
    page.locator("[data-step-next]").click()
    expect(weight).to_be_focused()
    expect(weight).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".task-end")).to_have_count(0)
    box, said = weight.bounding_box(), page.locator(".weigh-state").bounding_box()
    assert box is not None
    assert said is not None
    assert 0 < said["y"] - box["y"] < 200
    page.wait_for_timeout(1500)  # the scale is not asked over what was typed
    expect(weight).to_have_value("330")


def test_the_first_task_stays_under_the_finger_until_somebody_has_it(
    house: House, open_page: OpenPage
) -> None:
    page = open_page("max", width=1024, height=768, touch=True)
    first = house.task(house.order(), "load_material")
    page.goto(f"{house.address}/tasks")
    card = page.locator(f".task-next[data-task='{first}']")
    expect(card).to_be_visible()
    urgent = house.task(house.order(start=1), "load_material")
    house.rows(
        "UPDATE orders SET priority = 'urgent' WHERE number ="
        " (SELECT business_key FROM instances AS i JOIN tasks AS t"
        f" ON t.instance_id = i.id WHERE t.task_id = '{urgent}') RETURNING number"
    )
    expect(page.locator(f"[data-task='{urgent}']")).to_be_visible()
    expect(card).to_be_visible()
    page.reload()
    expect(page.locator(f".task-next[data-task='{urgent}']")).to_be_visible()
    with house.services.uow() as tx:
        ana = tx.people.get("ana")
    assert ana is not None
    claim_task(house.services.uow, urgent, person=ana)
    expect(card).to_be_visible()
