"""What stands still loses nothing and moves nothing."""

import threading
from datetime import timedelta
from typing import Any

import pytest

from mpms.domain.errors import (
    AlreadySuspended,
    BusinessError,
    InstanceBusy,
    InstanceSuspended,
    NotSuspended,
    ProcessSuspended,
    ProcessUnknown,
    ReasonMissing,
    TaskGone,
)
from mpms.domain.instances.steps import Throw
from mpms.domain.jobs import Done, Job
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.domain.goals import GoalReport, GoalState
from mpms.factory.services.robots.settle_goals import settle_goal
from mpms.factory.topics.robot_move import MoveRobot
from mpms.services.incidents.retry import retry_incident
from mpms.services.instances.cancel import cancel_instance
from mpms.services.instances.move_token import move_token
from mpms.services.instances.set_variables import set_variables
from mpms.services.instances.start import start_instance
from mpms.services.instances.suspend import resume_instance, suspend_instance
from mpms.services.jobs.run import RunJobs
from mpms.services.processes.suspend import resume_process, suspend_process
from mpms.services.tasks.submit import submit_form
from tests.support import drawings
from tests.support.checkers import Why
from tests.support.factory_worker import of_factory
from tests.support.repair_shop import RepairShop
from tests.support.waiting import together

WHO: Why = {"by": "boss", "reason": "fire drill"}


def test_a_form_of_a_suspended_instance_is_refused_with_who_and_why(
    shop: RepairShop,
) -> None:
    shop.deploy("p", "start a end")
    run = shop.start("p")
    suspend_instance(shop.uow, run, **WHO)
    task = shop.task(run, "a")
    with pytest.raises(InstanceSuspended, match="suspended by boss: fire drill"):
        submit_form(shop.uow, shop.advance, task, {}, by="ada")
    assert shop.rows("SELECT count(*) FROM answers") == [(0,)]
    resume_instance(shop.uow, run, by="boss")
    shop.answer(run, "a")
    assert shop.status(run) == "completed"
    assert [who for who, _ in shop.told("suspended", run)] == ["boss"]
    assert [who for who, _ in shop.told("resumed", run)] == ["boss"]


def test_jobs_timers_and_signals_wait_until_the_instance_is_resumed(
    shop: RepairShop,
) -> None:
    shop.deploy(
        "p",
        "start and job end",
        "and clock c end",
        "and bell b end",
        job=drawings.job("job", "print"),
        clock=drawings.timer("clock", "PT5M"),
        bell=drawings.signal("bell", "signal_bell"),
    )
    run = shop.start("p")
    suspend_instance(shop.uow, run, **WHO)
    calls: list[str] = []

    def handler(tx: Any, job: Job) -> Done:
        calls.append(job.topic)
        return Done()

    shop.handlers.add_inside("print", handler)
    with shop.uow() as tx:
        tx.deliveries.throw(Throw("signal", "bell", None, {}))
    shop.clock.move(600)
    shop.worker.settle()
    assert calls == []
    assert shop.open(run) == []
    with shop.uow() as tx:
        assert (
            tx.workers.look(inside=(), outside=(), now=shop.clock.now()).next_due_at
            is None
        )
    resume_instance(shop.uow, run, by="boss")
    shop.worker.settle()
    assert calls == ["print"]
    assert shop.open(run) == ["b", "c"]


def test_an_outside_job_that_ends_meanwhile_is_heard_of_later(shop: RepairShop) -> None:
    began, go = threading.Event(), threading.Event()

    def handler(job: Job) -> Done:
        began.set()
        go.wait(60)
        return Done({"kg": 4})

    shop.handlers.add_outside("weigh", handler, limit_s=120.0)
    shop.deploy("p", "start job a end", job=drawings.job("job", "weigh"))
    with shop.uow() as tx:
        run = start_instance(tx, shop.advance, "p", actor="operator")
    shop.worker.turn()
    assert began.wait(60)
    suspend_instance(shop.uow, run, **WHO)
    go.set()
    shop.worker.settle()
    assert shop.open(run) == []
    resume_instance(shop.uow, run, by="boss")
    shop.worker.settle()
    assert shop.open(run) == ["a"]
    assert shop.variables(run) == {"kg": 4}


def test_an_outside_job_is_not_begun_while_its_instance_stands_still(
    shop: RepairShop,
) -> None:
    calls: list[str] = []

    def handler(job: Job) -> Done:
        calls.append(job.task_id)
        return Done()

    shop.deploy("p", "start job end", job=drawings.job("job", "weigh"))
    run = shop.start("p")
    suspend_instance(shop.uow, run, **WHO)
    shop.handlers.add_outside("weigh", handler, limit_s=60.0)
    shop.worker.settle()
    assert calls == []
    resume_instance(shop.uow, run, by="boss")
    shop.worker.settle()
    assert len(calls) == 1
    assert shop.status(run) == "completed"


def test_what_stands_still_can_be_repaired_and_cancelled(shop: RepairShop) -> None:
    shop.deploy("p", "start a b end")
    run = shop.start("p")
    suspend_instance(shop.uow, run, **WHO)
    set_variables(shop.uow, shop.advance, run, {"n": 1}, **WHO)
    move_token(shop.uow, shop.advance, run, shop.task(run, "a"), "b", **WHO)
    assert shop.open(run) == ["b"]
    assert shop.instance(run).suspended is not None
    cancel_instance(shop.uow, shop.advance, run, **WHO)
    assert shop.status(run) == "cancelled"


def test_a_suspended_child_is_cancelled_with_its_caller(shop: RepairShop) -> None:
    shop.deploy("child", "start c end")
    shop.deploy("p", "start call end", call=drawings.call("call", "child"))
    run = shop.start("p")
    with shop.uow() as tx:
        (child,) = tx.instances.children(run)
    suspend_instance(shop.uow, child, **WHO)
    cancel_instance(shop.uow, shop.advance, run, **WHO)
    shop.worker.settle()
    assert shop.status(child) == "cancelled"


def test_suspending_twice_and_resuming_twice_is_told(shop: RepairShop) -> None:
    shop.deploy("p", "start a end")
    run = shop.start("p")
    with pytest.raises(NotSuspended):
        resume_instance(shop.uow, run, by="boss")
    with pytest.raises(ReasonMissing):
        suspend_instance(shop.uow, run, by="boss", reason=" ")
    suspend_instance(shop.uow, run, **WHO)
    with pytest.raises(AlreadySuspended, match="by boss: fire drill"):
        suspend_instance(shop.uow, run, by="bob", reason="me too")
    resume_instance(shop.uow, run, by="boss")
    shop.answer(run, "a")
    with pytest.raises(TaskGone):
        suspend_instance(shop.uow, run, **WHO)


def test_of_two_who_suspend_one_is_told(shop: RepairShop) -> None:
    shop.deploy("p", "start a end")
    run = shop.start("p")
    results = together(
        lambda: suspend_instance(shop.uow, run, by="ann", reason="x"),
        lambda: suspend_instance(shop.uow, run, by="bob", reason="y"),
    )
    (told,) = [r for r in results if r is not None]
    assert isinstance(told, AlreadySuspended | InstanceBusy)
    assert len(shop.told("suspended", run)) == 1


# -- processes ---------------------------------------------------------------------


def test_a_suspended_process_starts_no_instance(shop: RepairShop) -> None:
    shop.deploy("p", "start a end")
    run = shop.start("p")
    suspend_process(shop.uow, "p", **WHO)
    with pytest.raises(ProcessSuspended, match="suspended by boss: fire drill"):
        shop.start("p")
    assert shop.rows("SELECT count(*) FROM instances") == [(1,)]
    shop.answer(run, "a")
    assert shop.status(run) == "completed"
    resume_process(shop.uow, "p", by="boss")
    shop.start("p")
    with pytest.raises(ProcessUnknown):
        suspend_process(shop.uow, "nothing", **WHO)


def test_a_call_of_a_suspended_process_is_an_incident_to_be_retried(
    shop: RepairShop,
) -> None:
    shop.deploy("child", "start c end")
    shop.deploy("p", "start call end", call=drawings.call("call", "child"))
    suspend_process(shop.uow, "child", **WHO)
    run = shop.start("p")
    (incident,) = shop.incidents()
    assert "suspended by boss" in incident.message
    resume_process(shop.uow, "child", by="boss")
    retry_incident(shop.uow, shop.advance, incident.id, by="boss")
    shop.worker.settle()
    with shop.uow() as tx:
        (child,) = tx.instances.children(run)
    assert shop.open(child) == ["c"]


def test_the_instances_of_a_process_stand_still_with_it_if_asked(
    shop: RepairShop,
) -> None:
    shop.deploy("p", "start a end")
    runs = [shop.start("p") for _ in range(3)]
    suspend_instance(shop.uow, runs[0], by="bob", reason="earlier")
    assert suspend_process(shop.uow, "p", **WHO, instances=True) == 2
    assert all(shop.instance(run).suspended for run in runs)
    with pytest.raises(AlreadySuspended):
        suspend_process(shop.uow, "p", **WHO)
    assert resume_process(shop.uow, "p", by="boss", instances=True) == 3
    assert not any(shop.instance(run).suspended for run in runs)
    with pytest.raises(NotSuspended):
        resume_process(shop.uow, "p", by="boss")


def test_timers_that_came_due_fire_after_the_resumption_only(shop: RepairShop) -> None:
    shop.deploy("p", "start clock a end", clock=drawings.timer("clock", "PT5M"))
    run, other = shop.start("p"), shop.start("p")
    suspend_instance(shop.uow, run, **WHO)
    shop.clock.move(timedelta(minutes=10).total_seconds())
    shop.worker.settle()
    assert shop.open(run) == []
    assert shop.open(other) == ["a"]
    resume_instance(shop.uow, run, by="boss")
    shop.worker.settle()
    assert shop.open(run) == ["a"]


# -- robots and failures meanwhile -------------------------------------------------


DRIVE = (
    "<extensionElements><camunda:inputOutput>"
    '<camunda:inputParameter name="robot">robot1</camunda:inputParameter>'
    '<camunda:inputParameter name="place">A</camunda:inputParameter>'
    "</camunda:inputOutput></extensionElements>"
)


@pytest.mark.parametrize("state", [GoalState.REACHED, GoalState.FAILED])
def test_a_robot_that_arrives_meanwhile_is_free_and_heard_of_later(
    shop: RepairShop, state: GoalState
) -> None:
    world = factory_bootstrap.world_named("paint_factory")
    shop.handlers.add_inside("robot.move", of_factory(MoveRobot(world)))
    shop.deploy("p", "start job a end", job=drawings.job("job", "robot.move", DRIVE))
    with shop.uow() as tx:
        run = start_instance(tx, shop.advance, "p", actor="operator")
    assert RunJobs(shop.uow, shop.advance, shop.handlers).run_inside()
    suspend_instance(shop.uow, run, **WHO)
    ((goal_id,),) = shop.rows("SELECT id FROM goals")
    assert settle_goal(shop.uow, shop.advance, GoalReport(goal_id, state, "a chair"))
    assert shop.rows("SELECT state FROM goals") == [(str(state),)]
    assert shop.rows("SELECT kind FROM deliveries") != []
    assert shop.incidents() == []
    resume_instance(shop.uow, run, by="boss")
    shop.worker.settle()
    if state is GoalState.REACHED:
        assert shop.open(run) == ["a"]
        assert shop.variables(run)["position"] == "A"
    else:
        (incident,) = shop.incidents()
        assert incident.kind == "goal"
        retry_incident(shop.uow, shop.advance, incident.id, by="boss")


def test_a_job_that_fails_for_good_meanwhile_is_tried_again_afterwards(
    shop: RepairShop,
) -> None:
    began, go = threading.Event(), threading.Event()
    tries: list[str] = []

    def handler(job: Job) -> Done:
        tries.append(job.idempotency_key)
        if len(tries) == 1:
            began.set()
            go.wait(60)
            raise BusinessError("Jam", "paper jam")
        return Done({"printed": True})

    shop.handlers.add_outside("print", handler, limit_s=120.0)
    shop.deploy("p", "start job a end", job=drawings.job("job", "print"))
    with shop.uow() as tx:
        run = start_instance(tx, shop.advance, "p", actor="operator")
    shop.worker.turn()
    assert began.wait(60)
    suspend_instance(shop.uow, run, **WHO)
    go.set()
    shop.worker.settle()
    assert len(tries) == 1
    assert shop.incidents() == []
    resume_instance(shop.uow, run, by="boss")
    shop.worker.settle()
    assert shop.open(run) == ["a"]
    assert len(set(tries)) == 1
