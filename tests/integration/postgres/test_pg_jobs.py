"""The queue: claims, leases, retries."""

from typing import Any

import pytest

from mpms.adapters.postgres.database.unit_of_work import PostgresUnitOfWork
from mpms.domain.errors import InstanceBusy
from mpms.domain.instances.instances import InstanceStatus, Snapshot
from tests.support.checkers import there
from tests.support.waiting_instances import WaitingInstances

ANALYZE = "ANALYZE jobs, instances, deliveries"


def lease(
    uow: PostgresUnitOfWork, worker: str, lease_s: float = 600, n: int = 9
) -> Any:
    with uow() as tx:
        return tx.jobs.claim_outside(["drive"], worker=worker, lease_s=lease_s, limit=n)


def test_a_claimed_job_says_all_its_handler_needs(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    instance_id = plant.instance(business_key="ORD-3")
    task_id = plant.job(instance_id)
    with uow() as tx:
        job = tx.jobs.claim_inside(["weigh", "drive"])
    assert job is not None
    assert (job.task_id, job.instance_id, job.business_key) == (
        task_id,
        instance_id,
        "ORD-3",
    )
    assert (job.topic, job.element, job.inputs) == (
        "drive",
        "drive_to",
        {"to": "tank"},
    )
    assert (job.attempts, job.retry_delays_s) == (0, (1.0, 5.0))
    assert job.idempotency_key == f"{task_id}:0"


def test_a_job_without_inputs_gets_the_variables_of_its_instance(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    instance_id = plant.instance()
    plant.job(instance_id, inputs=None)
    with uow() as tx:
        saved = Snapshot(b"", {"kg": 3})
        tx.instances.save(instance_id, saved, InstanceStatus.ACTIVE, None)
    with uow() as tx:
        job = tx.jobs.claim_inside(["drive"])
        assert job is not None
        assert job.inputs == {"kg": 3}
    (leased,) = lease(uow, "w")
    assert leased.inputs == {"kg": 3}


def test_only_due_jobs_of_the_wanted_topics_are_claimed(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    plant.job(plant.instance(), "weigh")
    plant.job(plant.instance(), "drive")
    with uow() as tx:
        later = there(tx.jobs.claim_inside(["drive"]))
        tx.jobs.postpone(later.id, delay_s=3600, error=None, failed=False)
    with uow() as tx:
        assert tx.jobs.claim_inside(["drive"]) is None
        assert tx.jobs.claim_inside([]) is None
        assert there(tx.jobs.claim_inside(["drive", "weigh"])).topic == "weigh"
    assert lease(uow, "w") == []


@pytest.mark.parametrize("analyzed", [False, True])
def test_claims_go_from_old_to_new_and_lock_one_instance_each(
    uow: PostgresUnitOfWork, plant: WaitingInstances, analyzed: bool
) -> None:
    instances = [plant.instance() for _ in range(50)]
    for number, instance_id in enumerate(instances):
        plant.job(instance_id, "drive" if number % 2 else "weigh")
    if analyzed:
        with plant.pool.connection() as connection, connection.cursor() as cursor:
            cursor.execute(ANALYZE)
    with uow() as one, uow() as two:
        assert (
            there(one.jobs.claim_inside(["drive", "weigh"])).instance_id == instances[0]
        )
        assert (
            there(two.jobs.claim_inside(["drive", "weigh"])).instance_id == instances[1]
        )
        with uow() as three:
            for instance_id in instances[2:]:
                three.instances.lock(instance_id, wait_s=0)
        for taken in instances[:2]:
            with pytest.raises(InstanceBusy), uow() as four:
                four.instances.lock(taken, wait_s=0)


def test_a_claim_passes_over_locked_and_ended_instances(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    busy, ended, free = (plant.instance() for _ in range(3))
    for instance_id in (busy, ended, free):
        for _ in range(40):
            plant.job(instance_id)
    with uow() as tx:
        tx.instances.save(ended, Snapshot(b""), InstanceStatus.CANCELLED, None)
    with uow() as one:
        one.instances.lock(busy)
        with uow() as two:
            assert there(two.jobs.claim_inside(["drive"])).instance_id == free
            with uow() as three:
                assert three.jobs.claim_inside(["drive"]) is None


def test_a_rolled_back_claim_leaves_the_job_to_others(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    task_id = plant.job(plant.instance())

    def fail() -> None:
        with uow() as tx:
            tx.waits.close(
                there(tx.jobs.claim_inside(["drive"])).instance_id, [task_id]
            )
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with uow() as tx:
        assert there(tx.jobs.claim_inside(["drive"])).task_id == task_id


def test_a_leased_job_belongs_to_one_worker_until_the_lease_runs_out(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    task_id = plant.job(plant.instance())
    (job,) = lease(uow, "one", lease_s=600)
    assert lease(uow, "two") == []
    with uow() as tx:
        assert tx.jobs.claim_inside(["drive"]) is None
        assert tx.jobs.hold(job.id, "one")
        assert not tx.jobs.hold(job.id, "two")
        tx.jobs.renew("two", [job.id], 0)
        tx.jobs.renew("one", [job.id], 0)
    (again,) = lease(uow, "two")
    assert again == job
    assert (again.task_id, again.attempts) == (task_id, 0)
    with uow() as tx:
        assert not tx.jobs.hold(job.id, "one")
        assert tx.jobs.hold(job.id, "two")


def test_a_renewed_lease_is_not_taken(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    plant.job(plant.instance())
    (job,) = lease(uow, "one", lease_s=0)
    with uow() as tx:
        tx.jobs.renew("one", [job.id], 600)
    assert lease(uow, "two") == []


def test_leases_are_limited_and_in_order(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    instance_id = plant.instance()
    tasks = [plant.job(instance_id) for _ in range(7)]
    with uow() as one:
        taken = one.jobs.claim_outside(["drive"], worker="1", lease_s=60, limit=3)
        others = lease(uow, "two")
    assert [job.task_id for job in taken] == tasks[:3]
    assert [job.task_id for job in others] == tasks[3:]


def test_a_lease_leaves_the_instance_free(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    instance_id = plant.instance()
    plant.job(instance_id)
    with uow() as one:
        assert one.jobs.claim_outside(["drive"], worker="1", lease_s=60, limit=3)
        with uow() as two:
            two.instances.lock(instance_id, wait_s=0)


def test_holding_a_job_locks_its_instance_first(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    instance_id = plant.instance()
    task_id = plant.job(instance_id)
    (job,) = lease(uow, "one")
    held = []
    with uow() as tx:
        tx.instances.lock(instance_id)
        waiting = plant.meanwhile(
            lambda other: held.append(other.jobs.hold(job.id, "one"))
        )
        waiting.__enter__()
        plant.until_somebody_waits()
        tx.waits.close(instance_id, [task_id])
    waiting.__exit__(None, None, None)
    assert held == [False]


def test_a_worker_that_stops_gives_back_what_it_holds(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    instance_id = plant.instance()
    tasks = [plant.job(instance_id) for _ in range(2)]
    lease(uow, "one", n=2)
    with uow() as tx:
        assert tx.jobs.counts() == {
            "ready": 0,
            "leased": 2,
            "handed_on": 0,
            "given_up": 0,
        }
        assert tx.jobs.release("nobody") == 0
        assert tx.jobs.release("one") == 2
    assert [job.task_id for job in lease(uow, "two")] == tasks


def test_only_failures_count_as_attempts(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    plant.job(plant.instance())
    for failed, attempts in [(False, 0), (True, 1), (True, 2), (False, 2)]:
        (job,) = lease(uow, "one")
        with uow() as tx:
            assert tx.jobs.hold(job.id, "one")
            tx.jobs.postpone(job.id, delay_s=0, error="no answer", failed=failed)
        (job,) = lease(uow, "one")
        assert (job.attempts, job.idempotency_key) == (attempts, f"{job.task_id}:0")
        with uow() as tx:
            tx.jobs.release("one")
    assert plant.ask("SELECT last_error FROM jobs") == "no answer"


def test_a_job_that_was_handed_on_is_not_run_again_by_itself(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    task_id = plant.job(plant.instance())
    with uow() as tx:
        tx.jobs.wait_for_report(there(tx.jobs.claim_inside(["drive"])).id)
    with uow() as tx:
        assert tx.jobs.claim_inside(["drive"]) is None
        assert tx.jobs.counts()["handed_on"] == 1
    assert lease(uow, "one") == []
    with uow() as tx:
        assert tx.jobs.reset(task_id)
    (job,) = lease(uow, "one")
    assert job.idempotency_key == f"{task_id}:1"


def test_an_inside_job_is_held_by_nobody_in_particular(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    plant.job(plant.instance())
    with uow() as tx:
        job = there(tx.jobs.claim_inside(["drive"]))
        assert tx.jobs.hold(job.id, None)
        assert not tx.jobs.hold(job.id, "one")
    lease(uow, "one")
    with uow() as tx:
        assert not tx.jobs.hold(job.id, None)


def test_a_job_given_up_waits_for_an_operator_and_gets_a_new_key(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    task_id = plant.job(plant.instance())
    (job,) = lease(uow, "one")
    with uow() as tx:
        tx.jobs.postpone(job.id, delay_s=0, error="first", failed=True)
        tx.jobs.give_up(job.id, "at last")
    with uow() as tx:
        assert tx.jobs.claim_inside(["drive"]) is None
        assert tx.jobs.counts()["given_up"] == 1
        assert tx.jobs.reset(task_id)
        assert not tx.jobs.reset(task_id)
    (job,) = lease(uow, "one")
    assert (job.attempts, job.idempotency_key) == (0, f"{task_id}:1")
