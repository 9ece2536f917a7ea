"""A bench for the services: small models written in the test, real PostgreSQL.

Each test draws the few elements it needs, deploys them and drives the worker by hand.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import psycopg2
import pytest

from mpms import bootstrap
from mpms.adapters.memory import FixedClock, LoopbackRobots
from mpms.domain.instances import Instance
from mpms.domain.jobs import Answer, Done, Job
from mpms.domain.steps import Throw
from mpms.domain.tasks import FormTask
from mpms.services.deploy_models import deploy_models
from mpms.services.handlers import Handlers
from mpms.services.start_instance import start_instance
from mpms.services.submit_form import Submitted, submit_form
from mpms.worker import Worker

MORNING = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
WAIT_S = 60.0
MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    id="drawing" targetNamespace="urn:test">
{declared}
<process id="{key}" name="{key} process" isExecutable="true">
{elements}
{flows}
</process>
</definitions>
"""


class SilentAlarm:
    """Counts how often somebody was woken; sleeps never."""

    def __init__(self) -> None:
        self.woken = 0

    def wait(self, timeout_s: float) -> object:
        raise AssertionError("a worker driven by hand does not sleep")

    def wake(self) -> None:
        self.woken += 1


class Bench:
    """Deploys drawings, starts them and shows what became of them."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.clock = FixedClock(MORNING)
        self.handlers = Handlers()
        self.services = bootstrap.connect(url, clock=self.clock)
        self.uow = self.services.uow
        self.advance = self.services.advance
        self.engine = self.services.engine
        self.world = bootstrap.world_named("paint_factory")
        self.robots = LoopbackRobots(self.world)
        self.worker = self.another_worker("by hand")

    def another_worker(
        self, name: str, *, lease_s: float = 30.0, topic_patience_s: float = 60.0
    ) -> Worker:
        return Worker(
            self.uow,
            self.advance,
            self.handlers,
            self.robots,
            SilentAlarm(),
            name=name,
            lease_s=lease_s,
            topic_patience_s=topic_patience_s,
        )

    def close(self) -> None:
        self.robots.close()
        self.services.close()

    # -- drawings -----------------------------------------------------------------

    def draw(
        self, key: str, elements: str, *ways: str, declared: str = ""
    ) -> dict[str, bytes]:
        """A model whose flows are written as 'from to' or 'from to condition'."""
        flows = []
        for way in ways:
            source, target, *condition = way.split(" ", 2)
            inner = "".join(
                f'<conditionExpression xsi:type="tFormalExpression">{c}'
                "</conditionExpression>"
                for c in condition
            )
            flows.append(
                f'<sequenceFlow id="{source}_to_{target}" sourceRef="{source}"'
                f' targetRef="{target}">{inner}</sequenceFlow>'
            )
        text = MODEL.format(
            key=key, declared=declared, elements=elements, flows="\n".join(flows)
        )
        return {f"{key}.bpmn": text.encode()}

    def deploy(self, files: dict[str, bytes]) -> None:
        deploy_models(self.uow, self.engine, files, by="engineer")

    def deploy_drawn(
        self, key: str, elements: str, *ways: str, declared: str = ""
    ) -> None:
        self.deploy(self.draw(key, elements, *ways, declared=declared))

    def deploy_form(self, form: str, *components: dict[str, Any]) -> None:
        schema = {"id": form, "type": "default", "components": list(components)}
        self.deploy({f"{form}.form": json.dumps(schema).encode()})

    # -- running -------------------------------------------------------------------

    def start(self, key: str, **variables: Any) -> str:
        instance_id = self.start_only(key, **variables)
        self.worker.settle()
        return instance_id

    def start_only(self, key: str, **variables: Any) -> str:
        """Start without letting the worker do anything."""
        business_key = variables.pop("business_key", None)
        with self.uow() as tx:
            return start_instance(
                tx,
                self.advance,
                key,
                variables=variables,
                business_key=business_key,
                actor="operator",
            )

    def throw(
        self, kind: str, event: str, correlation: str | None = None, **variables: Any
    ) -> None:
        with self.uow() as tx:
            tx.deliveries.throw(Throw(kind, event, correlation, variables))
        self.worker.settle()

    def submit(self, task_id: str, answers: dict[str, Any], by: str = "ada") -> Any:
        submitted: Submitted = submit_form(
            self.uow, self.advance, task_id, answers, by=by
        )
        self.worker.settle()
        return submitted

    def due_now(self) -> None:
        """Delays of retries are over; they are PostgreSQL's time, not ours."""
        self.rows("UPDATE jobs SET run_at = now() WHERE state = 'ready'")
        self.worker.settle()

    def use_up_attempts(self) -> None:
        """Let every delay pass until no job is left to be tried."""
        while self.rows("SELECT id FROM jobs WHERE state = 'ready'"):
            self.due_now()

    # -- looking -------------------------------------------------------------------

    def instance(self, instance_id: str) -> Instance:
        with self.uow() as tx:
            return tx.instances.get(instance_id)

    def variables(self, instance_id: str) -> dict[str, Any]:
        snapshot = self.instance(instance_id).snapshot
        assert snapshot is not None
        return snapshot.variables

    def forms(self, instance_id: str | None = None) -> list[FormTask]:
        with self.uow() as tx:
            return list(tx.tasks.open(instance_id=instance_id))

    def incidents(self) -> list[Any]:
        with self.uow() as tx:
            return list(tx.incidents.listing())

    def children(self, instance_id: str) -> list[str]:
        with self.uow() as tx:
            return tx.instances.children(instance_id)

    def history(self, instance_id: str) -> list[tuple[str, str | None]]:
        rows = self.rows(
            "SELECT kind, element FROM events"
            f" WHERE instance_id = '{instance_id}' ORDER BY id"
        )
        return [(kind, element) for kind, element in rows]

    def left(self, instance_id: str) -> list[str | None]:
        return [e for kind, e in self.history(instance_id) if kind == "left"]

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        with (
            closing(psycopg2.connect(self.url)) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def live_rows(self) -> dict[str, int]:
        tables = (
            *("tasks", "jobs", "timers", "calls", "subscriptions", "deliveries"),
            *("messages", "robot_holds"),
        )
        counts = {t: self.rows(f"SELECT count(*) FROM {t}")[0][0] for t in tables}
        return {table: count for table, count in counts.items() if count}


class Flaky:
    """A handler that fails so many times, then succeeds; it remembers its calls."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.keys: list[str] = []

    def __call__(self, *arguments: Any) -> Answer:
        job: Job = arguments[-1]
        self.keys.append(job.idempotency_key)
        if self.failures:
            raise self.failures.pop(0)
        return Done({"done_by": job.topic})


@pytest.fixture
def bench(database_url: str) -> Iterator[Bench]:
    bench = Bench(database_url)
    yield bench
    bench.close()


@pytest.fixture
def flaky() -> type[Flaky]:
    return Flaky


@pytest.fixture
def eventually() -> Callable[[Callable[[], bool]], None]:
    """Return a function that waits until a condition holds."""

    def wait(condition: Callable[[], bool]) -> None:
        give_up_at = time.monotonic() + WAIT_S
        while not condition():
            assert time.monotonic() < give_up_at, f"not within {WAIT_S:g} s"
            time.sleep(0.02)

    return wait


@pytest.fixture
def together() -> Callable[..., list[Any]]:
    """Return a function that calls functions at the same moment in threads."""

    def call(*functions: Callable[[], Any]) -> list[Any]:
        barrier = threading.Barrier(len(functions))
        results: list[Any] = [None] * len(functions)

        def one(place: int, function: Callable[[], Any]) -> None:
            barrier.wait()
            try:
                results[place] = function()
            except Exception as failure:
                results[place] = failure

        threads = [
            threading.Thread(target=one, args=pair) for pair in enumerate(functions)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return results

    return call
