"""What an operator does to one running instance: each with who and why."""

from collections.abc import Callable
from typing import Any

import pytest

from mpms.domain.errors import (
    ElementUnknown,
    InstanceBusy,
    InstanceUnknown,
    NotFound,
    ReasonMissing,
    RepairRefused,
    TaskGone,
)
from mpms.domain.incidents.incidents import IncidentFilter
from mpms.domain.jobs import Done, Job
from mpms.factory.domain.orders import Order, OrderStatus
from mpms.services.incidents.retry import retry_incident
from mpms.services.incidents.retry_many import retry_many
from mpms.services.instances.cancel import cancel_instance
from mpms.services.instances.cancel_activity import cancel_activity
from mpms.services.instances.move_token import move_token
from mpms.services.instances.set_variables import set_variables
from mpms.services.instances.skip_activity import skip_activity
from tests.support import drawings
from tests.support.checkers import Why
from tests.support.repair_shop import RepairShop
from tests.support.waiting import together

WHO: Why = {"by": "boss", "reason": "the scale is broken"}


def test_a_skipped_task_is_told_with_who_and_why(shop: RepairShop) -> None:
    shop.deploy("p", "start a b end")
    run = shop.start("p")
    task = shop.task(run, "a")
    skip_activity(shop.uow, shop.advance, run, task, variables={"kg": 4}, **WHO)
    assert shop.open(run) == ["b"]
    assert shop.variables(run) == {"kg": 4}
    ((who, data),) = shop.told("activity skipped", run)
    assert who == "boss"
    assert data == {"reason": "the scale is broken", "variables": {"kg": 4}}
    assert shop.rows("SELECT count(*) FROM tasks WHERE task_id = %s", task) == [(0,)]


def test_a_moved_token_opens_the_rows_of_its_new_place(shop: RepairShop) -> None:
    shop.deploy("p", "start a job end", job=drawings.job("job", "weigh"))
    run = shop.start("p")
    move_token(shop.uow, shop.advance, run, shop.task(run, "a"), "job", **WHO)
    assert shop.open(run) == []
    assert shop.rows("SELECT topic FROM jobs") == [("weigh",)]
    ((who, data),) = shop.told("token moved", run)
    assert (who, data["to"]) == ("boss", "job")


def test_a_jump_to_nowhere_changes_nothing(shop: RepairShop) -> None:
    shop.deploy("p", "start a end")
    run = shop.start("p")
    before = shop.dump()
    with pytest.raises(
        ElementUnknown, match="'nowhere' in version 1 of the process 'p'"
    ):
        move_token(shop.uow, shop.advance, run, shop.task(run, "a"), "nowhere", **WHO)
    assert shop.dump() == before


def test_a_stuck_element_can_be_moved_and_its_incident_is_over(
    shop: RepairShop,
) -> None:
    shop.deploy("p", "start x b end", x=drawings.script("x", "y = missing + 1"))
    run = shop.start("p")
    assert [i.kind for i in shop.incidents()] == ["stuck"]
    move_token(shop.uow, shop.advance, run, shop.task(run, "x"), "b", **WHO)
    assert shop.incidents() == []
    assert shop.open(run) == ["b"]


def test_moving_away_from_a_call_cancels_the_called_process(shop: RepairShop) -> None:
    shop.deploy("child", "start c end")
    shop.deploy("p", "start call b end", call=drawings.call("call", "child"))
    run = shop.start("p")
    with shop.uow() as tx:
        (child,) = tx.instances.children(run)
    assert shop.open(child) == ["c"]
    move_token(shop.uow, shop.advance, run, shop.task(run, "call"), "b", **WHO)
    shop.worker.settle()
    assert shop.status(child) == "cancelled"
    assert shop.open(run) == ["b"]


def test_cancelling_the_only_activity_cancels_the_instance(shop: RepairShop) -> None:
    shop.deploy("p", "start a end")
    run = shop.start("p")
    cancel_activity(shop.uow, shop.advance, run, shop.task(run, "a"), **WHO)
    assert shop.status(run) == "cancelled"
    assert shop.open(run) == []


def test_variables_are_seen_by_forms_that_are_open(shop: RepairShop) -> None:
    inputs = (
        "<extensionElements><camunda:inputOutput><camunda:inputParameter"
        ' name="kg">${kg}</camunda:inputParameter></camunda:inputOutput>'
        "</extensionElements>"
    )
    shop.deploy("p", "start a end", a=f'<userTask id="a">{inputs}</userTask>')
    run = shop.start("p", kg=1, old=True)
    task = shop.task(run, "a")
    shop.rows("INSERT INTO claims (task_id, claimed_by) VALUES (%s, 'ada')", task)
    change = shop.uow, shop.advance, run
    set_variables(*change, {"kg": 2}, removed=["old"], **WHO)
    assert shop.variables(run) == {"kg": 2}
    set_variables(*change, {"kg": 3}, task_id=task, **WHO)
    (form,) = shop.forms(run)
    assert form.inputs == {"kg": 3}
    assert shop.variables(run) == {"kg": 2}
    assert shop.rows("SELECT claimed_by FROM claims") == [("ada",)]
    assert [d["names"] for _, d in shop.told("variables set", run)] == [["kg"], ["kg"]]


@pytest.mark.parametrize("reason", ["", "  \n", "\0\ud800"])
def test_without_a_reason_nothing_is_changed(shop: RepairShop, reason: str) -> None:
    shop.deploy("p", "start a b end")
    run = shop.start("p")
    task, before = shop.task(run, "a"), shop.dump()
    why: Why = {"by": "boss", "reason": reason}
    hands = shop.uow, shop.advance, run
    acts: list[Callable[[], object]] = [
        lambda: set_variables(*hands, {"n": 1}, **why),
        lambda: skip_activity(*hands, task, **why),
        lambda: move_token(*hands, task, "b", **why),
        lambda: cancel_activity(*hands, task, **why),
        lambda: cancel_instance(*hands, **why),
        lambda: retry_many(shop.uow, shop.advance, IncidentFilter(), **why),
    ]
    for act in acts:
        with pytest.raises(ReasonMissing):
            act()
    assert shop.dump() == before


def test_a_task_that_is_gone_cannot_be_repaired(shop: RepairShop) -> None:
    shop.deploy("p", "start a b end")
    run = shop.start("p")
    gone = shop.task(run, "a")
    shop.answer(run, "a")
    before = shop.dump()
    hands = shop.uow, shop.advance, run
    acts: list[Callable[[], object]] = [
        lambda: skip_activity(*hands, gone, **WHO),
        lambda: move_token(*hands, gone, "b", **WHO),
        lambda: cancel_activity(*hands, gone, **WHO),
        lambda: set_variables(*hands, {"n": 1}, task_id=gone, **WHO),
        lambda: skip_activity(*hands, "no id", **WHO),
    ]
    for act in acts:
        with pytest.raises(TaskGone):
            act()
    with pytest.raises(RepairRefused, match="'gone'"):
        set_variables(*hands, {}, removed=["gone"], **WHO)
    assert shop.dump() == before
    with pytest.raises(InstanceUnknown):
        skip_activity(shop.uow, shop.advance, "nonsense", gone, **WHO)


def test_of_two_operators_one_wins_and_the_other_is_told(shop: RepairShop) -> None:
    shop.deploy("p", "start a b c end")
    run = shop.start("p")
    task = shop.task(run, "a")
    hands = shop.uow, shop.advance, run
    results = together(
        lambda: skip_activity(*hands, task, by="ann", reason="x"),
        lambda: move_token(*hands, task, "c", by="bob", reason="y"),
    )
    failures = [r for r in results if isinstance(r, Exception)]
    assert len(failures) == 1
    assert isinstance(failures[0], TaskGone | InstanceBusy)
    assert shop.open(run) in (["b"], ["c"])
    repairs = shop.told("activity skipped", run) + shop.told("token moved", run)
    assert len(repairs) == 1


# -- incidents ------------------------------------------------------------------------


def failing_until(shop: RepairShop, topic: str) -> list[bool]:
    mended = [False]

    def handler(tx: Any, job: Job) -> Done:
        if not mended[0]:
            raise RuntimeError("no paper in the printer")
        return Done({"printed": True})

    shop.handlers.add_inside(topic, handler)
    return mended


def test_many_incidents_are_retried_by_what_they_say(shop: RepairShop) -> None:
    mended = failing_until(shop, "print")
    shop.deploy("p", "start job a end", job=drawings.job("job", "print"))
    shop.deploy("q", "start x b end", x=drawings.script("x", "y = missing + 1"))
    printing = [shop.start("p") for _ in range(3)]
    other = shop.start("q")
    shop.use_up_attempts()
    assert len(shop.incidents()) == 4
    mended[0] = True
    seen: list[tuple[int, int]] = []
    results = retry_many(
        shop.uow,
        shop.advance,
        IncidentFilter(kind="job", text="NO PAPER", key="p", element="job"),
        by="boss",
        reason="paper is there",
        progress=lambda done, total: seen.append((done, total)),
    )
    shop.worker.settle()
    assert [r.instance_id for r in results] == printing
    assert all(r.error is None and len(r.incidents) == 1 for r in results)
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert all(shop.open(run) == ["a"] for run in printing)
    assert [i.instance_id for i in shop.incidents()] == [other]
    assert shop.told("retry", printing[0])[0][1]["reason"] == "paper is there"


def test_a_retry_begins_with_all_attempts(shop: RepairShop) -> None:
    failing_until(shop, "print")
    shop.deploy("p", "start job a end", job=drawings.job("job", "print"))
    shop.start("p")
    shop.use_up_attempts()
    (incident,) = shop.incidents()
    assert shop.rows("SELECT state, attempts > 0 FROM jobs") == [("given_up", True)]
    retry_incident(shop.uow, shop.advance, incident.id, by="boss")
    assert shop.rows("SELECT state, attempts FROM jobs") == [("ready", 0)]
    with pytest.raises(NotFound):
        retry_incident(shop.uow, shop.advance, incident.id, by="boss")


def test_one_instance_that_is_busy_stops_no_other(shop: RepairShop) -> None:
    mended = failing_until(shop, "print")
    shop.deploy("p", "start job a end", job=drawings.job("job", "print"))
    first, second = shop.start("p"), shop.start("p")
    shop.use_up_attempts()
    mended[0] = True
    with shop.uow() as tx:
        tx.instances.lock(first)
        results = retry_many(shop.uow, shop.advance, IncidentFilter(kind="job"), **WHO)
    errors = {r.instance_id: r.error for r in results}
    assert errors[first] is not None
    assert errors[second] is None


# -- the order of a cancelled instance ---------------------------------------------


def with_order(shop: RepairShop) -> str:
    shop.deploy("p", "start a end")
    run = shop.start("p", business_key="F-1")
    with shop.uow() as tx:
        tx.orders.add(Order("F-1", "Blue", ()))
        tx.orders.assign("F-1", run)
        tx.orders.set_status("F-1", OrderStatus.IN_PROCESS)
    return str(run)


@pytest.mark.parametrize(
    ("by_hand", "status"), [(False, "cancelled"), (True, "completed manually")]
)
def test_an_order_ends_with_its_instance(
    shop: RepairShop, by_hand: bool, status: str
) -> None:
    run = with_order(shop)
    cancel_instance(
        shop.uow, shop.advance, run, by="boss", reason="x", completed_manually=by_hand
    )
    assert shop.rows("SELECT status, ended_at IS NOT NULL FROM orders") == [
        (status, True)
    ]
    ((_, data),) = shop.told("order status", run)
    assert data == {"order": "F-1", "old": "in process", "new": status}


def test_an_order_ends_also_when_its_last_activity_is_cancelled(
    shop: RepairShop,
) -> None:
    run = with_order(shop)
    cancel_activity(shop.uow, shop.advance, run, shop.task(run, "a"), **WHO)
    assert shop.rows("SELECT status FROM orders") == [("cancelled",)]


def test_an_order_that_a_person_has_ended_stays_so(shop: RepairShop) -> None:
    run = with_order(shop)
    with shop.uow() as tx:
        tx.orders.set_status("F-1", OrderStatus.COMPLETED_MANUALLY)
    cancel_instance(shop.uow, shop.advance, run, **WHO)
    assert shop.rows("SELECT status FROM orders") == [("completed manually",)]
