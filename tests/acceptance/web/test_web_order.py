"""A whole order through the real pages: the mail, the tasks, the robot, the end."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.house import House

Open = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]

TABLET = {"width": 800, "height": 1180, "touch": True}


def fill_in(page: Page, choice: str | None = None) -> None:
    """Tick, choose (the first unless told) and say what the card asks for."""
    shown = page.locator("[data-step]")
    for box in shown.locator("input[type=checkbox]:visible").all():
        box.check()
    radios = shown.locator("input[type=radio]:visible")
    if radios.count():
        wanted = radios if choice is None else shown.get_by_label(choice)
        wanted.first.check()
    for text in shown.locator("textarea:visible, input[name=reason]:visible").all():
        text.fill("as agreed")


def go_on(page: Page) -> None:
    """The primary button, and wait for what it brings."""
    before = page.locator("[data-stepper-count]").inner_text().strip()
    page.locator("[data-step-next]").click()
    page.wait_for_function(
        """before => document.querySelector('.task-end')
            || document.querySelector('[data-stepper-count]')
                .textContent.trim() !== before""",
        arg=before,
    )


def take_through(page: Page, choice: str | None = None) -> None:
    """From an opened task to its end, card by card, as a worker would."""
    for _ in range(12):
        if page.locator(".task-end").is_visible():
            return
        fill_in(page, choice)
        go_on(page)
    expect(page.locator(".task-end")).to_be_visible()


@pytest.mark.covers("A14", "A16", "A53")
def test_an_order_passes_from_a_form_by_mail_through_the_pages_to_its_end(
    house: House, open_context: Open
) -> None:
    supervisor = open_context(viewport={"width": 1280, "height": 900}).new_page()
    house.sign_in(supervisor, "sofia")
    supervisor.goto(f"{house.address}/orders/new")
    number = supervisor.locator("input[name=number]").input_value()
    supervisor.locator("input[name=product]").fill("Test paint")
    supervisor.locator("input[name=material]").first.fill("RM-001 Water")
    supervisor.locator("input[name=kg]").first.fill("310")
    supervisor.locator("button.button-primary[value=preview]").click()
    expect(supervisor.locator("pre.mail-text")).to_contain_text("310")
    supervisor.locator("button[value=send]").click()
    house.until(
        "the mail became an order",
        lambda: house.rows(f"SELECT 1 FROM orders WHERE number = '{number}'"),
    )

    worker = open_context(
        viewport={"width": 800, "height": 1180}, has_touch=True
    ).new_page()
    house.sign_in_on_page(worker, "ana")
    expect(worker).to_have_url(re.compile("/tasks"))
    for element in ("load_material", "unload_material", "start_mixing"):
        task = house.task(number, element)
        house.open_task(worker, task)
        take_through(worker)
    house.until("the order is done", lambda: house.status(number) == "done")
    supervisor.goto(f"{house.address}/orders/{number}")
    expect(supervisor.locator("main")).to_contain_text("done")
    expect(supervisor.locator("main")).to_contain_text("Ana Ruiz")
    assert house.rows(
        "SELECT DISTINCT answered_by FROM answers AS a"
        " JOIN instances AS i ON i.id = a.instance_id"
        f" WHERE i.business_key = '{number}'"
    ) == [("ana",)]


@pytest.mark.covers("A15")
def test_a_task_appears_by_itself_and_shows_place_material_and_amount(
    house: House, open_page: OpenPage
) -> None:
    worker = open_page("max", **TABLET)
    worker.goto(f"{house.address}/tasks")
    number = house.order()
    mine = worker.locator(f"main:has-text('{number}')")
    expect(mine).to_contain_text("Water")
    expect(mine).to_contain_text("310 kg")
    task = house.task(number, "load_material")
    house.open_task(worker, task)
    worker.locator("[data-step-next]").click()
    expect(worker.locator(".place-huge:visible")).to_have_text("A")
    worker.locator(".order-drawer summary").click()
    expect(worker.locator(".order-drawer table")).to_contain_text("310 kg")


def test_of_two_tablets_that_take_the_same_task_one_gets_it(
    house: House, open_page: OpenPage
) -> None:
    number = house.order()
    task = house.task(number, "load_material")
    names = {"ana": "Ana Ruiz", "max": "Max Weber"}
    pages = {}
    for login in names:
        page = pages[login] = open_page(login, **TABLET)
        page.goto(f"{house.address}/tasks/{task}")
        expect(page.locator("[data-step-next]")).to_have_text("Take this task")
    for page in pages.values():
        page.locator("[data-step-next]").click()
    claims = f"SELECT claimed_by FROM claims WHERE task_id = '{task}'"
    # Whose request comes first is not for the order of the taps to say.
    [(winner,)] = house.until("somebody has it", lambda: house.rows(claims))
    (loser,) = names.keys() - {winner}
    expect(pages[winner].locator("[data-step=form]")).to_be_visible()
    expect(pages[loser].locator("[data-claim-note]")).to_contain_text(names[winner])
    assert house.rows(claims) == [(winner,)]


def test_a_claim_can_be_undone_and_the_other_tablet_sees_it(
    house: House, open_page: OpenPage
) -> None:
    number = house.order()
    task = house.task(number, "load_material")
    page = open_page("ana", **TABLET)
    house.open_task(page, task)
    page.locator("[data-step-next]").click()
    page.locator("#undo button").click()
    house.until(
        "nobody has it",
        lambda: not house.rows(f"SELECT 1 FROM claims WHERE task_id = '{task}'"),
    )


@pytest.mark.covers("A64")
def test_a_reported_problem_leads_to_the_decision_and_ends_the_order(
    house: House, open_page: OpenPage
) -> None:
    number = house.order()
    task = house.task(number, "load_material")
    page = open_page("ana", **TABLET)
    house.open_task(page, task)
    leader = open_page("sofia")
    leader.goto(f"{house.address}/")
    count = leader.locator("#alarm-count")
    # Orders that other tests left without a process wait too.
    before = count.get_attribute("data-count") or "0"
    page.locator("[data-problem-open]").click()
    page.locator("#problem .cause").first.click()
    page.locator("#problem textarea").fill("the rack is empty")
    page.locator("#problem button").last.click()
    decision = house.task(number, "decide")
    stopped = leader.locator(".alarms .list-row", has_text=number)
    expect(stopped).to_contain_text("the rack is empty")
    expect(count).not_to_have_attribute("data-count", before)
    expect(count).to_contain_text(re.compile(r"^\s*[1-9]"))
    stopped.get_by_role("link", name="Decide now").click()
    leader.wait_for_url(re.compile(decision))
    house.open_task(page, decision)
    expect(page.locator("main")).to_contain_text("the rack is empty")
    take_through(page, "Cancel the order")
    house.until(
        "the order has ended",
        lambda: house.status(number) in ("cancelled", "completed manually"),
    )


def test_a_task_can_be_done_with_the_keyboard_alone(
    house: House, open_page: OpenPage
) -> None:
    number = house.order()
    task = house.task(number, "load_material")
    page = open_page("ana")
    house.open_task(page, task)
    for _ in range(8):
        if page.locator(".task-end").is_visible():
            break
        for box in page.locator("[data-step] input[type=checkbox]:visible").all():
            box.focus()
            if not box.is_checked():
                page.keyboard.press("Space")
        before = page.locator("[data-stepper-count]").inner_text()
        onward = page.locator("[data-step-next]")
        for _ in range(40):
            page.keyboard.press("Tab")
            if onward.evaluate("element => element === document.activeElement"):
                break
        page.keyboard.press("Enter")
        page.wait_for_function(
            """before => document.querySelector('.task-end')
                || document.querySelector('[data-stepper-count]')
                    .textContent.trim() !== before""",
            arg=before.strip(),
        )
    expect(page.locator(".task-end")).to_be_visible()
    house.task(number, "unload_material")


@pytest.mark.covers("A15")
def test_another_amount_than_required_is_flagged_and_not_taken(
    house: House, open_page: OpenPage
) -> None:
    number = house.order()
    task = house.task(number, "load_material")
    page = open_page("max", **TABLET)
    house.open_task(page, task)
    weight = page.locator("input[name=weighed_kg]")
    for _ in range(5):
        if weight.is_visible():
            break
        go_on(page)
    card = page.locator("[data-stepper-count]").inner_text()
    weight.fill("290")
    page.locator("[data-step-next]").click()
    expect(
        page.locator("[data-field=weighed_kg] .field-error:visible")
    ).to_contain_text("too little")
    expect(page.locator("[data-stepper-count]")).to_have_text(card)
    weight.fill("310")
    take_through(page)
    house.task(number, "unload_material")
    with house.services.uow() as tx:
        answer = tx.tasks.answer(task)
    assert answer is not None
    assert answer.answers["weighed_kg"] == 310


def test_a_lot_is_typed_on_keys_that_fit_a_glove(
    house: House, open_page: OpenPage
) -> None:
    number = house.order()
    task = house.task(number, "load_material")
    page = open_page("max", **TABLET)
    house.open_task(page, task)
    lot = page.locator("input[name=lot]")
    for _ in range(5):
        if lot.is_visible():
            break
        go_on(page)
    page.get_by_role("button", name="Type it").click()
    pad = page.get_by_role("group", name="Keypad")
    for key in ("4", "0", "9", "Delete the last character", "2", "-", "7"):
        pad.get_by_role("button", name=key, exact=True).click()
    sizes = [key.bounding_box() for key in pad.get_by_role("button").all()]
    assert len(sizes) == 14
    assert all(box and min(box["width"], box["height"]) >= 64 for box in sizes)
    pad.get_by_role("button", name="Take this code").click()
    expect(pad).to_have_count(0)
    expect(lot).to_have_value("402-7")
    take_through(page)
    house.task(number, "unload_material")
    with house.services.uow() as tx:
        answer = tx.tasks.answer(task)
    assert answer is not None
    assert answer.answers["lot"] == "402-7"
