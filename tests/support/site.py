"""A factory with its pages, asked without a socket in between."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from mpms.adapters.argon2_hasher import Argon2Hasher
from mpms.domain.order_mail import Catalogue
from mpms.domain.people import Person, Role
from mpms.services.current_catalogue import CurrentCatalogue
from mpms.services.tokens import hash_of
from mpms.web import create_app, signed_in
from mpms.web.desk import Desk
from tests.support.factory import WORLD_DIR, Factory
from tests.support.fakes import EmptyFloor, SilentLive


def quick_hasher() -> Argon2Hasher:
    """Real, and cheap enough for tests."""
    return Argon2Hasher(rounds=1, memory_kib=8)


def shipped_catalogue() -> CurrentCatalogue:
    text = (WORLD_DIR / "catalogue.json").read_text("utf-8")
    return CurrentCatalogue(lambda: Catalogue.from_json(text))


class Site(Factory):
    """People are signed in by rows: how they sign in is looked at elsewhere."""

    def __init__(self, url: str, **parts: Any) -> None:
        super().__init__(url, **parts)
        self._app: Flask | None = None

    def desk(self, **changes: Any) -> Desk:
        plain = Desk(
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
        )
        return replace(plain, **changes)

    def app(self, **changes: Any) -> Flask:
        """The pages of this site; with changes of its desk a second set of them."""
        if changes:
            return pages_of(self.desk(**changes))
        if self._app is None:
            self._app = pages_of(self.desk())
        return self._app

    def browser(
        self,
        role: Role | str = Role.SUPERVISOR,
        language: str = "en",
        **changes: Any,
    ) -> FlaskClient:
        """A browser in which somebody with this role is signed in."""
        login = f"{Role(role)}-{language}"
        self.person(login, role, language=language)
        client = self.app(**changes).test_client()
        client.set_cookie(signed_in.SESSION_COOKIE, self.session_of(login))
        return client

    def person(self, login: str, role: Role | str, **more: Any) -> Person:
        with self.uow() as tx:
            known = tx.people.get(login)
            if known is not None:
                return known
            called = more.pop("name", f"{Role(role).title()} Doe")
            return tx.people.add(login, called, Role(role), **more)

    def session_of(self, login: str, tablet_id: int | None = None) -> str:
        """The token of a session of this person; the same at each call."""
        token = f"session of {login} on {tablet_id}"
        with self.uow() as tx:
            person = tx.people.get(login)
            assert person is not None, login
            if not self.rows(
                "SELECT 1 FROM sessions WHERE token_hash = %s", hash_of(token)
            ):
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


def pages_of(desk: Desk) -> Flask:
    """The application as it is served, but errors become pages as in production."""
    app = create_app(desk)
    app.config.update(TESTING=True, PROPAGATE_EXCEPTIONS=False)
    return app


def row_of(page: str, text: str) -> str:
    """Cut the row out of a table of a page that holds a text."""
    rows = [r.split("</tr>")[0] for r in page.split("<tr")[1:] if text in r]
    assert rows, text
    return " ".join(rows[0].split())
