"""The whole site over a real database, with programs that hold tokens of each role."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from mpms import bootstrap
from mpms.adapters.argon2_hasher import Argon2Hasher
from mpms.adapters.memory import LoopbackRobots
from mpms.domain.jobs import Done, Job
from mpms.domain.order_mail import Catalogue
from mpms.domain.people import Role
from mpms.ports.floor import FloorSeen
from mpms.services.current_catalogue import CurrentCatalogue
from mpms.services.deploy_models import deploy_models
from mpms.services.handlers import Handlers
from mpms.services.manage_tokens import NewToken, add_token
from mpms.services.start_instance import start_instance
from mpms.services.tokens import hash_of
from mpms.web import create_app, signed_in
from mpms.web.desk import Desk
from mpms.worker import Worker

ROOT = Path(__file__).resolve().parents[4]
API = "/api/v1"
MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    id="drawing" targetNamespace="urn:test">
<process id="{key}" name="{key} process" isExecutable="true">
<startEvent id="begin"/>
<userTask id="look" name="Look"/>
<serviceTask id="print" name="Print" camunda:type="external" camunda:topic="print"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn"/>
<userTask id="{last}" name="File"/>
<endEvent id="over"/>
<sequenceFlow id="a" sourceRef="begin" targetRef="look"/>
<sequenceFlow id="b" sourceRef="look" targetRef="print"/>
<sequenceFlow id="c" sourceRef="print" targetRef="{last}"/>
<sequenceFlow id="d" sourceRef="{last}" targetRef="over"/>
</process>
</definitions>
"""


class SilentAlarm:
    """A worker driven by hand does not sleep."""

    def wait(self, timeout_s: float) -> object:
        raise AssertionError("nobody waits here")

    def wake(self) -> None:
        return


class EmptyFloor:
    """No robot is seen."""

    def seen(self) -> FloorSeen:
        return FloorSeen()

    def costmap(self, robot: str) -> list[Any]:
        return []

    def global_costmap(self, robot: str) -> list[Any]:
        return []

    def close(self) -> None:
        pass


class SilentLive:
    """Nothing ever changes."""

    def position(self) -> str:
        return ""


class Program:
    """A client with a token."""

    def __init__(self, client: FlaskClient, secret: str | None) -> None:
        self._client = client
        self.secret = secret

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = None,
        **more: Any,
    ) -> TestResponse:
        headers = dict(more.pop("headers", {}))
        if self.secret is not None:
            headers["Authorization"] = f"Bearer {self.secret}"
        if key is not None:
            headers["Idempotency-Key"] = key
        if body is not None:
            more |= {"data": json.dumps(body), "content_type": "application/json"}
        return self._client.open(API + path, method=method, headers=headers, **more)

    def get(self, path: str, **query: Any) -> Any:
        answer = self("GET", path, query_string=query)
        assert answer.status_code == 200, answer.text
        return answer.json

    def post(self, path: str, body: Any = None, **more: Any) -> Any:
        answer = self("POST", path, body, **more)
        assert answer.status_code in (200, 201, 204), answer.text
        return answer.json if answer.data else None


class Plant:
    """A site, its programs, and a worker that is moved by hand."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.services = bootstrap.connect(url)
        self.uow, self.clock = self.services.uow, self.services.clock
        self.world = bootstrap.world_named("paint_factory")
        self.robots = LoopbackRobots(self.world)
        catalogue = (ROOT / "worlds/paint_factory/catalogue.json").read_text("utf-8")
        self.desk = Desk(
            uow=self.uow,
            engine=self.services.engine,
            advance=self.services.advance,
            clock=self.clock,
            world=self.world,
            world_dir=ROOT / "worlds/paint_factory",
            floor=EmptyFloor(),
            live=SilentLive(),  # type: ignore[arg-type]
            hasher=Argon2Hasher(rounds=1, memory_kib=8),
            materials=CurrentCatalogue(lambda: Catalogue.from_json(catalogue)),
        )
        self.app = self.make_app()
        self.paper = True
        handlers = Handlers()
        handlers.add_inside("print", self._print)
        self.worker = Worker(
            self.uow,
            self.services.advance,
            handlers,
            self.robots,
            SilentAlarm(),
            name="by hand",
        )
        self._made: dict[str, NewToken] = {}

    def make_app(self, **changes: Any) -> Any:
        app = create_app(replace(self.desk, **changes))
        app.config.update(TESTING=True, PROPAGATE_EXCEPTIONS=False)
        app.jinja_env.globals.update(
            asset=lambda name: f"/static/{name}",
            assets_later=dict,
            browser_texts=dict,
            preloads=list,
        )
        return app

    def close(self) -> None:
        self.robots.close()
        self.services.close()

    # -- who asks --------------------------------------------------------------------

    def token(self, role: Role | str, name: str | None = None) -> NewToken:
        called = name or f"robot-{role}"
        if called not in self._made:
            self._made[called] = add_token(
                self.uow, self.clock, called, Role(role), by="test"
            )
        return self._made[called]

    def program(
        self, role: Role | str = Role.ADMIN, name: str | None = None
    ) -> Program:
        return Program(self.app.test_client(), self.token(role, name).secret)

    def with_token(self, secret: str | None) -> Program:
        return Program(self.app.test_client(), secret)

    def browser(self, role: Role | str) -> FlaskClient:
        login, token = f"{role}", f"session of {role}"
        with self.uow() as tx:
            if tx.people.get(login) is None:
                person = tx.people.add(login, f"{role}".title(), Role(role))
                tx.sessions.open(
                    hash_of(token),
                    person.id,
                    tablet_id=None,
                    expires_at=datetime.now(UTC) + timedelta(hours=12),
                )
        client: FlaskClient = self.app.test_client()
        client.set_cookie(signed_in.SESSION_COOKIE, token)
        return client

    # -- what happens ----------------------------------------------------------------

    def deploy(self, key: str = "papers", last: str = "file") -> None:
        xml = MODEL.format(key=key, last=last).encode()
        deploy_models(
            self.uow, self.services.engine, {f"{key}.bpmn": xml}, by="engineer"
        )

    def start(self, key: str = "papers", **variables: Any) -> str:
        with self.uow() as tx:
            started = start_instance(
                tx,
                self.services.advance,
                key,
                variables=variables,
                business_key=f"K-{key}",
                actor="operator",
            )
        self.worker.settle()
        return started

    def _print(self, tx: Any, job: Job) -> Done:
        if not self.paper:
            raise RuntimeError("no paper in the printer")
        return Done({"printed": True})

    def use_up_attempts(self) -> None:
        while self.rows("SELECT id FROM jobs WHERE state = 'ready'"):
            self.rows("UPDATE jobs SET run_at = now() WHERE state = 'ready'")
            self.worker.settle()

    def told(self, kind: str) -> list[tuple[str, dict[str, Any]]]:
        return [
            (actor, data)
            for actor, data in self.rows(
                "SELECT actor, data FROM events WHERE kind = %s ORDER BY id", kind
            )
        ]

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with (
            closing(psycopg2.connect(self.url)) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []


@pytest.fixture
def plant(database_url: str) -> Iterator[Plant]:
    plant = Plant(database_url)
    yield plant
    plant.close()


@pytest.fixture(scope="session")
def plant_at() -> type[Plant]:
    return Plant
