"""Instances, their locks and what they wait for."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from mpms.adapters.postgres.database.unit_of_work import (
    PostgresTransaction,
    PostgresUnitOfWork,
)
from mpms.domain.errors import InstanceBusy, InstanceUnknown, ProcessUnknown, TaskGone
from mpms.domain.instances.instances import InstanceStatus, Parent, Snapshot
from mpms.domain.tasks import FormAnswer
from mpms.ports.workers import Look
from tests.support.waiting_instances import LONG_AGO, WaitingInstances

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def test_a_new_instance_has_no_state_yet(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    instance_id = plant.instance(business_key="ORD-7")
    with uow() as tx:
        found = tx.instances.get(instance_id)
        assert [each.id for each in tx.instances.by_business_key("ORD-7")] == [found.id]
        assert tx.instances.counts() == {("mix", "active"): 1}
    assert (found.key, found.business_key, found.parent) == ("mix", "ORD-7", None)
    assert (found.status, found.snapshot, found.revision) == ("active", None, 0)
    assert found.started_at.utcoffset() == NOON.utcoffset()


def test_what_is_saved_is_read_back_byte_for_byte_and_in_order(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    instance_id = plant.instance()
    snapshot = Snapshot(b'\x00\xff{"b":1}', {"z": 1.5, "a": ["ü", None], "m": {}})
    with uow() as tx:
        tx.instances.save(instance_id, snapshot, InstanceStatus.ACTIVE, None)
    with uow() as tx:
        found = tx.instances.lock(instance_id)
    assert found.snapshot == snapshot
    assert list(found.snapshot.variables) == ["z", "a", "m"]
    assert (found.revision, found.ended_at) == (1, None)
    assert found.changed_at > found.started_at


def test_an_ended_instance_has_an_end(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    instance_id = plant.instance()
    with uow() as tx:
        tx.instances.save(instance_id, Snapshot(b""), InstanceStatus.FAILED, "why")
    with uow() as tx:
        found = tx.instances.get(instance_id)
    assert (found.status, found.end_reason) == ("failed", "why")
    assert found.ended_at is not None


@pytest.mark.parametrize("unknown", ["0b6f2f6e-3f52-4d0c-9f5e-5f0f3f1f7a11", "no uuid"])
def test_an_unknown_instance_is_unknown(uow: PostgresUnitOfWork, unknown: str) -> None:
    with uow() as tx:
        with pytest.raises(InstanceUnknown):
            tx.instances.get(unknown)
        with pytest.raises(InstanceUnknown):
            tx.instances.lock(unknown)


def test_an_instance_of_an_unknown_model_is_refused(uow: PostgresUnitOfWork) -> None:
    with pytest.raises(ProcessUnknown), uow() as tx:
        tx.instances.add(str(uuid4()), 77, business_key=None, parent=None)


@pytest.mark.parametrize("wait_s", [0.0, 0.05])
def test_a_locked_instance_is_busy(
    uow: PostgresUnitOfWork, plant: WaitingInstances, wait_s: float
) -> None:
    instance_id = plant.instance()
    with uow() as one:
        one.instances.lock(instance_id)
        with pytest.raises(InstanceBusy), uow() as two:
            two.instances.lock(instance_id, wait_s=wait_s)


def test_who_waits_for_a_lock_gets_the_newest_state(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    instance_id = plant.instance()
    seen = []
    with uow() as tx:
        tx.instances.lock(instance_id)
        waiting = plant.meanwhile(
            lambda other: seen.append(other.instances.lock(instance_id, wait_s=60))
        )
        waiting.__enter__()
        plant.until_somebody_waits()
        tx.instances.save(instance_id, Snapshot(b"2"), InstanceStatus.ACTIVE, None)
    waiting.__exit__(None, None, None)
    assert seen[0].revision == 1
    assert seen[0].snapshot == Snapshot(b"2")


def test_instances_that_lock_themselves_can_send_each_other_deliveries(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    a, b = plant.instance(), plant.instance()
    with uow() as one, uow() as two:
        one.instances.lock(a)
        two.instances.lock(b)
        one.deliveries.add(b, "receive")
        two.deliveries.add(a, "receive")
        one.instances.save(a, Snapshot(b""), InstanceStatus.ACTIVE, None)
        two.instances.save(b, Snapshot(b""), InstanceStatus.ACTIVE, None)
    assert {each[0] for each in plant.drain_deliveries()} == {a, b}


def test_children_are_found_by_parent_and_by_task(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    parent = plant.instance()
    tasks = [str(uuid4()), str(uuid4())]
    children = [plant.instance(parent=Parent(parent, task)) for task in tasks]
    with uow() as tx:
        assert tx.instances.children(parent) == children
        assert tx.instances.children(parent, tasks[1]) == [children[1]]
        assert tx.instances.get(children[0]).parent == Parent(parent, tasks[0])
        assert tx.waits.known(parent) == set(tasks)
        tx.waits.close(parent, tasks[:1])
        assert tx.waits.known(parent) == {tasks[1]}
        assert tx.instances.children(parent) == children


def test_every_kind_of_wait_is_known_until_it_is_closed(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    instance_id, other = plant.instance(), plant.instance()
    form = plant.form_wait("loading")
    with uow() as tx:
        tx.waits.open_form(instance_id, form)
    waiting = [
        form.task_id,
        plant.job(instance_id),
        plant.timer(instance_id),
        plant.subscription(instance_id),
    ]
    call = str(uuid4())
    plant.instance(parent=Parent(instance_id, call))
    plant.job(other)
    with uow() as tx:
        assert tx.waits.known(instance_id) == {*waiting, call}
        tx.waits.close(other, waiting)
        tx.waits.close(instance_id, [])
        assert tx.waits.known(instance_id) == {*waiting, call}
        tx.waits.close(instance_id, iter([*waiting, call, str(uuid4())]))
        assert tx.waits.known(instance_id) == set()
        assert len(tx.waits.known(other)) == 1


def claimed(tx: PostgresTransaction, most: int) -> list[tuple[str, str]]:
    return [(due.id, task_id) for due, task_id in tx.timers.claim_due(NOON, most)]


def looked(tx: PostgresTransaction) -> Look:
    return tx.workers.look(inside=(), outside=(), now=LONG_AGO)


def test_a_due_timer_of_a_free_active_instance_is_claimed(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    early, late, ended = plant.instance(), plant.instance(), plant.instance()
    second = plant.timer(late, datetime(2021, 1, 1, tzinfo=UTC))
    first = plant.timer(early, datetime(2020, 1, 1, tzinfo=UTC))
    plant.timer(early, datetime(2040, 1, 1, tzinfo=UTC))
    plant.timer(ended, datetime(2019, 1, 1, tzinfo=UTC))
    with uow() as tx:
        assert looked(tx).next_due_at == datetime(2019, 1, 1, tzinfo=UTC)
        tx.instances.save(ended, Snapshot(b""), InstanceStatus.CANCELLED, None)
    with uow() as one, uow() as two, uow() as three:
        assert claimed(one, 1) == [(early, first)]
        assert claimed(two, 1) == [(late, second)]
        assert claimed(three, 9) == []
        with pytest.raises(InstanceBusy), uow() as four:
            four.instances.lock(early, wait_s=0)
        one.waits.move_timer(first, datetime(2050, 1, 1, tzinfo=UTC))
        two.waits.close(late, [second])
    with uow() as tx:
        assert claimed(tx, 9) == []


def test_no_timer_is_never_due(uow: PostgresUnitOfWork) -> None:
    with uow() as tx:
        assert looked(tx).next_due_at is None
        assert claimed(tx, 9) == []


def test_open_forms_are_found_by_group_and_instance(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    a, b = plant.instance(business_key="ORD-9"), plant.instance()
    forms = [plant.form_wait(*groups) for groups in (("load", "qa"), ("mix",), ())]
    for instance_id, form in zip((a, b, b), forms, strict=True):
        with uow() as tx:
            tx.waits.open_form(instance_id, form)
    first, second, third = (form.task_id for form in forms)
    with uow() as tx:
        task = tx.tasks.get(first)
        wanted: list[tuple[dict[str, Any], list[str]]] = [
            ({}, [first, second, third]),
            ({"groups": ["qa"]}, [first, third]),
            ({"groups": []}, [third]),
            ({"instance_id": b}, [second, third]),
            ({"groups": ["load"], "instance_id": b}, [third]),
        ]
        for asked, found in wanted:
            assert [each.task_id for each in tx.tasks.open(**asked)] == found
    assert (task.business_key, task.groups, task.inputs) == (
        "ORD-9",
        ("load", "qa"),
        {"n": 1},
    )
    assert (task.lane, task.form, task.assignee) == ("Worker", "load", "ada")


@pytest.mark.parametrize("gone", ["0b6f2f6e-3f52-4d0c-9f5e-5f0f3f1f7a11", "../../etc"])
def test_a_task_that_is_gone_is_gone(uow: PostgresUnitOfWork, gone: str) -> None:
    with uow() as tx:
        with pytest.raises(TaskGone):
            tx.tasks.get(gone)
        assert tx.tasks.answer(gone) is None


def test_the_first_answer_is_the_one_that_counts(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    instance_id, task_id = plant.instance(), str(uuid4())
    first = FormAnswer(task_id, instance_id, "load", {"kg": 2.5}, "ada", NOON)
    with uow() as tx:
        tx.tasks.record(first)
        tx.tasks.record(FormAnswer(task_id, instance_id, "load", {}, "bob", NOON))
    with uow() as tx:
        assert tx.tasks.answer(task_id) == first
