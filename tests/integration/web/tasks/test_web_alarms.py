"""What waits for a decision is counted once and seen on Start, in the menu and in
Incidents, by every leader."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from mpms.domain.people.people import Role
from mpms.factory.domain.orders import Order, OrderStatus
from tests.support.site import Browser
from tests.support.web_tasks import Hall

JSON = {"Accept": "application/json"}
NOTHING = "Nothing is stuck. Everything is running."


@pytest.fixture
def leader(hall: Hall) -> Browser:
    return hall.at("boss", Role.SUPERVISOR)


@pytest.fixture
def counted(leader: Browser) -> Callable[[], list[int]]:
    """Return a function that reads the number everywhere it stands."""

    def read() -> list[int]:
        counts = []
        for path in ("/", "/incidents", "/orders", "/alarms/count"):
            page = leader.get(path).text
            badge = re.search(r'id="alarm-count"[^>]*>(\d*)', page)
            assert badge is not None, path
            counts.append(int(badge[1] or 0))
        for path in ("/", "/incidents", "/incidents?kind=mail"):
            said = re.search(
                r'id="(?:stuck|waiting)-title">.*?(\d+) things? waits?',
                leader.get(path).text,
                re.S,
            )
            counts.append(int(said[1]) if said else 0)
        return counts

    return read


def test_nothing_waits_in_a_plant_that_runs(
    hall: Hall, leader: Browser, counted: Callable[[], list[int]]
) -> None:
    hall.make()
    assert counted() == [0] * 7
    assert NOTHING in leader.get("/incidents").text


def test_material_that_is_missing_is_seen_by_every_leader_with_the_way_to_decide(
    hall: Hall, leader: Browser, counted: Callable[[], list[int]]
) -> None:
    task = hall.make("MO-1")
    reported = hall.at("ana").post(
        f"/tasks/{task.task_id}/problem",
        json={"code": "MaterialMissing", "note": "rack A is empty"},
        headers=JSON,
    )
    assert reported.json["state"] == "raised"
    assert counted() == [1] * 7
    (decision,) = hall.forms(task.instance_id)
    for path in ("/", "/overview/now", "/incidents"):
        page = leader.get(path).text
        assert "Order MO-1 has stopped" in page, path
        assert "rack A is empty" in page, path
        assert f'href="/tasks/{decision.task_id}"' in page, path
        assert NOTHING not in page
    decided = leader.post(
        f"/tasks/{decision.task_id}/answer",
        json={"answers": {"decision": "cancel", "reason": "no more"}},
        headers=JSON,
    )
    assert decided.status_code == 200, decided.text
    assert counted() == [0] * 7


def test_everything_that_waits_makes_one_count(
    hall: Hall, leader: Browser, counted: Callable[[], list[int]]
) -> None:
    stopped = hall.make("MO-2")
    hall.at("ana").post(
        f"/tasks/{stopped.task_id}/problem", json={"code": "Other"}, headers=JSON
    )
    taken = hall.make("MO-9", start=1)
    hall.at("ben").post(f"/tasks/{taken.task_id}/claim")
    answers = {"answers": {"confirmed": True, "lot": "L"}, "key": "k"}
    hall.at("ana").post(f"/tasks/{taken.task_id}/answer", json=answers)
    with hall.uow() as tx:
        tx.orders.add(Order("MO-1", "White paint", ()))
        tx.orders.set_status("MO-1", OrderStatus.WAITING)
        for _ in range(3):
            tx.incidents.open("mail", "the mailbox is away")
    assert counted() == [4] * 7  # the incidents have one cause
    page = leader.get("/").text
    assert "1 answer came too late" in page
    assert "1 order waits for release" in page
    assert hall.at("ana").get("/tasks").text.count("alarm-count") == 0


def test_an_order_that_nobody_works_on_is_an_alarm_with_the_way_to_it(
    hall: Hall, leader: Browser, counted: Callable[[], list[int]]
) -> None:
    hall.make("MO-1")
    with hall.uow() as tx:
        tx.orders.add(Order("MO-5", "White paint", ()))
    assert counted() == [0] * 7  # it has only just come
    hall.rows("UPDATE orders SET received_at = now() - interval '3 minutes'")
    assert counted() == [1] * 7
    page = leader.get("/").text
    assert "Nobody works on 1 order" in page
    assert 'href="/orders?idle=1"' in page
    listed = leader.get("/orders/rows?idle=1").text
    assert "MO-5" in listed
    assert "MO-1<" not in listed
    hall.rows("UPDATE instances SET status = 'cancelled'")
    assert "Nobody works on 2 orders" in leader.get("/").text


def test_the_same_cause_stands_once_with_the_numbers_of_its_orders(
    hall: Hall, leader: Browser
) -> None:
    tasks = [hall.make("MO-1"), hall.make("MO-2", start=1)]
    with hall.uow() as tx:
        for task in tasks:
            tx.incidents.open("stuck", "no scale", instance_id=task.instance_id)
    page = leader.get("/overview/now").text
    assert page.count("<strong>no scale</strong>") == 1
    assert 'href="/orders/MO-1"' in page
    assert 'href="/orders/MO-2"' in page


def test_an_order_page_says_what_its_order_asks(hall: Hall, leader: Browser) -> None:
    task = hall.make("MO-1")
    hall.at("ana").post(
        f"/tasks/{task.task_id}/problem",
        json={"code": "MaterialMissing", "note": "rack A is empty"},
        headers=JSON,
    )
    (decision,) = hall.forms(task.instance_id)
    for path in ("/orders/MO-1", "/orders", "/orders/rows"):
        assert f'href="/tasks/{decision.task_id}"' in leader.get(path).text, path
    assert "Order MO-1 has stopped" in leader.get("/orders/MO-1").text
    assert "alarm-bar" not in hall.at("ana").get("/orders/MO-1").text
