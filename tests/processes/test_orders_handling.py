"""Orders handling as drawn: two paths, the mail loop, and no looking while idle."""

from __future__ import annotations

import pytest

from tests.support.checkers import there
from tests.support.fakes import CountingUnitOfWork
from tests.support.paint_factory import PaintFactory


@pytest.mark.covers("A46", "A3")
def test_orders_handling_is_started_by_its_key(plant: PaintFactory) -> None:
    instance_id = plant.start_only("orders_handling")
    assert plant.instance(instance_id).status == "active"
    started = plant.history(instance_id)[0]
    assert (started.kind, started.actor) == ("instance started", "operator")


@pytest.mark.covers("A47")
def test_two_paths_are_active_after_the_parallel_gateway(plant: PaintFactory) -> None:
    instance_id = plant.start_only("orders_handling")
    waiting = plant.rows("SELECT element FROM jobs ORDER BY element")
    assert waiting == [("find_order",), ("read_emails",)]
    assert plant.elements(instance_id).count("both_paths") == 1


@pytest.mark.covers("A48", "A49")
def test_a_mail_becomes_a_new_order_and_the_signal_is_thrown(
    plant: PaintFactory, handling: str
) -> None:
    plant.robots.not_ready = {r.id: "charging" for r in plant.world.robots}
    plant.send_mail(plant.order("MO-1"))
    statuses = [
        (line.data["old"], line.data["new"])
        for line in plant.history()
        if line.kind == "order status"
    ]
    assert statuses == [("new", "in process")]
    thrown = [e for e in plant.history(handling) if e.kind == "thrown"]
    assert [e.data["event"] for e in thrown] == ["email received"]
    lines = plant.rows("SELECT line, material, required_kg FROM order_lines ORDER BY 1")
    assert [(n, m, float(kg)) for n, m, kg in lines] == [
        (0, "RM-001", 310.0),
        (1, "RM-002", 120.5),
        (2, "RM-003", 240.0),
    ]


@pytest.mark.covers("A50")
def test_an_unattended_order_starts_exactly_one_warehouse_process(
    plant: PaintFactory, handling: str
) -> None:
    plant.send_mail(plant.order("MO-1"), plant.order("MO-2"))
    plant.clock.move(3600)
    plant.worker.settle()
    started = plant.rows(
        "SELECT business_key, count(*) FROM instances WHERE key = 'warehouse'"
        " GROUP BY 1 ORDER BY 1"
    )
    assert started == [("MO-1", 1), ("MO-2", 1)]
    assert plant.rows("SELECT count(*) FROM orders WHERE status = 'new'") == [(0,)]


@pytest.mark.covers("A50")
def test_an_order_that_is_in_the_table_already_is_attended_to(
    plant: PaintFactory,
) -> None:
    with plant.uow() as tx:
        tx.orders.add(plant.order("MO-0"))
    plant.start_only("orders_handling")
    plant.worker.settle()
    assert plant.form("load_material").business_key == "MO-0"


@pytest.mark.covers("A51")
def test_the_orders_are_not_read_while_the_token_waits_for_the_signal(
    plant: PaintFactory, handling: str
) -> None:
    counted = CountingUnitOfWork(plant.uow)
    plant.uow, reads = counted, plant.intake.reads
    plant.worker = plant.another_worker("of the factory")  # the robots are its own

    def looked() -> bool:
        return any(name.startswith("orders_") for name in counted.statements)

    for _ in range(50):
        assert plant.worker.turn() is False
    assert counted.statements
    assert not looked()
    assert plant.intake.reads == reads
    plant.send_mail(plant.order("MO-1"))
    assert looked()
    assert plant.form("load_material").business_key == "MO-1"


@pytest.mark.covers("A51")
def test_a_mail_without_an_order_wakes_nobody(
    plant: PaintFactory, handling: str
) -> None:
    looked = plant.elements(handling).count("find_order")
    plant.send_mail()
    assert plant.elements(handling).count("read_emails") == 2
    assert plant.elements(handling).count("find_order") == looked


def test_the_mailbox_is_read_every_minute_even_if_nobody_tells_of_mail(
    plant: PaintFactory, handling: str
) -> None:
    reads = plant.intake.reads
    plant.clock.move(59)
    plant.worker.settle()
    assert plant.intake.reads == reads
    plant.clock.move(1)
    plant.worker.settle()
    assert plant.intake.reads == reads + 1


def test_the_orders_are_looked_at_every_ten_minutes_in_any_case(
    plant: PaintFactory, handling: str
) -> None:
    looked = plant.elements(handling).count("find_order")
    with plant.uow() as tx:
        tx.orders.add(plant.order("MO-1"))  # stored by somebody who tells nobody
    plant.worker.settle()
    assert plant.elements(handling).count("find_order") == looked
    plant.clock.move(600)
    plant.worker.settle()
    assert plant.form("load_material").business_key == "MO-1"


@pytest.mark.covers("A52")
def test_a_failing_mailbox_is_caught_and_read_again_later(
    plant: PaintFactory, handling: str
) -> None:
    plant.intake.broken = "the mail server does not answer"
    plant.send_mail(plant.order("MO-1"))
    assert plant.elements(handling, "caught").count("mailbox_fails") == 1
    assert plant.rows("SELECT element FROM timers ORDER BY 1") == [
        ("after_ten_minutes",),
        ("wait_for_mailbox",),
    ]
    assert plant.variables(handling)["error_message"] == plant.intake.broken
    assert plant.rows("SELECT count(*) FROM incidents") == [(0,)]

    plant.clock.move(30)
    plant.worker.settle()
    assert plant.elements(handling, "caught").count("mailbox_fails") == 2

    plant.intake.broken = None
    plant.clock.move(30)
    plant.worker.settle()
    assert plant.instance(handling).status == "active"
    assert plant.form("load_material").business_key == "MO-1"


@pytest.mark.covers("A63")
def test_orders_handling_goes_on_after_an_order(
    plant: PaintFactory, handling: str
) -> None:
    plant.send_mail(plant.order("MO-1"))
    plant.confirm_everything()
    assert plant.rows("SELECT status FROM orders") == [("done",)]
    assert plant.rows("SELECT count(*) FROM robot_holds") == [(0,)]
    plant.send_mail(plant.order("MO-2"))
    assert plant.form("load_material").business_key == "MO-2"
    plant.confirm_everything()
    assert plant.rows("SELECT number, status FROM orders ORDER BY 1") == [
        ("MO-1", "done"),
        ("MO-2", "done"),
    ]
    assert plant.instance(handling).status == "active"


def test_the_state_of_a_long_loop_stays_small(
    plant: PaintFactory, handling: str
) -> None:
    def size() -> int:
        return len(there(plant.instance(handling).snapshot).state)

    before = size()
    for _ in range(20):
        plant.send_mail()
    assert size() <= before + 64
