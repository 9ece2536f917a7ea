"""Repairs in a browser that the instance's own tests leave out: another version with
its plan, a finished process begun anew, a wrong value mended before the next attempt,
many retried at once, and a process of which nobody may start new ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from mpms.domain.errors import ProcessSuspended
from mpms.factory.domain.orders import Order, OrderLine, OrderStatus
from mpms.services.instances.start import start_instance
from mpms.services.models.deploy import deploy_models
from mpms.services.tasks.submit import submit_form
from tests.support.house import House

OpenPage = Callable[..., Page]

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  id="drawing" targetNamespace="urn:test">"""
TWO_STEPS = """<process id="{key}" name="Two steps" isExecutable="true">
<startEvent id="begin"/><userTask id="{first}" name="First"/>
<userTask id="second" name="Second"/><endEvent id="end"/>
<sequenceFlow id="f1" sourceRef="begin" targetRef="{first}"/>
<sequenceFlow id="f2" sourceRef="{first}" targetRef="second"/>
<sequenceFlow id="f3" sourceRef="second" targetRef="end"/>
</process></definitions>"""
NOTE = """<process id="{key}" name="Noting" isExecutable="true">
<startEvent id="begin"/>
<serviceTask id="note" name="Note the status" camunda:type="external"
  camunda:topic="orders.set_status"><extensionElements>
  <camunda:failedJobRetryTimeCycle>R1/PT1S</camunda:failedJobRetryTimeCycle>
  <camunda:inputOutput>
    <camunda:inputParameter name="order_number">${{number}}</camunda:inputParameter>
    <camunda:inputParameter name="status">in process</camunda:inputParameter>
  </camunda:inputOutput></extensionElements></serviceTask>
<userTask id="pack" name="Pack"/><endEvent id="end"/>
<sequenceFlow id="f1" sourceRef="begin" targetRef="note"/>
<sequenceFlow id="f2" sourceRef="note" targetRef="pack"/>
<sequenceFlow id="f3" sourceRef="pack" targetRef="end"/>
</process></definitions>"""


def deploy(house: House, key: str, body: str) -> None:
    services = house.services
    model = {f"{key}.bpmn": (HEAD + body).encode()}
    deploy_models(services.uow, services.engine, model, by="test")


def start(house: House, key: str, business_key: str, **variables: Any) -> str:
    with house.services.uow() as tx:
        instance_id = start_instance(
            tx,
            house.services.advance,
            key,
            variables=variables,
            business_key=business_key,
            actor="test",
        )
        tx.wake()
    return str(instance_id)


def accept(house: House, number: str) -> None:
    """An order that the factory does not begin to make by itself."""
    lines = (OrderLine("RM-001", "Water", Decimal("310")),)
    with house.services.uow() as tx:
        tx.orders.add(Order(number, "Paint", lines, status=OrderStatus.WAITING))


def version_of(house: House, instance_id: str) -> int:
    ((version,),) = house.rows(
        "SELECT d.version FROM instances AS i JOIN definitions AS d"
        f" ON d.id = i.definition_id WHERE i.id = '{instance_id}'"
    )
    return int(version)


@pytest.fixture
def page(house: House, open_page: OpenPage) -> Page:
    page = open_page("sofia", width=1280, height=1000)
    return page


def tokens(page: Page) -> Locator:
    return page.locator("#instance-steps .instance-token")


def test_an_instance_goes_to_another_version_by_a_plan_that_says_what_hinders(
    house: House, page: Page
) -> None:
    key = "carried"
    deploy(house, key, TWO_STEPS.format(key=key, first="first"))
    instance_id = start(house, key, "C-1")
    deploy(house, key, TWO_STEPS.format(key=key, first="opening"))
    page.goto(f"{house.address}/cockpit/i/{instance_id}")
    page.locator("#do-migrate").click()
    dialog = page.locator("#instance-dialog")
    dialog.locator("select[name=to]").select_option("2")
    dialog.locator("#show-plan").click()
    plan = dialog.locator(".instance-plan")
    expect(plan).to_contain_text("It cannot be migrated to version 2:")
    expect(plan.locator("li").first).to_contain_text("'First' has a live task")
    go = dialog.get_by_role("button", name="Migrate to another version")
    expect(go).to_have_count(0)

    dialog.get_by_text("Elements that have another id there").click()
    dialog.locator("textarea[name=renamed]").fill("first = opening")
    dialog.locator("#show-plan").click()
    expect(plan).to_contain_text("It can be migrated from version 1 to version 2.")
    dialog.locator("textarea[name=reason]").fill("the new drawing counts")
    assert version_of(house, instance_id) == 1  # nothing before it is confirmed
    go.click()
    expect(page.locator(".flash")).to_have_text("The process is in version 2 now.")
    assert version_of(house, instance_id) == 2
    expect(tokens(page)).to_have_attribute("data-element", "opening")

    page.wait_for_load_state()  # before, links lead to pages of their own
    page.locator("#undo-last").click()
    expect(dialog).to_contain_text("The process goes back to version 1.")
    dialog.locator("textarea[name=reason]").fill("it was too early")
    dialog.get_by_role("button", name="Undo").click()
    expect(page.locator(".flash")).to_have_text("It is undone.")
    assert version_of(house, instance_id) == 1
    house.cancel(instance_id)


def test_a_finished_process_begins_anew_at_any_step(house: House, page: Page) -> None:
    key = "finished"
    deploy(house, key, TWO_STEPS.format(key=key, first="first"))
    old = start(house, key, "F-1", lot="L-7")
    services = house.services
    for element in ("first", "second"):
        task = house.task("F-1", element)
        submit_form(services.uow, services.advance, task, {}, by="ana")
    page.goto(f"{house.address}/cockpit/i/{old}")
    expect(page.locator(".instance-head")).to_contain_text("completed")
    page.locator("#do-restart").click()
    dialog = page.locator("#instance-dialog")
    dialog.locator("textarea[name=reason]").fill("the second step was wrong")
    dialog.get_by_role("button", name="Restart the process").click()
    expect(page.locator(".field-error")).to_contain_text(
        "Choose where the process should start"
    )
    expect(page.locator("textarea[name=reason]")).to_have_value(
        "the second step was wrong"
    )
    page.get_by_label("Second", exact=True).check()
    page.get_by_role("button", name="Restart the process").click()
    expect(page.locator(".flash")).to_contain_text("The process is restarted.")
    expect(tokens(page)).to_have_attribute("data-element", "second")
    new = page.url.partition("?")[0].rsplit("/", 1)[1]
    assert new != old
    page.locator("#tab-variables").click()
    expect(page.locator(".instance-table")).to_contain_text("L-7")
    house.cancel(new)


def test_a_wrong_value_is_mended_and_the_attempt_repeated(
    house: House, page: Page
) -> None:
    key = "mended"
    deploy(house, key, NOTE.format(key=key))
    accept(house, "MO-2026-8901")
    instance_id = start(house, key, "V-1", number="MO-2026-8910")  # mistyped
    page.goto(f"{house.address}/incidents?process={key}")
    cause = page.locator(".incidents-cause")
    cause.get_by_role("link", name=re.compile("^Open:")).click()
    page.get_by_role("link", name="V-1", exact=True).click()
    expect(tokens(page)).to_be_visible()
    page.wait_for_load_state()
    page.locator("#tab-variables").click()
    page.get_by_role("link", name="Change: order_number").click()
    dialog = page.locator("#instance-dialog")
    dialog.locator("textarea[name=value]").fill('"MO-2026-8901"')
    dialog.locator("textarea[name=reason]").fill("two digits were swapped")
    dialog.get_by_role("button", name="Change a variable").click()
    row = page.locator(".instance-table tr", has_text="order_number")
    expect(row).to_contain_text("MO-2026-8901")
    expect(row).to_contain_text("sofia")
    page.wait_for_load_state()
    tokens(page).get_by_role("link", name=re.compile("Try again")).click()
    dialog.locator("textarea[name=reason]").fill("the number is right now")
    dialog.get_by_role("button", name="Try again").click()
    expect(tokens(page)).to_have_attribute("data-element", "pack")
    expect(page.locator(".instance-head")).not_to_contain_text("incident")
    house.cancel(instance_id)


def test_those_that_are_stuck_are_chosen_in_the_list_and_retried_together(
    house: House, page: Page
) -> None:
    key = "many"
    deploy(house, key, NOTE.format(key=key))
    numbers = [f"MO-2026-89{n}" for n in range(20, 24)]
    ids = [start(house, key, number, number=number) for number in numbers]
    page.goto(f"{house.address}/cockpit/{key}?state=stuck")
    ticks = page.locator(".instances-table input[name=instance]")
    expect(ticks).to_have_count(4)
    for number in numbers[:3]:
        accept(house, number)
    page.locator("#bulk-page").check()
    page.locator("#bulk-retry").click()
    dialog = page.locator("#bulk-dialog")
    expect(dialog).to_contain_text("4 instances")
    dialog.locator("textarea[name=reason]").fill("three of them have come")
    dialog.locator("#bulk-go").click()
    page.wait_for_url(re.compile(r"/batches/\d+$"))
    expect(page.locator("#batch-told")).to_have_text("4 of 4 done")
    for number in numbers[:3]:
        house.task(number, "pack")
    page.goto(f"{house.address}/cockpit/{key}?state=stuck")
    expect(page.locator(".instances-table tbody tr")).to_have_count(1)
    expect(page.locator(".instances-table")).to_contain_text(numbers[3])
    for one in ids:
        house.cancel(one)


def test_all_of_a_cause_are_retried_and_one_sees_how_far_it_is(
    house: House, page: Page
) -> None:
    key = "followed"
    deploy(house, key, NOTE.format(key=key))
    numbers = ["MO-2026-8930", "MO-2026-8931"]
    ids = [start(house, key, number, number=number) for number in numbers]
    page.goto(f"{house.address}/incidents?process={key}")
    cause = page.locator(".incidents-cause")
    expect(cause.locator(".big-number")).to_have_text("2")
    for number in numbers:
        accept(house, number)
    cause.get_by_role("link", name=re.compile("^Open:")).click()
    page.get_by_label("Reason: what was fixed?").fill("they have come")
    page.get_by_role("button", name="Try all again").click()
    page.wait_for_url(re.compile(r"/batches/\d+$"))
    expect(page.locator("#batch-told")).to_have_text("2 of 2 done")
    expect(page.locator(".batch-items tbody tr")).to_have_count(2)
    for number in numbers:
        house.task(number, "pack")
    for one in ids:
        house.cancel(one)


def test_new_starts_of_a_process_are_stopped_and_allowed_again(
    house: House, page: Page
) -> None:
    key = "stopped"
    deploy(house, key, TWO_STEPS.format(key=key, first="first"))
    running = start(house, key, "S-1")
    page.goto(f"{house.address}/cockpit/{key}")
    starts = page.locator("#starts")
    starts.locator("summary").focus()
    page.keyboard.press("Enter")
    starts.get_by_label("Reason").fill("the recipe is wrong")
    starts.get_by_label("Also suspend the running ones").check()
    starts.get_by_role("button", name="Stop new starts").click()
    expect(page.locator(".flash")).to_have_text("No new ones are started.")
    expect(starts).to_contain_text("sofia: the recipe is wrong")
    with pytest.raises(ProcessSuspended):
        start(house, key, "S-2")
    with house.services.uow() as tx:
        assert tx.instances.get(running).suspended is not None
    page.goto(f"{house.address}/cockpit")
    board = page.locator("tr", has_text="Two steps").filter(has_text=key)
    expect(board).to_contain_text("no new starts")

    page.goto(f"{house.address}/cockpit/{key}")
    starts.locator("summary").click()
    starts.get_by_label("Reason").fill("the recipe is right")
    starts.get_by_label("Also resume the suspended ones").check()
    starts.get_by_role("button", name="Allow new starts").click()
    expect(page.locator(".flash")).to_have_text("New ones may be started again.")
    with house.services.uow() as tx:
        assert tx.instances.get(running).suspended is None
    second = start(house, key, "S-2")
    assert house.rows(
        "SELECT kind, actor, data ->> 'reason' FROM events"
        f" WHERE data ->> 'process' = '{key}' AND kind LIKE 'process %' ORDER BY id"
    ) == [
        ("process suspended", "sofia", "the recipe is wrong"),
        ("process resumed", "sofia", "the recipe is right"),
    ]
    for one in (running, second):
        house.cancel(one)


def test_a_value_is_added_and_removed_and_a_step_is_cancelled(
    house: House, page: Page
) -> None:
    key = "pruned"
    deploy(house, key, TWO_STEPS.format(key=key, first="first"))
    instance_id = start(house, key, "P-1", lot="L-1")
    page.goto(f"{house.address}/cockpit/i/{instance_id}?tab=variables")
    dialog, flash = page.locator("#instance-dialog"), page.locator(".flash")
    variables = page.locator(".instance-table")
    page.locator("#add-variable").click()
    dialog.locator("input[name=name]").fill("colour")
    dialog.locator("textarea[name=value]").fill('"blue"')
    dialog.locator("textarea[name=reason]").fill("it was forgotten")
    dialog.get_by_role("button", name="Add a variable").click()
    expect(flash).to_have_text("The variable colour is set.")
    expect(variables).to_contain_text('"blue"')
    page.wait_for_load_state()
    page.get_by_role("link", name="Remove: lot").click()
    dialog.locator("textarea[name=reason]").fill("there is no lot")
    dialog.get_by_role("button", name="Remove a variable").click()
    expect(flash).to_have_text("The variable lot is removed.")
    expect(variables).not_to_contain_text("L-1")
    page.wait_for_load_state()
    page.locator("#undo-last").click()
    expect(dialog).to_contain_text("lot becomes")
    dialog.locator("textarea[name=reason]").fill("there is one")
    dialog.get_by_role("button", name="Undo").click()
    expect(flash).to_have_text("It is undone.")
    page.wait_for_load_state()

    page.locator("#tab-tasks").click()
    expect(page.locator(".instance-tab-tasks")).to_contain_text("First")
    tokens(page).get_by_role("link", name="Cancel: First").click()
    expect(dialog).to_contain_text("A process without any token is cancelled")
    dialog.locator("textarea[name=reason]").fill("nobody needs it")
    dialog.get_by_role("button", name="Cancel an activity").click()
    expect(page.locator(".instance-head")).to_contain_text("cancelled")
    with house.services.uow() as tx:
        left = tx.instances.get(instance_id).snapshot
    assert left is not None
    assert left.variables == {"lot": "L-1", "colour": "blue"}


def test_instances_are_found_by_value_state_and_age_and_saved_as_a_table(
    house: House, page: Page
) -> None:
    key = "wanted"
    deploy(house, key, NOTE.format(key=key))
    accept(house, "MO-2026-8940")
    numbers = ["MO-2026-8940", "MO-2026-8941"]
    ids = [start(house, key, n, number=n, colour="blue") for n in numbers]
    house.task(numbers[0], "pack")
    page.goto(f"{house.address}/cockpit/{key}")
    rows = page.locator(".instances-table tbody tr")
    expect(rows).to_have_count(2)
    page.locator("input[name=name]").fill("number")
    page.locator("input[name=value]").fill(numbers[1])
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text(numbers[1])
    page.locator("input[name=name]").fill("colour")
    page.locator("input[name=value]").fill("blue")
    expect(rows).to_have_count(2)
    page.locator("select[name=state]").select_option("stuck")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text(numbers[1])
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    saved = Path(download.value.path()).read_text(encoding="utf-8")
    assert numbers[1] in saved
    assert numbers[0] not in saved
    page.locator("select[name=age]").select_option("over_day")
    expect(page.get_by_text("No instance matches.")).to_be_visible()
    for one in ids:
        house.cancel(one)
