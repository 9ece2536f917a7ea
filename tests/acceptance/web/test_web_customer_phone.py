"""The last mile in browsers, with simulated vehicles in town: those of a supervisor,
of a worker, and the customer's phone."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from websockets.sync.client import ClientConnection, connect

from mpms.demo.buyer import BUYER
from tests.support.house import PATIENCE_MS, House

SETTINGS = {"world": "urban"}
SPEED = 8.0
PHONE = {"width": 360, "height": 740}
CRATE, NEAR_M, SEES_M = (13.0, 14.6), 0.8, 8.0
"""What stands on no map, near the place of the hand-over, and how far lasers tell."""
ASKED = {
    "goods": "Two parcels",
    "customer": "Ms Lind",
    "customer_place": "town_hall",
    "customer_mail": BUYER,
}


def next_of(socket: ClientConnection, topic: str) -> Any:
    while True:
        message = json.loads(socket.recv(timeout=PATIENCE_MS / 1000))
        if message.get("topic") == topic:
            return message["msg"]


def far_when_known(socket: ClientConnection, robot: str) -> float:
    """How far from the crate the robot is when it first knows of it."""
    for topic in ("obstacles", "odom"):
        send = {"op": "subscribe", "topic": f"/{robot}/{topic}"}
        socket.send(json.dumps(send))
    at = {"x": math.inf, "y": math.inf}
    while True:
        cells = next_of(socket, f"/{robot}/obstacles")["cells"]
        if any(math.dist((c["x"], c["y"]), CRATE) < NEAR_M for c in cells):
            return math.dist((at["x"], at["y"]), CRATE)
        at = next_of(socket, f"/{robot}/odom")["pose"]["pose"]["position"]


def take_through(page: Page, said: dict[str, str]) -> None:
    """From an opened task to its end, card by card."""
    counter = page.locator("[data-stepper-count]")
    for _ in range(20):
        if page.locator(".task-end").is_visible():
            return
        expect(counter).not_to_be_empty()
        for name, value in said.items():
            box = page.locator(f"input[name={name}]:visible")
            if box.count():
                box.fill(value)
        for kind in ("checkbox", "radio"):
            choice = page.locator(f"[data-step] input[type={kind}]:visible")
            if choice.count() and not choice.locator(":scope:checked").count():
                choice.first.check()
        before = counter.inner_text().strip()
        page.locator("[data-step-next]").click()
        page.wait_for_function(
            """before => document.querySelector('.task-end')
                || document.querySelector('[data-stepper-count]')
                    .textContent.trim() !== before""",
            arg=before,
        )
    expect(page.locator(".task-end")).to_be_visible()


def task_of(house: House, element: str) -> tuple[str, str]:
    """Wait for a task; its id and its instance."""

    def found() -> tuple[str, str] | None:
        with house.services.uow() as tx:
            tasks = [task for task in tx.tasks.open() if task.element == element]
            return (tasks[0].task_id, tasks[0].instance_id) if tasks else None

    task: tuple[str, str] = house.until(f"there is {element}", found)
    return task


@pytest.mark.covers("Z36", "Z37", "Z38")
def test_goods_go_by_vehicle_and_robot_to_a_customer_with_a_phone(
    house: House,
    open_page: Callable[..., Page],
    open_context: Callable[..., BrowserContext],
) -> None:
    sofia = open_page("sofia")
    sofia.goto(f"{house.address}/last-mile")
    sofia.get_by_role("button", name="New delivery").click()
    sofia.wait_for_url(re.compile("/tasks/"))
    with connect(house.plant.simulator.url, max_size=None) as socket:
        take_through(sofia, ASKED)
        # Only the vehicle can have seen it from the kerb; it told the robot.
        assert far_when_known(socket, "zebrat") > SEES_M
    hand_over, link = task_of(house, "hand_over")
    phone = open_context(viewport=PHONE, has_touch=True, is_mobile=True).new_page()
    phone.goto(f"{house.address}/last-mile/{link}")
    headline = phone.locator("#state")
    expect(headline).to_have_text("Your delivery is being prepared")
    worker = open_page("ana", width=800, height=1200)
    worker.goto(f"{house.address}/last-mile/{link}/slip")
    expect(worker.locator(".qr-code")).to_be_visible()
    worker.goto(f"{house.address}/tasks/{hand_over}")
    take_through(worker, {})
    expect(headline).to_have_text("The robot is here")
    house.until(
        "the customer is mailed",
        lambda: house.rows(
            "SELECT FROM outbox WHERE state = 'sent' AND mail_id IS NULL"
        ),
    )
    ((told,),) = house.rows("SELECT body FROM outbox WHERE mail_id IS NULL")
    assert f"/last-mile/{link}" in told
    code = re.findall(r"\b\d{6}\b", told)[-1]
    phone.locator("[name=code]").fill("000000" if code != "000000" else "111111")
    phone.get_by_role("button", name="I have my goods").click()
    expect(phone.locator("[role=alert]")).to_contain_text("not right")
    phone.locator("[name=code]").fill(code)
    phone.get_by_role("button", name="I have my goods").click()
    expect(headline).to_have_text("Delivered")
    sofia.goto(f"{house.address}/last-mile")
    expect(sofia.locator("tbody tr")).to_contain_text("delivered")
