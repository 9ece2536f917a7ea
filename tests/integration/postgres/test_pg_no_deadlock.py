"""Everything at once: nobody waits in a circle and no message is lost or doubled."""

import random
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from psycopg2.errors import DeadlockDetected

from mpms.adapters.postgres.database.unit_of_work import (
    PostgresTransaction,
    PostgresUnitOfWork,
)
from mpms.domain.errors import InstanceBusy
from mpms.domain.instances.instances import InstanceStatus, Snapshot
from mpms.domain.instances.steps import Throw, TimerWait
from tests.support.waiting_instances import WaitingInstances

SEED = 20300101
WORKERS = 6
ROUNDS = 60
INSTANCES = 6
EVENTS = ("question", "answer")
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


class Worker:
    """Does what workers and pages do, at random, and remembers what it committed."""

    def __init__(
        self, number: int, plant: WaitingInstances, instances: list[str]
    ) -> None:
        self.name = f"w{number}"
        self.random = random.Random(f"{SEED} {number}")
        self.plant = plant
        self.instances = instances
        self.thrown: list[str] = []
        self.received: list[str] = []
        self.leased: list[Any] = []
        self.failure: BaseException | None = None

    def run(self) -> None:
        acts = [
            self.claim_inside,
            self.claim_outside,
            self.settle,
            self.settle,
            self.claim_outside,
            self.lease_care,
            self.deliver,
            self.deliver,
            self.deliver,
            self.deliver,
            self.fire,
            self.rewrite,
        ]
        try:
            for _ in range(ROUNDS):
                self.once(self.random.choice(acts))
        except BaseException as error:
            self.failure = error

    def once(self, act: Callable[[PostgresTransaction], None]) -> None:
        thrown, received = len(self.thrown), len(self.received)
        try:
            with self.plant.uow() as tx:
                act(tx)
                if self.random.random() < 0.1:
                    raise ZeroDivisionError
        except ZeroDivisionError:
            del self.thrown[thrown:], self.received[received:]

    def step(self, tx: PostgresTransaction, instance_id: str, done: list[str]) -> None:
        """What advancing an instance does to its rows, in some order."""
        known = sorted(tx.waits.known(instance_id))
        others = [each for each in known if self.random.random() < 0.3]
        acts: list[Callable[[], object]] = [
            lambda: tx.waits.close(instance_id, {*done, *others}),
            lambda: self.throw(tx),
            lambda: self.subscribe(tx, instance_id),
        ]
        self.random.shuffle(acts)
        for act in acts:
            act()
        tx.waits.open_job(instance_id, self.plant.job_wait("inside"))
        tx.waits.open_job(instance_id, self.plant.job_wait("outside"))
        tx.waits.open_timer(
            instance_id, TimerWait(self.new_task(), "t", "t", None, LONG_AGO)
        )
        tx.events.append_many(instance_id, self.name, [("step", None, None, {})])
        tx.instances.save(instance_id, Snapshot(b"x"), InstanceStatus.ACTIVE, None)

    def new_task(self) -> str:
        return str(self.plant.job_wait().task_id)

    def throw(self, tx: PostgresTransaction) -> None:
        event = self.random.choice(EVENTS)
        if self.random.random() < 0.1:
            tx.deliveries.throw(Throw("signal", event, None, {}))
            tx.deliveries.add(self.random.choice(self.instances), "retry")
        number = f"{self.name}-{len(self.thrown)}-{self.random.random()}"
        tx.deliveries.throw(Throw("message", event, None, {"number": number}))
        self.thrown.append(number)

    def subscribe(self, tx: PostgresTransaction, instance_id: str) -> None:
        for kind in ("signal", "message"):
            wait = self.plant.event_wait(kind, self.random.choice(EVENTS))
            tx.waits.open_subscription(instance_id, wait)
            tx.deliveries.match(wait, instance_id)

    def claim_inside(self, tx: PostgresTransaction) -> None:
        if job := tx.jobs.claim_inside(["inside", "nothing"]):
            self.step(tx, job.instance_id, [job.task_id])

    def claim_outside(self, tx: PostgresTransaction) -> None:
        self.leased = tx.jobs.claim_outside(
            # Both kinds of claim may meet at one job only by mistake; try it.
            ["outside", "inside"],
            worker=self.name,
            lease_s=self.random.choice([0, 600]),
            limit=3,
        )

    def settle(self, tx: PostgresTransaction) -> None:
        if self.leased:
            job = self.leased.pop()
            if tx.jobs.hold(job.id, self.name):
                self.step(tx, job.instance_id, [job.task_id])

    def lease_care(self, tx: PostgresTransaction) -> None:
        tx.jobs.renew(self.name, range(1000), 600)
        tx.jobs.release(self.name)

    def deliver(self, tx: PostgresTransaction) -> None:
        if (claimed := tx.deliveries.claim()) is None:
            return
        instance_id, task_id, data = (
            claimed.instance_id,
            claimed.task_id,
            claimed.data,
        )
        if task_id is not None and task_id not in tx.waits.known(instance_id):
            if data["kind"] == "message":
                tx.deliveries.throw(
                    Throw("message", data["event"], None, data["variables"])
                )
            return
        if data.get("kind") == "message":
            self.received.append(data["variables"]["number"])
        self.step(tx, instance_id, [] if task_id is None else [task_id])

    def fire(self, tx: PostgresTransaction) -> None:
        for instance, task_id in tx.timers.claim_due(datetime.now(UTC), 3):
            self.step(tx, instance.id, [task_id])

    def rewrite(self, tx: PostgresTransaction) -> None:
        instance_id = self.random.choice(self.instances)
        tx.instances.lock(instance_id, wait_s=120)
        self.step(tx, instance_id, [])


def test_random_work_of_many_never_deadlocks_and_loses_no_message(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    print(f"seed {SEED}")
    instances = [plant.instance() for _ in range(INSTANCES)]
    for instance_id in instances:
        plant.job(instance_id, "inside")
        plant.job(instance_id, "outside")
        plant.timer(instance_id)
    workers = [Worker(number, plant, instances) for number in range(WORKERS)]
    threads = [threading.Thread(target=worker.run) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for worker in workers:
        if isinstance(worker.failure, InstanceBusy) and isinstance(
            worker.failure.__cause__, DeadlockDetected
        ):
            pytest.fail(f"deadlock: {worker.failure.__cause__}")
        if worker.failure is not None:
            raise worker.failure
    thrown = [number for worker in workers for number in worker.thrown]
    received = [number for worker in workers for number in worker.received]
    left = [
        each[3]["variables"]["number"]
        for each in plant.drain_deliveries()
        if each[3].get("kind") == "message"
    ]
    kept = plant.ask(
        "SELECT COALESCE(json_agg(variables ->> 'number'), '[]') FROM messages"
    )
    print(f"{len(thrown)} thrown, {len(received)} received, {len(kept)} kept")
    assert thrown
    assert sorted(thrown) == sorted([*received, *left, *kept])
