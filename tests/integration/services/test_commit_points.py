"""Commit points and priorities of jobs, with workers and real rows."""

from __future__ import annotations

import pytest

from mpms.domain.instances.steps import GO_ON_TOPIC
from mpms.domain.jobs import Done, Job
from mpms.ports.store import Transaction
from mpms.services.jobs.run import RunJobs
from mpms.services.jobs.run_many import RunMany
from tests.support.bench import Bench

pytestmark = pytest.mark.covers("A3")

ENDS = '<startEvent id="begin"/><endEvent id="end"/>'


def task(name: str, topic: str, words: str = "") -> str:
    return (
        f'<serviceTask id="{name}" camunda:type="external" camunda:topic="{topic}"'
        f" {words}/>"
    )


def test_what_stands_before_a_commit_point_is_another_transaction(
    bench: Bench,
) -> None:
    bench.handlers.add_inside("work", lambda tx, job: Done({job.element: True}))
    elements = (
        ENDS + task("a", "work") + task("b", "work", 'camunda:asyncBefore="true"')
    )
    bench.deploy_drawn("line", elements, "begin a", "a b", "b end")
    instance_id = bench.start("line")
    assert bench.variables(instance_id) == {"a": True, "b": True}
    assert bench.rows("SELECT count(*) FROM jobs") == [(0,)]
    ((apart,),) = bench.rows(
        "SELECT count(DISTINCT transaction) FROM events"
        " WHERE kind = 'left' AND element IN ('a', 'b')"
    )
    assert apart == 2


def test_a_start_answers_before_the_work_behind_its_commit_point(bench: Bench) -> None:
    elements = '<startEvent id="begin" camunda:asyncAfter="true"/><userTask id="ask"/>'
    bench.deploy_drawn("later", elements, "begin ask")
    instance_id = bench.start_only("later")
    assert bench.forms(instance_id) == []
    assert bench.rows("SELECT topic FROM jobs") == [(GO_ON_TOPIC,)]
    bench.worker.settle()
    assert [form.element for form in bench.forms(instance_id)] == ["ask"]


def test_workers_take_up_what_has_the_higher_priority_first(bench: Bench) -> None:
    done: list[str] = []

    def work(_tx: Transaction, job: Job) -> Done:
        done.append(job.element)
        return Done()

    bench.handlers.add_inside("work", work)
    for name, words in (
        ("low", ""),
        ("high", 'camunda:taskPriority="${5 + 5}"'),
        ("middle", 'camunda:jobPriority="5"'),
    ):
        elements = ENDS + task(name, "work", words)
        bench.deploy_drawn(f"of_{name}", elements, f"begin {name}", f"{name} end")
        bench.start_only(f"of_{name}")
    one_by_one = RunMany(RunJobs(bench.uow, bench.advance, bench.handlers), most=1)
    while one_by_one():
        pass
    assert done == ["high", "middle", "low"]


def test_a_worker_of_others_gets_the_higher_priority_first(bench: Bench) -> None:
    for name, priority in (("low", 1), ("high", 9)):
        elements = ENDS + task(name, "outside", f'camunda:taskPriority="{priority}"')
        bench.deploy_drawn(f"of_{name}", elements, f"begin {name}", f"{name} end")
        bench.start_only(f"of_{name}")
    with bench.uow() as tx:
        leased = tx.jobs.claim_outside(["outside"], worker="w", lease_s=9, limit=2)
    assert [job.element for job in leased] == ["high", "low"]


def test_a_process_is_started_by_either_of_its_triggers(bench: Bench) -> None:
    elements = (
        '<startEvent id="begin"><messageEventDefinition messageRef="order"/>'
        '<signalEventDefinition signalRef="restock"/></startEvent><userTask id="ask"/>'
    )
    bench.deploy_drawn(
        "either",
        elements,
        "begin ask",
        declared='<message id="order" name="order"/>'
        '<signal id="restock" name="restock"/>',
    )
    bench.throw("message", "order")
    bench.throw("signal", "restock")
    assert bench.rows("SELECT count(*) FROM instances WHERE key = 'either'") == [(2,)]
