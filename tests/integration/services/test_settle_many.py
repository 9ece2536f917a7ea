"""Leased jobs that are settled together, and each stands for itself all the same."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import pytest

from mpms.domain.jobs import Answer, Done, Job, NotYet
from mpms.services.instances.start import start_instance
from mpms.services.jobs.run import RunJobs
from mpms.services.jobs.settle_many import settle_many
from tests.support.bench import Bench

WORK = (
    '<startEvent id="begin"/><endEvent id="end"/>'
    '<serviceTask id="work" camunda:type="external" camunda:topic="work"/>'
)


@pytest.fixture
def leased(bench: Bench) -> list[Job]:
    """Jobs of four instances under the lease of ``me``."""
    bench.deploy_drawn("line", WORK, "begin work", "work end")
    with bench.uow() as tx:
        for number in range(4):
            start_instance(
                tx, bench.advance, "line", variables={"number": number}, actor="test"
            )
    with bench.uow() as tx:
        return tx.jobs.claim_outside(["work"], worker="me", lease_s=60.0, limit=9)


@pytest.fixture
def jobs(bench: Bench) -> RunJobs:
    return RunJobs(bench.uow, bench.advance, bench.handlers)


def answered(jobs: list[Job], answer: Answer | None = None) -> list[tuple[Job, Answer]]:
    return [(job, answer or Done()) for job in jobs]


def completed_by_transaction(bench: Bench) -> list[int]:
    rows = bench.rows(
        "SELECT count(*) FROM events WHERE kind = 'instance completed'"
        " GROUP BY transaction ORDER BY 1"
    )
    return [count for (count,) in rows]


def test_answers_of_different_instances_share_a_transaction(
    bench: Bench, jobs: RunJobs, leased: list[Job]
) -> None:
    assert settle_many(jobs, answered(leased), "me") == []
    assert completed_by_transaction(bench) == [4]
    assert jobs.counts.run == {"work": 4}
    assert bench.live_rows() == {}


def test_who_lost_a_lease_settles_nothing_of_it(
    bench: Bench, jobs: RunJobs, leased: list[Job]
) -> None:
    bench.rows("UPDATE jobs SET leased_by = 'you' WHERE id = %s", leased[1].id)
    assert settle_many(jobs, answered(leased), "me") == []
    assert completed_by_transaction(bench) == [3]
    assert bench.rows("SELECT id, leased_by FROM jobs") == [(leased[1].id, "you")]


def test_an_answer_that_cannot_be_settled_does_not_take_others_with_it(
    bench: Bench, jobs: RunJobs, leased: list[Job]
) -> None:
    answers: list[tuple[Job, Any]] = answered(leased)
    answers[2] = (leased[2], Done({"unwritable": object()}))
    ((job, failure),) = settle_many(jobs, answers, "me")
    assert (job.id, type(failure)) == (leased[2].id, TypeError)
    assert sum(completed_by_transaction(bench)) == 3


def test_an_answer_may_also_be_that_it_is_too_early(
    bench: Bench, jobs: RunJobs, leased: list[Job]
) -> None:
    early = answered(leased[:2], NotYet(60.0, "the tank is full"))
    assert settle_many(jobs, early + answered(leased[2:]), "me") == []
    assert completed_by_transaction(bench) == [2]
    assert (
        bench.rows("SELECT attempts, last_error FROM jobs")
        == [(0, "the tank is full")] * 2
    )


def test_an_instance_that_somebody_has_is_waited_for_alone(
    bench: Bench, jobs: RunJobs, leased: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is let go before its own turn, after the others were settled."""
    finish = RunJobs.finish_outside
    with ExitStack() as held:
        other = held.enter_context(bench.uow())
        other.instances.lock(leased[0].instance_id)

        def then_free(self: RunJobs, *given: Any) -> bool:
            assert completed_by_transaction(bench) == [3]
            held.close()
            return finish(self, *given)

        monkeypatch.setattr(RunJobs, "finish_outside", then_free)
        assert settle_many(jobs, answered(leased), "me") == []
    assert sorted(completed_by_transaction(bench)) == [1, 3]
