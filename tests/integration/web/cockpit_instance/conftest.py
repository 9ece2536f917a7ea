"""The page of one instance over a real database; models are drawn in the tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import pairwise
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
from mpms.domain.instances import Instance
from mpms.domain.jobs import Done, Job
from mpms.domain.people import Role
from mpms.ports.floor import FloorSeen
from mpms.services.deploy_models import deploy_models
from mpms.services.handlers import Handlers
from mpms.services.start_instance import start_instance
from mpms.services.submit_form import submit_form
from mpms.services.tokens import hash_of
from mpms.web import assets, security, signed_in, texts
from mpms.web.desk import Desk
from mpms.web.pages import cockpit_instance, home, map, orders, tasks
from mpms.web.rights import require_rights
from mpms.worker import Worker

ROOT = Path(__file__).resolve().parents[4]
MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
    id="drawing" targetNamespace="urn:test">
<process id="{key}" name="{key} process" isExecutable="true">{body}</process>
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


class House:
    """Processes, a worker that is moved by hand, and browsers."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.services = bootstrap.connect(url)
        self.uow, self.advance = self.services.uow, self.services.advance
        self.world = bootstrap.world_named("paint_factory")
        self.robots = LoopbackRobots(self.world)
        self.paper = False
        self.handlers = Handlers()
        self.handlers.add_inside("print", self._print)
        self.worker = Worker(
            self.uow,
            self.advance,
            self.handlers,
            self.robots,
            SilentAlarm(),
            name="by hand",
        )
        self.app = self._app()

    def close(self) -> None:
        self.robots.close()
        self.services.close()

    # -- processes ------------------------------------------------------------------

    def deploy(self, key: str, way: str, **elements: str) -> None:
        """Elements that are not given are user tasks."""
        ids = way.split()
        ends = {ids[0]: "startEvent", ids[-1]: "endEvent"}
        drawn = [
            elements.get(each)
            or f'<{ends.get(each, "userTask")} id="{each}" name="{each.title()}"/>'
            for each in ids
        ]
        flows = [
            f'<sequenceFlow id="{a}_to_{b}" sourceRef="{a}" targetRef="{b}"/>'
            for a, b in pairwise(ids)
        ]
        text = MODEL.format(key=key, body="".join([*drawn, *flows]))
        model = {f"{key}.bpmn": text.encode()}
        deploy_models(self.uow, self.services.engine, model, by="engineer")

    def start(self, key: str, **variables: Any) -> str:
        with self.uow() as tx:
            instance_id = start_instance(
                tx,
                self.advance,
                key,
                variables=variables,
                business_key=f"K-{key}",
                actor="operator",
            )
        self.worker.settle()
        return instance_id

    def submit(self, instance_id: str, element: str) -> None:
        task_id = self.token(instance_id, element)
        submit_form(self.uow, self.advance, task_id, {}, by="ada")
        self.worker.settle()

    def _print(self, tx: Any, job: Job) -> Done:
        if not self.paper:
            raise RuntimeError("no paper in the printer")
        return Done({"printed": True})

    def use_up_attempts(self) -> None:
        while self.rows("SELECT id FROM jobs WHERE state = 'ready'"):
            self.rows("UPDATE jobs SET run_at = now() WHERE state = 'ready'")
            self.worker.settle()

    def stuck_job(self) -> tuple[str, int]:
        """An instance whose job was given up, and its incident."""
        instance_id = self.start("printing", kg=4.5)
        self.use_up_attempts()
        ((incident_id,),) = self.rows(
            "SELECT id FROM incidents WHERE instance_id = %s", instance_id
        )
        return instance_id, incident_id

    def instance(self, instance_id: str) -> Instance:
        with self.uow() as tx:
            return tx.instances.get(instance_id)

    def variables(self, instance_id: str) -> dict[str, Any]:
        snapshot = self.instance(instance_id).snapshot
        assert snapshot is not None
        return snapshot.variables

    def token(self, instance_id: str, element: str) -> str:
        tokens = self._tokens(instance_id)
        return next(str(t.task_id) for t in tokens if t.element == element)

    def places(self, instance_id: str) -> list[str]:
        return sorted(token.element for token in self._tokens(instance_id))

    def _tokens(self, instance_id: str) -> list[Any]:
        instance = self.instance(instance_id)
        if instance.snapshot is None or instance.status.ended:
            return []
        with self.uow() as tx:
            definition = tx.definitions.by_id(instance.definition_id)
        return list(self.services.engine.tokens(definition, instance.snapshot))

    def told(self, instance_id: str, kind: str) -> list[tuple[str, dict[str, Any]]]:
        return [
            (actor, data)
            for actor, data in self.rows(
                "SELECT actor, data FROM events WHERE kind = %s AND instance_id = %s"
                " ORDER BY id",
                kind,
                instance_id,
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

    # -- pages ----------------------------------------------------------------------

    def _app(self) -> Flask:
        desk = Desk(
            uow=self.uow,
            engine=self.services.engine,
            advance=self.advance,
            clock=self.services.clock,
            world=self.world,
            world_dir=ROOT / "worlds/paint_factory",
            floor=EmptyFloor(),  # type: ignore[arg-type]
            live=SimpleNamespace(),  # type: ignore[arg-type]
            hasher=SimpleNamespace(),
        )
        app = Flask(mpms.web.__name__, static_folder=None)
        app.config.update(TESTING=True, PROPAGATE_EXCEPTIONS=False)
        app.extensions["desk"] = desk
        app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
        for part in (assets, texts, security, signed_in):
            part.install(app)
        app.jinja_env.globals.update(
            asset=lambda name: f"/static/{name}",
            assets_later=dict,
            browser_texts=dict,
            preloads=list,
        )
        for each in (home, tasks, orders, map, cockpit_instance):
            app.register_blueprint(each.pages)
        require_rights(app)
        return app

    def browser(self, role: str, language: str = "en") -> FlaskClient:
        """A browser in which somebody with this role is signed in."""
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


@pytest.fixture
def house(database_url: str) -> Iterator[House]:
    """``steps``: three forms in a row; ``printing``: a job that fails for want of
    paper, then a form."""
    house = House(database_url)
    house.deploy("steps", "start weigh mix pack end")
    house.deploy(
        "printing",
        "start label pack end",
        label='<serviceTask id="label" name="Label" camunda:type="external"'
        ' camunda:topic="print"/>',
    )
    yield house
    house.close()
