"""The list of orders: what each waits for, what is late, what is stuck."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from mpms.domain.people.people import Role
from mpms.factory.domain.orders import OrderLine, OrderStatus
from tests.support.web_orders import Plant, row_of_order

NUMBERS = re.compile(r">(MO-\d{4}-\d{4})</a>")


def wait_in(row: str) -> str:
    """The words of the column 'Waits for', without drawings and ages."""
    cell = row.split('class="orders-waits"')[1].split("</td>")[0].partition(">")[2]
    cell = re.sub(r"<svg.*?</svg>|<time.*?</time>", "", cell)
    return " ".join(re.sub(r"<[^>]*>", " ", cell).split())


def row_after(plant: Plant, number: str = "MO-2026-0001") -> str:
    return row_of_order(plant.browser("supervisor").get("/orders").text, number)


def test_an_order_that_waits_for_release_says_so(plant: Plant) -> None:
    plant.add("MO-2026-0001", status=OrderStatus.WAITING)
    assert wait_in(row_after(plant)) == "release"


def test_a_new_order_waits_for_its_turn(plant: Plant) -> None:
    plant.add("MO-2026-0001")
    assert wait_in(row_after(plant)) == "its turn"


def test_an_order_says_which_person_loads_what_and_where(plant: Plant) -> None:
    plant.make("MO-2026-0001")
    assert wait_in(row_after(plant)) == "somebody (worker) to load Water at A"
    with plant.uow() as tx:
        tx.people.add("ana", "Ana Pérez", Role.WORKER, groups=["worker"])
        tx.claims.take(plant.forms()[0].task_id, "ana")
    assert wait_in(row_after(plant)) == "Ana Pérez loads Water at A"
    plant.answer()
    row = row_after(plant)
    assert wait_in(row) == "somebody (worker) to empty Water into the tank"
    plant.answer()
    row = row_after(plant)
    assert wait_in(row) == "somebody (worker) to load Titanium dioxide at B"
    assert "1 of 2" in row


def test_a_form_that_is_about_no_material_is_called_by_its_name(plant: Plant) -> None:
    plant.make("MO-2026-0001")
    for _ in range(4):
        plant.answer()
    assert wait_in(row_after(plant)) == "worker: Start mixing"


def test_an_order_says_which_robot_drives_where(plant: Plant) -> None:
    plant.held_robots.held = True
    plant.make("MO-2026-0001")
    robot = plant.rows("SELECT robot FROM goals")[0][0]
    assert wait_in(row_after(plant)) == f"{robot} drives to A"
    plant.rows("UPDATE goals SET state = 'new'")
    assert wait_in(row_after(plant)) == f"{robot} to set off to A"
    plant.rows("UPDATE goals SET state = 'cancelled'")
    assert wait_in(row_after(plant)) == f"the report of {robot}"


def test_an_order_waits_for_a_free_robot_and_its_page_says_why(plant: Plant) -> None:
    plant.held_robots.not_ready = {r.id: "charging" for r in plant.world.robots}
    plant.make("MO-2026-0001")
    assert wait_in(row_after(plant)) == "a free robot"
    page = plant.browser("supervisor").get("/orders/MO-2026-0001").text
    assert "robot1: charging; robot2: charging; robot3: charging" in page


def test_the_reasons_of_busy_robots_name_no_internal_id(plant: Plant) -> None:
    for number in range(1, 5):
        plant.make(f"MO-2026-000{number}")
    page = plant.browser("supervisor").get("/orders/MO-2026-0004").text
    assert "works for another order" in page
    for (instance_id,) in plant.rows("SELECT id::text FROM instances"):
        assert f"works for {instance_id}" not in page


def test_an_incident_comes_before_everything_else(plant: Plant) -> None:
    instance_id = plant.make("MO-2026-0001")
    with plant.uow() as tx:
        tx.incidents.open(
            "goal", "robot1 is blocked", instance_id=instance_id, element="connect"
        )
    row = row_after(plant)
    assert wait_in(row).startswith("incident: robot1 is blocked ")
    assert "to load Water" in wait_in(row)
    assert "orders-trouble" in row


def test_an_incident_stands_for_the_job_that_it_is_about(plant: Plant) -> None:
    plant.held_robots.not_ready = {r.id: "charging" for r in plant.world.robots}
    instance_id = plant.make("MO-2026-0001")
    task_id = plant.rows("SELECT task_id::text FROM jobs")[0][0]
    with plant.uow() as tx:
        tx.incidents.open("job", "no luck", instance_id=instance_id, task_id=task_id)
    assert wait_in(row_after(plant)) == "incident: no luck"


def test_a_failed_order_waits_for_a_decision(plant: Plant) -> None:
    plant.make("MO-2026-0001")
    plant.scale.broken = "the scale is off"
    plant.answer()
    row = row_after(plant)
    words = "a decision: cancel the order or complete it manually"
    assert wait_in(row) == words
    stuck = plant.browser("supervisor").get("/orders?stuck=1").text
    assert NUMBERS.findall(stuck) == ["MO-2026-0001"]


def test_a_job_that_failed_says_that_it_is_tried_again(plant: Plant) -> None:
    plant.held_robots.not_ready = {r.id: "charging" for r in plant.world.robots}
    plant.make("MO-2026-0001")
    plant.rows("UPDATE jobs SET attempts = 1, last_error = 'no answer'")
    words = wait_in(row_after(plant))
    assert words == "a free robot, tried again: no answer"
    plant.rows("UPDATE jobs SET attempts = 0, topic = 'scale.weigh'")
    assert wait_in(row_after(plant)) == "the scale"
    plant.rows("UPDATE jobs SET topic = 'made.up'")
    assert wait_in(row_after(plant)) == "made.up"


def test_an_order_whose_robot_waits_for_a_place_says_for_whom(plant: Plant) -> None:
    plant.make("MO-2026-0001")
    plant.make("MO-2026-0002")
    browser = plant.browser("viewer")
    row = row_of_order(browser.get("/orders").text, "MO-2026-0002")
    first, second = (
        plant.rows("SELECT robot FROM goals WHERE place = %s", place)[0][0]
        for place in ("A", "A (waiting)")
    )
    assert wait_in(row) == f"A to be free for {second}"
    page = browser.get("/orders/MO-2026-0002").text
    assert f"{second} waits until {first} has left A" in page
    assert f"{second} waits for A: {first} is there" in page


def test_timers_and_events_are_waited_for_as_well(plant: Plant) -> None:
    instance_id = plant.make("MO-2026-0001", run=False)
    for table in ("jobs", "tasks", "timers", "subscriptions"):
        plant.rows(f"DELETE FROM {table}")
    assert wait_in(row_after(plant)) == "the system"
    plant.rows(
        "INSERT INTO timers VALUES (gen_random_uuid(), %s, 'pause',"
        " now() + interval '400 days')",
        instance_id,
    )
    assert wait_in(row_after(plant)).startswith("the time: ")
    plant.rows(
        "INSERT INTO subscriptions (task_id, instance_id, element, kind, event)"
        " VALUES (gen_random_uuid(), %s, 'wait', 'message', 'lorry came')",
        instance_id,
    )
    assert wait_in(row_after(plant)) == "the message “lorry came”"


def test_what_a_called_process_waits_for_is_shown_at_its_order(plant: Plant) -> None:
    """A child instance belongs to the order of its parent."""
    elsewhere = (OrderLine("RM-002", "Titanium dioxide", Decimal("1")),)
    parent = plant.make("MO-2026-0001", lines=elsewhere)
    plant.rows("DELETE FROM tasks")
    child = plant.make("MO-2026-0002")
    plant.rows(
        "UPDATE instances SET parent_id = %s, parent_task = gen_random_uuid()"
        " WHERE id = %s",
        parent,
        child,
    )
    words = wait_in(row_after(plant))
    assert words == "somebody (worker) to load Water at A"
    with plant.uow() as tx:
        tx.incidents.open("goal", "stopped", instance_id=child)
    stuck = plant.browser("supervisor").get("/orders?stuck=1").text
    assert "MO-2026-0001" in NUMBERS.findall(stuck)


def test_ended_orders_wait_for_nothing(plant: Plant) -> None:
    plant.make("MO-2026-0001")
    plant.answer_everything()
    page = plant.browser("viewer").get("/orders?all=1").text
    row = row_of_order(page, "MO-2026-0001")
    assert wait_in(row) == "–"
    assert "2 of 2" in row


def test_late_orders_say_how_late_they_are(plant: Plant) -> None:
    now = datetime.now(UTC)
    today = now.astimezone().date()
    plant.add("MO-2026-0001", due=today - timedelta(days=1))
    plant.add("MO-2026-0002", due=today - timedelta(days=12))
    plant.add("MO-2026-0003", due=today + timedelta(days=2))
    plant.add("MO-2026-0004")
    plant.add(
        "MO-2026-0005",
        due=today - timedelta(days=9),
        status=OrderStatus.DONE,
        started_at=now - timedelta(days=8),
        ended_at=now - timedelta(days=7),
    )
    browser = plant.browser("supervisor")
    page = browser.get("/orders?all=1").text
    assert "1 day late" in row_of_order(page, "MO-2026-0001")
    assert "12 days late" in row_of_order(page, "MO-2026-0002")
    assert "late" not in row_of_order(page, "MO-2026-0003")
    assert "late" not in row_of_order(page, "MO-2026-0004")
    assert "was 2 days late" in row_of_order(page, "MO-2026-0005")
    assert set(NUMBERS.findall(browser.get("/orders?late=1").text)) == {
        "MO-2026-0001",
        "MO-2026-0002",
    }


def test_an_order_that_will_miss_its_day_at_the_usual_pace_says_so(
    plant: Plant,
) -> None:
    now = datetime.now(UTC)
    for number in range(1, 4):
        plant.add(
            f"MO-2026-000{number}",
            status=OrderStatus.DONE,
            started_at=now - timedelta(days=30),
            ended_at=now - timedelta(days=26),
        )
    plant.make("MO-2026-0009", due=now.astimezone().date() + timedelta(days=1))
    row = row_after(plant, "MO-2026-0009")
    assert "will be late" in row


def test_pages_hold_every_order_once_even_while_new_ones_arrive(plant: Plant) -> None:
    at = datetime.now(UTC) - timedelta(days=1)
    for number in range(120):
        # many of the same instant: the number must decide
        plant.add(
            f"MO-2026-{number:04d}", received_at=at + timedelta(hours=number // 9)
        )
    browser = plant.browser("viewer")
    seen: list[str] = []
    address = "/orders"
    for page in range(4):
        text = browser.get(address).text
        seen += NUMBERS.findall(text)
        plant.add(f"MO-2027-{page:04d}")
        older = re.search(r'href="(/orders\?below=[^"]*)"', text)
        if older is None:
            break
        address = older[1].replace("&amp;", "&")
    assert len(seen) == len(set(seen)) == 120
    assert seen == sorted(seen, reverse=True)


@pytest.mark.parametrize(
    "below", ["x", "2026-01-01~", "~", "2026-13-01T00:00:00+00:00~MO", "\0~\0"]
)
def test_a_broken_place_in_the_list_leads_to_its_top(plant: Plant, below: str) -> None:
    plant.add("MO-2026-0001")
    answer = plant.browser("viewer").get("/orders", query_string={"below": below})
    assert answer.status_code == 200
    assert NUMBERS.findall(answer.text) == ["MO-2026-0001"]


def test_a_search_finds_number_product_and_customer(plant: Plant) -> None:
    plant.add("MO-2026-0001", product="Harbour Grey", customer="a@example.com")
    plant.add("MO-2026-0002", product="100% white_", customer="b@example.org")
    plant.add("MO-2026-0003", product="Red", status=OrderStatus.CANCELLED)
    browser = plant.browser("worker")

    def found(text: str) -> list[str]:
        page = browser.get("/orders", query_string={"q": text}).text
        return sorted(NUMBERS.findall(page))

    assert found("grey") == ["MO-2026-0001"]
    assert found("example.org") == ["MO-2026-0002"]
    assert found("2026-000") == ["MO-2026-0001", "MO-2026-0002", "MO-2026-0003"]
    assert found("100%") == ["MO-2026-0002"]
    assert found("%") == ["MO-2026-0002"]
    assert found("_") == ["MO-2026-0002"]
    assert found("\\") == []
    assert found("nothing like it\0") == []


def test_a_whole_number_leads_to_its_order(plant: Plant) -> None:
    plant.add("MO-2026-0001")
    answer = plant.browser("worker").get("/orders?q=mo-2026-0001")
    assert (answer.status_code, answer.location) == (303, "/orders/MO-2026-0001")


@pytest.mark.parametrize("status", list(OrderStatus))
def test_every_status_can_be_filtered_for(plant: Plant, status: OrderStatus) -> None:
    for place, each in enumerate(OrderStatus):
        plant.add(f"MO-2026-000{place}", status=each)
    answer = plant.browser("viewer").get("/orders", query_string={"status": status})
    assert len(NUMBERS.findall(answer.text)) == 1
    rows = plant.browser("viewer").get("/orders/rows", query_string={"status": status})
    assert NUMBERS.findall(rows.text) == NUMBERS.findall(answer.text)


def test_a_page_costs_the_same_statements_for_one_order_and_for_fifty(
    plant: Plant,
) -> None:
    browser = plant.browser("viewer")
    plant.make("MO-2026-0001")
    plant.counted.statements.clear()
    browser.get("/orders/rows")
    few = len(plant.counted.statements)
    plant.held_robots.not_ready = {r.id: "charging" for r in plant.world.robots}
    for number in range(2, 12):
        plant.make(f"MO-2026-{number:04d}")
    for number in range(12, 60):
        plant.add(f"MO-2026-{number:04d}")
    plant.counted.statements.clear()
    browser.get("/orders/rows")
    assert len(plant.counted.statements) == few <= 6


@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_the_list_speaks_the_language_of_its_reader(
    plant: Plant, language: str
) -> None:
    plant.add("MO-2026-0001", status=OrderStatus.WAITING)
    page = plant.browser("viewer", language).get("/orders").text
    words = {"en": "Waits for", "de": "Wartet auf", "es": "Espera"}
    assert f">{words[language]}</a></th>" in page
