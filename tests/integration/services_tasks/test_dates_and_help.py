"""Due dates, help with a task, comments, and who may start a process."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mpms.domain.errors import FormInvalid
from mpms.domain.people.people import Role
from mpms.services.incidents.comment import CommentEmpty
from mpms.services.instances.deliver import deliver_one
from mpms.services.instances.start import NotYourProcess, start_instance
from mpms.services.people.change_secret import PersonUnknown
from mpms.services.tasks.claim import NotYourTask, TaskTaken, claim_task
from mpms.services.tasks.comment import comment_on_task
from mpms.services.tasks.delegate import (
    HelpAwaited,
    NobodyAsked,
    delegate_task,
    resolve_task,
)
from mpms.services.tasks.schedule import Schedule, schedule_task
from mpms.services.tasks.submit import submit_form
from mpms.services.workers.watch_due import WatchDue
from tests.support.drawings import draw
from tests.support.weighing import NOON, WeighingShop

pytestmark = pytest.mark.covers("A3")


def dated(shop: WeighingShop, due: str) -> str:
    elements = (
        '<startEvent id="begin"/><userTask id="ask" name="Weigh"'
        f' camunda:dueDate="{due}" camunda:followUpDate="PT1H" camunda:priority="70"/>'
    )
    shop.deploy_files(draw("dated", elements, "begin ask"))
    return shop.start_only("dated")


def overdue(shop: WeighingShop) -> list[str]:
    shop_watch = WatchDue(shop.uow, shop.clock, every_s=0.0)
    shop_watch()
    return [i.message for i in shop.incidents() if i.kind == "overdue"]


def test_dates_and_priority_are_columns_of_the_task(shop: WeighingShop) -> None:
    (task,) = shop.forms(dated(shop, "PT2H"))
    assert task.due_at == NOON + timedelta(hours=2)
    assert task.follow_up_at == NOON + timedelta(hours=1)
    assert task.priority == 70


def test_a_task_that_is_overdue_is_an_incident_until_it_is_done(
    shop: WeighingShop,
) -> None:
    (task,) = shop.forms(dated(shop, "PT2H"))
    assert overdue(shop) == []
    shop.clock.move(3 * 3600)
    assert overdue(shop) == [
        "'Weigh' is overdue: it should have been done by 2026-03-02 14:00 UTC."
    ]
    assert len(overdue(shop)) == 1
    shop.submit(task.task_id, {})
    assert overdue(shop) == []


def test_a_later_due_date_ends_the_alarm(shop: WeighingShop) -> None:
    (task,) = shop.forms(dated(shop, "PT2H"))
    shop.clock.move(3 * 3600)
    assert overdue(shop)
    later = Schedule(shop.clock.now() + timedelta(hours=1), None, 10)
    with pytest.raises(NotYourTask):
        schedule_task(
            shop.uow, shop.clock, task.task_id, later, person=shop.person("ana")
        )
    boss = shop.person("boss", Role.SUPERVISOR)
    schedule_task(shop.uow, shop.clock, task.task_id, later, person=boss)
    assert overdue(shop) == []
    (task,) = shop.forms()
    assert (task.due_at, task.follow_up_at, task.priority) == (later.due_at, None, 10)


def test_who_is_asked_for_help_hands_it_back_and_the_owner_completes(
    shop: WeighingShop,
) -> None:
    shop.deploy()
    task_id = shop.weigh().task_id
    ana, ben = shop.person("ana"), shop.person("ben", groups=("drivers",))
    claim_task(shop.uow, task_id, person=ana)
    with pytest.raises(NobodyAsked):
        resolve_task(shop.uow, task_id, person=ana)
    delegate_task(shop.uow, task_id, "ben", person=ana)
    for person in (ana, ben):
        with pytest.raises((HelpAwaited, TaskTaken)):
            submit_form(
                shop.uow, shop.advance, task_id, {"kg": 1}, by="x", person=person
            )
    assert resolve_task(shop.uow, task_id, person=ben) == "ana"
    done = submit_form(shop.uow, shop.advance, task_id, {"kg": 1}, by="ana", person=ana)
    assert done.first
    assert [who for who, _ in shop.told("task delegated")] == ["ana"]
    assert shop.told("task handed back") == [("ben", {"owner": "ana"})]


def test_a_task_of_one_person_can_be_helped_with_by_another(shop: WeighingShop) -> None:
    elements = '<startEvent id="begin"/><userTask id="ask" camunda:assignee="ana"/>'
    shop.deploy_files(draw("own", elements, "begin ask"))
    (task,) = shop.forms(shop.start_only("own"))
    ana, ben = shop.person("ana"), shop.person("ben")
    assert not ben.may_do(task)
    with pytest.raises(PersonUnknown):
        delegate_task(shop.uow, task.task_id, "nobody", person=ana)
    shop.person("vera", Role.VIEWER)
    with pytest.raises(PersonUnknown):
        delegate_task(shop.uow, task.task_id, "vera", person=ana)
    delegate_task(shop.uow, task.task_id, "ben", person=ana)
    (task,) = shop.forms()
    assert ben.may_do(task)
    assert ana.may_do(task)
    assert (task.owner, task.helper) == ("ana", "ben")


def test_a_leader_completes_what_somebody_was_asked_for(shop: WeighingShop) -> None:
    shop.deploy()
    task_id = shop.weigh().task_id
    boss = shop.person("boss", Role.SUPERVISOR)
    shop.person("ben")
    delegate_task(shop.uow, task_id, "ben", person=shop.person("ana"))
    with pytest.raises(FormInvalid):
        submit_form(shop.uow, shop.advance, task_id, {}, by="boss", person=boss)
    submit_form(shop.uow, shop.advance, task_id, {"kg": 2}, by="boss", person=boss)


def test_comments_stay_when_the_task_is_done(shop: WeighingShop) -> None:
    shop.deploy()
    task_id, ana = shop.weigh().task_id, shop.person("ana")
    with pytest.raises(CommentEmpty):
        comment_on_task(shop.uow, task_id, " \0 ", person=ana)
    said = comment_on_task(shop.uow, task_id, " the sack is wet ", person=ana)
    assert (said.login, said.text) == ("ana", "the sack is wet")
    shop.submit(task_id, {"kg": 1})
    with shop.uow() as tx:
        assert [one.text for one in tx.tasks.comments(task_id)] == ["the sack is wet"]
    assert shop.told("task commented") == [("ana", {"text": "the sack is wet"})]


def test_only_candidate_starters_and_admins_start_a_process(shop: WeighingShop) -> None:
    model = draw("guarded", '<startEvent id="begin"/><userTask id="a"/>', "begin a")
    words = (
        b'camunda:candidateStarterGroups="Planners" camunda:candidateStarterUsers="ana"'
    )
    (name, xml), *_ = model.items()
    shop.deploy_files({name: xml.replace(b'id="guarded"', b'id="guarded" ' + words)})

    def start(login: str, role: Role, *groups: str) -> None:
        person = shop.person(login, role, groups)
        with shop.uow() as tx:
            start_instance(tx, shop.advance, "guarded", actor=login, person=person)

    start("ana", Role.SUPERVISOR)
    start("pia", Role.SUPERVISOR, "planners")
    start("root", Role.ADMIN)
    with pytest.raises(NotYourProcess):
        start("sam", Role.SUPERVISOR, "worker")
    shop.start_only("guarded")  # the product itself
    assert len(shop.forms()) == 4


def test_listeners_hear_from_a_worker_what_people_do_with_an_open_task(
    shop: WeighingShop,
) -> None:
    def sets(event: str) -> str:
        value = f"${{task.setVariable('log', log + '{event[0]}')}}"
        return f'<camunda:taskListener event="{event}" expression="{value}"/>'

    elements = (
        '<startEvent id="begin"/><userTask id="ask" name="Weigh"><extensionElements>'
        f"{sets('assignment')}{sets('update')}</extensionElements></userTask>"
    )
    shop.deploy_files(draw("heard", elements, "begin ask"))
    with shop.uow() as tx:
        started = start_instance(
            tx, shop.advance, "heard", variables={"log": "-"}, actor="test"
        )
    (task,) = shop.forms(started)
    ana, boss = shop.person("ana"), shop.person("boss", Role.SUPERVISOR)
    claim_task(shop.uow, task.task_id, person=ana)
    later = Schedule(None, None, 10)
    schedule_task(shop.uow, shop.clock, task.task_id, later, person=boss)
    while deliver_one(shop.uow, shop.advance):
        pass
    with shop.uow() as tx:
        snapshot = tx.instances.get(started).snapshot
    assert snapshot is not None
    assert snapshot.variables["log"] == "-uau"
    assert [form.task_id for form in shop.forms(started)] == [task.task_id]
