"""Orders, goals, holds of robots, incidents."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from uuid import uuid4

import pytest

from mpms.adapters.postgres.database.unit_of_work import PostgresUnitOfWork
from mpms.factory.domain.errors import OrderNumberTaken, OrderUnknown, RobotBusy
from mpms.factory.domain.goals import Goal, GoalReport, GoalState, Pose
from mpms.factory.domain.orders import Order, OrderLine, OrderStatus
from tests.support.checkers import there
from tests.support.waiting_instances import WaitingInstances

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
LINES = (
    OrderLine("RM-002", "Zucker", Decimal("12.500"), "L-1"),
    OrderLine("RM-001", "Şeker", Decimal("0.1")),
    OrderLine("RM-002", "Zucker", Decimal("3")),
)
ORDER = Order(
    number="ORD-1",
    product="Sirup",
    lines=LINES,
    due=date(2030, 2, 1),
    priority="high",
    customer="ACME",
    received_at=NOON,
)
GOAL = Goal("g1", "r1", "shelf", Pose(1.5, -2.0, 0.25), GoalState.NEW)


def test_an_order_is_read_back_as_it_was_added(uow: PostgresUnitOfWork) -> None:
    with uow() as tx:
        tx.orders.add(ORDER)
        tx.orders.add(replace(ORDER, number="ORD-0", lines=(), received_at=None))
    with uow() as tx:
        found = tx.orders.get("ORD-1")
        assert found == ORDER
        assert str(found.lines[0].required_kg) == "12.500"
        empty = tx.orders.get("ORD-0")
        assert empty.lines == ()
        assert empty.received_at is not None
        listed = tx.orders.listing()
        assert [each.number for each in listed] == ["ORD-1", "ORD-0"]
        assert listed[0] == ORDER
        assert len(tx.orders.listing(limit=1)) == 1


def test_a_number_is_used_once_and_the_transaction_goes_on(
    uow: PostgresUnitOfWork,
) -> None:
    with uow() as tx:
        tx.orders.add(ORDER)
        with pytest.raises(OrderNumberTaken, match="ORD-1"):
            tx.orders.add(replace(ORDER, product="other"))
    with uow() as tx:
        assert tx.orders.get("ORD-1") == ORDER


def test_the_most_urgent_new_order_comes_first_and_is_locked(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    early, late = date(2030, 1, 1), date(2031, 1, 1)
    wanted = [
        replace(ORDER, number="5", priority="urgent", due=None),
        replace(ORDER, number="4", priority="high", due=early),
        replace(ORDER, number="3", priority="normal", due=early),
        replace(ORDER, number="2", priority="normal", due=late),
        replace(ORDER, number="1", priority="normal", due=None),
        replace(ORDER, number="0", priority="low", due=early),
    ]
    taken = replace(ORDER, number="7", priority="urgent", instance_id=plant.instance())
    waiting = replace(ORDER, number="8", priority="urgent", status=OrderStatus.WAITING)
    with uow() as tx:
        for order in [taken, waiting, *reversed(wanted)]:
            tx.orders.add(order)
    with uow() as one:
        assert one.orders.next_new() == wanted[0]
        with uow() as two:
            assert two.orders.next_new() == wanted[1]
    for order in wanted:
        with uow() as tx:
            assert tx.orders.next_new() == order
            assert tx.orders.assign(order.number, plant.instance())
    with uow() as tx:
        assert tx.orders.next_new() is None


def test_an_order_has_one_instance(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    first, second = plant.instance(), plant.instance()
    with uow() as tx:
        tx.orders.add(ORDER)
        assert tx.orders.assign("ORD-1", first)
        assert not tx.orders.assign("ORD-1", second)
        assert tx.orders.get("ORD-1").instance_id == first


def test_a_status_sets_its_times_and_tells_the_old_one(
    uow: PostgresUnitOfWork,
) -> None:
    with uow() as tx:
        tx.orders.add(ORDER)
        assert tx.orders.set_status("ORD-1", OrderStatus.IN_PROCESS) == "new"
        started = tx.orders.get("ORD-1")
        assert started.status is OrderStatus.IN_PROCESS
        assert started.started_at is not None
        assert started.ended_at is None
        assert tx.orders.set_status("ORD-1", OrderStatus.DONE) == "in process"
        ended = tx.orders.get("ORD-1")
        assert ended.ended_at is not None
        assert ended.started_at == started.started_at


def test_an_unknown_order_is_named(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    instance_id = plant.instance()
    with uow() as tx:
        asked: tuple[Callable[[], object], ...] = (
            lambda: tx.orders.get("ORD-9"),
            lambda: tx.orders.assign("ORD-9", instance_id),
            lambda: tx.orders.set_status("ORD-9", OrderStatus.DONE),
            lambda: tx.orders.record_load("ORD-9", 0, measured_kg=Decimal(1), lot=None),
        )
        for ask in asked:
            with pytest.raises(OrderUnknown, match="ORD-9"):
                ask()


def test_a_load_is_kept_with_the_line_it_was_weighed_for(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    with uow() as tx:
        tx.orders.add(ORDER)
        tx.orders.record_load("ORD-1", 2, measured_kg=Decimal("3.05"), lot="L-7")
        with pytest.raises(OrderUnknown, match="raw material 4"):
            tx.orders.record_load("ORD-1", 3, measured_kg=Decimal(1), lot=None)
    loaded = "SELECT line || ' ' || measured_kg || ' ' || loaded_lot FROM order_lines"
    assert plant.ask(f"{loaded} WHERE loaded_at IS NOT NULL") == "2 3.05 L-7"


def test_a_goal_is_read_back_as_it_was_added(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    goal = replace(
        GOAL, task_id=str(uuid4()), instance_id=plant.instance(), created_at=NOON
    )
    with uow() as tx:
        assert tx.goals.add(goal)
        assert tx.goals.get("g1") == goal
        assert tx.goals.get("g2") is None
        assert list(tx.goals.of_instance(there(goal.instance_id))) == [goal]
        assert list(tx.goals.open()) == [goal]


def test_a_repeated_goal_changes_nothing_and_a_second_open_one_is_refused(
    uow: PostgresUnitOfWork,
) -> None:
    with uow() as tx:
        assert tx.goals.add(GOAL)
        assert not tx.goals.add(replace(GOAL, place="elsewhere"))
        with pytest.raises(RobotBusy, match="r1"):
            tx.goals.add(replace(GOAL, id="g2"))
        assert tx.goals.add(replace(GOAL, id="g3", robot="r2"))
        tx.goals.settle(GoalReport("g1", GoalState.REACHED))
        assert tx.goals.add(replace(GOAL, id="g2"))
    with uow() as tx:
        assert [goal.id for goal in tx.goals.open()] == ["g3", "g2"]
        assert there(tx.goals.get("g1")).place == "shelf"


def test_new_goals_are_sent_by_one_sender_oldest_first(
    uow: PostgresUnitOfWork,
) -> None:
    robots = ["r0", "r1", "r2"]
    with uow() as tx:
        for number in range(4):
            tx.goals.add(replace(GOAL, id=f"g{number}", robot=f"r{number}"))
    with uow() as one, uow() as two:
        assert [goal.id for goal in one.goals.to_send(robots, 2)] == ["g0", "g1"]
        assert [goal.id for goal in two.goals.to_send(robots)] == ["g2"]
        one.goals.mark_sent("g0")
    with uow() as tx:
        assert [goal.id for goal in tx.goals.to_send(robots)] == ["g1", "g2"]
        sent = there(tx.goals.get("g0"))
    assert sent.state is GoalState.SENT
    assert sent.sent_at is not None


def test_a_goal_ends_once(uow: PostgresUnitOfWork) -> None:
    with uow() as tx:
        tx.goals.add(GOAL)
        report = GoalReport("g1", GoalState.FAILED, "blocked", inferred=True)
        settled = there(tx.goals.settle(report))
        assert (settled.state, settled.reason, settled.inferred) == (
            "failed",
            "blocked",
            True,
        )
        assert settled.ended_at is not None
        assert tx.goals.settle(GoalReport("g1", GoalState.REACHED)) is None
        assert tx.goals.settle(GoalReport("g9", GoalState.REACHED)) is None
        tx.goals.mark_sent("g1")
        assert tx.goals.get("g1") == settled
        with pytest.raises(ValueError, match="sent"):
            tx.goals.settle(GoalReport("g1", GoalState.SENT))


def test_a_robot_has_one_holder_and_a_holder_one_robot(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    a, b = plant.instance(), plant.instance()
    with uow() as tx:
        assert tx.robot_holds.hold("r1", a)
        assert tx.robot_holds.hold("r1", a)
        assert not tx.robot_holds.hold("r1", b)
        assert not tx.robot_holds.hold("r2", a)
        assert tx.robot_holds.held() == {"r1": a}
        assert tx.robot_holds.of_instance(a) == "r1"
        assert tx.robot_holds.of_instance(b) is None
        assert tx.robot_holds.release(a) == "r1"
        assert tx.robot_holds.release(a) is None
        assert tx.robot_holds.hold("r1", b)


def test_a_task_has_one_open_incident(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    instance_id, task_id = plant.instance(), str(uuid4())
    with uow() as tx:
        for message in ("first", "second"):
            tx.incidents.open(
                "job", message, instance_id=instance_id, task_id=task_id, element="e"
            )
        (incident,) = tx.incidents.listing()
        assert (incident.message, incident.element) == ("second", "e")
        assert tx.incidents.resolve(by="ada", task_id=task_id) == 1
        assert tx.incidents.resolve(by="ada", task_id=task_id) == 0
        tx.incidents.open("job", "again", instance_id=instance_id, task_id=task_id)
        (incident,) = tx.incidents.listing(instance_id=instance_id)
        assert (incident.message, incident.resolved_by) == ("again", None)


def test_a_trouble_without_a_task_is_one_incident_a_kind_and_instance(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    instance_id = plant.instance()
    with uow() as tx:
        for message in ("away", "still away"):
            tx.incidents.open("mailbox", message)
            tx.incidents.open("stuck", message, instance_id=instance_id)
        assert [each.message for each in tx.incidents.listing()] == ["still away"] * 2
        (stuck,) = tx.incidents.listing(instance_id=instance_id)
        assert stuck.kind == "stuck"
        assert tx.incidents.resolve(by="ada", kind="mailbox") == 1
        assert list(tx.incidents.listing()) == [stuck]
        with pytest.raises(ValueError, match="which"):
            tx.incidents.resolve(by="ada")
