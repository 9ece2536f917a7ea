"""Half an hour without network: nothing is lost, nothing is doubled.

The factory and the pages are real; the network of the tablet is cut, its clock moved on
and the web server started anew while it is away.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from mpms.demo.people import PEOPLE
from tests.support.house import House

Open = Callable[..., BrowserContext]

# As it is since the task was taken: the page may have been kept before as well.
IS_KEPT = """async task => {
    await navigator.serviceWorker.ready;
    const kept = await caches.match(`/tasks/${task}`, { ignoreVary: true });
    return kept !== undefined && (await kept.text()).includes('data-claimed="mine"');
}"""
HAS_KEY = """async () => {
    const asked = (of) => new Promise((done, failed) => {
        of.onsuccess = () => done(of.result);
        of.onerror = () => failed(of.error);
    });
    const db = await asked(indexedDB.open("mpms"));
    const keys = db.transaction("entryKeys").objectStore("entryKeys");
    const count = await asked(keys.count());
    db.close();
    return count > 0;
}"""
IS_GUARDED = """async () => {
    await navigator.serviceWorker.ready;
    return navigator.serviceWorker.controller !== null;
}"""
TABLET = {"viewport": {"width": 800, "height": 1180}, "has_touch": True}


def ready_for_offline(page: Page, house: House, task: str) -> None:
    """The task is taken and its page kept by the service worker."""
    house.open_task(page, task)
    page.locator("[data-step-next]").click()
    expect(page.locator("[data-step=form]")).to_be_visible()
    page.goto(f"{house.address}/tasks")
    house.until("the task's page is kept", lambda: page.evaluate(IS_KEPT, task))


def answer(page: Page) -> None:
    for _ in range(10):
        if page.locator(".task-end").is_visible():
            return
        for box in page.locator("[data-step] input[type=checkbox]:visible").all():
            box.check()
        before = page.locator("[data-stepper-count]").inner_text().strip()
        page.locator("[data-step-next]").click()
        page.wait_for_function(
            """before => document.querySelector('.task-end')
                || document.querySelector('[data-stepper-count]')
                    .textContent.trim() !== before""",
            arg=before,
        )
    expect(page.locator(".task-end")).to_be_visible()


def answers(house: House, number: str) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = house.rows(
        "SELECT a.element, a.answered_by, a.key IS NOT NULL FROM answers AS a"
        " JOIN instances AS i ON i.id = a.instance_id"
        f" WHERE i.business_key = '{number}' ORDER BY a.answered_at"
    )
    return rows


def test_half_an_hour_without_network_loses_and_doubles_nothing(
    house: House, open_context: Open
) -> None:
    number = house.order()
    task = house.task(number, "load_material")
    context = open_context(**TABLET)
    page = context.new_page()
    page.clock.install()
    house.sign_in(page, "ana")
    ready_for_offline(page, house, task)

    context.set_offline(True)
    house.open_task(page, task)
    answer(page)
    expect(page.locator("#offline-bar")).to_contain_text("1")
    page.clock.fast_forward("15:00")
    port = house.stop_site()
    page.reload()
    expect(page.locator("#offline-bar")).to_be_visible()
    assert answers(house, number) == []
    page.clock.fast_forward("15:00")
    house.start_site(port)

    context.set_offline(False)
    page.clock.fast_forward("01:00")
    page.goto(f"{house.address}/tasks")
    house.until("the answer has arrived", lambda: answers(house, number))
    house.task(number, "unload_material")
    expect(page.locator("#offline-bar")).to_be_hidden()
    page.clock.fast_forward("05:00")
    assert answers(house, number) == [("load_material", "ana", True)]


def test_an_answer_that_comes_too_late_is_a_supervisor_s_decision(
    house: House, open_context: Open
) -> None:
    number = house.order()
    task = house.task(number, "load_material")
    context = open_context(**TABLET)
    page = context.new_page()
    house.sign_in(page, "ana")
    ready_for_offline(page, house, task)
    context.set_offline(True)
    house.open_task(page, task)
    page.locator("[data-step] input[name=lot]:visible").fill("L-77")
    answer(page)

    leader = open_context(viewport={"width": 1280, "height": 900}).new_page()
    house.sign_in(leader, "sofia")
    house.open_task(leader, task)
    answer(leader)
    house.task(number, "unload_material")

    context.set_offline(False)
    page.goto(f"{house.address}/tasks")
    house.until(
        "the late answer is kept",
        lambda: house.rows("SELECT 1 FROM late_answers WHERE decided_at IS NULL"),
    )
    leader.goto(f"{house.address}/late")
    expect(leader.locator("main")).to_contain_text("L-77")
    expect(leader.locator("main")).to_contain_text("Ana Ruiz")
    assert [row[:2] for row in answers(house, number)] == [("load_material", "sofia")]


def test_what_two_people_answered_on_one_tablet_counts_for_each(
    house: House, open_context: Open
) -> None:
    number = house.order()
    task = house.task(number, "load_material")
    context = open_context(**TABLET)
    page = context.new_page()
    house.sign_in(page, "sofia")
    page.goto(f"{house.address}/tablets")
    page.locator("input[name=name]").fill("Rack A")
    page.locator(".tablets-enrol button").click()
    expect(page.locator("main")).to_contain_text("Rack A")
    change_person(page, house, "ana")
    page.goto(f"{house.address}/tasks")
    ready_for_offline(page, house, task)
    house.until("the tablet has its key", lambda: page.evaluate(HAS_KEY))
    context.set_offline(True)
    house.open_task(page, task)
    answer(page)
    expect(page.locator("#offline-bar")).to_contain_text("1")

    change_person(page, house, "max")  # this request leaves beside the browser
    context.set_offline(False)
    page.goto(f"{house.address}/tasks")
    expect(page.locator("meta[name=person]")).to_have_attribute("content", "max")
    house.until("the answer has arrived", lambda: answers(house, number))
    assert answers(house, number) == [("load_material", "ana", True)]
    assert house.rows(
        "SELECT e.actor, e.data ->> 'posted_by' FROM events AS e"
        " JOIN instances AS i ON i.id = e.instance_id"
        f" WHERE e.kind = 'form answered' AND i.business_key = '{number}'"
    ) == [("ana", "max")]


def change_person(page: Page, house: House, login: str) -> None:
    person = next(p for p in PEOPLE if p.login == login)
    signed_in = page.request.post(
        f"{house.address}/login",
        form={"login": login, "password": person.password},
        headers={"Origin": house.address},
    )
    assert signed_in.ok


@pytest.mark.parametrize("path", ["/orders", "/map"])
def test_other_pages_say_that_there_is_no_network(
    house: House, open_context: Open, path: str
) -> None:
    context = open_context(**TABLET)
    page = context.new_page()
    house.sign_in(page, "ana")
    page.goto(f"{house.address}/tasks")
    house.until("the service worker is there", lambda: page.evaluate(IS_GUARDED))
    context.set_offline(True)
    page.goto(f"{house.address}{path}")
    expect(page.locator("body")).to_contain_text("network")
