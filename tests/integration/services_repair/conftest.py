"""A small plant for repairs: models drawn in the test, real PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import psycopg2
import pytest

from mpms import bootstrap
from mpms.adapters.memory import FixedClock, LoopbackRobots
from mpms.domain.instances import Instance
from mpms.domain.tasks import FormTask
from mpms.services.deploy_models import deploy_models
from mpms.services.handlers import Handlers
from mpms.services.start_instance import start_instance
from mpms.services.submit_form import submit_form
from mpms.worker import Worker

MORNING = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
    id="drawing" targetNamespace="urn:test">
<signal id="signal_bell" name="bell"/>
<process id="{key}" name="{key} process" isExecutable="true">{body}</process>
</definitions>
"""


class SilentAlarm:
    """A worker driven by hand does not sleep."""

    def wait(self, timeout_s: float) -> object:
        raise AssertionError("nobody waits here")

    def wake(self) -> None:
        return


class Shop:
    """Deploys drawings, runs them by hand and shows what became of them."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.clock = FixedClock(MORNING)
        self.handlers = Handlers()
        self.services = bootstrap.connect(url, clock=self.clock)
        self.uow, self.advance = self.services.uow, self.services.advance
        self.engine = self.services.engine
        self.robots = LoopbackRobots(bootstrap.world_named("paint_factory"))
        self.worker = Worker(
            self.uow,
            self.advance,
            self.handlers,
            self.robots,
            SilentAlarm(),
            name="by hand",
        )

    def close(self) -> None:
        self.robots.close()
        self.services.close()

    # -- drawings ------------------------------------------------------------------

    def deploy(self, key: str, *ways: str, **elements: str) -> None:
        """Elements that are not given are user tasks; flows are 'from to'."""
        found, flows = dict(elements), []
        for way in ways:
            ids = way.split()
            for id_ in ids:
                tag = {"start": "startEvent", "end": "endEvent"}.get(
                    id_[:5].rstrip("_")
                )
                tag = tag or {"and": "parallelGateway"}.get(id_[:3], "userTask")
                found.setdefault(id_, f'<{tag} id="{id_}"/>')
            for source, target in pairwise(ids):
                flows.append(
                    f'<sequenceFlow id="{source}_to_{target}" sourceRef="{source}"'
                    f' targetRef="{target}"/>'
                )
        body = "".join([*found.values(), *flows])
        text = MODEL.format(key=key, body=body)
        deploy_models(
            self.uow, self.engine, {f"{key}.bpmn": text.encode()}, by="engineer"
        )

    @staticmethod
    def job(id_: str, topic: str, inside: str = "") -> str:
        return (
            f'<serviceTask id="{id_}" camunda:type="external" camunda:topic="{topic}">'
            f"{inside}</serviceTask>"
        )

    @staticmethod
    def timer(id_: str, time: str) -> str:
        return (
            f'<intermediateCatchEvent id="{id_}"><timerEventDefinition>'
            f"<timeDuration>{time}</timeDuration></timerEventDefinition>"
            "</intermediateCatchEvent>"
        )

    @staticmethod
    def bell(id_: str) -> str:
        return (
            f'<intermediateCatchEvent id="{id_}"><signalEventDefinition'
            ' signalRef="signal_bell"/></intermediateCatchEvent>'
        )

    @staticmethod
    def script(id_: str, text: str) -> str:
        return f'<scriptTask id="{id_}"><script>{text}</script></scriptTask>'

    @staticmethod
    def call(id_: str, called: str) -> str:
        return f'<callActivity id="{id_}" calledElement="{called}"/>'

    # -- running -------------------------------------------------------------------

    def start(self, key: str, **variables: Any) -> str:
        business_key = variables.pop("business_key", None)
        with self.uow() as tx:
            instance_id = start_instance(
                tx,
                self.advance,
                key,
                variables=variables,
                business_key=business_key,
                actor="operator",
            )
        self.worker.settle()
        return instance_id

    def submit(self, instance_id: str, element: str, **answers: Any) -> None:
        submit_form(
            self.uow, self.advance, self.task(instance_id, element), answers, by="ada"
        )
        self.worker.settle()

    def use_up_attempts(self) -> None:
        while self.rows("SELECT id FROM jobs WHERE state = 'ready'"):
            self.rows("UPDATE jobs SET run_at = now() WHERE state = 'ready'")
            self.worker.settle()

    # -- looking -------------------------------------------------------------------

    def instance(self, instance_id: str) -> Instance:
        with self.uow() as tx:
            return tx.instances.get(instance_id)

    def status(self, instance_id: str) -> str:
        return str(self.instance(instance_id).status)

    def variables(self, instance_id: str) -> dict[str, Any]:
        snapshot = self.instance(instance_id).snapshot
        assert snapshot is not None
        return snapshot.variables

    def forms(self, instance_id: str) -> list[FormTask]:
        with self.uow() as tx:
            return list(tx.tasks.open(instance_id=instance_id))

    def open(self, instance_id: str) -> list[str]:
        return sorted(task.element for task in self.forms(instance_id))

    def task(self, instance_id: str, element: str) -> str:
        """The id of the live token on an element."""
        instance = self.instance(instance_id)
        assert instance.snapshot is not None
        with self.uow() as tx:
            definition = tx.definitions.by_id(instance.definition_id)
        tokens = self.engine.tokens(definition, instance.snapshot)
        return next(t.task_id for t in tokens if t.element == element)

    def incidents(self) -> list[Any]:
        with self.uow() as tx:
            return list(tx.incidents.listing())

    def told(self, instance_id: str, kind: str) -> list[tuple[Any, ...]]:
        return self.rows(
            "SELECT actor, data FROM events WHERE kind = %s AND instance_id = %s"
            " ORDER BY id",
            kind,
            instance_id,
        )

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with (
            closing(psycopg2.connect(self.url)) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []

    def dump(self) -> dict[str, list[tuple[Any, ...]]]:
        """Everything that a refused repair must leave as it was."""
        tables = (
            *("instances", "tasks", "jobs", "timers", "subscriptions", "calls"),
            *("deliveries", "incidents", "events", "orders"),
        )
        return {t: self.rows(f"SELECT x::text FROM {t} x ORDER BY 1") for t in tables}


@pytest.fixture
def shop(database_url: str) -> Iterator[Shop]:
    shop = Shop(database_url)
    yield shop
    shop.close()


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
