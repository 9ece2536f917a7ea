"""The inbox of incidents over a real database; jobs fail as tests want it."""

from __future__ import annotations

from collections.abc import Iterator
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
from mpms.adapters.web_push import WebPusher
from mpms.domain.jobs import Done, Job
from mpms.domain.people import Role
from mpms.ports.floor import FloorSeen
from mpms.services.deploy_models import deploy_models
from mpms.services.handlers import Handlers
from mpms.services.start_instance import start_instance
from mpms.services.tokens import hash_of
from mpms.web import assets, security, signed_in, texts
from mpms.web.desk import Desk
from mpms.web.pages import (
    cockpit,
    cockpit_instance,
    home,
    incidents,
    login,
    orders,
    tasks,
)
from mpms.web.pages import map as floor_map
from mpms.web.rights import require_rights
from mpms.worker import Worker

ROOT = Path(__file__).resolve().parents[4]
MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
    id="drawing" targetNamespace="urn:test">
<process id="{key}" name="{key} process" isExecutable="true">
<startEvent id="start"/>
<serviceTask id="label" name="Print the label" camunda:type="external"
    camunda:topic="{topic}"/>
<endEvent id="end"/>
<sequenceFlow id="one" sourceRef="start" targetRef="label"/>
<sequenceFlow id="two" sourceRef="label" targetRef="end"/>
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


class House:
    """Processes that stand for want of paper, and people who look."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.services = bootstrap.connect(url)
        self.uow, self.advance = self.services.uow, self.services.advance
        self.world = bootstrap.world_named("paint_factory")
        self.robots = LoopbackRobots(self.world)
        self.trouble: str | None = "no paper in the printer"
        self.handlers = Handlers()
        self.handlers.add_inside("print", self._print)
        self.worker = self.another_worker("by hand")
        self.app = self._app()

    def another_worker(self, name: str, *, topic_patience_s: float = 60.0) -> Worker:
        return Worker(
            self.uow,
            self.advance,
            self.handlers,
            self.robots,
            SilentAlarm(),
            name=name,
            topic_patience_s=topic_patience_s,
        )

    def close(self) -> None:
        self.robots.close()
        self.services.close()

    def deploy(self, key: str, topic: str = "print") -> None:
        model = {f"{key}.bpmn": MODEL.format(key=key, topic=topic).encode()}
        deploy_models(self.uow, self.services.engine, model, by="engineer")

    def stuck(self, key: str, *business_keys: str, trouble: str | None = None) -> None:
        """Instances whose jobs were given up."""
        self.trouble = trouble or self.trouble
        self.start(key, *business_keys)
        self.use_up_attempts()

    def start(self, key: str, *business_keys: str) -> None:
        for business_key in business_keys:
            with self.uow() as tx:
                start_instance(
                    tx, self.advance, key, business_key=business_key, actor="operator"
                )

    def use_up_attempts(self) -> None:
        self.worker.settle()
        while self.rows("SELECT id FROM jobs WHERE state = 'ready'"):
            self.rows("UPDATE jobs SET run_at = now() WHERE state = 'ready'")
            self.worker.settle()

    def _print(self, tx: Any, job: Job) -> Done:
        if self.trouble is not None:
            raise RuntimeError(self.trouble)
        return Done({"printed": True})

    def causes(self) -> list[str]:
        rows = self.rows(
            "SELECT cause FROM incidents WHERE resolved_at IS NULL"
            " GROUP BY cause ORDER BY min(id)"
        )
        return [row[0] for row in rows]

    def open_incidents(self) -> int:
        ((count,),) = self.rows(
            "SELECT count(*) FROM incidents WHERE resolved_at IS NULL"
        )
        return int(count)

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
            pusher=WebPusher("mailto:plant@example.com"),
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
        for each in (
            *(home, tasks, orders, floor_map, login),
            *(cockpit, cockpit_instance, incidents),
        ):
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
    """Two processes that print labels."""
    house = House(database_url)
    house.deploy("mixing")
    house.deploy("packing")
    yield house
    house.close()
