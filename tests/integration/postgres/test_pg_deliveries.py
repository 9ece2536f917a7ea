"""Commands in order, signals to all, messages to one."""

import threading
from typing import Any
from uuid import uuid4

import pytest

from mpms.adapters.postgres.database.unit_of_work import (
    PostgresTransaction,
    PostgresUnitOfWork,
)
from mpms.domain.errors import InstanceBusy
from mpms.domain.instances.instances import InstanceStatus, Snapshot
from mpms.domain.instances.steps import Throw
from tests.support.checkers import there
from tests.support.waiting_instances import WaitingInstances


def throw(
    uow: PostgresUnitOfWork,
    kind: str = "message",
    event: str = "parcel",
    correlation: str | None = None,
    **variables: Any,
) -> int:
    with uow() as tx:
        return tx.deliveries.throw(Throw(kind, event, correlation, variables))


def data(kind: str, event: str, correlation: str | None, **variables: Any) -> Any:
    return {
        "kind": kind,
        "event": event,
        "correlation": correlation,
        "variables": variables,
    }


def test_a_delivery_is_taken_once_with_its_instance_locked(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    instance_id, task_id = plant.instance(), str(uuid4())
    with uow() as tx:
        tx.deliveries.add(
            instance_id, "complete", task_id=task_id, data={"b": 1, "a": 2}
        )

    def fail() -> None:
        with uow() as tx:
            assert tx.deliveries.claim()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with uow() as tx:
        claimed = there(tx.deliveries.claim())
        assert (claimed.instance_id, claimed.kind) == (instance_id, "complete")
        assert (claimed.task_id, claimed.data) == (task_id, {"b": 1, "a": 2})
        with pytest.raises(InstanceBusy), uow() as other:
            other.instances.lock(instance_id, wait_s=0)
        assert tx.deliveries.claim() is None
    assert plant.drain_deliveries() == []


def test_a_claim_passes_over_locked_instances_and_keeps_the_order_of_each(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    a, b = plant.instance(), plant.instance()
    with uow() as tx:
        for _ in range(40):
            tx.deliveries.add(a, "start")
        for kind in ("start", "receive", "cancel"):
            tx.deliveries.add(b, kind)
    with uow() as holding:
        holding.instances.lock(a)
        assert [each[:2] for each in plant.drain_deliveries()] == [
            (b, "start"),
            (b, "receive"),
            (b, "cancel"),
        ]
    assert len(plant.drain_deliveries()) == 40


def test_deliveries_to_an_ended_instance_can_be_taken_away(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    instance_id = plant.instance()
    with uow() as tx:
        tx.instances.save(instance_id, Snapshot(b""), InstanceStatus.COMPLETED, None)
        tx.deliveries.add(instance_id, "cancel")
    assert plant.drain_deliveries() == [(instance_id, "cancel", None, {})]


def test_many_workers_take_every_delivery_once_and_in_order(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    instances = [plant.instance() for _ in range(5)]
    taken: dict[str, list[int]] = {instance_id: [] for instance_id in instances}
    with uow() as tx:
        for number in range(40):
            for instance_id in instances:
                tx.deliveries.add(instance_id, "receive", data={"n": number})

    def work() -> None:
        while sum(len(numbers) for numbers in taken.values()) < 200:
            with uow() as tx:
                claimed = tx.deliveries.claim()
                if claimed is None:
                    continue
                # Under the lock of the instance, so nobody else appends to this list.
                instance_id = claimed.instance_id
                taken[instance_id].append(claimed.data["n"])
                tx.instances.save(
                    instance_id, Snapshot(b""), InstanceStatus.ACTIVE, None
                )

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert list(taken.values()) == [list(range(40))] * 5


def test_a_signal_goes_to_all_who_wait_for_it_and_is_not_kept(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    a, b = plant.instance(), plant.instance()
    tasks = [plant.subscription(each, "signal", "alarm") for each in (a, b)]
    plant.subscription(a, "signal", "other")
    plant.subscription(a, "message", "alarm")
    assert throw(uow, "signal", "alarm", level=2) == 2
    assert throw(uow, "signal", "nobody") == 0
    expected = data("signal", "alarm", None, level=2)
    assert plant.drain_deliveries() == [
        (a, "receive", tasks[0], expected),
        (b, "receive", tasks[1], expected),
    ]
    wait = plant.event_wait("signal", "nobody")
    with uow() as tx:
        tx.waits.open_subscription(a, wait)
        assert not tx.deliveries.match(wait, a)


def test_signals_neither_wait_for_locked_instances_nor_lock_subscriptions(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    a, b = plant.instance(), plant.instance()
    tasks = [plant.subscription(each, "signal", "alarm") for each in (a, b)]
    with uow() as one, uow() as two:
        one.instances.lock(a)
        one.waits.close(a, tasks[:1])
        assert two.deliveries.throw(Throw("signal", "alarm", None, {})) == 2
        one.deliveries.throw(Throw("signal", "alarm", None, {}))
        with uow() as three:
            three.instances.lock(b, wait_s=0)
            three.waits.close(b, tasks[1:])


def test_a_message_goes_to_the_oldest_who_waits_and_to_nobody_else(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    a, b = plant.instance(), plant.instance()
    tasks = [plant.subscription(each) for each in (a, b)]
    assert throw(uow, n=1) == 1
    assert throw(uow, n=2) == 1
    assert throw(uow, n=3) == 0
    assert plant.drain_deliveries() == [
        (a, "receive", tasks[0], data("message", "parcel", None, n=1)),
        (b, "receive", tasks[1], data("message", "parcel", None, n=2)),
    ]
    assert plant.ask("SELECT variables FROM messages") == {"n": 3}


def test_a_message_is_matched_by_event_and_correlation(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    a = plant.instance()
    keyed = plant.subscription(a, correlation="ORD-1")
    assert throw(uow, event="other") == 0
    assert throw(uow, correlation="ORD-2") == 0
    assert throw(uow, correlation=None) == 0
    assert throw(uow, correlation="ORD-1") == 1
    open_to_all = plant.subscription(a)
    assert throw(uow, correlation="ORD-3") == 1
    assert [each[2] for each in plant.drain_deliveries()] == [keyed, open_to_all]


def test_a_new_subscription_gets_the_oldest_message_that_fits(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    instance_id = plant.instance()
    for number, correlation in enumerate(["ORD-2", "ORD-1", "ORD-1"]):
        assert throw(uow, correlation=correlation, n=number) == 0
    keyed = plant.event_wait("message", "parcel", "ORD-1")
    anyone = plant.event_wait("message", "parcel")
    nobody = plant.event_wait("message", "letter")
    with uow() as tx:
        for wait, fits in ((keyed, True), (anyone, True), (nobody, False)):
            tx.waits.open_subscription(instance_id, wait)
            assert tx.deliveries.match(wait, instance_id) is fits
    assert plant.drain_deliveries() == [
        (
            instance_id,
            "receive",
            keyed.task_id,
            data("message", "parcel", "ORD-1", n=1),
        ),
        (
            instance_id,
            "receive",
            anyone.task_id,
            data("message", "parcel", "ORD-2", n=0),
        ),
    ]
    assert plant.ask("SELECT variables FROM messages") == {"n": 2}


def test_a_subscription_that_was_matched_gets_no_second_message(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    instance_id = plant.instance()
    throw(uow)
    wait = plant.event_wait("message", "parcel")
    with uow() as tx:
        tx.waits.open_subscription(instance_id, wait)
        assert tx.deliveries.match(wait, instance_id)
    assert throw(uow) == 0


@pytest.mark.parametrize("first", ["thrower", "subscriber"])
def test_a_message_and_its_subscription_never_miss_each_other(
    uow: PostgresUnitOfWork, plant: WaitingInstances, first: str
) -> None:
    instance_id = plant.instance()
    wait = plant.event_wait("message", "parcel")

    def subscribe(tx: PostgresTransaction) -> None:
        tx.waits.open_subscription(instance_id, wait)
        tx.deliveries.match(wait, instance_id)

    def post(tx: PostgresTransaction) -> None:
        tx.deliveries.throw(Throw("message", "parcel", None, {}))

    now, then = (post, subscribe) if first == "thrower" else (subscribe, post)
    with uow() as tx:
        now(tx)
        waiting = plant.meanwhile(then)
        waiting.__enter__()
        plant.until_somebody_waits()
    waiting.__exit__(None, None, None)
    assert [each[2] for each in plant.drain_deliveries()] == [wait.task_id]


def test_two_that_ask_each_other_do_not_wait_in_a_circle(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    a, b = plant.instance(), plant.instance()
    question = plant.event_wait("message", "question")
    answer = plant.event_wait("message", "answer")

    def answers(tx: PostgresTransaction) -> None:
        tx.instances.lock(b)
        tx.deliveries.throw(Throw("message", "answer", None, {}))
        tx.waits.open_subscription(b, question)
        tx.deliveries.match(question, b)

    with uow() as tx:
        tx.instances.lock(a)
        tx.deliveries.throw(Throw("message", "question", None, {}))
        waiting = plant.meanwhile(answers)
        waiting.__enter__()
        plant.until_somebody_waits()
        tx.waits.open_subscription(a, answer)
        tx.deliveries.match(answer, a)
    waiting.__exit__(None, None, None)
    got = {each[2] for each in plant.drain_deliveries()}
    assert got == {question.task_id, answer.task_id}
