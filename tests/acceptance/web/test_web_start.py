"""The start page of a supervisor, and what visitors of the demo may do."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from mpms.demo.buyer import BUYER
from mpms.demo.person import TirelessPerson
from mpms.domain.errors import NotFound
from mpms.services.incidents.close import StillStuck, close_incident
from tests.support.house import House

OpenPage = Callable[..., Page]
RED = "rgb(168, 35, 28)"


@pytest.fixture
def start(house: House, open_page: OpenPage) -> Page:
    page = open_page("sofia", width=1400)
    page.goto(house.address)
    return page


@pytest.mark.covers("A5")
def test_an_order_is_sent_and_its_token_moves_on_the_diagram(
    house: House, start: Page
) -> None:
    start.get_by_role("button", name="Send an order").click()
    said = start.get_by_text(re.compile(r"order MO-\d+-\d+ is on its way"))
    number = re.search(r"MO-\d+-\d+", said.inner_text())
    assert number is not None
    task = house.task(number[0], "load_material")
    start.goto(house.address)
    diagram = start.locator("mpms-diagram")
    expect(diagram.locator(".diagram-steps")).to_have_text("Now: Load material")
    expect(diagram.locator(".token")).to_have_text("1")
    expect(
        diagram.locator(".diagram-live[data-element-id=load_material]")
    ).to_have_count(1)
    watermark = diagram.locator(".bjs-powered-by")
    expect(watermark).to_be_visible()
    robots = start.locator("[data-map] svg text", has_text="robot")
    expect(robots.first).to_be_visible()
    with house.services.uow() as tx:
        assert tx.tasks.get(task).business_key == number[0]


def test_a_visitor_becomes_the_worker_and_comes_back(house: House, start: Page) -> None:
    start.get_by_role("button", name="Be the worker").click()
    expect(start).to_have_url(f"{house.address}/tasks")
    expect(start.locator("header")).to_contain_text("Ana Ruiz")
    start.get_by_role("button", name="Back to the supervisor").click()
    expect(start.locator("header")).to_contain_text("Sofía Marín")


def test_what_is_broken_shows_at_the_robot(house: House, start: Page) -> None:
    start.locator("summary", has_text="Break something").click()
    start.get_by_role("button", name=re.compile("emergency stop")).click()
    expect(start.get_by_text(re.compile(r"robot\d is stopped"))).to_be_visible()


@pytest.mark.covers("A46")
def test_orders_handling_is_started_by_a_button_where_none_runs(
    house: House, start: Page
) -> None:
    (running,) = house.rows(
        "SELECT id::text FROM instances"
        " WHERE key = 'orders_handling' AND status = 'active'"
    )
    house.cancel(running[0])
    start.goto(house.address)
    start.get_by_role("button", name="Start orders handling").click()
    expect(start.get_by_text("Orders are being handled.")).to_be_visible()
    assert house.rows(
        "SELECT count(*) FROM instances"
        " WHERE key = 'orders_handling' AND status = 'active'"
    ) == [(1,)]


def test_an_incident_that_only_tells_is_put_aside_with_a_name(
    house: House, start: Page
) -> None:
    with house.services.uow() as tx:
        tx.incidents.open("reply", "A reply could not be sent")
    start.goto(house.address)
    start.get_by_role("link", name="Put aside: A reply could not be sent").click()
    start.get_by_label("Reason").fill("I have called them")
    start.get_by_role("button", name="Put aside").click()
    expect(start.get_by_text("1 incidents are put aside.")).to_be_visible()
    ((actor, data),) = house.rows(
        "SELECT actor, data FROM events WHERE kind = 'incident closed'"
        " ORDER BY id DESC LIMIT 1"
    )
    assert (actor, data["note"]) == ("sofia", "I have called them")


def test_an_incident_that_a_process_waits_for_cannot_be_put_aside(
    house: House,
) -> None:
    number = house.order()
    task = house.task(number, "load_material")
    with house.services.uow() as tx:
        instance_id = tx.tasks.get(task).instance_id
        tx.incidents.open("stuck", "no way", instance_id=instance_id, task_id=task)
        (incident,) = tx.incidents.listing(instance_id=instance_id)
    with pytest.raises(StillStuck):
        close_incident(house.services.uow, incident.id, by="sofia", note="")
    with pytest.raises(NotFound):
        close_incident(house.services.uow, 10**9, by="sofia", note="")


def test_the_start_page_follows_orders_that_begin_and_end(
    house: House, start: Page
) -> None:
    first = house.order()
    house.task(first, "load_material")
    diagram = start.locator("#home-diagram")
    expect(diagram).to_contain_text(first)
    second = house.order(start=1)
    house.task(second, "load_material")
    expect(diagram.get_by_role("button", name=second)).to_be_visible()
    diagram.get_by_role("button", name=second).click()
    expect(diagram.locator("h2")).to_contain_text(second)
    house.clear()
    expect(diagram).not_to_contain_text(second)
    expect(diagram).not_to_contain_text(first)


def test_what_has_stopped_makes_start_red_and_sounds_where_that_is_wished(
    house: House, start: Page
) -> None:
    start.get_by_role("button", name="Sound is off").click()
    expect(start.get_by_role("button", name="Sound is on")).to_be_visible()
    expect(start.locator("html[data-rung='1']")).to_have_count(1)
    numbers = [house.order(), house.order(start=1)]
    with house.services.uow() as tx:
        for number in numbers:
            task = tx.tasks.get(house.task(number, "load_material"))
            tx.incidents.open("stuck", "no scale answers", instance_id=task.instance_id)
    bar = start.locator(".alarm-bar")
    expect(bar).to_have_text(re.compile("1 thing waits for a decision"))
    expect(bar).to_have_css("background-color", RED)
    (row,) = start.locator(".stuck .list-row", has_text="no scale answers").all()
    for number in numbers:
        expect(row.get_by_role("link", name=number)).to_be_visible()
    expect(start.locator("#alarm-count")).to_contain_text("1")
    expect(start.locator("html[data-rung='2']")).to_have_count(1)
    for path in ("/orders", f"/orders/{numbers[0]}", "/incidents"):
        start.goto(house.address + path)
        said = start.get_by_text("1 thing waits for a decision")
        expect(said.first).to_be_visible()


def test_the_map_fills_its_card(start: Page) -> None:
    expect(start.locator(".home-map .map-under .map-floor > *").first).to_be_attached()
    card = start.locator(".home-map [data-map]").bounding_box()
    floor = start.locator(".home-map .map-under .map-floor").bounding_box()
    assert card is not None
    assert floor is not None
    assert floor["width"] * floor["height"] > 0.5 * card["width"] * card["height"]


def test_the_simulated_worker_leaves_alone_what_a_visitor_ordered(
    house: House, start: Page
) -> None:
    house.clear()
    start.get_by_role("button", name="Send an order").click()
    said = start.get_by_text(re.compile(r"order MO-\d+-\d+ is on its way"))
    found = re.search(r"MO-\d+-\d+", said.inner_text())
    assert found is not None
    own = house.task(found[0], "load_material")
    person = TirelessPerson(house.services, patience_s=0.0, pause_s=0.0)
    person.look_around()
    assert house.rows(f"SELECT 1 FROM tasks WHERE task_id = '{own}'")
    start.goto(house.address)
    waits = start.locator(".demo-waits", has_text=found[0])
    expect(waits).to_contain_text("Load material. The simulated worker leaves it")
    waits.get_by_role("button", name="Do it as the worker").click()
    expect(start).to_have_url(f"{house.address}/tasks/{own}")
    expect(start.locator("header")).to_contain_text("Ana Ruiz")
    house.rows(
        f"UPDATE mails SET sender = '{BUYER}' WHERE order_number = '{found[0]}'"
        " RETURNING id"
    )
    person.look_around()
    assert not house.rows(f"SELECT 1 FROM tasks WHERE task_id = '{own}'")


def test_the_tour_leads_through_the_whole_chain_and_can_be_skipped(
    house: House, open_context: Callable[..., BrowserContext]
) -> None:
    page = open_context(viewport={"width": 360, "height": 740}).new_page()
    page.goto(f"{house.address}/login")
    roles = page.locator(".demo-logins strong")
    assert roles.all_inner_texts() == [
        *("Supervisor", "Worker", "Engineer", "Administrator", "Viewer")
    ]
    page.get_by_role("button", name=re.compile("Take the tour")).click()
    seen = []
    for step in range(1, 8):
        expect(page.locator(".tour-count")).to_have_text(f"Step {step} of 7")
        seen.append((page.locator("#tour-title").inner_text(), page.url))
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 360, seen[-1]
        if step < 7:
            page.locator(".tour .button-primary").click()
    assert [url.removeprefix(house.address).split("/")[1] for _, url in seen] == [
        *("", "orders", "map", "tasks", "", "orders", "models")
    ]
    page.get_by_role("button", name="End the tour").click()
    expect(page.locator(".tour")).to_have_count(0)
    expect(page).to_have_url(re.compile("/models/warehouse/edit$"))
