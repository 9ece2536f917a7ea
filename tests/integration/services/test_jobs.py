"""Jobs: tried again with back-off, then the model's matter, then an operator's."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from mpms import bootstrap
from mpms.domain.errors import BusinessError
from mpms.domain.jobs import Answer, Deferred, Done, Job, NotYet
from mpms.engine.runner import SpiffEngine
from mpms.services.instances.advance import Advance
from mpms.services.instances.repair import retry_incident
from mpms.services.instances.start import start_instance
from mpms.services.jobs.handlers import Handlers, OutsideHandler
from mpms.services.models.deploy import deploy_models
from tests.support.bench import Bench
from tests.support.fakes import Flaky
from tests.support.waiting import eventually

each_reach = pytest.mark.parametrize("reach", ["inside", "outside"])
TASK = (
    '<serviceTask id="work" camunda:type="external" camunda:topic="work">'
    "<extensionElements><camunda:failedJobRetryTimeCycle>{cycle}"
    "</camunda:failedJobRetryTimeCycle></extensionElements></serviceTask>"
)
CATCHER = (
    '<boundaryEvent id="caught" attachedToRef="work"><errorEventDefinition'
    ' id="caught_error" {ref} camunda:errorCodeVariable="code"'
    ' camunda:errorMessageVariable="message"/></boundaryEvent>'
)
ENDS = '<startEvent id="begin"/><endEvent id="end"/><endEvent id="other_end"/>'


def add(bench: Bench, reach: str, handler: Callable[..., Answer]) -> None:
    if reach == "inside":
        bench.handlers.add_inside("work", handler)
    else:
        bench.handlers.add_outside("work", handler)


def deploy(bench: Bench, *, cycle: str = "R3/PT10S", catch: str | None = None) -> None:
    """One service task, with a boundary event if an error is to be caught."""
    elements = ENDS + TASK.format(cycle=cycle)
    ways = ["begin work", "work end"]
    declared = ""
    if catch is not None:
        declared = f'<error id="cause" name="cause" errorCode="{catch}"/>'
        elements += CATCHER.format(ref='errorRef="cause"' if catch else "")
        ways.append("caught other_end")
    else:
        elements = elements.replace('<endEvent id="other_end"/>', "")
    bench.deploy_drawn("probe", elements, *ways, declared=declared if catch else "")


@each_reach
def test_a_handlers_result_becomes_variables(bench: Bench, reach: str) -> None:
    add(bench, reach, Flaky())
    deploy(bench)
    instance_id = bench.start("probe")
    assert bench.instance(instance_id).status == "completed"
    assert bench.variables(instance_id)["done_by"] == "work"
    assert bench.live_rows() == {}


@each_reach
def test_a_failing_job_is_tried_again_after_its_delays_with_the_same_key(
    bench: Bench, reach: str
) -> None:
    handler = Flaky(OSError("away"), OSError("away"))
    add(bench, reach, handler)
    deploy(bench, cycle="PT10M,PT1H,PT2H")
    instance_id = bench.start("probe")
    for attempt, delay_s in ((1, 600), (2, 3600)):
        assert bench.rows(
            "SELECT attempts, last_error, state, leased_by,"
            " run_at > now(), run_at <= now() + make_interval(secs => "
            f"{delay_s}) FROM jobs"
        ) == [(attempt, "away", "ready", None, True, True)]
        bench.worker.settle()
        assert len(handler.keys) == attempt
        bench.due_now()
    assert bench.instance(instance_id).status == "completed"
    assert len(handler.keys) == 3
    assert len(set(handler.keys)) == 1
    kinds = [kind for kind, _ in bench.elements_of(instance_id)]
    assert kinds.count("job failed") == 2
    assert bench.incidents() == []


@each_reach
def test_after_the_last_attempt_the_tasks_own_boundary_catches_it(
    bench: Bench, reach: str
) -> None:
    handler = Flaky(*(OSError("the disk is full") for _ in range(9)))
    add(bench, reach, handler)
    deploy(bench, cycle="R2/PT5S", catch="")
    instance_id = bench.start("probe")
    bench.use_up_attempts()
    assert bench.instance(instance_id).status == "completed"
    assert "other_end" in bench.left(instance_id)
    variables = bench.variables(instance_id)
    assert (variables["code"], variables["message"]) == ("OSError", "the disk is full")
    assert bench.incidents() == []
    assert bench.live_rows() == {}


@each_reach
def test_what_nobody_catches_opens_an_incident_and_can_be_retried(
    bench: Bench, reach: str
) -> None:
    handler = Flaky(*(RuntimeError("boom") for _ in range(9)))
    add(bench, reach, handler)
    deploy(bench, cycle="R1/PT1H", catch="SomethingElse")
    instance_id = bench.start("probe")
    bench.use_up_attempts()
    assert bench.instance(instance_id).status == "active"
    (incident,) = bench.incidents()
    assert (incident.kind, incident.element, incident.instance_id) == (
        "job",
        "work",
        instance_id,
    )
    assert incident.message == "work: RuntimeError: boom"
    assert bench.rows("SELECT state, leased_by FROM jobs") == [("given_up", None)]
    tried = len(handler.keys)
    bench.due_now()
    assert len(handler.keys) == tried

    handler.failures.clear()
    retry_incident(bench.uow, bench.advance, incident.id, by="boss")
    bench.worker.settle()
    assert bench.instance(instance_id).status == "completed"
    assert bench.incidents() == []
    assert bench.rows("SELECT resolved_by FROM incidents") == [("boss",)]
    assert len(set(handler.keys)) == 2  # an operator's retry is new work
    assert ("retry", "work") in bench.elements_of(instance_id)


@each_reach
def test_a_business_error_is_offered_to_the_model_at_once(
    bench: Bench, reach: str
) -> None:
    handler = Flaky(BusinessError("OutOfStock", "no titanium left"))
    add(bench, reach, handler)
    deploy(bench, cycle="R3/PT5S", catch="OutOfStock")
    instance_id = bench.start("probe")
    assert bench.instance(instance_id).status == "completed"
    assert bench.variables(instance_id)["message"] == "no titanium left"
    assert len(handler.keys) == 1


@each_reach
def test_other_branches_go_on_while_one_needs_an_operator(
    bench: Bench, reach: str
) -> None:
    add(bench, reach, Flaky(BusinessError("Nobody", "catches this")))
    bench.deploy_drawn(
        "branches",
        '<startEvent id="begin"/><parallelGateway id="fork"/>'
        + TASK.format(cycle="R1/PT1H")
        + '<userTask id="sign"/><userTask id="sign_again"/>'
        '<parallelGateway id="join"/><endEvent id="end"/>',
        *("begin fork", "fork work", "fork sign", "sign sign_again"),
        *("work join", "sign_again join", "join end"),
    )
    instance_id = bench.start("branches")
    (incident,) = bench.incidents()
    for element in ("sign", "sign_again"):
        (task,) = bench.forms(instance_id)
        assert task.element == element
        bench.submit(task.task_id, {})
    assert bench.forms(instance_id) == []
    retry_incident(bench.uow, bench.advance, incident.id, by="boss")
    bench.worker.settle()
    assert bench.instance(instance_id).status == "completed"


@each_reach
def test_an_unknown_answer_of_a_handler_is_a_failure(bench: Bench, reach: str) -> None:
    add(bench, reach, lambda *_: Done({"when": object()}))
    deploy(bench, cycle="R1/PT1H", catch="SomethingElse")
    instance_id = bench.start("probe")
    bench.use_up_attempts()
    (incident,) = bench.incidents()
    assert incident.instance_id == instance_id
    assert bench.variables(instance_id) == {}


@each_reach
def test_work_that_is_too_early_is_looked_at_again_and_counts_no_attempt(
    bench: Bench, reach: str
) -> None:
    answers: list[Answer] = [NotYet(3600.0, "the tank is full"), Done()]
    add(bench, reach, lambda *_: answers.pop(0))
    deploy(bench)
    instance_id = bench.start("probe")
    assert bench.rows("SELECT attempts, last_error, run_at > now() FROM jobs") == [
        (0, "the tank is full", True)
    ]
    bench.due_now()
    assert bench.instance(instance_id).status == "completed"


@each_reach
def test_work_that_was_handed_on_is_not_run_again(bench: Bench, reach: str) -> None:
    calls: list[str] = []

    def hand_on(*arguments: Any) -> Answer:
        calls.append(arguments[-1].task_id)
        return Deferred()

    add(bench, reach, hand_on)
    deploy(bench)
    bench.start("probe")
    bench.due_now()
    assert len(calls) == 1
    assert bench.rows("SELECT state, leased_by FROM jobs") == [("handed_on", None)]


def test_an_inside_handler_that_fails_leaves_none_of_its_rows(bench: Bench) -> None:
    def half(tx: Any, job: Job) -> Answer:
        tx.events.append("message sent", actor="work", instance_id=job.instance_id)
        raise OSError("then it broke")

    bench.handlers.add_inside("work", half)
    deploy(bench)
    instance_id = bench.start("probe")
    kinds = [kind for kind, _ in bench.elements_of(instance_id)]
    assert "message sent" not in kinds
    assert "job failed" in kinds


def test_a_handler_that_hangs_past_its_limit_counts_as_failed(bench: Bench) -> None:
    stuck, calls = threading.Event(), []

    def hang(job: Job) -> Answer:
        calls.append(job.idempotency_key)
        if len(calls) == 1:
            stuck.wait(60)
            return Done({"late": True})
        return Done({"late": False})

    bench.handlers.add_outside("work", hang, limit_s=0.2)
    deploy(bench, cycle="PT1H,PT1H")
    instance_id = bench.start("probe")  # settling ends when the limit has passed
    assert bench.rows("SELECT attempts, last_error, leased_by FROM jobs") == [
        (1, "work did not answer within 0.2 s", None)
    ]
    # The second attempt may be slow on a busy machine, but it must not be the first
    # one's late answer that counts.
    bench.handlers.outside["work"] = OutsideHandler(hang, 60.0)
    bench.due_now()
    assert bench.variables(instance_id) == {"late": False}
    stuck.set()
    eventually(lambda: all(not t.name.startswith("job") for t in threading.enumerate()))
    bench.worker.turn()
    assert bench.variables(instance_id) == {"late": False}
    assert len(set(calls)) == 1


def test_a_late_answer_is_not_taken_for_that_of_the_next_attempt(bench: Bench) -> None:
    gates = [threading.Event(), threading.Event()]
    calls: list[int] = []

    def hang(job: Job) -> Answer:
        attempt = len(calls)
        calls.append(attempt)
        gates[attempt].wait(60)
        return Done({"attempt": attempt})

    bench.handlers.add_outside("work", hang, limit_s=0.1)
    deploy(bench, cycle="PT1H,PT1H")
    instance_id = bench.start("probe")
    bench.handlers.outside["work"] = OutsideHandler(hang, 60.0)
    bench.rows("UPDATE jobs SET run_at = now()")
    eventually(lambda: bench.worker.turn() is not None and len(calls) == 2)
    gates[0].set()
    eventually(
        lambda: sum(t.name.startswith("job") for t in threading.enumerate()) == 1
    )
    bench.worker.turn()
    assert bench.variables(instance_id) == {}
    gates[1].set()
    bench.worker.settle()
    assert bench.variables(instance_id) == {"attempt": 1}


def test_an_expired_lease_is_taken_over_with_the_same_idempotency_key(
    bench: Bench,
) -> None:
    deploy(bench)
    instance_id = bench.start("probe")
    with bench.uow() as tx:  # a worker that dies right after claiming
        (lost,) = tx.jobs.claim_outside(["work"], worker="dead", lease_s=30.0, limit=9)
    seen: list[str] = []

    def work(job: Job) -> Answer:
        seen.append(job.idempotency_key)
        return Done({"by": "the second worker"})

    bench.handlers.add_outside("work", work)
    second = bench.another_worker("second")
    second.settle()
    assert seen == []  # the lease still holds
    bench.rows("UPDATE jobs SET lease_until = now() - interval '1 second'")
    second.settle()
    assert seen == [lost.idempotency_key]
    assert bench.variables(instance_id) == {"by": "the second worker"}


def test_a_worker_that_lost_its_lease_cannot_settle_the_job(bench: Bench) -> None:
    gate = threading.Event()

    def slow(job: Job) -> Answer:
        gate.wait(60)
        return Done({"by": "the first worker"})

    bench.handlers.add_outside("work", slow)
    deploy(bench)
    instance_id = bench.start_only("probe")
    bench.worker.turn()
    bench.rows(
        "UPDATE jobs SET leased_by = 'second', lease_until = now() + interval '1 h'"
    )
    gate.set()
    bench.worker.settle()
    assert bench.instance(instance_id).status == "active"
    assert bench.rows("SELECT leased_by, attempts FROM jobs") == [("second", 0)]


def test_a_lease_is_renewed_while_the_handler_runs(bench: Bench) -> None:
    gate = threading.Event()

    def slow(job: Job) -> Answer:
        gate.wait(60)
        return Done()

    bench.handlers.add_outside("work", slow)
    deploy(bench)
    bench.worker = bench.another_worker("slow", lease_s=3.0)
    instance_id = bench.start_only("probe")
    bench.worker.turn()
    lease = "SELECT lease_until FROM jobs"
    first = bench.rows(lease)[0][0]
    renewed = first
    while renewed == first:
        bench.worker.turn()
        renewed = bench.rows(lease)[0][0]
    assert renewed > first
    gate.set()
    bench.worker.settle()
    assert bench.instance(instance_id).status == "completed"


def test_a_pure_handler_runs_inside_the_step_without_a_job(database_url: str) -> None:
    handlers = Handlers()
    handlers.add_pure("double", lambda inputs: {"result": 2 * inputs["n"]})
    services = bootstrap.connect(database_url)
    services.engine = SpiffEngine(handlers.pure)
    services.advance = Advance(services.engine, services.clock)
    model = b"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
      xmlns:camunda="http://camunda.org/schema/1.0/bpmn" id="d" targetNamespace="t">
      <process id="pure" isExecutable="true"><startEvent id="begin"/>
      <serviceTask id="work" camunda:type="external" camunda:topic="double"/>
      <endEvent id="end"/>
      <sequenceFlow id="one" sourceRef="begin" targetRef="work"/>
      <sequenceFlow id="two" sourceRef="work" targetRef="end"/></process>
      </definitions>"""
    deploy_models(services.uow, services.engine, {"pure.bpmn": model}, by="engineer")
    with services.uow() as tx:
        instance_id = start_instance(
            tx, services.advance, "pure", variables={"n": 21}, actor="operator"
        )
        instance = tx.instances.get(instance_id)
    assert instance.status == "completed"
    assert instance.snapshot is not None
    assert instance.snapshot.variables["result"] == 42
    services.close()
