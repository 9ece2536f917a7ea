"""A small plant for what people do with tasks: drawn models, real PostgreSQL."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import psycopg2
import pytest

from mpms import assets, bootstrap
from mpms.adapters.memory import FixedClock, LoopbackRobots, LoopbackScale
from mpms.domain.orders import Order, OrderLine
from mpms.domain.people import Person, Role
from mpms.domain.tasks import FormTask
from mpms.services.deploy_models import deploy_models
from mpms.services.start_instance import start_instance
from mpms.worker import Worker

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
    id="drawing" targetNamespace="urn:test">
<error id="spilled" name="Something was spilled" errorCode="Spilled"/>
<process id="weighing" name="Weighing" isExecutable="true">
<startEvent id="begin"/>
<userTask id="ask" name="Weigh the sack" camunda:formKey="weigh"
    camunda:candidateGroups="{groups}"/>
{caught}
<userTask id="next" name="Tidy up"/>
<endEvent id="end"/>
<sequenceFlow id="f1" sourceRef="begin" targetRef="ask"/>
<sequenceFlow id="f2" sourceRef="ask" targetRef="next"/>
<sequenceFlow id="f3" sourceRef="next" targetRef="end"/>
</process>
</definitions>
"""
CAUGHT = """
<boundaryEvent id="spill" attachedToRef="ask"><errorEventDefinition errorRef="spilled"
    camunda:errorCodeVariable="code" camunda:errorMessageVariable="why"/>
</boundaryEvent>
<userTask id="clean" name="Clean up"/><endEvent id="cleaned"/>
<sequenceFlow id="f4" sourceRef="spill" targetRef="clean"/>
<sequenceFlow id="f5" sourceRef="clean" targetRef="cleaned"/>
"""
FORM = {
    "id": "weigh",
    "type": "default",
    "components": [
        {"type": "number", "key": "kg", "label": "Kg", "validate": {"required": True}},
        {"type": "textfield", "key": "note", "label": "Note"},
        {"type": "photo", "key": "photo", "label": "Photo"},
    ],
}


class Quiet:
    def wait(self, timeout_s: float) -> object:
        raise AssertionError("a worker driven by hand does not sleep")

    def wake(self) -> None:
        pass


class Shop:
    """Deploys, starts and shows; people are made on demand."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.clock = FixedClock(NOON)
        self.services = bootstrap.connect(url, clock=self.clock)
        self.uow, self.advance = self.services.uow, self.services.advance
        self.world = bootstrap.world_named("paint_factory")
        self.robots = LoopbackRobots(self.world)
        self.worker = Worker(
            self.uow,
            self.advance,
            bootstrap.factory_handlers(
                self.services, self.world, scale=LoopbackScale(lambda robot: 10.0)
            ),
            self.robots,
            Quiet(),
            name="by hand",
        )

    def close(self) -> None:
        self.robots.close()
        self.services.close()

    def deploy(self, *, caught: bool = False, groups: str = "") -> None:
        model = MODEL.format(caught=CAUGHT if caught else "", groups=groups)
        model = model.replace('camunda:candidateGroups=""', "")
        files = {
            "weighing.bpmn": model.encode(),
            "weigh.form": json.dumps(FORM).encode(),
        }
        deploy_models(self.uow, self.services.engine, files, by="engineer")

    def start(self, business_key: str | None = None, **variables: Any) -> FormTask:
        with self.uow() as tx:
            instance_id = start_instance(
                tx,
                self.advance,
                "weighing",
                variables=variables,
                business_key=business_key,
                actor="operator",
            )
        return self.forms(instance_id)[0]

    def make(self, number: str, process: str = "warehouse") -> str:
        """An order of two materials under way in the shipped process."""
        deploy_models(
            self.uow, self.services.engine, assets.shipped_models(), by="engineer"
        )
        lines = (
            OrderLine("RM-001", "Water", Decimal("10")),
            OrderLine("RM-002", "Titanium dioxide", Decimal("10")),
        )
        with self.uow() as tx:
            tx.orders.add(Order(number, "White paint", lines))
            instance_id = start_instance(
                tx,
                self.advance,
                process,
                variables={"order_number": number},
                business_key=number,
                actor="operator",
            )
        self.worker.settle()
        return instance_id

    def person(
        self,
        login: str,
        role: Role = Role.WORKER,
        groups: tuple[str, ...] = ("worker",),
    ) -> Person:
        with self.uow() as tx:
            found = tx.people.get(login)
            return found or tx.people.add(
                login, login.capitalize(), role, groups=groups
            )

    def forms(self, instance_id: str | None = None) -> list[FormTask]:
        with self.uow() as tx:
            return list(tx.tasks.open(instance_id=instance_id))

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        with (
            closing(psycopg2.connect(self.url)) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def history(self, kind: str) -> list[tuple[str, dict[str, Any]]]:
        return [
            (actor, data)
            for actor, data in self.rows(
                f"SELECT actor, data FROM events WHERE kind = '{kind}' ORDER BY id"
            )
        ]


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
