"""A task is taken by one person, and given back by the right ones."""

from __future__ import annotations

import pytest

from mpms.domain.errors import TaskGone
from mpms.domain.people.people import Role
from mpms.services.tasks.claim import (
    NotYourTask,
    TaskTaken,
    UndoTooLate,
    claim_task,
    give_back_task,
)
from tests.support.waiting import together
from tests.support.weighing import WeighingShop


def test_two_tablets_claim_and_exactly_one_wins(shop: WeighingShop) -> None:
    shop.deploy()
    task_id = shop.weigh().task_id
    people = [shop.person(f"p{n}") for n in range(6)]
    results = together(
        *(lambda p=p: claim_task(shop.uow, task_id, person=p) for p in people)
    )
    won = [r for r in results if not isinstance(r, Exception)]
    lost = [r for r in results if isinstance(r, TaskTaken)]
    assert (len(won), len(lost)) == (1, 5)
    names = {p.login: p.name for p in people}
    assert {loser.by for loser in lost} == {names[won[0].claimed_by]}
    assert len(shop.told("task claimed")) == 1


def test_claiming_twice_is_claiming_once(shop: WeighingShop) -> None:
    shop.deploy()
    task_id, ana = shop.weigh().task_id, shop.person("ana")
    first = claim_task(shop.uow, task_id, person=ana)
    assert claim_task(shop.uow, task_id, person=ana) == first
    assert len(shop.told("task claimed")) == 1


def test_a_claim_is_undone_within_a_minute_and_no_longer(shop: WeighingShop) -> None:
    shop.deploy()
    task_id, ana = shop.weigh().task_id, shop.person("ana")
    for age_s, undone in ((59, True), (61, False)):
        claim_task(shop.uow, task_id, person=ana)
        shop.rows(
            "UPDATE claims SET claimed_at ="
            f" timestamptz '{shop.clock.now()}' - interval '{age_s} s'"
        )
        if undone:
            assert give_back_task(shop.uow, shop.clock, task_id, person=ana)
        else:
            with pytest.raises(UndoTooLate):
                give_back_task(shop.uow, shop.clock, task_id, person=ana)
    assert shop.rows("SELECT claimed_by FROM claims") == [("ana",)]
    assert shop.told("task given back") == [("ana", {"claimed_by": "ana"})]


def test_only_the_one_who_has_it_or_a_leader_gives_it_back(shop: WeighingShop) -> None:
    shop.deploy()
    task_id, ana = shop.weigh().task_id, shop.person("ana")
    claim_task(shop.uow, task_id, person=ana)
    with pytest.raises(TaskTaken, match="Ana has this task"):
        give_back_task(shop.uow, shop.clock, task_id, person=shop.person("ben"))
    boss = shop.person("boss", Role.SUPERVISOR)
    shop.rows("UPDATE claims SET claimed_at = '2020-01-01'")
    assert give_back_task(shop.uow, shop.clock, task_id, person=boss)
    assert not give_back_task(shop.uow, shop.clock, task_id, person=boss)
    assert shop.told("task given back") == [("boss", {"claimed_by": "ana"})]


def test_a_task_of_other_groups_cannot_be_claimed(shop: WeighingShop) -> None:
    shop.deploy(groups="mixers")
    task_id = shop.weigh().task_id
    for person in (shop.person("ana"), shop.person("eva", Role.VIEWER, ("mixers",))):
        with pytest.raises(NotYourTask):
            claim_task(shop.uow, task_id, person=person)
    mixer = shop.person("max", groups=("Mixers",))
    assert claim_task(shop.uow, task_id, person=mixer).claimed_by == "max"


@pytest.mark.parametrize("unknown", ["0b6f2f6e-3f52-4d0c-9f5e-5f0f3f1f7a11", "no id"])
def test_a_task_that_is_not_there_cannot_be_claimed(
    shop: WeighingShop, unknown: str
) -> None:
    with pytest.raises(TaskGone):
        claim_task(shop.uow, unknown, person=shop.person("ana"))
