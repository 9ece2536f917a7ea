"""A small plant for starts: drawings, a clock that is moved, workers driven by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import psycopg2
import pytest

from mpms import bootstrap
from mpms.adapters.memory import FixedClock, LoopbackRobots
from mpms.domain.instances import Instance
from mpms.domain.limits import KB, Limits
from mpms.services.correlate_message import Correlated, correlate_message
from mpms.services.deploy_models import Deployment, deploy_models
from mpms.services.handlers import Handlers
from mpms.services.start_instance import start_instance
from mpms.worker import Worker

MORNING = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" id="drawing"
    targetNamespace="urn:test">
<message id="order" name="Order placed"/><message id="letter" name="letter"/>
<signal id="alarm" name="alarm"/>"""


class SilentAlarm:
    """Wakes nobody and sleeps never."""

    def wait(self, timeout_s: float) -> object:
        raise AssertionError("a worker driven by hand does not sleep")

    def wake(self) -> None:
        return None


class Plant:
    """Deploys drawings and shows what became of them."""

    def __init__(self, url: str, limits: Limits | None = None) -> None:
        self.url = url
        self.clock = FixedClock(MORNING)
        self.handlers = Handlers()
        self.services = bootstrap.connect(url, clock=self.clock, limits=limits)
        self.uow, self.advance = self.services.uow, self.services.advance
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

    def draw(self, key: str, elements: str, *ways: str) -> bytes:
        """Flows are written as 'from to'."""
        flows = "".join(
            f'<sequenceFlow id="{a}_{b}" sourceRef="{a}" targetRef="{b}"/>'
            for a, b in (way.split() for way in ways)
        )
        return (
            f'{HEAD}<process id="{key}" isExecutable="true">{elements}{flows}'
            "</process></definitions>"
        ).encode()

    def beginning_with(self, key: str, definition: str, mark: str = "") -> bytes:
        """A process that a start event begins and a form holds."""
        return self.draw(
            key,
            f'<startEvent id="begin">{definition}</startEvent>'
            f'<userTask id="form" name="{mark}"/>',
            "begin form",
        )

    def deploy(self, **files: bytes) -> Deployment:
        named = {f"{name}.bpmn": content for name, content in files.items()}
        return deploy_models(
            self.uow,
            self.services.engine,
            named,
            by="engineer",
            now=self.clock.now(),
        )

    def start(self, key: str, **how: Any) -> str:
        with self.uow() as tx:
            return start_instance(tx, self.advance, key, actor="operator", **how)

    def send(self, event: str, **how: Any) -> Correlated:
        done = correlate_message(self.uow, self.advance, event, by="operator", **how)
        self.worker.settle()
        return done

    def after(self, seconds: float) -> int:
        """Move the clock, let the worker work, count the instances."""
        self.clock.move(seconds)
        self.worker.settle()
        return len(self.instances())

    def instances(self, key: str | None = None) -> list[Instance]:
        rows = self.rows("SELECT id, key FROM instances ORDER BY started_at, id")
        with self.uow() as tx:
            return [tx.instances.get(i) for i, k in rows if key in (None, k)]

    def variables(self, instance_id: str) -> dict[str, Any]:
        with self.uow() as tx:
            snapshot = tx.instances.get(instance_id).snapshot
        assert snapshot is not None
        return snapshot.variables

    def incidents(self) -> list[Any]:
        with self.uow() as tx:
            return list(tx.incidents.listing())

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        with (
            closing(psycopg2.connect(self.url)) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []


@pytest.fixture
def plant(database_url: str) -> Iterator[Plant]:
    plant = Plant(database_url)
    yield plant
    plant.close()


@pytest.fixture
def small_plant(database_url: str) -> Iterator[Plant]:
    """A plant that keeps little."""
    limits = Limits(variable_bytes=2 * KB, instance_bytes=5 * KB)
    plant = Plant(database_url, limits)
    yield plant
    plant.close()
