"""Many jobs in one transaction: each stands for itself all the same."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from itertools import pairwise
from typing import Any

import psycopg2
import pytest

from mpms.domain.errors import BusinessError
from mpms.domain.instances.steps import Complete
from mpms.domain.jobs import Answer, Deferred, Done, Job, NotYet
from mpms.services.instances.start import start_instance
from mpms.services.jobs.run import RunJobs
from mpms.services.jobs.run_many import RunMany
from tests.support.bench import Bench

TASK = '<serviceTask id="{0}" camunda:type="external" camunda:topic="{1}"/>'
ENDS = '<startEvent id="begin"/><endEvent id="end"/>'


def deploy_line(bench: Bench, *topics: str) -> None:
    """One service task after the other, named like its place."""
    names = [f"t{n}" for n in range(len(topics))]
    elements = "".join(map(TASK.format, names, topics))
    path = ["begin", *names, "end"]
    ways = [f"{a} {b}" for a, b in pairwise(path)]
    bench.deploy_drawn("line", ENDS + elements, *ways)


def start(bench: Bench, number: int) -> list[str]:
    """Instances that wait for their first job."""
    with bench.uow() as tx:
        return [
            start_instance(
                tx, bench.advance, "line", variables={"number": n}, actor="test"
            )
            for n in range(number)
        ]


def many(bench: Bench, **limits: Any) -> RunMany:
    jobs = RunJobs(bench.uow, bench.advance, bench.handlers)
    return RunMany(jobs, **({"longest_s": 60.0} | limits))


def transactions(bench: Bench, kind: str, actor: str = "work") -> Counter[str]:
    """How many lines of a kind each transaction has written."""
    rows = bench.rows(
        "SELECT transaction::text, count(*) FROM events"
        " WHERE kind = %s AND actor = %s GROUP BY 1",
        kind,
        actor,
    )
    return Counter(dict(rows))


def completed(bench: Bench) -> int:
    return int(
        bench.rows("SELECT count(*) FROM instances WHERE status = 'completed'")[0][0]
    )


def test_jobs_of_different_instances_share_a_transaction(bench: Bench) -> None:
    bench.handlers.add_inside("work", lambda tx, job: Done({"by": job.element}))
    deploy_line(bench, "work")
    start(bench, 30)
    run = many(bench, most=25)
    assert [(run(), run.more) for _ in range(3)] == [(25, True), (5, False), (0, False)]
    assert sorted(transactions(bench, "instance completed").values()) == [5, 25]
    assert bench.live_rows() == {}
    assert run.jobs.counts.run == {"work": 30}


@pytest.mark.parametrize(
    "failure", [OSError("away"), psycopg2.errors.UniqueViolation("twice")]
)
def test_a_failing_job_does_not_fail_its_neighbours(
    bench: Bench, failure: Exception
) -> None:
    calls: list[int] = []

    def work(tx: Any, job: Job) -> Answer:
        number = job.inputs["number"]
        calls.append(number)
        tx.events.append("message sent", actor=str(number))
        if number == 3:
            tx.events.last(1)  # its line is with the database when it fails
        if number in (3, 5):
            raise failure
        return Done()

    bench.handlers.add_inside("work", work)
    deploy_line(bench, "work")
    start(bench, 8)
    run = many(bench)
    run()
    assert sorted(calls) == list(range(8))
    assert completed(bench) == 6
    assert (
        bench.rows("SELECT attempts, last_error FROM jobs") == [(1, str(failure))] * 2
    )
    rows = "SELECT actor FROM events WHERE kind = 'message sent' ORDER BY id"
    assert [actor for (actor,) in bench.rows(rows)] == ["0", "1", "2", "4", "6", "7"]
    assert list(transactions(bench, "instance completed").values()) == [6]
    assert run.jobs.counts.failed == {"work": 2}


def test_a_job_whose_rows_cannot_be_written_fails_alone(bench: Bench) -> None:
    """Nobody knows whose row it was: all are undone and each is done again."""

    def work(tx: Any, job: Job) -> Answer:
        task = "no uuid" if job.inputs["number"] == 2 else job.task_id
        tx.events.append("message sent", actor="work", task_id=task)
        return Done()

    bench.handlers.add_inside("work", work)
    deploy_line(bench, "work")
    start(bench, 5)
    run = many(bench)
    run()
    assert completed(bench) == 4
    ((attempts, error),) = bench.rows("SELECT attempts, last_error FROM jobs")
    assert attempts == 1
    assert "uuid" in error
    assert run.jobs.counts.run["work"] - run.jobs.counts.failed["work"] == 4


def test_an_error_for_the_model_is_offered_to_it_at_once(bench: Bench) -> None:
    def work(tx: Any, job: Job) -> Answer:
        if job.inputs["number"] == 1:
            raise BusinessError("Full", "the tank is full")
        return Done()

    bench.handlers.add_inside("work", work)
    deploy_line(bench, "work")
    start(bench, 3)
    many(bench)()
    assert completed(bench) == 2
    assert bench.rows("SELECT kind, message FROM incidents") == [
        ("job", "work: Full: the tank is full")
    ]


def test_steps_in_a_row_are_taken_at_once_and_told_one_by_one(bench: Bench) -> None:
    bench.handlers.add_inside("work", lambda tx, job: Done({job.element: True}))
    deploy_line(bench, *["work"] * 5)
    (instance_id,) = start(bench, 1)
    many(bench, in_a_row=3)()
    assert bench.left(instance_id) == ["begin", "t0", "t1", "t2"]
    assert bench.rows("SELECT element FROM jobs") == [("t3",)]
    many(bench, in_a_row=3)()
    assert bench.left(instance_id) == ["begin", "t0", "t1", "t2", "t3", "t4", "end"]
    assert bench.variables(instance_id) == {"number": 0} | {
        f"t{n}": True for n in range(5)
    }
    times = bench.rows("SELECT at FROM events ORDER BY id")
    assert times == sorted(times)
    assert bench.live_rows() == {}


def test_a_row_of_steps_ends_when_its_time_is_up(bench: Bench) -> None:
    now = [0.0]

    def slow(tx: Any, job: Job) -> Answer:
        now[0] += 1.0
        return Done()

    bench.handlers.add_inside("work", slow)
    deploy_line(bench, "work", "work")
    start(bench, 3)
    run = many(bench, longest_s=0.5, monotonic_s=lambda: now[0])
    assert run() == 1  # others may have the rest
    assert bench.rows("SELECT element FROM jobs ORDER BY element") == [
        ("t0",),
        ("t0",),
        ("t1",),
    ]


def test_a_slow_handler_locks_no_others_in_vain(bench: Bench) -> None:
    """Nobody can answer a form of an instance that is claimed and has no turn."""
    now, free = [0.0], []

    def slow(tx: Any, job: Job) -> Answer:
        now[0] += 1.0
        with bench.uow() as other:
            rest = other.jobs.claim_some(["work"], 99)
        free.append(len(rest))
        return Done()

    bench.handlers.add_inside("work", slow)
    deploy_line(bench, "work")
    start(bench, 8)
    run = many(bench, longest_s=0.5, monotonic_s=lambda: now[0])
    assert [run() for _ in range(4)] == [1, 1, 1, 1]
    assert free == [0, 6, 5, 4]


@pytest.mark.parametrize(
    ("answer", "row"),
    [
        (NotYet(60.0, "the tank is full"), ("ready", 0, "the tank is full", True)),
        (Deferred(), ("handed_on", 0, None, False)),
        (OSError("away"), ("ready", 1, "away", True)),
    ],
)
def test_what_follows_and_is_not_done_lies_in_the_queue(
    bench: Bench, answer: Answer | Exception, row: tuple[Any, ...]
) -> None:
    calls: list[str] = []

    def second(tx: Any, job: Job) -> Answer:
        calls.append(job.idempotency_key)
        if isinstance(answer, Exception):
            raise answer
        return answer

    bench.handlers.add_inside("first", lambda tx, job: Done({"first": True}))
    bench.handlers.add_inside("second", second)
    deploy_line(bench, "first", "second")
    (instance_id,) = start(bench, 1)
    many(bench)()
    assert bench.left(instance_id) == ["begin", "t0"]
    ((task_id, *found),) = bench.rows(
        "SELECT task_id, state, attempts, last_error, run_at > now() FROM jobs"
    )
    assert tuple(found) == row
    assert calls == [f"{task_id}:0"]


def test_what_a_handler_changes_in_its_inputs_stays_with_it(bench: Bench) -> None:
    def work(tx: Any, job: Job) -> Answer:
        job.inputs["list"].append("mine")
        return Done()

    bench.handlers.add_inside("work", work)
    deploy_line(bench, "work", "work", "work")
    instance_id = bench.start("line", list=[])
    assert bench.variables(instance_id) == {"list": []}


def test_a_job_that_must_wait_for_a_lock_is_done_after_the_others(
    bench: Bench, database_url: str
) -> None:
    """Who holds many instances does not wait for what somebody else holds."""
    locked: list[bool] = []

    def work(tx: Any, job: Job) -> Answer:
        if job.inputs["number"] == 0 and not locked:
            locked.append(True)
            with closing(psycopg2.connect(database_url)) as other:
                other.cursor().execute("LOCK TABLE webhooks")
                tx.webhooks.listing()
        return Done()

    bench.handlers.add_inside("work", work)
    deploy_line(bench, "work")
    start(bench, 3)
    many(bench)()
    assert completed(bench) == 3
    assert sorted(transactions(bench, "instance completed").values()) == [1, 2]
    assert bench.rows("SELECT kind FROM events WHERE kind = 'job failed'") == []


def test_two_branches_of_an_instance_take_turns(bench: Bench) -> None:
    bench.handlers.add_inside("work", lambda tx, job: Done({job.element: True}))
    bench.deploy_drawn(
        "line",
        ENDS
        + '<parallelGateway id="split"/><parallelGateway id="join"/>'
        + TASK.format("one", "work")
        + TASK.format("two", "work"),
        *("begin split", "split one", "split two", "one join", "two join", "join end"),
    )
    (instance_id,) = start(bench, 1)
    run = many(bench)
    assert [run(), run(), run()] == [1, 1, 0]
    assert bench.instance(instance_id).status == "completed"


def test_a_handler_that_moves_its_own_instance_is_followed_by_its_answer(
    bench: Bench,
) -> None:
    """What it has changed is read again before its own step."""

    def work(tx: Any, job: Job) -> Answer:
        if job.element == "one":
            instance = tx.instances.lock(job.instance_id)
            definition = tx.definitions.by_id(instance.definition_id)
            waits = bench.advance.engine.waits(definition, instance.snapshot)
            (other,) = [wait for wait in waits if wait.element == "two"]
            command = Complete(other.task_id, {"two": "by one"})
            bench.advance(tx, instance, command, actor="one")
        return Done({job.element: True})

    bench.handlers.add_inside("work", work)
    bench.deploy_drawn(
        "line",
        ENDS
        + '<parallelGateway id="split"/><parallelGateway id="join"/>'
        + TASK.format("one", "work")
        + TASK.format("two", "by hand"),
        *("begin split", "split one", "split two", "one join", "two join", "join end"),
    )
    (instance_id,) = start(bench, 1)
    many(bench)()
    assert bench.variables(instance_id) == {"number": 0, "one": True, "two": "by one"}
