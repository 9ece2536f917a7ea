"""A part of a page shows the last change also if its fetch came too early or failed.

Hints come from the whole factory, now and then. So the tests count them: a part that
was fetched twice with no hint in between has noticed by itself that it was too early.
"""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, Route, expect

from tests.support.house import House

OpenPage = Callable[..., Page]

COUNT = """part => {
    window.hints = 0;
    window.hintsAtFetch = [];
    for (const topic of ['tasks', 'orders', 'robots', 'incidents'])
        document.body.addEventListener(`live:${topic}`, () => window.hints++);
    document.addEventListener('htmx:beforeRequest', event => {
        if (event.detail.elt.id === part) window.hintsAtFetch.push(window.hints);
    });
}"""
FETCHED_BY_ITSELF = """() => window.hintsAtFetch.some(
    (hints, place, all) => place > 0 && hints === all[place - 1])"""


def watch(page: Page, part: str) -> None:
    expect(page.locator("#link-state")).to_have_attribute("aria-label", "Up to date")
    page.evaluate(COUNT, part)


def incident(house: House, text: str) -> None:
    with house.services.uow() as tx:
        tx.incidents.open("goal", text)
        tx.events.append("incident", actor="test")
        tx.wake()


def test_a_hint_that_comes_while_a_part_replaces_itself_is_not_lost(
    house: House, open_page: OpenPage
) -> None:
    page = open_page("sofia")
    page.goto(f"{house.address}/incidents")
    watch(page, "incidents-found")
    held: list[Route] = []
    page.route("**/incidents", lambda route: held.append(route), times=1)
    incident(house, "the first thing")
    page.wait_for_function("() => window.hintsAtFetch.length === 1")
    while not held:
        page.wait_for_timeout(20)
    early = held[0].fetch()
    incident(house, "the second thing")
    page.wait_for_function("() => window.hints > window.hintsAtFetch[0]")
    page.evaluate("() => { window.hintsAtFetch = [window.hints]; }")
    assert "the second thing" not in early.text()
    held[0].fulfill(response=early)
    page.wait_for_function(FETCHED_BY_ITSELF)
    expect(page.locator("#incidents-found")).to_contain_text("the second thing")


def test_a_part_that_could_not_be_fetched_is_fetched_again(
    house: House, open_page: OpenPage
) -> None:
    page = open_page("sofia")
    page.goto(f"{house.address}/incidents")
    watch(page, "incidents-found")
    page.route("**/incidents", lambda route: route.fulfill(status=503), times=1)
    incident(house, "what nobody could fetch")
    page.wait_for_function(FETCHED_BY_ITSELF)
    found = page.locator("#incidents-found")
    expect(found).to_contain_text("what nobody could fetch")
