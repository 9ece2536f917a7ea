"""Bulk actions in a browser: ticks, all that fit, progress, failures, stop, undo.

The factory is the real one. Its worker is one among several: while a test holds an
item, the others go on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from mpms.domain.bulk import BatchAction, TheseInstances
from mpms.services.bulk.order import order_batch
from mpms.services.instances.start import start_instance
from mpms.services.models.deploy import deploy_models
from tests.support.axe import complaints_of
from tests.support.house import House

Open = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]

ROOT = Path(__file__).resolve().parents[3]
MANY = 60  # more than one page of the list
MODEL = b"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    targetNamespace="urn:test">
  <process id="bulk" name="Bulk goods" isExecutable="true"><startEvent id="start"/>
    <userTask id="check" name="Check it"/><userTask id="pack" name="Pack it"/>
    <endEvent id="end"/><sequenceFlow id="f1" sourceRef="start" targetRef="check"/>
    <sequenceFlow id="f2" sourceRef="check" targetRef="pack"/>
    <sequenceFlow id="f3" sourceRef="pack" targetRef="end"/></process></definitions>"""


def begin(house: House, number: int) -> str:
    with house.services.uow() as tx:
        return str(
            start_instance(
                tx,
                house.services.advance,
                "bulk",
                business_key=f"{'A' if number < 3 else 'B'}-{number:02d}",
                actor="test",
            )
        )


@pytest.fixture(scope="module")
def shelf(house: House) -> list[str]:
    """Instances of a small process."""
    services = house.services
    deploy_models(services.uow, services.engine, {"bulk.bpmn": MODEL}, by="test")
    return [begin(house, number) for number in range(MANY)]


@pytest.fixture
def goods(house: House, shelf: list[str]) -> Iterator[list[str]]:
    """All of them wait to be checked; those with which a test did something are
    ended and begun anew."""
    yield shelf
    untouched = house.rows(
        "SELECT i.id::text FROM instances AS i JOIN tasks AS t ON t.instance_id = i.id"
        " WHERE i.key = 'bulk' AND i.status = 'active' AND i.suspended_at IS NULL"
        " AND t.element = 'check'"
    )
    for number, one in enumerate(shelf):
        if (one,) not in untouched:
            house.cancel(one)
            shelf[number] = begin(house, number)


def suspended(house: House) -> int:
    ((count,),) = house.rows(
        "SELECT count(suspended_at) FROM instances"
        " WHERE key = 'bulk' AND status = 'active'"
    )
    return int(count)


def led(house: House, page: Page) -> Page:
    page.goto(f"{house.address}/cockpit/bulk")
    expect(page.locator("#bulk-page")).to_be_visible()
    return page


def test_some_are_suspended_told_one_by_one_and_let_go_again(
    house: House, open_page: OpenPage, goods: list[str]
) -> None:
    page = led(house, open_page("sofia"))
    expect(page.locator(".bulk-actions")).to_be_hidden()
    page.locator("input[name=q]").fill("A-")
    ticks = page.locator(".instances-table input[name=instance]")
    expect(ticks).to_have_count(3)
    ticks.nth(0).check()
    ticks.nth(2).check()
    expect(page.locator("#bulk-count")).to_have_text("2 selected")
    assert complaints_of(page) == []
    # The list is fetched anew when something happens; ticks stay.
    with page.expect_response(re.compile("/cockpit/bulk/instances")):
        page.evaluate(
            "() => document.body.dispatchEvent(new CustomEvent('cockpit:refresh'))"
        )
    expect(page.locator("#bulk-count")).to_have_text("2 selected")
    expect(ticks.nth(0)).to_be_checked()

    page.locator("#bulk-suspend").click()
    dialog = page.locator("#bulk-dialog")
    expect(dialog).to_contain_text("Suspend: 2 instances")
    expect(dialog).to_contain_text("It can be done to each of them.")
    assert complaints_of(page) == []
    dialog.locator("textarea[name=reason]").fill("the line is cleaned")
    dialog.locator("#bulk-go").click()
    page.wait_for_url(re.compile(r"/batches/\d+$"))
    expect(page.locator("#batch-told")).to_have_text("2 of 2 done")
    expect(page.locator("#batch-state")).to_have_text("ended")
    expect(page.locator(".batch-items tbody tr")).to_have_count(2)
    assert complaints_of(page) == []
    assert suspended(house) == 2

    page.locator("#batch-undo summary").click()
    page.locator("#batch-undo-reason").fill("clean again")
    assert complaints_of(page) == []
    page.locator("#batch-undo-go").click()
    page.wait_for_url(re.compile(r"/batches/\d+$"))
    expect(page.locator("h1")).to_have_text("Resume: 2 instances")
    expect(page.locator("#batch-told")).to_have_text("2 of 2 done")
    assert suspended(house) == 0
    page.goto(f"{house.address}/batches")
    expect(page.locator(".batches-table tbody tr").first).to_contain_text("Resume")
    assert complaints_of(page) == []


def test_all_that_fit_are_taken_although_one_page_is_shown(
    house: House, open_page: OpenPage, goods: list[str]
) -> None:
    page = led(house, open_page("sofia"))
    page.locator("#bulk-page").check()
    expect(page.locator("#bulk-count")).to_have_text("50 selected")
    every = page.locator("#bulk-all")
    expect(every).to_have_text(f"Select all {MANY} matches")
    every.click()
    expect(page.locator("#bulk-count")).to_have_text(f"All {MANY} matches are selected")
    page.locator("#bulk-suspend").click()
    dialog = page.locator("#bulk-dialog")
    expect(dialog).to_contain_text(f"Suspend: {MANY} instances")
    dialog.locator("textarea[name=reason]").fill("stocktaking")
    dialog.locator("#bulk-go").click()
    page.wait_for_url(re.compile(r"/batches/\d+$"))
    expect(page.locator("#batch-told")).to_have_text(f"{MANY} of {MANY} done")
    assert suspended(house) == MANY


def test_progress_is_pushed_failures_are_filtered_and_repeated(
    house: House, open_page: OpenPage, goods: list[str]
) -> None:
    services = house.services
    chosen = TheseInstances(tuple(goods[:3]))
    page = led(house, open_page("sofia"))
    with services.uow() as held:
        # Somebody holds the first one for as long as this lasts.
        held.instances.lock(goods[0])
        number = order_batch(
            services.uow, BatchAction.SUSPEND, chosen, by="sofia", reason="test"
        )
        page.goto(f"{house.address}/batches/{number}")
        expect(page.locator("#batch-told")).to_have_text("2 of 3 done, 1 failed")
    expect(page.locator("#batch-state")).to_have_text("ended")
    page.locator("#only-failed").click()
    rows = page.locator(".batch-items tbody tr")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("A-00")
    expect(rows).to_contain_text("changing this instance right now")
    page.locator("#batch-again summary").click()
    expect(page.locator("#batch-again-reason")).to_have_value("test")
    page.locator("#batch-again-go").click()
    expect(page.locator("h1")).to_have_text("Suspend: 1 instance")
    expect(page.locator("#batch-told")).to_have_text("1 of 1 done")
    assert suspended(house) == 3


def test_a_running_one_is_stopped_and_says_what_is_left(
    house: House, open_page: OpenPage, goods: list[str]
) -> None:
    services = house.services
    page = led(house, open_page("sofia"))
    with services.uow() as held:
        # Every one is held, so that each takes seconds.
        for one in goods[:10]:
            held.instances.lock(one)
        number = order_batch(
            services.uow,
            BatchAction.SUSPEND,
            TheseInstances(tuple(goods[:10])),
            by="sofia",
            reason="test",
        )
        page.goto(f"{house.address}/batches/{number}")
        expect(page.locator("#batch-state")).to_have_text("running")
        page.locator("#batch-stop").click()
        expect(page.locator("#batch-state")).to_have_text("stopped")
    expect(page.locator("#batch-told")).to_contain_text("left as they were")
    expect(page.locator("#only-waiting")).to_contain_text("Not done")
    assert suspended(house) == 0


def test_the_keyboard_alone_is_enough(
    house: House, open_page: OpenPage, goods: list[str]
) -> None:
    page = led(house, open_page("sofia"))
    page.locator("input[name=q]").fill("A-")
    ticks = page.locator(".instances-table input[name=instance]")
    expect(ticks).to_have_count(3)
    ticks.nth(1).focus()
    page.keyboard.press("Space")
    expect(page.locator("#bulk-count")).to_have_text("1 selected")
    page.locator(".bulk-more summary").focus()
    page.keyboard.press("Enter")
    for _ in range(2):  # the variable, then the step
        page.keyboard.press("Tab")
    expect(page.locator("#bulk-skip")).to_be_focused()
    page.keyboard.press("Enter")
    dialog = page.locator("#bulk-dialog")
    expect(dialog.locator("select[name=at]")).to_be_focused()
    with page.expect_response(re.compile(r"/batches/new.*at=check")):
        page.keyboard.type("Check")
    expect(dialog.locator("select[name=at]")).to_have_value("check")
    expect(dialog).to_contain_text("It can be done to each of them.")
    expect(dialog.locator("textarea[name=reason]")).to_be_focused()
    dialog.locator("textarea[name=reason]").focus()
    page.keyboard.type("checked before")
    dialog.locator("#bulk-go").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/batches/\d+$"))
    expect(page.locator("#batch-told")).to_have_text("1 of 1 done")
    page.go_back()
    ticks.nth(0).focus()
    page.keyboard.press("Space")
    page.locator("#bulk-suspend").focus()
    page.keyboard.press("Enter")
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.locator("#bulk-suspend")).to_be_focused()


def test_a_finger_on_a_narrow_screen_ticks_without_opening_the_instance(
    house: House, open_context: Open, goods: list[str]
) -> None:
    context = open_context(
        viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    house.sign_in(page, "sofia")
    led(house, page)
    page.locator("input[name=q]").fill("A-")
    ticks = page.locator(".instances-table input[name=instance]")
    expect(ticks).to_have_count(3)
    target = page.locator(".bulk-tick").nth(1)
    box = target.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 43.5
    target.tap()
    expect(ticks.nth(1)).to_be_checked()
    assert page.url.split("?")[0].endswith("/cockpit/bulk")
    page.locator("#bulk-suspend").tap()
    dialog = page.locator("#bulk-dialog")
    expect(dialog).to_contain_text("Suspend: 1 instance")
    over_px = page.evaluate(
        "() => document.scrollingElement.scrollWidth - window.innerWidth"
    )
    assert over_px <= 0
    dialog.locator("textarea[name=reason]").fill("a finger")
    dialog.locator("#bulk-go").tap()
    page.wait_for_url(re.compile(r"/batches/\d+$"))
    expect(page.locator("#batch-told")).to_have_text("1 of 1 done")
    over_px = page.evaluate(
        "() => document.scrollingElement.scrollWidth - window.innerWidth"
    )
    assert over_px <= 0


def test_ticks_stay_while_one_turns_to_older_instances(
    house: House, open_page: OpenPage, goods: list[str]
) -> None:
    page = led(house, open_page("sofia"))
    ticks = page.locator(".instances-table input[name=instance]")
    expect(ticks).to_have_count(50)
    newest = ticks.first.get_attribute("value")
    ticks.first.check()
    page.get_by_role("link", name="Older").click()
    expect(ticks).to_have_count(MANY - 50)
    expect(page.locator("#instances-title")).to_be_focused()
    expect(page).to_have_url(re.compile(r"[?&]below="))
    ticks.nth(1).check()
    older = ticks.nth(1).get_attribute("value")
    expect(page.locator("#bulk-count")).to_have_text("2 selected")
    page.go_back()
    expect(ticks).to_have_count(50)
    expect(ticks.first).to_be_checked()
    expect(page.locator("#bulk-count")).to_have_text("2 selected")
    page.locator("#bulk-suspend").click()
    dialog = page.locator("#bulk-dialog")
    expect(dialog).to_contain_text("Suspend: 2 instances")
    dialog.locator("textarea[name=reason]").fill("one of each page")
    dialog.locator("#bulk-go").click()
    page.wait_for_url(re.compile(r"/batches/\d+$"))
    expect(page.locator("#batch-told")).to_have_text("2 of 2 done")
    standing = house.rows(
        "SELECT id::text FROM instances"
        " WHERE key = 'bulk' AND status = 'active' AND suspended_at IS NOT NULL"
    )
    assert {one for (one,) in standing} == {newest, older}


def test_what_is_typed_while_a_preview_is_fetched_is_kept(
    house: House, open_page: OpenPage, goods: list[str]
) -> None:
    page = led(house, open_page("sofia"))
    page.locator(".instances-table input[name=instance]").first.check()
    page.locator(".bulk-more summary").click()
    page.locator("#bulk-skip").click()
    dialog = page.locator("#bulk-dialog")
    reason = dialog.locator("textarea[name=reason]")
    held: list[Route] = []
    page.route(re.compile(r"/batches/new.*at=check"), lambda route: held.append(route))
    dialog.locator("select[name=at]").select_option("check")
    reason.click()
    page.keyboard.type("checked ")
    house.until("the preview is asked for", lambda: page.evaluate("1") and held)
    page.keyboard.type("before")
    page.keyboard.press("ArrowLeft")
    held[0].continue_()
    expect(dialog).to_contain_text("It can be done to each of them.")
    expect(reason).to_be_focused()
    expect(reason).to_have_value("checked before")
    page.keyboard.type("-")
    expect(reason).to_have_value("checked befor-e")


def test_a_list_is_not_replaced_under_a_pressed_key(
    house: House, open_page: OpenPage, goods: list[str]
) -> None:
    page = led(house, open_page("sofia"))
    tick = page.locator(".instances-table input[name=instance]").first
    tick.focus()
    listing = re.compile("/cockpit/bulk/instances")
    news = "() => document.body.dispatchEvent(new CustomEvent('cockpit:refresh'))"
    same = "() => document.activeElement.before_the_refresh === true"
    page.keyboard.down("Space")
    page.evaluate("() => { document.activeElement.before_the_refresh = true; }")
    with page.expect_response(listing):
        page.evaluate(news)
    with page.expect_response(listing):  # the first has been dealt with by then
        page.evaluate(news)
    assert page.evaluate(same)
    with page.expect_response(listing):  # what was put off
        page.keyboard.up("Space")
    expect(tick).to_be_checked()
    expect(page.locator("#bulk-count")).to_have_text("1 selected")
    page.wait_for_function("() => !document.activeElement.before_the_refresh")
    expect(tick).to_be_checked()
