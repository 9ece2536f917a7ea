"""A factory with its pages, asked without a socket in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from mpms.adapters.argon2_hasher import Argon2Hasher
from mpms.domain.jobs import Done, Job
from mpms.domain.people.people import Person, Role
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.adapters.documents import TypstDocuments
from mpms.factory.adapters.plant_key import verify as verify_seal
from mpms.factory.adapters.vehicle_files import WorldVehicles
from mpms.factory.domain.order_mail import Catalogue
from mpms.factory.domain.order_mail.showing import read_text
from mpms.factory.services.catalogue.current import CurrentCatalogue
from mpms.factory.web.desk import FactoryDesk
from mpms.plugins import Plugin, loading
from mpms.services.jobs.handlers import Handlers
from mpms.services.people.session_tokens import hash_of, new_token
from mpms.web import create_app
from mpms.web.desk import Desk
from mpms.web.site import signed_in
from tests.support.factory import WORLD_DIR, Factory
from tests.support.fakes import EmptyFloor, SilentLive

NO_PAPER = "no paper in the printer"


class Answer(TestResponse):
    """What the pages answer; a test says itself what the JSON in it looks like."""

    if TYPE_CHECKING:

        @property
        def json(self) -> Any: ...


class Browser(FlaskClient):
    """Asks the pages of one application, with cookies of its own."""

    if TYPE_CHECKING:

        def open(self, *args: Any, **kwargs: Any) -> Answer: ...
        def get(self, *args: Any, **kwargs: Any) -> Answer: ...
        def post(self, *args: Any, **kwargs: Any) -> Answer: ...
        def put(self, *args: Any, **kwargs: Any) -> Answer: ...
        def patch(self, *args: Any, **kwargs: Any) -> Answer: ...
        def delete(self, *args: Any, **kwargs: Any) -> Answer: ...


def quick_hasher(leaked: Path | None = None) -> Argon2Hasher:
    """Real, and cheap enough for tests."""
    return Argon2Hasher(rounds=1, memory_kib=8, leaked=leaked)


@cache
def _catalogue() -> Catalogue:
    return Catalogue.from_json((WORLD_DIR / "catalogue.json").read_bytes())


def shipped_catalogue() -> CurrentCatalogue:
    return CurrentCatalogue(_catalogue)


class Site(Factory):
    """People are signed in by rows: how they sign in is looked at elsewhere."""

    def __init__(self, url: str, **parts: Any) -> None:
        super().__init__(url, **parts)
        self._app: Flask | None = None

    def desk(self, **changes: Any) -> FactoryDesk:
        plain = FactoryDesk(
            uow=self.uow,
            engine=self.engine,
            advance=self.advance,
            clock=self.clock,
            world=self.world,
            world_dir=WORLD_DIR,
            floor=EmptyFloor(),
            live=SilentLive(),  # type: ignore[arg-type]
            hasher=quick_hasher(),
            materials=shipped_catalogue(),
            kinds=loading.kinds(),
            documents=TypstDocuments(),
            read_workbook=factory_bootstrap.read_workbook,
            vehicles=WorldVehicles(self.world, WORLD_DIR, WORLD_DIR.parent),
            verify_seal=verify_seal,
            read_mail=read_text,  # the sandbox is looked at elsewhere
        )
        return replace(plain, **changes)

    def app(self, **changes: Any) -> Flask:
        """The pages of this site; with changes of its desk a second set of them."""
        if changes:
            return pages_of(self.desk(**changes))
        if self._app is None:
            self._app = pages_of(self.desk())
        return self._app

    @property
    def catalogue(self) -> Catalogue:
        """What may be ordered at this moment."""
        found = self.desk().catalogue
        assert found is not None
        return found

    def visitor(self, **changes: Any) -> Browser:
        """A browser in which nobody is signed in."""
        return browser_of(self.app(**changes))

    def browser_of(
        self, login: str, *, tablet_id: int | None = None, **changes: Any
    ) -> Browser:
        """A browser in which this person is signed in, maybe on a tablet."""
        client = self.visitor(**changes)
        client.set_cookie(
            signed_in.SESSION_COOKIE, self.session_of(login, tablet_id=tablet_id)
        )
        return client

    def browser(
        self,
        role: Role | str = Role.SUPERVISOR,
        language: str = "en",
        **changes: Any,
    ) -> Browser:
        """A browser in which somebody with this role is signed in."""
        login = f"{Role(role)}-{language}"
        self.person(login, role, language=language)
        return self.browser_of(login, **changes)

    def person(self, login: str, role: Role | str, **more: Any) -> Person:
        with self.uow() as tx:
            known = tx.people.get(login)
            if known is not None:
                return known
            called = more.pop("name", f"{Role(role).title()} Doe")
            return tx.people.add(login, called, Role(role), **more)

    def known(self, login: str) -> Person:
        with self.uow() as tx:
            person = tx.people.get(login)
        assert person is not None, login
        return person

    def session_of(self, login: str, *, tablet_id: int | None = None) -> str:
        """The token of a new session of this person."""
        token, person = new_token(), self.known(login)
        with self.uow() as tx:
            tx.sessions.open(
                hash_of(token),
                person.id,
                tablet_id=tablet_id,
                expires_at=datetime.now(UTC) + timedelta(hours=12),
            )
        return token

    def page(
        self, path: str, role: Role | str = Role.SUPERVISOR, language: str = "en"
    ) -> str:
        answer = self.browser(role, language).get(path)
        assert answer.status_code == 200, (path, answer.status, answer.text[:500])
        return answer.text

    def start(self, key: str, business_key: str | None = None, **variables: Any) -> str:
        """Start a process; the worker does what can be done."""
        instance_id = self.start_only(key, business_key=business_key, **variables)
        self.worker.settle()
        return instance_id


class Workshop(Site):
    """Its processes want labels printed and paint weighed: trouble makes that fail."""

    def __init__(self, url: str, **parts: Any) -> None:
        super().__init__(url, **parts)
        self.trouble: str | None = None
        add_jobs(self.handlers, lambda: self.trouble)


def add_jobs(handlers: Handlers, trouble: Callable[[], str | None]) -> None:
    """The topics "print" and "weigh", which fail while there is trouble."""

    def work(tx: Any, job: Job) -> Done:
        if why := trouble():
            raise RuntimeError(why)
        return Done({f"{job.topic}ed": True})

    for topic in ("print", "weigh"):
        handlers.add_inside(topic, work)


def pages_of(desk: Desk, plugins: Sequence[Plugin] | None = None) -> Flask:
    """The application as it is served, but errors become pages as in production."""
    app = create_app(desk, plugins)
    app.config.update(TESTING=True, PROPAGATE_EXCEPTIONS=False)
    app.test_client_class = Browser
    return app


def browser_of(app: Flask) -> Browser:
    client = app.test_client()
    assert isinstance(client, Browser)
    return client


def row_of(page: str, text: str) -> str:
    """Cut the row out of a table of a page that holds a text."""
    rows = [r.split("</tr>")[0] for r in page.split("<tr")[1:] if text in r]
    assert rows, text
    return " ".join(rows[0].split())
