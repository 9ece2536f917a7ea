"""Tablets that were without network: nothing is lost, nothing counts twice."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from mpms.domain.errors import InstanceBusy, TaskGone
from mpms.domain.people.people import Role
from mpms.domain.tasks import FormTask
from mpms.factory.domain.orders import Order
from mpms.services.instances.repair import cancel_instance
from mpms.services.tasks.claim import NotYourTask, TaskTaken, claim_task, give_back_task
from mpms.services.tasks.decide_late_answer import (
    AnswerOvertaken,
    LateAnswerDecided,
    ReasonNeeded,
    accept_late_answer,
    discard_late_answer,
)
from mpms.services.tasks.submit import submit_form
from tests.support.checkers import there
from tests.support.waiting import together
from tests.support.weighing import WeighingShop


@pytest.fixture
def task(shop: WeighingShop) -> FormTask:
    shop.deploy()
    return shop.weigh()


def post(
    shop: WeighingShop, task: FormTask, login: str, answers: dict[str, Any], **more: Any
) -> Any:
    person = shop.person(login)
    return submit_form(
        shop.uow, shop.advance, task.task_id, answers, by=login, person=person, **more
    )


def late(shop: WeighingShop) -> list[Any]:
    with shop.uow() as tx:
        return list(tx.late_answers.open())


def test_the_key_and_the_time_of_the_tablet_are_kept(
    shop: WeighingShop, task: FormTask
) -> None:
    at = shop.clock.now() - timedelta(minutes=30)
    shop.rows(f"UPDATE tasks SET created_at = '{at - timedelta(minutes=1)}'")
    done = post(shop, task, "ana", {"kg": 1}, key="k1", device_at=at, posted_by="ben")
    assert (done.state, done.answer.key, done.answer.device_at) == ("done", "k1", at)
    ((actor, data),) = shop.told("form answered")
    assert (actor, data["posted_by"]) == ("ana", "ben")
    assert data["device_at"] == at.isoformat()


def test_the_same_key_or_the_same_answers_return_the_first_result(
    shop: WeighingShop, task: FormTask
) -> None:
    first = post(shop, task, "ana", {"kg": 1, "note": ""}, key="k1")
    by_key = post(shop, task, "ana", {"kg": 99}, key="k1")
    by_answers = post(shop, task, "ben", {"kg": 1}, key="k2")
    without_key = post(shop, task, "ben", {"kg": 7})
    for again in (by_key, by_answers, without_key):
        assert (again.state, again.answer) == ("already", first.answer)
    assert late(shop) == []
    assert len(shop.told("form answered")) == 1


def test_a_different_answer_from_a_tablet_waits_for_the_supervisor(
    shop: WeighingShop, task: FormTask
) -> None:
    post(shop, task, "ana", {"kg": 1}, key="k1")
    at = shop.clock.now() - timedelta(minutes=5)
    shop.rows(f"UPDATE instances SET started_at = '{at - timedelta(minutes=1)}'")
    for _ in range(3):
        lost = post(shop, task, "ben", {"kg": 2}, key="k2", device_at=at)
        assert lost.state == "conflict"
    clock = shop.clock.now().astimezone()
    (kept,) = late(shop)
    assert kept.reason == f"answered by Ana at {clock:%H:%M} already"
    assert (kept.answers, kept.answered_by, kept.device_at) == ({"kg": 2}, "ben", at)
    assert (kept.task_name, kept.instance_id) == ("Weigh the sack", task.instance_id)
    assert len(shop.told("answer came late")) == 1
    assert len(shop.told("form answered")) == 1


@pytest.mark.parametrize("tells_instance", [True, False])
def test_an_answer_for_a_cancelled_order_is_kept_with_the_reason(
    shop: WeighingShop, task: FormTask, tells_instance: bool
) -> None:
    cancel_instance(
        shop.uow, shop.advance, task.instance_id, by="boss", reason="no paint"
    )
    instance_id = task.instance_id if tells_instance else None
    lost = post(shop, task, "ana", {"kg": 2}, key="k", instance_id=instance_id)
    assert (lost.state, lost.answer) == ("conflict", None)
    assert [one.reason for one in late(shop)] == ["the process was cancelled meanwhile"]
    with pytest.raises(TaskGone):
        post(shop, task, "ana", {"kg": 2})


def test_a_key_used_for_two_tasks_loses_neither_answer(
    shop: WeighingShop, task: FormTask
) -> None:
    other = shop.weigh()
    for one in (task, other):
        post(shop, one, "ana", {"kg": 1}, key=f"of {one.task_id}")
        assert post(shop, one, "ben", {"kg": 2}, key="same").state == "conflict"
    assert {kept.task_id for kept in late(shop)} == {task.task_id, other.task_id}


def test_an_answer_for_a_task_that_never_was_is_refused(
    shop: WeighingShop, task: FormTask
) -> None:
    ana = shop.person("ana")
    for unknown in (str(uuid4()), "no id"):
        with pytest.raises(TaskGone):
            submit_form(
                shop.uow, shop.advance, unknown, {}, by="ana", person=ana, key="k"
            )
    assert late(shop) == []


def test_a_task_that_somebody_else_has_taken_meanwhile_is_a_conflict(
    shop: WeighingShop, task: FormTask
) -> None:
    claim_task(shop.uow, task.task_id, person=shop.person("ben"))
    with pytest.raises(TaskTaken, match="Ben"):
        post(shop, task, "ana", {"kg": 1})
    assert post(shop, task, "ana", {"kg": 1}, key="k").state == "conflict"
    assert [one.reason for one in late(shop)] == ["Ben has taken the task meanwhile"]
    assert [one.task_id for one in shop.forms()] == [task.task_id]
    boss = shop.person("boss", Role.SUPERVISOR)
    done = submit_form(
        shop.uow, shop.advance, task.task_id, {"kg": 3}, by="boss", person=boss
    )
    assert done.first


def test_a_person_of_other_groups_cannot_answer(shop: WeighingShop) -> None:
    shop.deploy(groups="mixers")
    task = shop.weigh()
    with pytest.raises(NotYourTask):
        post(shop, task, "ana", {"kg": 1}, key="k")
    assert late(shop) == []


def test_posts_of_two_tablets_at_the_same_moment_count_once(
    shop: WeighingShop, task: FormTask
) -> None:
    people = [shop.person(f"p{n}") for n in range(4)]

    def submit(n: int) -> Any:
        person = people[n]
        while True:
            try:
                return submit_form(
                    shop.uow,
                    shop.advance,
                    task.task_id,
                    {"kg": n},
                    by=person.login,
                    person=person,
                    key=f"k{n}",
                )
            except InstanceBusy:
                continue  # as a tablet does

    results = together(*(partial(submit, n) for n in range(4)))
    assert sorted(result.state for result in results) == ["conflict"] * 3 + ["done"]
    assert len(late(shop)) == 3


def test_a_supervisor_accepts_while_the_task_waits(
    shop: WeighingShop, task: FormTask
) -> None:
    ben, boss = shop.person("ben"), shop.person("boss", Role.SUPERVISOR)
    claim_task(shop.uow, task.task_id, person=ben)
    post(shop, task, "ana", {"kg": 4}, key="k")
    (kept,) = late(shop)
    done = accept_late_answer(shop.uow, shop.advance, kept.id, person=boss)
    assert (done.first, there(done.answer).answered_by) == (True, "ana")
    assert [one.element for one in shop.forms()] == ["next"]
    assert late(shop) == []
    with pytest.raises(LateAnswerDecided):
        accept_late_answer(shop.uow, shop.advance, kept.id, person=boss)
    assert [actor for actor, _ in shop.told("late answer accepted")] == ["boss"]


def test_an_overtaken_answer_can_only_be_discarded_with_a_reason(
    shop: WeighingShop, task: FormTask
) -> None:
    boss = shop.person("boss", Role.SUPERVISOR)
    post(shop, task, "ana", {"kg": 1}, key="k1")
    post(shop, task, "ben", {"kg": 2}, key="k2")
    (kept,) = late(shop)
    with pytest.raises(AnswerOvertaken):
        accept_late_answer(shop.uow, shop.advance, kept.id, person=boss)
    with pytest.raises(ReasonNeeded):
        discard_late_answer(shop.uow, kept.id, person=boss, reason=" ")
    with pytest.raises(NotYourTask):
        discard_late_answer(
            shop.uow, kept.id, person=shop.person("ana"), reason="mine is right"
        )
    assert late(shop) == [kept]
    discard_late_answer(shop.uow, kept.id, person=boss, reason="weighed twice")
    assert late(shop) == []
    assert shop.rows("SELECT decided_by, decision FROM late_answers") == [
        ("boss", "discarded: weighed twice")
    ]


def test_an_answer_after_the_order_was_completed_by_hand_says_so(
    shop: WeighingShop,
) -> None:
    shop.deploy()
    with shop.uow() as tx:
        tx.orders.add(Order("MO-1", "Paint", ()))
    task = shop.weigh("MO-1")
    cancel_instance(shop.uow, shop.advance, task.instance_id, by="boss", reason="x")
    shop.rows("UPDATE orders SET status = 'completed manually', ended_at = now()")
    post(shop, task, "ana", {"kg": 1}, key="k")
    (kept,) = late(shop)
    assert kept.business_key == "MO-1"
    assert kept.reason == "the order was completed manually meanwhile"


def test_a_task_given_back_can_be_answered_by_the_next_person(
    shop: WeighingShop, task: FormTask
) -> None:
    claim_task(shop.uow, task.task_id, person=shop.person("ana"))
    boss = shop.person("boss", Role.ADMIN)
    give_back_task(shop.uow, shop.clock, task.task_id, person=boss)
    assert post(shop, task, "ben", {"kg": 1}).first
