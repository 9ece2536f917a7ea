"""Real faults as a supervisor sees them: a robot freezes or is stopped on its way, the
mail servers end. Each is told once, in the inbox and where it hurts, and is over by
itself when the fault is."""

from __future__ import annotations

import math
import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest
from playwright.sync_api import Locator, Page, expect

from mpms.domain.errors import InstanceBusy, TaskGone
from mpms.factory import bootstrap as factory_bootstrap
from mpms.services.instances.skip_activity import skip_activity
from mpms.services.instances.start import start_instance
from mpms.services.models.deploy import deploy_models
from mpms.services.tasks.submit import submit_form
from tests.support.house import House

OpenPage = Callable[..., Page]

SPEED = 2.0  # slow enough to be caught on the way
SETTINGS = {"robot_patience_s": 2.0}
DRIVE_M = 10.0  # some seconds, in which it is stopped
TRIP = b"""<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  id="drawing" targetNamespace="urn:test">
<process id="trip" name="Trip" isExecutable="true">
<startEvent id="begin"/>
<serviceTask id="drive" name="Drive there" camunda:type="external"
  camunda:topic="robot.move"><extensionElements><camunda:inputOutput>
    <camunda:inputParameter name="robot">robot1</camunda:inputParameter>
    <camunda:inputParameter name="place">${place}</camunda:inputParameter>
  </camunda:inputOutput></extensionElements></serviceTask>
<endEvent id="end"/>
<sequenceFlow id="one" sourceRef="begin" targetRef="drive"/>
<sequenceFlow id="two" sourceRef="drive" targetRef="end"/>
</process></definitions>"""


@pytest.fixture
def inbox(house: House, open_page: OpenPage) -> Page:
    page = open_page("sofia")
    page.goto(f"{house.address}/incidents")
    expect(page.locator(".incidents-cause")).to_have_count(0)
    return page


@contextmanager
def frozen(pid: int) -> Iterator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def driving(house: House, number: str) -> tuple[str, str]:
    """Wait until a robot is on its way for an order: the instance and the robot."""
    rows = house.until(
        f"a robot drives for {number}",
        lambda: house.rows(
            "SELECT g.instance_id::text, g.robot FROM drives AS g"
            " JOIN instances AS i ON i.id = g.instance_id"
            f" WHERE i.business_key = '{number}' AND g.state = 'sent'"
        ),
    )
    return str(rows[0][0]), str(rows[0][1])


def cause_of(page: Page, kind: str) -> Locator:
    return page.locator(".incidents-cause").filter(has_text=kind)


def test_a_robot_that_freezes_on_its_way_is_told_once_and_drives_on_when_it_thaws(
    house: House, inbox: Page
) -> None:
    number = house.order()
    instance, robot = driving(house, number)
    said = f"{robot} does not answer on its way to"
    with frozen(house.plant.simulator.pid):
        cause = cause_of(inbox, "robot does not drive on")
        expect(cause).to_have_count(1)  # nobody has loaded the page again
        expect(cause).to_contain_text(said)
        expect(cause.locator(".big-number")).to_have_text("1")
        cause.get_by_role("link", name=re.compile("^Open:")).click()
        expect(inbox.locator("#incident-now tbody tr")).to_contain_text(number)
        expect(inbox.get_by_role("button", name="Try all again")).to_have_count(0)
        there = inbox.url

        inbox.get_by_role("link", name=number, exact=True).click()
        inbox.wait_for_url(re.compile(f"/cockpit/i/{instance}"))
        token = inbox.locator("#instance-steps .instance-token.instance-stuck")
        expect(token.locator(".instance-why")).to_contain_text(said)
        expect(token.get_by_role("link", name=re.compile("^Skip"))).to_be_visible()
        expect(token.get_by_role("link", name="Try again")).to_have_count(0)
        inbox.locator("#tab-incidents").click()
        expect(inbox.locator(".instance-incidents li")).to_have_count(1)
        assert house.rows(
            f"SELECT kind FROM incidents WHERE instance_id = '{instance}'"
        ) == [("robot",)]

    # The robot is back: the incident closes, and the drive is the same one.
    expect(inbox.locator(".instance-incidents")).to_contain_text(f"settled by {robot}")
    expect(inbox.locator(".instance-stuck")).to_have_count(0)
    inbox.goto(there)
    expect(inbox.locator("#incident-now .banner-ok")).to_contain_text("Resolved: no")
    house.task(number, "load_material")
    assert house.rows(
        f"SELECT state, count(*) FROM drives WHERE instance_id = '{instance}'"
        " GROUP BY 1"
    ) == [("reached", 1)]
    inbox.goto(f"{house.address}/cockpit/i/{instance}?tab=timeline")
    expect(inbox.locator(".timeline")).to_contain_text(f"{robot} goes on to")


def test_a_load_is_weighed_when_its_robot_has_its_wifi_back(
    house: House, inbox: Page
) -> None:
    number = house.order()
    task = house.task(number, "load_material")
    instance, robot = house.rows(
        "SELECT h.instance_id::text, h.robot FROM robot_holds AS h"
        f" JOIN instances AS i ON i.id = h.instance_id AND i.business_key = '{number}'"
    )[0]
    house.break_robot(f"cut {robot}")
    try:
        loaded = {"confirmed": True, "lot": "L-7"}
        services = house.services
        submit_form(services.uow, services.advance, task, loaded, by="ana")
        cause = cause_of(inbox, "robot does not drive on")
        expect(cause).to_contain_text(f"{robot} does not answer")
        away = "SELECT robot FROM robots WHERE link IN ('down', 'stale')"
        house.until("its link alone is told", lambda: house.rows(away) == [(robot,)])
    finally:
        house.break_robot(f"clear {robot}")
    house.task(number, "unload_material")
    expect(inbox.locator(".incidents-cause")).to_have_count(0)
    told = house.rows(
        f"SELECT data::text FROM events WHERE instance_id = '{instance}'"
        f" UNION SELECT message FROM incidents WHERE instance_id = '{instance}'"
    )
    assert [text for (text,) in told if "frame" in text or "handshake" in text] == []


def away_from(house: House, robot: str) -> str:
    """The nearest place that a robot has to drive to; rest places are their robots'."""
    with house.services.uow() as tx:
        (here,) = (state for state in tx.robots.states() if state.robot == robot)
    x_m, y_m = here.x_m, here.y_m
    assert x_m is not None
    assert y_m is not None
    world = factory_bootstrap.world_named("paint_factory")
    homes = {info.home for info in world.robots}
    far_m = {
        name: math.hypot(place.x_m - x_m, place.y_m - y_m)
        for name, place in world.places.items()
        if name not in homes
    }
    return min((n for n in far_m if far_m[n] > DRIVE_M), key=lambda n: far_m[n])


def test_a_robot_in_emergency_stop_is_in_the_inbox_until_it_is_released(
    house: House, inbox: Page
) -> None:
    services = house.services
    deploy_models(services.uow, services.engine, {"trip.bpmn": TRIP}, by="test")
    place = away_from(house, "robot1")
    with services.uow() as tx:
        instance = start_instance(
            tx,
            services.advance,
            "trip",
            variables={"place": place},
            business_key="a trip",
            actor="test",
        )
        tx.wake()
    driving(house, "a trip")
    house.break_robot("estop robot1")
    try:
        cause = cause_of(inbox, "robot does not drive on")
        expect(cause).to_contain_text(f"robot1 stands on its way to {place}")
        expect(cause).to_contain_text("emergency stop")
        assert house.rows(
            "SELECT count(*) FROM incidents WHERE resolved_at IS NULL"
            f" AND instance_id = '{instance}'"
        ) == [(1,)]
    finally:
        house.break_robot("clear robot1")
    expect(inbox.locator(".incidents-cause")).to_have_count(0)
    house.until(
        "it has arrived",
        lambda: house.rows(
            f"SELECT 1 FROM instances WHERE id = '{instance}' AND status = 'completed'"
        ),
    )


def hurry(house: House) -> None:
    """Mail is looked for once a minute; a supervisor skips the rest of the minute."""
    services = house.services

    def skipped() -> bool:
        for instance, timer in house.rows(
            "SELECT t.instance_id::text, t.task_id::text FROM timers AS t"
            " JOIN instances AS i ON i.id = t.instance_id"
            " WHERE i.key = 'orders_handling' AND i.status = 'active'"
            " AND t.element IN ('after_one_minute', 'wait_for_mailbox')"
        ):
            with suppress(InstanceBusy, TaskGone):
                skip_activity(
                    services.uow,
                    services.advance,
                    instance,
                    timer,
                    by="sofia",
                    reason="now",
                )
                return True
        return False

    house.until("no mail is being looked for", skipped)


def test_mail_servers_that_stop_are_told_and_orders_come_in_when_they_are_back(
    house: House, inbox: Page, open_page: OpenPage
) -> None:
    health = open_page("adam")
    health.goto(f"{house.address}/admin")
    mail = health.locator(".admin-light").filter(has_text="Mail in")
    expect(mail).to_have_class(re.compile("admin-light-green"))
    ((handling,),) = house.rows(
        "SELECT id::text FROM instances"
        " WHERE key = 'orders_handling' AND status = 'active'"
    )
    house.stop_mail()
    try:
        hurry(house)
        cause = cause_of(inbox, "mailbox out of reach")
        expect(cause).to_contain_text("The mailbox cannot be read")
        expect(cause.locator(".big-number")).to_have_text("1")
        expect(mail).to_have_class(re.compile("admin-light-red"))
        # The process caught the fault and waits before it tries again.
        inbox.goto(f"{house.address}/cockpit/i/{handling}")
        tokens = inbox.locator("#instance-steps .instance-token")
        expect(tokens.filter(has_text="after 30 seconds")).to_be_visible()
        hurry(house)
        inbox.goto(f"{house.address}/incidents")
        expect(cause.locator(".big-number")).to_have_text("1")
    finally:
        house.start_mail()
    number = house.order()
    hurry(house)
    expect(inbox.locator(".incidents-cause")).to_have_count(0)
    expect(mail).to_have_class(re.compile("admin-light-green"))
    house.task(number, "load_material")
    assert house.rows("SELECT count(*) FROM incidents WHERE kind = 'mailbox'") == [(1,)]
