"""A supervisor repairs a process in the cockpit: the drawing, the dialogs, the eyes."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import Locator, Page, TimeoutError, expect

from mpms.factory.domain.orders import Order, OrderLine, OrderStatus
from mpms.services.instances.start import start_instance
from mpms.services.models.deploy import deploy_models
from tests.support.axe import complaints_of
from tests.support.house import House

OpenPage = Callable[..., Page]

ROOT = Path(__file__).resolve().parents[3]
WAY = ("begin", "note_status", "pack", "ship", "finish")


def model(number: str) -> bytes:
    """A job that needs the order, two forms, and a clock around the first."""
    boxes = {id_: (160 * at + 100, 120) for at, id_ in enumerate(WAY)}
    flows = [f"{a}_to_{b}" for a, b in pairwise(WAY)]
    drawn = "".join(
        f'<bpmndi:BPMNShape id="{id_}_di" bpmnElement="{id_}">'
        f'<dc:Bounds x="{x}" y="{y}" width="100" height="80"/></bpmndi:BPMNShape>'
        for id_, (x, y) in boxes.items()
    )
    lines = "".join(
        f'<bpmndi:BPMNEdge id="{flow}_di" bpmnElement="{flow}">'
        f'<di:waypoint x="{boxes[a][0] + 100}" y="160"/>'
        f'<di:waypoint x="{boxes[b][0]}" y="160"/></bpmndi:BPMNEdge>'
        for flow, (a, b) in zip(flows, pairwise(WAY), strict=True)
    )
    arrows = "".join(
        f'<sequenceFlow id="{flow}" sourceRef="{a}" targetRef="{b}"/>'
        for flow, (a, b) in zip(flows, pairwise(WAY), strict=True)
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI"
  xmlns:dc="http://www.omg.org/spec/DD/20100524/DC"
  xmlns:di="http://www.omg.org/spec/DD/20100524/DI"
  xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  id="drawing" targetNamespace="urn:test">
<process id="parcel" name="Parcel" isExecutable="true">
  <startEvent id="begin" name="Begin"/>
  <serviceTask id="note_status" name="Note the status" camunda:type="external"
    camunda:topic="orders.set_status"><extensionElements>
    <camunda:failedJobRetryTimeCycle>R1/PT1S</camunda:failedJobRetryTimeCycle>
    <camunda:inputOutput>
      <camunda:inputParameter name="order_number">{number}</camunda:inputParameter>
      <camunda:inputParameter name="status">in process</camunda:inputParameter>
    </camunda:inputOutput></extensionElements></serviceTask>
  <userTask id="pack" name="Pack"/>
  <userTask id="ship" name="Ship"/>
  <endEvent id="finish" name="Finish"/>
  <boundaryEvent id="too_long" name="Too long" attachedToRef="pack"
    cancelActivity="false"><timerEventDefinition>
    <timeDuration>PT5H</timeDuration></timerEventDefinition></boundaryEvent>
  <sequenceFlow id="late_to_end" sourceRef="too_long" targetRef="late"/>
  <endEvent id="late" name="Late"/>
  {arrows}
</process>
<bpmndi:BPMNDiagram id="diagram"><bpmndi:BPMNPlane id="plane" bpmnElement="parcel">
  {drawn}
  <bpmndi:BPMNShape id="too_long_di" bpmnElement="too_long">
    <dc:Bounds x="480" y="182" width="36" height="36"/></bpmndi:BPMNShape>
  <bpmndi:BPMNShape id="late_di" bpmnElement="late">
    <dc:Bounds x="480" y="280" width="36" height="36"/></bpmndi:BPMNShape>
  <bpmndi:BPMNEdge id="late_to_end_di" bpmnElement="late_to_end">
    <di:waypoint x="498" y="218"/><di:waypoint x="498" y="280"/></bpmndi:BPMNEdge>
  {lines}
</bpmndi:BPMNPlane></bpmndi:BPMNDiagram>
</definitions>""".encode()


def begin(house: House, number: str) -> str:
    services = house.services
    deploy_models(
        services.uow, services.engine, {"parcel.bpmn": model(number)}, by="test"
    )
    with services.uow() as tx:
        instance_id = start_instance(
            tx,
            services.advance,
            "parcel",
            variables={"kg": 4.5, "lots": ["L-1", "L-2"]},
            business_key=number,
            actor="test",
        )
        tx.wake()
    return str(instance_id)


def waiting_order(number: str) -> Order:
    """The factory does not begin to make it by itself."""
    lines = (OrderLine("RM-001", "Water", Decimal("310")),)
    return Order(number, "Paint", lines, status=OrderStatus.WAITING)


def badge_on(page: Page, element: str) -> Locator:
    return page.locator(f".instance-badge[data-element={element}]")


def drag(page: Page, badge: Locator, element: str) -> None:
    """Take the badge of a token and let it go over an element of the drawing."""
    target = page.locator(f".djs-shape[data-element-id={element}]").first
    start, end = badge.bounding_box(), target.bounding_box()
    assert start is not None
    assert end is not None
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    for step in (0.3, 0.7, 1.0):
        x = start["x"] + (end["x"] + end["width"] / 2 - start["x"]) * step
        y = start["y"] + (end["y"] + end["height"] / 2 - start["y"]) * step
        page.mouse.move(x, y)
    page.mouse.up()


def dragged(page: Page, dialog: Locator) -> bool:
    drag(page, badge_on(page, "pack"), "ship")
    try:
        dialog.wait_for(state="visible", timeout=5_000)
    except TimeoutError:
        return False
    return True


def carried(page: Page, dialog: Locator) -> bool:
    """News may draw the badge anew; a person would begin again."""
    badge_on(page, "pack").focus()
    for key in ("m", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    try:
        dialog.wait_for(state="visible", timeout=5_000)
    except TimeoutError:
        return False
    return True


def test_a_stuck_job_is_retried_and_a_token_moved(
    house: House, open_page: OpenPage
) -> None:
    number = "PO-STUCK"
    instance_id = begin(house, number)
    page = open_page("sofia", width=1440, height=1000)
    page.goto(f"{house.address}/cockpit/i/{instance_id}")
    tokens = page.locator("#instance-steps .instance-token")

    retry = page.locator("#instance-steps").get_by_role("link", name="Try again")
    expect(retry).to_be_visible()
    expect(badge_on(page, "note_status")).to_have_class(
        re.compile("instance-badge-stuck")
    )
    assert complaints_of(page) == []
    with house.services.uow() as tx:
        tx.orders.add(waiting_order(number))
    retry.click()
    dialog = page.locator("#instance-dialog")
    dialog.locator("textarea[name=reason]").fill("the order is there now")
    dialog.get_by_role("button", name="Try again").click()
    expect(page.locator(".flash")).to_have_text("It is tried again.")
    expect(tokens.filter(has_text="Pack")).to_be_visible()
    expect(page.locator(".instance-time")).to_have_text(re.compile(r"in \d:\d\d:\d\d"))
    expect(page.locator(".instance-way")).to_have_count(2)

    expect(badge_on(page, "pack")).to_be_visible()
    # News may move the page under the mouse; a person would take the badge again.
    house.until("it is dragged", lambda: dragged(page, dialog))
    expect(dialog).to_be_visible()
    expect(dialog.locator("select[name=element]")).to_have_value("ship")
    assert complaints_of(page) == []
    dialog.get_by_role("link", name="Back").click()
    expect(dialog).to_be_hidden()

    move = tokens.filter(has_text="Pack").get_by_role("link", name="Move: Pack")
    move.focus()
    page.keyboard.press("Enter")
    expect(dialog).to_be_visible()
    dialog.locator("select[name=element]").select_option("ship")
    dialog.locator("textarea[name=reason]").fill("it is packed already")
    dialog.get_by_role("button", name="Move a token").click()
    expect(page.locator(".flash")).to_have_text("The token is moved.")
    expect(tokens.filter(has_text="Ship")).to_be_visible()
    page.wait_for_load_state()
    page.locator("#undo-last").click()
    expect(dialog).to_contain_text(
        "The token goes back to Pack and starts there again."
    )
    dialog.locator("textarea[name=reason]").fill("it is not packed")
    dialog.get_by_role("button", name="Undo").click()
    expect(page.locator(".flash")).to_have_text("It is undone.")
    expect(tokens.filter(has_text="Pack")).to_be_visible()

    # The same by keys alone, on the drawing.
    expect(badge_on(page, "pack")).to_be_visible()
    house.until("it is carried", lambda: carried(page, dialog))
    expect(dialog.locator("select[name=element]")).to_have_value("ship")
    dialog.locator("textarea[name=reason]").fill("it is packed already")
    dialog.get_by_role("button", name="Move a token").click()
    expect(page.locator(".flash")).to_have_text("The token is moved.")
    expect(tokens.filter(has_text="Ship")).to_be_visible()
    page.locator("#tab-timeline").click()
    timeline = page.locator(".timeline")
    expect(timeline).to_contain_text("moved a token from Pack to Ship")
    expect(timeline).to_contain_text("it is packed already")

    page.locator("#tab-variables").click()
    variables = page.locator(".instance-table")
    expect(variables).to_contain_text("lots")
    assert complaints_of(page) == []
    page.get_by_role("link", name="Change: kg").click()
    value = page.locator("textarea[name=value]")
    expect(value).to_have_value("4.5")
    value.fill("five")
    page.locator("textarea[name=reason]").fill("weighed again")
    page.get_by_role("button", name="Change a variable").click()
    expect(page.locator(".field-error")).to_contain_text("This is no JSON")
    expect(value).to_have_value("five")
    value.fill("5")
    page.get_by_role("button", name="Change a variable").click()
    expect(variables.locator("tr", has_text="kg")).to_contain_text("sofia")
    page.wait_for_load_state()
    page.get_by_role("link", name="History of kg").click()
    expect(dialog.locator(".timeline-line")).to_have_count(2)
    dialog.get_by_role("link", name="Close").click()
    house.cancel(instance_id)
    expect(page.locator(".instance-head")).to_contain_text("cancelled")


def finger(page: Page, badge: Locator, element: str) -> None:
    """Drag with one finger, as a tablet reports it."""
    target = page.locator(f".djs-shape[data-element-id={element}]").first
    start, end = badge.bounding_box(), target.bounding_box()
    assert start is not None
    assert end is not None
    wire = page.context.new_cdp_session(page)
    x, y = start["x"] + start["width"] / 2, start["y"] + start["height"] / 2
    to_x, to_y = end["x"] + end["width"] / 2, end["y"] + end["height"] / 2

    def touch(kind: str, share: float) -> None:
        at = {"x": x + share * (to_x - x), "y": y + share * (to_y - y)}
        points = [] if kind == "touchEnd" else [at]
        wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 0.0)
    for share in (0.2, 0.5, 0.8, 1.0):
        touch("touchMove", share)
    touch("touchEnd", 1.0)
    wire.detach()


def test_a_token_is_dragged_with_a_finger_and_goes_back(
    house: House, open_page: OpenPage
) -> None:
    number = "PO-TOUCH"
    with house.services.uow() as tx:
        tx.orders.add(waiting_order(number))
    instance_id = begin(house, number)
    page = open_page("sofia", width=1180, height=820, touch=True)
    page.goto(f"{house.address}/cockpit/i/{instance_id}")
    expect(badge_on(page, "pack")).to_be_visible()
    dialog = page.locator("#instance-dialog")

    def dropped() -> bool:
        finger(page, badge_on(page, "pack"), "ship")
        try:
            dialog.wait_for(state="visible", timeout=5_000)
        except TimeoutError:
            return False
        return True

    # News may move the page under the finger; a person would take the badge again.
    house.until("it is dragged", dropped)
    expect(dialog.locator("select[name=element]")).to_have_value("ship")
    dialog.locator("textarea[name=reason]").fill("it is packed")
    dialog.get_by_role("button", name="Move a token").click()
    expect(badge_on(page, "ship")).to_be_visible()
    page.locator("#undo-last").click()
    dialog.locator("textarea[name=reason]").fill("it is not")
    dialog.get_by_role("button", name="Undo").click()
    expect(badge_on(page, "pack")).to_be_visible()
    told = house.rows(
        "SELECT kind, actor, data ->> 'reason' FROM events"
        f" WHERE instance_id = '{instance_id}' AND kind = 'token moved' ORDER BY id"
    )
    assert told == [
        ("token moved", "sofia", "it is packed"),
        ("token moved", "sofia", "it is not"),
    ]
    house.cancel(instance_id)


def act(page: Page, opener: Locator, button: str, reason: str) -> None:
    page.wait_for_load_state()  # before, links lead to pages of their own
    opener.click()
    dialog = page.locator("#instance-dialog")
    dialog.locator("textarea[name=reason]").fill(reason)
    dialog.get_by_role("button", name=button).click()
    expect(dialog).to_be_hidden()


def test_a_process_stands_still_goes_on_ends_and_begins_again(
    house: House, open_page: OpenPage
) -> None:
    number = "PO-LIFE"
    with house.services.uow() as tx:
        tx.orders.add(waiting_order(number))
    instance_id = begin(house, number)
    page = open_page("sofia", width=1440, height=1000)
    page.goto(f"{house.address}/cockpit/i/{instance_id}")
    head, flash = page.locator(".instance-head"), page.locator(".flash")
    expect(badge_on(page, "pack")).to_be_visible()
    act(page, page.locator("#do-suspend"), "Suspend the process", "a spill")
    expect(head).to_contain_text("Suspended by sofia: a spill")
    act(page, page.locator("#do-resume"), "Resume the process", "it is dry")
    expect(head).to_contain_text("running")
    act(page, page.locator("#undo-last"), "Undo", "not quite")
    expect(head).to_contain_text("Suspended by sofia: not quite")
    act(page, page.locator("#do-resume"), "Resume the process", "now it is")
    tokens = page.locator("#instance-steps .instance-token")
    skip = tokens.filter(has_text="Pack").get_by_role("link", name="Skip: Pack")
    act(page, skip, "Skip an activity", "packed by hand")
    expect(badge_on(page, "ship")).to_be_visible()
    expect(page.locator("#undo-last")).to_have_count(0)
    act(page, page.locator("#do-cancel"), "Cancel the process", "the buyer is gone")
    expect(head).to_contain_text("cancelled")
    page.wait_for_load_state()
    page.locator("#do-restart").click()
    dialog = page.locator("#instance-dialog")
    dialog.get_by_label("Pack").check()
    dialog.locator("textarea[name=reason]").fill("the buyer is back")
    dialog.get_by_role("button", name="Restart the process").click()
    expect(flash).to_have_text("The process is restarted. This is the new one.")
    expect(badge_on(page, "pack")).to_be_visible()
    house.cancel(page.url.partition("?")[0].rsplit("/", 1)[1])
