"""Real faults end in the inbox at once, and a supervisor deals with them there."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from mpms.demo.buyer import BUYER
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.domain.orders import Order, OrderLine, OrderStatus
from mpms.services.instances.start import start_instance
from mpms.services.models.deploy import deploy_models
from tests.support.axe import complaints_of
from tests.support.browsers import Tabs, collect_errors
from tests.support.house import PATIENCE_MS, House

OpenPage = Callable[..., Page]

ROOT = Path(__file__).resolve().parents[3]
SMALL_TARGETS = """() => [...document.querySelectorAll(
        'main a, main button, main select, main textarea, main input.input')]
    .filter((one) => {
        const box = one.getBoundingClientRect();
        const inText = one.tagName === 'A'
            && getComputedStyle(one).display === 'inline';
        return box.width > 1 && !inText && !one.closest('.visually-hidden')
            && Math.min(box.width, box.height) < 23.5;
    })
    .map((one) => one.outerHTML.slice(0, 90))"""
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  id="drawing" targetNamespace="urn:test">"""
NOTE = """<process id="noting_{name}" name="Noting {name}" isExecutable="true">
<startEvent id="begin"/>
<serviceTask id="note" name="Note the status" camunda:type="external"
  camunda:topic="orders.set_status"><extensionElements>
  <camunda:failedJobRetryTimeCycle>R1/PT1S</camunda:failedJobRetryTimeCycle>
  <camunda:inputOutput>
    <camunda:inputParameter name="order_number">${{number}}</camunda:inputParameter>
    <camunda:inputParameter name="status">in process</camunda:inputParameter>
  </camunda:inputOutput></extensionElements></serviceTask>
<userTask id="pack" name="Pack"/>
<sequenceFlow id="one" sourceRef="begin" targetRef="note"/>
<sequenceFlow id="two" sourceRef="note" targetRef="pack"/>
</process></definitions>"""
DRIVE = """<process id="driving" name="Driving" isExecutable="true">
<startEvent id="begin"/>
<serviceTask id="drive" name="Drive to the tank" camunda:type="external"
  camunda:topic="robot.move"><extensionElements><camunda:inputOutput>
    <camunda:inputParameter name="robot">robot1</camunda:inputParameter>
    <camunda:inputParameter name="place">{place}</camunda:inputParameter>
  </camunda:inputOutput></extensionElements></serviceTask>
<endEvent id="end"/>
<sequenceFlow id="one" sourceRef="begin" targetRef="drive"/>
<sequenceFlow id="two" sourceRef="drive" targetRef="end"/>
</process></definitions>"""


@pytest.fixture
def windowed_context(
    whole_browser: Browser, close_context: Callable[[BrowserContext], None]
) -> Iterator[BrowserContext]:
    """Of a whole browser: the one without windows shows no notices."""
    context = whole_browser.new_context(viewport={"width": 1024, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    errors = collect_errors(context)
    yield context
    close_context(context)
    assert errors == []


def deploy(house: House, key: str, body: str) -> None:
    services = house.services
    model = {f"{key}.bpmn": (HEAD + body).encode()}
    deploy_models(services.uow, services.engine, model, by="test")


def start(house: House, key: str, number: str) -> str:
    with house.services.uow() as tx:
        instance_id = start_instance(
            tx,
            house.services.advance,
            key,
            variables={"number": number},
            business_key=number,
            actor="test",
        )
        tx.wake()
    return str(instance_id)


def accept(house: House, number: str) -> None:
    """What the handler missed; the factory does not begin to make it by itself."""
    lines = (OrderLine("RM-001", "Water", Decimal("310")),)
    with house.services.uow() as tx:
        tx.orders.add(Order(number, "Paint", lines, status=OrderStatus.WAITING))


def alerts_in_mailbox(house: House) -> list[EmailMessage]:
    box = house.settings.state_dir / "mail" / "mailboxes" / BUYER / "new"
    messages = [
        message_from_bytes(path.read_bytes(), policy=policy.default)
        for path in box.iterdir()
    ]
    return [each for each in messages if each["Subject"].startswith("MPMS: ")]


def test_handlers_that_raise_are_one_cause_to_be_dealt_with(
    house: House, open_page: OpenPage
) -> None:
    name = "status"
    deploy(house, f"noting_{name}", NOTE.format(name=name))
    page = open_page("sofia", width=1024, height=900)
    page.goto(f"{house.address}/incidents?process=noting_{name}")
    numbers = [f"MO-2026-{8000 + n + (len(name) * 100)}" for n in range(3)]
    for number in numbers:
        start(house, f"noting_{name}", number)

    cause = page.locator(".incidents-cause")
    expect(cause).to_have_count(1)  # nobody has loaded the page again
    expect(cause.locator(".big-number")).to_have_text("3")
    assert complaints_of(page) == []

    cause.get_by_role("button", name=re.compile("Assign to me")).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".flash")).to_have_text("Assigned to you.")
    expect(cause).to_contain_text("Sofía Marín")

    cause.get_by_role("link", name=re.compile("Open:")).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Note the status")
    expect(page.locator("#incident-now tbody tr")).to_have_count(3)
    assert complaints_of(page) == []

    page.get_by_label("Your comment").fill("the order came by telephone")
    page.get_by_role("button", name="Comment").click()
    expect(page.locator("#incident-comments")).to_contain_text("by telephone")

    page.locator("select[name=to]").select_option("adam")
    page.get_by_role("button", name="Assign").click()
    expect(page.locator("#incident-now")).to_contain_text("Adam Cole")

    for number in numbers:
        accept(house, number)
    page.get_by_role("button", name=f"Try again: {numbers[0]}").click()
    expect(page.locator("#incident-now tbody tr")).to_have_count(2)
    page.get_by_label("Reason: what was fixed?").fill("the orders are there now")
    page.get_by_role("button", name="Try all again").click()
    page.wait_for_url(re.compile(r"/batches/\d+$"))
    expect(page.locator("#batch-told")).to_have_text("2 of 2 done")
    page.go_back()
    expect(page.locator("#incident-now .banner-ok")).to_contain_text("Resolved: no")
    assert complaints_of(page) == []
    for number in numbers:
        house.task(number, "pack")
    said = house.rows(
        "SELECT kind, actor, coalesce(data ->> 'reason', data ->> 'text')"
        " FROM events WHERE kind IN"
        " ('incidents assigned', 'incidents discussed', 'batch ordered')"
        " ORDER BY id DESC LIMIT 4"
    )
    assert said == [
        ("batch ordered", "sofia", "the orders are there now"),
        ("incidents assigned", "sofia", None),
        ("incidents discussed", "sofia", "the order came by telephone"),
        ("incidents assigned", "sofia", None),
    ]


def test_a_robot_that_refuses_is_in_the_inbox_and_its_drive_is_tried_again(
    house: House, open_page: OpenPage
) -> None:
    page = open_page("sofia", width=1024, height=900)
    page.goto(f"{house.address}/incidents?process=driving")
    with house.services.uow() as tx:
        robots = {state.robot for state in tx.robots.states()}
    assert "robot1" in robots
    place = next(iter(factory_bootstrap.world_named("paint_factory").places))
    deploy(house, "driving", DRIVE.format(place=place))
    # Each time: it may be sent aside first, and that counts as well.
    house.break_robot("reject robot1 99")
    instance_id = start(house, "driving", "a drive")
    cause = page.locator(".incidents-cause")
    expect(cause).to_contain_text("failed drive")
    expect(cause).to_contain_text("Drive to the tank")
    cause.get_by_role("link", name=re.compile("Open:")).click()
    house.break_robot("reject robot1 0")
    page.get_by_role("button", name="Try again: a drive").click()
    house.until(
        "the drive has ended",
        lambda: house.rows(
            f"SELECT 1 FROM instances WHERE id = '{instance_id}'"
            " AND status = 'completed'"
        ),
    )


def test_who_asked_gets_one_mail_a_cause(house: House, open_page: OpenPage) -> None:
    deploy(house, "noting_mail", NOTE.format(name="mail"))
    page = open_page("sofia", width=1024, height=900)
    page.goto(f"{house.address}/incidents/alerts")
    page.get_by_label("Mail address").fill(BUYER)
    page.get_by_text("Send me an alert when something is stuck").click()
    page.get_by_text("Only these:").click()
    page.get_by_text("Noting mail").click()
    page.get_by_role("button", name="Keep").click()
    expect(page.locator(".flash")).to_have_text("Your alerts are changed.")
    start(house, "noting_mail", "MO-2026-9001")
    (message,) = house.until("the mail is there", lambda: alerts_in_mailbox(house))
    assert "Noting mail" in message.get_content()
    before = house.rows("SELECT count(*) FROM incidents WHERE resolved_at IS NULL")
    start(house, "noting_mail", "MO-2026-9002")
    house.until(
        "the second incident is there",
        lambda: (
            house.rows("SELECT count(*) FROM incidents WHERE resolved_at IS NULL")
            > before
        ),
    )
    link = re.search(r"/incidents/c\w+", message.get_content())
    assert link is not None
    page.goto(house.address + link[0])
    expect(page.locator("#incident-now tbody tr")).to_have_count(2)
    assert len(alerts_in_mailbox(house)) == 1
    assert house.rows("SELECT count(*) FROM alerts WHERE channel = 'mail:sofia'") == [
        (1,)
    ]


def test_a_device_is_switched_on_and_shows_a_notice(
    house: House, windowed_context: BrowserContext
) -> None:
    context = windowed_context
    context.grant_permissions(["notifications"], origin=house.address)
    # The browsers' own push services are on the internet.
    context.add_init_script(
        """
        let found = null;
        const keys = { p256dh: "B" + "A".repeat(86), auth: "A".repeat(22) };
        const endpoint = "https://push.example.com/device";
        PushManager.prototype.getSubscription = async () => found;
        PushManager.prototype.subscribe = async () => (found = {
          endpoint, toJSON: () => ({ endpoint, keys }),
          unsubscribe: async () => ((found = null), true),
        });
        """
    )
    page = context.new_page()
    house.sign_in(page, "sofia")
    page.goto(f"{house.address}/incidents/alerts")
    page.get_by_role("button", name="Switch on").click()
    expect(page.locator("#push-state")).to_have_text("Alerts appear on this device.")
    kept = "SELECT endpoint, login FROM push_subscriptions"
    assert house.rows(kept) == [("https://push.example.com/device", "sofia")]

    wire = context.new_cdp_session(page)
    seen: list[str] = []
    wire.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda told: seen.extend(r["registrationId"] for r in told["registrations"]),
    )
    displayed: list[str] = []
    wire.on(
        "BackgroundService.backgroundServiceEventReceived",
        lambda told: displayed.append(told["backgroundServiceEvent"]["eventName"]),
    )
    notices = {"service": "notifications"}
    wire.send("BackgroundService.startObserving", notices)
    wire.send("BackgroundService.setRecording", notices | {"shouldRecord": True})
    wire.send("ServiceWorker.enable")
    page.evaluate("async () => { await navigator.serviceWorker.ready; }")
    house.until("the worker is known", lambda: seen or page.evaluate("0"))
    notice = {"title": "Incident: the printer burns", "path": "/incidents/c1"}
    wire.send(
        "ServiceWorker.deliverPushMessage",
        {
            "origin": house.address,
            "registrationId": seen[0],
            "data": json.dumps(notice),
        },
    )
    # Chromium forgets a notice for which it is asked between storing and displaying it.
    house.until("the notice is shown", lambda: displayed or page.evaluate("0"))
    assert displayed == ["Notification displayed"]
    shown = page.evaluate(
        """async () => (await (await navigator.serviceWorker.ready)
            .getNotifications()).map((one) => [one.title, one.data])"""
    )
    assert shown == [["Incident: the printer burns", "/incidents/c1"]]

    page.get_by_role("button", name="Switch off").click()
    expect(page.locator("#push-state")).to_contain_text("Alerts are off")
    assert house.rows(kept) == []


WIDTHS = (360, 1024)


@pytest.fixture(scope="module")
def wrong(house: House, tabs: Tabs) -> dict[int, dict[str, list[str]]]:
    """With the pages of incidents, by the width of the screen; each is opened once."""
    with house.services.uow() as tx:
        tx.incidents.open("reply", "No reply could be sent to a@x.example.com: full")
        tx.incidents.open("reply", "No reply could be sent to b@x.example.com: full")
        (cause,) = {i.cause for i in tx.incidents.listing() if i.kind == "reply"}
    tab = tabs.take(touch=False)
    page = tab.page
    house.sign_in(page, "adam")
    wrong: dict[int, dict[str, list[str]]] = {width: {} for width in WIDTHS}
    for path in ("/incidents", f"/incidents/{cause}", "/incidents/alerts"):
        page.set_viewport_size({"width": WIDTHS[0], "height": 800})
        page.goto(house.address + path)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            found = complaints_of(page) + page.evaluate(SMALL_TARGETS)
            over_px = page.evaluate(
                "() => document.scrollingElement.scrollWidth - window.innerWidth"
            )
            if over_px > 0:
                found.append(f"{over_px} px too wide")
            if found:
                wrong[width][path] = found
    tabs.give_back(tab, house.address)
    assert tab.told() == []
    return wrong


@pytest.mark.parametrize("width", WIDTHS)
def test_narrow_and_wide_screens_show_all_of_it(
    wrong: dict[int, dict[str, list[str]]], width: int
) -> None:
    assert wrong[width] == {}
