"""The task pages of the paint factory: real PostgreSQL, robots that arrive at once."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg2
import pytest
from flask.testing import FlaskClient

from mpms import assets, bootstrap
from mpms.adapters.memory import LoopbackRobots, LoopbackScale
from mpms.domain.orders import Order, OrderLine
from mpms.domain.people import Person, Role
from mpms.domain.tasks import FormTask
from mpms.ports.floor import FloorSeen
from mpms.services.deploy_models import deploy_models
from mpms.services.start_instance import start_instance
from mpms.services.tokens import hash_of
from mpms.web import create_app
from mpms.web.desk import Desk
from mpms.worker import Worker

ROOT = Path(__file__).resolve().parents[4]
LINES = (
    OrderLine("RM-001", "Water", Decimal("10")),
    OrderLine("RM-002", "Titanium dioxide", Decimal("10")),
)


class Quiet:
    def wait(self, timeout_s: float) -> object:
        raise AssertionError("a worker driven by hand does not sleep")

    def wake(self) -> None:
        pass


class EmptyFloor:
    def seen(self) -> FloorSeen:
        return FloorSeen()

    def costmap(self, robot: str) -> list[Any]:
        return []

    def global_costmap(self, robot: str) -> list[Any]:
        return []

    def close(self) -> None:
        pass


class SilentLive:
    def position(self) -> str:
        return ""


class Hall:
    """One factory with its pages."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.services = bootstrap.connect(url)
        self.uow, self.advance = self.services.uow, self.services.advance
        world = bootstrap.world_named("paint_factory")
        self.robots = LoopbackRobots(world)
        self.worker = Worker(
            self.uow,
            self.advance,
            bootstrap.factory_handlers(
                self.services, world, scale=LoopbackScale(lambda robot: 10.0)
            ),
            self.robots,
            Quiet(),
            name="by hand",
        )
        self.desk = Desk(
            uow=self.uow,
            engine=self.services.engine,
            advance=self.advance,
            clock=self.services.clock,
            world=world,
            world_dir=ROOT / "worlds/paint_factory",
            floor=EmptyFloor(),
            live=SilentLive(),  # type: ignore[arg-type]
            hasher=None,  # type: ignore[arg-type]
        )
        self.app = create_app(self.desk)
        # Tests of pages do not depend on a build of their scripts.
        self.app.jinja_env.globals.update(
            asset=lambda name: f"/static/{name}", assets_later=dict, browser_texts=dict
        )
        self.deploy(assets.shipped_models())

    def close(self) -> None:
        self.robots.close()
        self.services.close()

    def deploy(self, files: dict[str, bytes]) -> None:
        deploy_models(self.uow, self.services.engine, files, by="engineer")

    def make(
        self, number: str = "MO-1", product: str = "White paint", *, start: int = 0
    ) -> FormTask:
        """An order under way; its first task. Another ``start`` is another place: one
        robot at a time is sent to each."""
        with self.uow() as tx:
            tx.orders.add(Order(number, product, LINES[start:]))
            instance_id = start_instance(
                tx,
                self.advance,
                "warehouse",
                variables={"order_number": number},
                business_key=number,
                actor="operator",
            )
        self.worker.settle()
        return self.forms(instance_id)[0]

    def draw(
        self, *components: dict[str, Any], task: str = "", **variables: Any
    ) -> FormTask:
        """A process of one task with this form."""
        key = f"p{uuid4().hex[:8]}"
        model = (
            '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"'
            ' xmlns:camunda="http://camunda.org/schema/1.0/bpmn" id="d"'
            f' targetNamespace="urn:test"><process id="{key}" isExecutable="true">'
            f'<startEvent id="b"/><userTask id="ask" camunda:formKey="{key}_form"'
            f' {task or NAMED}/><endEvent id="e"/>'
            '<sequenceFlow id="f1" sourceRef="b" targetRef="ask"/>'
            '<sequenceFlow id="f2" sourceRef="ask" targetRef="e"/>'
            "</process></definitions>"
        )
        form = {"id": f"{key}_form", "type": "default", "components": components}
        self.deploy(
            {
                f"{key}.bpmn": model.encode(),
                f"{key}_form.form": json.dumps(form).encode(),
            }
        )
        with self.uow() as tx:
            instance_id = start_instance(
                tx, self.advance, key, variables=variables, actor="operator"
            )
        return self.forms(instance_id)[0]

    def forms(self, instance_id: str | None = None) -> list[FormTask]:
        with self.uow() as tx:
            return list(tx.tasks.open(instance_id=instance_id))

    def person(
        self,
        login: str,
        role: Role = Role.WORKER,
        groups: tuple[str, ...] = ("worker",),
        name: str | None = None,
    ) -> Person:
        with self.uow() as tx:
            return tx.people.get(login) or tx.people.add(
                login, name or login.capitalize(), role, groups=groups
            )

    def enrol(self) -> int:
        with self.uow() as tx:
            return tx.sessions.enrol(uuid4().hex, "T1", by="x")

    def browser(
        self,
        login: str,
        role: Role = Role.WORKER,
        *,
        tablet_id: int | None = None,
        **more: Any,
    ) -> FlaskClient:
        """Somebody is signed in, maybe on an enrolled tablet."""
        person, token = self.person(login, role, **more), uuid4().hex
        expires_at = self.desk.clock.now() + timedelta(hours=8)
        with self.uow() as tx:
            tx.sessions.open(
                hash_of(token), person.id, tablet_id=tablet_id, expires_at=expires_at
            )
        client = self.app.test_client()
        client.set_cookie("mpms_session", token)
        return client

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        with (
            closing(psycopg2.connect(self.url)) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def now(self) -> datetime:
        return self.desk.clock.now()


NAMED = 'name="Weigh"'


@pytest.fixture
def hall(database_url: str) -> Iterator[Hall]:
    hall = Hall(database_url)
    yield hall
    hall.close()


@pytest.fixture
def together() -> Callable[..., list[Any]]:
    """Return a function that calls functions at the same moment in threads."""

    def call(*functions: Callable[[], Any]) -> list[Any]:
        barrier = threading.Barrier(len(functions))
        results: list[Any] = [None] * len(functions)

        def one(place: int, function: Callable[[], Any]) -> None:
            barrier.wait()
            results[place] = function()

        threads = [
            threading.Thread(target=one, args=pair) for pair in enumerate(functions)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return results

    return call
