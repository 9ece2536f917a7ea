"""Carrying running instances over to another version, each wholly or not at all."""

from typing import Any

import pytest

from mpms.domain.errors import (
    ElementUnknown,
    InstanceBusy,
    MigrationRefused,
    ProcessUnknown,
    ReasonMissing,
    RepairRefused,
    TaskGone,
)
from mpms.domain.jobs import Done, Job
from mpms.services.instances.migrate import (
    migrate_instance,
    migrate_instances,
    plan_migration,
)
from tests.support import drawings
from tests.support.checkers import Why
from tests.support.repair_shop import RepairShop
from tests.support.waiting import together

WHO: Why = {"by": "boss", "reason": "version 2 is out"}


def versions(shop: RepairShop) -> tuple[str, str]:
    """One instance at a, which the new version has, and one at b, which it lacks."""
    shop.deploy("p", "start a b end")
    first, second = shop.start("p"), shop.start("p")
    shop.answer(second, "a")
    shop.deploy("p", "start a c end")
    return first, second


def test_the_plan_says_who_can_go_and_why_others_cannot(shop: RepairShop) -> None:
    first, second = versions(shop)
    before = shop.dump()
    plan = plan_migration(shop.uow, shop.engine, "p", 2)
    assert [(p.instance_id, p.version, p.can_go) for p in plan] == [
        (first, 1, True),
        (second, 1, False),
    ]
    assert plan[1].obstacles == ("'b' has a live task and is not in the new version.",)
    mapped = plan_migration(shop.uow, shop.engine, "p", 2, renamed={"b": "c"})
    assert all(p.can_go for p in mapped)
    assert shop.dump() == before


def test_those_that_can_go_go_and_the_others_stay_as_they_were(
    shop: RepairShop,
) -> None:
    first, second = versions(shop)
    kept = shop.rows("SELECT i::text FROM instances i WHERE id = %s", second)
    seen: list[tuple[int, int]] = []
    results = migrate_instances(
        shop.uow,
        shop.advance,
        "p",
        2,
        **WHO,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert [(r.instance_id, r.error is None) for r in results] == [
        (first, True),
        (second, False),
    ]
    assert seen == [(1, 2), (2, 2)]
    assert shop.rows("SELECT i::text FROM instances i WHERE id = %s", second) == kept
    shop.answer(first, "a")
    assert shop.open(first) == ["c"]
    ((who, data),) = shop.told("migrated", first)
    assert who == "boss"
    assert data == {"from": 1, "to": 2, "renamed": {}, "reason": "version 2 is out"}


def test_a_migration_that_would_lose_a_live_task_changes_nothing(
    shop: RepairShop,
) -> None:
    _, second = versions(shop)
    before = shop.dump()
    with pytest.raises(MigrationRefused, match="'b' has a live task"):
        migrate_instance(shop.uow, shop.advance, second, 2, **WHO)
    assert shop.dump() == before


def test_an_open_form_keeps_its_id_claim_and_draft(shop: RepairShop) -> None:
    shop.deploy("p", "start a end")
    run = shop.start("p")
    task = shop.task(run, "a")
    shop.rows("INSERT INTO claims (task_id, claimed_by) VALUES (%s, 'ada')", task)
    shop.rows(
        "INSERT INTO drafts (task_id, field, value, saved_by)"
        " VALUES (%s, 'kg', '4', 'ada')",
        task,
    )
    shop.deploy("p", "start weigh end", weigh='<userTask id="weigh" name="Weigh"/>')
    migrate_instance(shop.uow, shop.advance, run, 2, renamed={"a": "weigh"}, **WHO)
    (form,) = shop.forms(run)
    assert (form.task_id, form.element, form.name) == (task, "weigh", "Weigh")
    assert shop.rows("SELECT claimed_by FROM claims") == [("ada",)]
    assert shop.rows("SELECT field FROM drafts") == [("kg",)]
    shop.answer(run, "weigh")
    assert shop.status(run) == "completed"


def test_a_job_keeps_its_attempts_and_gets_its_new_topic(shop: RepairShop) -> None:
    def broken(tx: Any, job: Job) -> Done:
        raise RuntimeError("no")

    shop.handlers.add_inside("old", broken)
    shop.handlers.add_inside("new", lambda tx, job: Done({"by": job.topic}))
    shop.deploy("p", "start job a end", job=drawings.job("job", "old"))
    run = shop.start("p")
    ((attempts,),) = shop.rows("SELECT attempts FROM jobs")
    assert attempts == 1
    shop.deploy("p", "start job a end", job=drawings.job("job", "new"))
    migrate_instance(shop.uow, shop.advance, run, 2, **WHO)
    assert shop.rows("SELECT topic, attempts FROM jobs") == [("new", 1)]
    shop.use_up_attempts()
    assert shop.variables(run) == {"by": "new"}
    assert shop.open(run) == ["a"]


def test_timers_keep_their_due_time_and_new_boundary_events_are_opened(
    shop: RepairShop,
) -> None:
    shop.deploy("p", "start and t end", "and a end", t=drawings.timer("t", "PT5M"))
    run = shop.start("p")
    due = shop.rows("SELECT element, due_at FROM timers")
    late = (
        '<boundaryEvent id="late" attachedToRef="a"><timerEventDefinition>'
        "<timeDuration>PT1M</timeDuration></timerEventDefinition></boundaryEvent>"
    )
    shop.deploy(
        "p",
        "start and t end",
        "and a end",
        "late b end2",
        t=drawings.timer("t", "PT99H"),
        late=late,
    )
    migrate_instance(shop.uow, shop.advance, run, 2, **WHO)
    rows = shop.rows("SELECT element, due_at FROM timers ORDER BY due_at")
    assert rows[1:] == due
    assert rows[0][0] == "late"
    shop.clock.move(61)
    shop.worker.settle()
    assert shop.open(run) == ["b"]


def test_a_called_process_answers_its_caller_after_both_were_migrated(
    shop: RepairShop,
) -> None:
    shop.deploy("child", "start c end")
    shop.deploy("p", "start call a end", call=drawings.call("call", "child"))
    run = shop.start("p")
    with shop.uow() as tx:
        (child,) = tx.instances.children(run)
    shop.deploy("child", "start c d end")
    shop.deploy("p", "start call b end", call=drawings.call("call", "child"))
    migrate_instance(shop.uow, shop.advance, run, 2, **WHO)
    migrate_instance(shop.uow, shop.advance, child, 2, **WHO)
    shop.answer(child, "c")
    shop.answer(child, "d")
    assert shop.open(run) == ["b"]


def test_bad_requests_are_told(shop: RepairShop) -> None:
    first, _ = versions(shop)
    shop.deploy("q", "start a end")
    other = shop.start("q")
    hands = shop.uow, shop.advance
    with pytest.raises(ProcessUnknown):
        migrate_instances(*hands, "p", 9, **WHO)
    with pytest.raises(ReasonMissing):
        migrate_instances(*hands, "p", 2, by="boss", reason="")
    with pytest.raises(RepairRefused, match="not an instance of p"):
        plan_migration(shop.uow, shop.engine, "p", 2, instance_ids=[other])
    with pytest.raises(ElementUnknown, match="'nowhere'"):
        plan_migration(shop.uow, shop.engine, "p", 2, renamed={"a": "nowhere"})
    with pytest.raises(RepairRefused, match="already"):
        migrate_instance(*hands, other, 1, **WHO)
    shop.answer(first, "a")
    shop.answer(first, "b")
    with pytest.raises(TaskGone):
        migrate_instance(*hands, first, 2, **WHO)


def test_of_two_who_migrate_one_is_told(shop: RepairShop) -> None:
    first, _ = versions(shop)
    results = together(
        *(
            lambda by=by: migrate_instance(
                shop.uow, shop.advance, first, 2, by=by, reason="x"
            )
            for by in ("ann", "bob")
        )
    )
    (told,) = [r for r in results if r is not None]
    assert isinstance(told, RepairRefused | InstanceBusy)
    assert len(shop.told("migrated", first)) == 1
