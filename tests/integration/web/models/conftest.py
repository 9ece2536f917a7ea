"""The pages about models over a real database, with models small enough to read.

People are signed in by rows, because how they sign in is not looked at here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg2
import pytest
from flask import Flask
from flask.testing import FlaskClient

import mpms.web
from mpms import bootstrap
from mpms.domain.people import Role
from mpms.services.deploy_models import deploy_models
from mpms.services.run_batches import RunBatches
from mpms.services.start_instance import start_instance
from mpms.services.tokens import hash_of
from mpms.web import assets, security, signed_in, texts
from mpms.web.desk import Desk
from mpms.web.pages import cockpit, home, models, orders, tasks
from mpms.web.pages import map as floor_map
from mpms.web.rights import require_rights

ROOT = Path(__file__).resolve().parents[4]
MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
    id="drawing" targetNamespace="urn:test">
<process id="mixing" name="Mix paint" isExecutable="true">
<startEvent id="begin"/>
<userTask id="{step}" name="{name}" camunda:formKey="{form}"/>
<endEvent id="end"/>
<sequenceFlow id="a" sourceRef="begin" targetRef="{step}"/>
<sequenceFlow id="b" sourceRef="{step}" targetRef="end"/>
</process>
</definitions>
"""


class Studio:
    """A plant's models, and who looks at them."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.services = bootstrap.connect(url)
        self.uow, self.engine = self.services.uow, self.services.engine
        self._app: Flask | None = None

    def close(self) -> None:
        self.services.close()

    def model(
        self, name: str = "Load", form: str = "load", step: str = "load"
    ) -> bytes:
        return MODEL.format(name=name, form=form, step=step).encode()

    def deploy(self, note: str = "", **files: bytes) -> None:
        named = {name.replace("__", "."): content for name, content in files.items()}
        deploy_models(self.uow, self.engine, named, by="engineer", note=note)

    def start(self, business_key: str, key: str = "mixing") -> str:
        with self.uow() as tx:
            return start_instance(
                tx,
                self.services.advance,
                key,
                variables={},
                business_key=business_key,
                actor="operator",
            )

    def work(self) -> None:
        """Do what bulk actions ask, as a worker would."""
        run = RunBatches(self.uow, self.services.advance)
        while run():
            pass

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        with (
            closing(psycopg2.connect(self.url)) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []

    # -- pages ------------------------------------------------------------------------

    def browser(self, role: str = "admin", language: str = "en") -> FlaskClient:
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

    def page(self, path: str, role: str = "admin", language: str = "en") -> str:
        answer = self.browser(role, language).get(path, follow_redirects=True)
        assert answer.status_code == 200, (path, answer.status, answer.text[:500])
        return answer.text

    def upload(self, *files: tuple[str, bytes], **fields: str) -> Any:
        return self.browser().post(
            "/models/deploy",
            data={
                **fields,
                "files": [(BytesIO(content), name) for name, content in files],
            },
        )

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
            engine=self.engine,
            advance=self.services.advance,
            clock=self.services.clock,
            world=bootstrap.world_named("paint_factory"),
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
        for page in (home, tasks, orders, floor_map, cockpit, models):
            app.register_blueprint(page.pages)
        require_rights(app)
        return app


@pytest.fixture
def studio(database_url: str) -> Iterator[Studio]:
    studio = Studio(database_url)
    yield studio
    studio.close()
