"""The cockpit's pages over a real database and small models driven by hand.

People are signed in by rows, because how they sign in is not looked at here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg2
import pytest
from flask import Flask
from flask.testing import FlaskClient

import mpms.web
from mpms import bootstrap
from mpms.adapters.memory import LoopbackRobots
from mpms.domain.jobs import Answer, Done, Job
from mpms.domain.people import Role
from mpms.ports.store import Transaction
from mpms.services.deploy_models import deploy_models
from mpms.services.handlers import Handlers
from mpms.services.start_instance import start_instance
from mpms.services.submit_form import submit_form
from mpms.services.tokens import hash_of
from mpms.web import assets, security, signed_in, texts
from mpms.web.desk import Desk
from mpms.web.pages import batches, cockpit, home, orders, tasks
from mpms.web.pages import map as floor_map
from mpms.web.rights import require_rights
from mpms.worker import Worker

ROOT = Path(__file__).resolve().parents[4]
PATIENCE_S = 60.0
UNREAD = (
    "SELECT 1 FROM events AS e, readers AS r WHERE r.name = 'tallies'"
    " AND (e.transaction, e.id) > (r.transaction, r.line) LIMIT 1"
)
MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
    id="drawing" targetNamespace="urn:test">
<process id="{key}" name="{name}" isExecutable="true">
<startEvent id="begin"/>
<userTask id="load" name="Load material"/>
<serviceTask id="weigh" name="Weigh {name}" camunda:type="external"
    camunda:topic="weigh"/>
<endEvent id="end"/>
<sequenceFlow id="a" sourceRef="begin" targetRef="load"/>
<sequenceFlow id="b" sourceRef="load" targetRef="weigh"/>
<sequenceFlow id="c" sourceRef="weigh" targetRef="end"/>
</process>
</definitions>
"""


class SilentAlarm:
    """A worker driven by hand does not sleep."""

    def wait(self, timeout_s: float) -> object:
        raise AssertionError("a worker driven by hand does not sleep")

    def wake(self) -> None:
        pass


class Panel:
    """A factory without robots and its cockpit."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.services = bootstrap.connect(url)
        self.uow = self.services.uow
        self.world = bootstrap.world_named("paint_factory")
        self.robots = LoopbackRobots(self.world)
        self.scale_broken = False
        handlers = Handlers()
        handlers.add_inside("weigh", self._weigh)
        self.worker = Worker(
            self.uow,
            self.services.advance,
            handlers,
            self.robots,
            SilentAlarm(),
            name="by hand",
        )
        self._app: Flask | None = None

    def close(self) -> None:
        self.robots.close()
        self.services.close()

    def _weigh(self, tx: Transaction, job: Job) -> Answer:
        if self.scale_broken:
            raise RuntimeError("the scale does not answer")
        return Done({"weighed": True})

    # -- processes ------------------------------------------------------------------

    def deploy(self, key: str = "mixing", name: str = "Mix paint") -> None:
        files = {f"{key}.bpmn": MODEL.format(key=key, name=name).encode()}
        deploy_models(self.uow, self.services.engine, files, by="engineer")

    def start(
        self, business_key: str | None, key: str = "mixing", **variables: Any
    ) -> str:
        with self.uow() as tx:
            instance_id = start_instance(
                tx,
                self.services.advance,
                key,
                variables=variables,
                business_key=business_key,
                actor="operator",
            )
        self.settle()
        return instance_id

    def answer(self, instance_id: str) -> None:
        with self.uow() as tx:
            (task,) = tx.tasks.open(instance_id=instance_id)
        submit_form(self.uow, self.services.advance, task.task_id, {}, by="ada")
        self.settle()

    def settle(self) -> None:
        self.worker.settle()
        self.count()

    def count(self) -> None:
        """The figures follow the history as soon as nobody can write into its past."""
        give_up_at = time.monotonic() + PATIENCE_S
        while self.rows(UNREAD):
            with self.uow() as tx:
                tx.tallies.follow(1000)
            assert time.monotonic() < give_up_at

    def get_stuck(self, business_key: str) -> str:
        instance_id = self.start(business_key)
        self.scale_broken = True
        self.answer(instance_id)
        while self.rows("SELECT id FROM jobs WHERE state = 'ready'"):
            self.rows("UPDATE jobs SET run_at = now() WHERE state = 'ready'")
            self.settle()
        self.scale_broken = False
        return instance_id

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with (
            closing(psycopg2.connect(self.url)) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    # -- pages ------------------------------------------------------------------------

    def browser(self, role: str = "supervisor", language: str = "en") -> FlaskClient:
        login, token = f"{role}-{language}", f"token-of-{role}-{language}"
        with self.uow() as tx:
            if tx.people.get(login) is None:
                person = tx.people.add(
                    login, f"{role.title()} Doe", Role(role), language=language
                )
                tx.sessions.open(
                    hash_of(token),
                    person.id,
                    tablet_id=None,
                    expires_at=datetime.now(UTC) + timedelta(hours=12),
                )
        client = self.app.test_client()
        client.set_cookie(signed_in.SESSION_COOKIE, token)
        return client

    def page(self, path: str, role: str = "supervisor", language: str = "en") -> str:
        answer = self.browser(role, language).get(path)
        assert answer.status_code == 200, (path, answer.status, answer.text[:500])
        return answer.text

    @property
    def app(self) -> Flask:
        if self._app is None:
            self._app = self._new_app()
        return self._app

    def _new_app(self) -> Flask:
        app = Flask(mpms.web.__name__, static_folder=None)
        app.config.update(TESTING=True, PROPAGATE_EXCEPTIONS=False)
        nothing: Any = SimpleNamespace()
        app.extensions["desk"] = Desk(
            uow=self.uow,
            engine=self.services.engine,
            advance=self.services.advance,
            clock=self.services.clock,
            world=self.world,
            world_dir=ROOT / "worlds/paint_factory",
            floor=nothing,
            live=nothing,
            hasher=nothing,
        )
        app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
        for part in (assets, texts, security, signed_in):
            part.install(app)
        app.jinja_env.globals.update(
            asset=lambda name: f"/static/{name}",
            assets_later=dict,
            browser_texts=dict,
            preloads=list,
        )
        for page in (home, tasks, orders, floor_map, cockpit, batches):
            app.register_blueprint(page.pages)
        require_rights(app)
        return app


@pytest.fixture
def panel(database_url: str) -> Iterator[Panel]:
    panel = Panel(database_url)
    panel.deploy()
    yield panel
    panel.close()


@pytest.fixture
def keys_of() -> Callable[[str], list[str]]:
    """Return a function that reads the business keys of a list, in its order."""

    def read(page: str) -> list[str]:
        parts = page.split('href="/cockpit/i/')[1:]
        return [part.split(">", 1)[1].split("<", 1)[0] for part in parts]

    return read


@pytest.fixture
def row_of() -> Callable[[str, str], str]:
    """Return a function that cuts the row out of a table that holds a text."""

    def cut(page: str, text: str) -> str:
        rows = [r.split("</tr>")[0] for r in page.split("<tr")[1:] if text in r]
        assert rows, text
        return " ".join(rows[0].split())

    return cut
