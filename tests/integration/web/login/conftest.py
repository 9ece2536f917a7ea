"""The whole site over a real database, with people who can really sign in.

Secrets are hashed as in production but cheaply; whatever else the pages want of the
plant is empty.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from mpms import bootstrap
from mpms.adapters.argon2_hasher import Argon2Hasher
from mpms.domain.people import Person, Role
from mpms.ports.floor import FloorSeen
from mpms.services.add_person import add_person
from mpms.services.change_secret import set_badge
from mpms.services.enrol_tablet import enrol_tablet
from mpms.web import create_app, signed_in
from mpms.web.desk import Desk

ROOT = Path(__file__).resolve().parents[4]
PASSWORD = "correct horse battery"
PIN = "4071"


class CountingHasher(Argon2Hasher):
    """Cheap, and knows how often it was asked."""

    def __init__(self) -> None:
        super().__init__(rounds=1, memory_kib=8)
        self.asked: list[str | None] = []
        self._lock = threading.Lock()

    def verify(self, kept: str | None, secret: str) -> bool:
        with self._lock:
            self.asked.append(kept)
        return super().verify(kept, secret)


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


class EndedStream:
    """A stream of a server that is about to stop."""

    def read(self, timeout_s: float) -> None:
        return None

    def close(self) -> None:
        pass


class SilentLive:
    """Nothing ever changes."""

    open_streams = 0

    def position(self) -> str:
        return ""

    def stream(self, *_: Any, **__: Any) -> EndedStream:
        return EndedStream()


class Site:
    """One plant's pages."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.services = bootstrap.connect(url)
        self.uow = self.services.uow
        self.hasher = CountingHasher()
        self.desk = Desk(
            uow=self.uow,
            engine=self.services.engine,
            advance=self.services.advance,
            clock=self.services.clock,
            world=bootstrap.world_named("paint_factory"),
            world_dir=ROOT / "worlds/paint_factory",
            floor=EmptyFloor(),
            live=SilentLive(),  # type: ignore[arg-type]
            hasher=self.hasher,
        )
        self.app = self.make_app()
        # The history of the tests before cannot be deleted.
        [(self._history_from,)] = self.rows("SELECT coalesce(max(id), 0) FROM events")

    def make_app(self, **changes: Any) -> Flask:
        app = create_app(replace(self.desk, **changes))
        app.config["TESTING"] = True
        # Tests of pages do not depend on a build of their scripts.
        app.jinja_env.globals.update(
            asset=lambda name: f"/static/{name}",
            assets_later=dict,
            browser_texts=dict,
        )
        return app

    def browser(self, **changes: Any) -> FlaskClient:
        return (self.make_app(**changes) if changes else self.app).test_client()

    def person(
        self,
        login: str = "ada",
        role: Role = Role.SUPERVISOR,
        *,
        password: str | None = PASSWORD,
        pin: str | None = None,
        badge: str | None = None,
        **more: Any,
    ) -> Person:
        made = add_person(
            self.uow,
            self.hasher,
            login,
            more.pop("name", f"{login.title()} Doe"),
            role,
            by="test",
            password=password,
            pin=pin,
            **more,
        )
        if badge is not None:
            set_badge(self.uow, login, badge, by="test")
        return made

    def signed_in(self, login: str = "ada", **changes: Any) -> FlaskClient:
        browser = self.browser(**changes)
        answer = self.sign_in(browser, login)
        assert answer.status_code == 303, answer.text
        return browser

    def sign_in(
        self, browser: FlaskClient, login: str, password: str = PASSWORD, **more: Any
    ) -> TestResponse:
        form = {"login": login, "password": password, **more}
        return browser.post("/login", data=form)

    def tablet(self, name: str = "Door") -> FlaskClient:
        """A browser that was enrolled."""
        browser = self.browser()
        token = enrol_tablet(self.uow, name, by="test")
        browser.set_cookie(signed_in.TABLET_COOKIE, token)
        return browser

    def token(self, browser: FlaskClient) -> str | None:
        cookie = browser.get_cookie(signed_in.SESSION_COOKIE)
        return None if cookie is None else cookie.value

    def who(self, browser: FlaskClient) -> str | None:
        """The login of whoever is signed in there."""
        token = self.token(browser)
        found = None
        if token:
            with self.app.app_context():
                found = signed_in.recognise(self.uow, self.desk.clock, token)
        return None if found is None else found.person.login

    def history(self) -> list[tuple[str, str, dict[str, Any]]]:
        rows = self.rows(
            "SELECT kind, actor, data FROM events WHERE id > %s ORDER BY id",
            self._history_from,
        )
        return [(kind, actor, data) for kind, actor, data in rows]

    def time_passes(self, seconds: float) -> None:
        """All that was written so far is older now."""
        for statement in (
            "UPDATE sign_in_attempts SET at = at - make_interval(secs => %s)",
            "UPDATE sessions SET seen_at = seen_at - make_interval(secs => %s)",
            "UPDATE sessions SET expires_at = expires_at - make_interval(secs => %s)",
        ):
            self.rows(statement, seconds)

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with (
            closing(psycopg2.connect(self.url)) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    def close(self) -> None:
        self.services.close()


@pytest.fixture
def site(database_url: str) -> Iterator[Site]:
    site = Site(database_url)
    yield site
    site.close()


@pytest.fixture
def password() -> str:
    return PASSWORD


@pytest.fixture
def pin() -> str:
    return PIN


@pytest.fixture
def cookie_of() -> Callable[[TestResponse, str], dict[str, str | bool]]:
    """Return a function that reads one cookie of an answer with its attributes."""

    def read(answer: TestResponse, name: str) -> dict[str, str | bool]:
        for line in answer.headers.getlist("Set-Cookie"):
            first, *rest = [part.strip() for part in line.split(";")]
            key, _, value = first.partition("=")
            if key == name:
                found: dict[str, str | bool] = {"value": value}
                for part in rest:
                    attribute, equals, text = part.partition("=")
                    found[attribute.lower()] = text if equals else True
                return found
        raise AssertionError(f"no cookie {name}")

    return read
