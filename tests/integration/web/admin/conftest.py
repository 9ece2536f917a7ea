"""The administration's pages over a real database, with people signed in by rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg2
import pytest
from flask import Flask
from flask.testing import FlaskClient

from mpms import bootstrap
from mpms.adapters.argon2_hasher import Argon2Hasher
from mpms.adapters.floor import StillFloor
from mpms.domain.order_mail import Catalogue
from mpms.domain.people import Role
from mpms.services.add_person import add_person
from mpms.services.current_catalogue import CurrentCatalogue
from mpms.services.deploy_models import deploy_models
from mpms.services.tokens import hash_of, new_token
from mpms.web import create_app, signed_in
from mpms.web.desk import Desk

ROOT = Path(__file__).resolve().parents[4]
WORLD = ROOT / "worlds" / "paint_factory"
PASSWORD = "correct horse battery"


class Office:
    """One plant's administration."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.services = bootstrap.connect(url)
        self.uow = self.services.uow
        self.hasher = Argon2Hasher(rounds=1, memory_kib=8)
        self.world = bootstrap.world_named("paint_factory")
        text = (WORLD / "catalogue.json").read_text(encoding="utf-8")
        self.desk = Desk(
            uow=self.uow,
            engine=self.services.engine,
            advance=self.services.advance,
            clock=self.services.clock,
            world=self.world,
            world_dir=WORLD,
            floor=StillFloor(),
            live=SimpleNamespace(position=lambda: ""),  # type: ignore[arg-type]
            hasher=self.hasher,
            materials=CurrentCatalogue(lambda: Catalogue.from_json(text)),
        )
        self._apps: dict[str, Flask] = {}

    def person(self, login: str, role: Role, **more: Any) -> None:
        add_person(
            self.uow,
            self.hasher,
            login,
            more.pop("name", f"{login.title()} Doe"),
            role,
            by="test",
            password=more.pop("password", PASSWORD),
            **more,
        )

    def app(self, **changes: Any) -> Flask:
        app = create_app(replace(self.desk, **changes))
        app.config["TESTING"] = True
        app.jinja_env.globals.update(
            asset=lambda name: f"/static/{name}",
            assets_later=dict,
            browser_texts=dict,
        )
        return app

    def browser(self, login: str | None = None, **changes: Any) -> FlaskClient:
        """Signed in, if somebody is named."""
        client = self.app(**changes).test_client()
        if login is not None:
            token = new_token()
            with self.uow() as tx:
                person = tx.people.get(login)
                assert person is not None
                tx.sessions.open(
                    hash_of(token),
                    person.id,
                    tablet_id=None,
                    expires_at=self.services.clock.now() + timedelta(hours=8),
                )
            client.set_cookie(signed_in.SESSION_COOKIE, token)
        return client

    def deploy(self, *names: str) -> None:
        files = {name: (ROOT / name).read_bytes() for name in names}
        deploy_models(
            self.uow,
            self.services.engine,
            {Path(name).name: content for name, content in files.items()},
            by="test",
        )

    def history(self, kind: str) -> list[tuple[str, dict[str, Any]]]:
        rows = self.rows(
            "SELECT actor, data FROM events WHERE kind = %s ORDER BY id", kind
        )
        return [(actor, data) for actor, data in rows]

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with (
            closing(psycopg2.connect(self.url)) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []

    def close(self) -> None:
        self.services.close()


@pytest.fixture
def office(database_url: str) -> Iterator[Office]:
    office = Office(database_url)
    office.person("adam", Role.ADMIN, name="Adam Cole")
    office.person("sofia", Role.SUPERVISOR)
    office.person("ana", Role.WORKER, groups=["worker"])
    yield office
    office.close()


@pytest.fixture
def admin(office: Office) -> FlaskClient:
    return office.browser("adam")


@pytest.fixture
def sign_in_as(office: Office) -> Callable[..., FlaskClient]:
    return office.browser
