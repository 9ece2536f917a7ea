"""Figures, metrics and replays over a real database; the worker is moved by hand."""

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

from mpms import bootstrap
from mpms.adapters.memory import LoopbackRobots
from mpms.domain.jobs import Done, Job
from mpms.domain.people import Role
from mpms.ports.floor import FloorSeen
from mpms.services.count_jobs import CountJobs
from mpms.services.deploy_models import deploy_models
from mpms.services.handlers import Handlers
from mpms.services.start_instance import start_instance
from mpms.services.submit_form import submit_form
from mpms.services.tokens import hash_of
from mpms.web import create_app, signed_in
from mpms.web.desk import Desk
from mpms.worker import Worker

ROOT = Path(__file__).resolve().parents[4]
MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
    id="drawing" targetNamespace="urn:test">
<process id="{key}" name="{key} process" isExecutable="true">
<startEvent id="begin"/>
<userTask id="load" name="Load material"/>
<serviceTask id="label" name="Label" camunda:type="external" camunda:topic="print"/>
<endEvent id="end"/>
<sequenceFlow id="a" sourceRef="begin" targetRef="load"/>
<sequenceFlow id="b" sourceRef="load" targetRef="label"/>
<sequenceFlow id="c" sourceRef="label" targetRef="end"/>
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

    def costmap(self, robot: str) -> tuple[()]:
        return ()

    def close(self) -> None:
        return


class House:
    """Processes, a worker that is moved by hand, and the whole site."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.services = bootstrap.connect(url)
        self.uow, self.advance = self.services.uow, self.services.advance
        self.world = bootstrap.world_named("paint_factory")
        self.robots = LoopbackRobots(self.world)
        self.paper = True
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

    def close(self) -> None:
        self.robots.close()
        self.services.close()

    def _print(self, tx: Any, job: Job) -> Done:
        if not self.paper:
            raise RuntimeError("no paper in the printer")
        return Done({"printed": True})

    def deploy(self, key: str) -> None:
        model = {f"{key}.bpmn": MODEL.format(key=key).encode()}
        deploy_models(self.uow, self.services.engine, model, by="engineer")

    def start(self, key: str = "mixing") -> str:
        with self.uow() as tx:
            instance_id = start_instance(
                tx,
                self.advance,
                key,
                variables={"kg": 1},
                business_key=f"K-{key}",
                actor="operator",
            )
        self.worker.settle()
        return instance_id

    def finish(self, instance_id: str) -> None:
        ((task_id,),) = self.rows(
            "SELECT task_id::text FROM tasks WHERE instance_id = %s", instance_id
        )
        submit_form(self.uow, self.advance, task_id, {}, by="ada")
        self.worker.settle()

    def tally(self) -> None:
        """Count everything that has been committed."""
        CountJobs(self.uow, self.worker.job_counts)()
        for _ in range(100):
            with self.uow() as tx:
                if not tx.tallies.follow(5_000):
                    return
        raise AssertionError("the history has no end")

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with (
            closing(psycopg2.connect(self.url)) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []

    def app(self, **more: Any) -> Flask:
        live = SimpleNamespace(open_streams=3, position=lambda: "")
        desk = Desk(
            uow=self.uow,
            engine=self.services.engine,
            advance=self.advance,
            clock=self.services.clock,
            world=self.world,
            world_dir=ROOT / "worlds/paint_factory",
            floor=EmptyFloor(),
            live=live,  # type: ignore[arg-type]
            hasher=SimpleNamespace(),  # type: ignore[arg-type]
            **more,
        )
        app = create_app(desk)
        app.config.update(TESTING=True, PROPAGATE_EXCEPTIONS=False)
        return app

    def browser(self, role: str = "supervisor", language: str = "en") -> FlaskClient:
        login, token = f"{role}-{language}", f"token-of-{role}-{language}"
        with self.uow() as tx:
            person = tx.people.add(login, role.title(), Role(role), language=language)
            tx.sessions.open(
                hash_of(token),
                person.id,
                tablet_id=None,
                expires_at=datetime.now(UTC) + timedelta(hours=12),
            )
        client = self.app().test_client()
        client.set_cookie(signed_in.SESSION_COOKIE, token)
        return client


@pytest.fixture
def house(database_url: str) -> Iterator[House]:
    house = House(database_url)
    house.deploy("mixing")
    yield house
    house.close()
