"""The whole site, with people who can really sign in.

Secrets are hashed as in production but cheaply.
"""

from __future__ import annotations

import threading
from typing import Any

from flask.testing import FlaskClient

from mpms.adapters.argon2_hasher import Argon2Hasher
from mpms.domain.people.people import Person, Role
from mpms.factory.web.desk import FactoryDesk
from mpms.services.people.add import add_person
from mpms.services.people.change_secret import set_badge
from mpms.services.people.enrol_tablet import enrol_tablet
from mpms.services.people.recognise import recognise
from mpms.web.site import signed_in
from tests.support.site import Answer, Browser, Site

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


class Gate(Site):
    """One plant's pages and how people come in."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.hasher = CountingHasher()

    def desk(self, **changes: Any) -> FactoryDesk:
        return super().desk(**({"hasher": self.hasher} | changes))

    def person(
        self,
        login: str = "ada",
        role: Role | str = Role.SUPERVISOR,
        *,
        password: str | None = PASSWORD,
        badge: str | None = None,
        **more: Any,
    ) -> Person:
        made = add_person(
            self.uow,
            self.hasher,
            login,
            more.pop("name", f"{login.title()} Doe"),
            Role(role),
            by="test",
            password=password,
            **more,
        )
        if badge is not None:
            set_badge(self.uow, login, badge, by="test")
        return made

    def signed_in(self, login: str = "ada", **changes: Any) -> Browser:
        browser = self.visitor(**changes)
        answer = self.sign_in(browser, login)
        assert answer.status_code == 303, answer.text
        return browser

    def sign_in(
        self, browser: Browser, login: str, password: str = PASSWORD, **more: Any
    ) -> Answer:
        form = {"login": login, "password": password, **more}
        return browser.post("/login", data=form)

    def tablet(self, name: str = "Door") -> Browser:
        """A browser that was enrolled."""
        browser = self.visitor()
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
            with self.app().app_context():
                found = recognise(self.uow, self.clock, token)
        return None if found is None else found.person.login

    def history(self) -> list[tuple[str, str, dict[str, Any]]]:
        rows = self.rows("SELECT kind, actor, data FROM events ORDER BY id")
        return [(kind, actor, data) for kind, actor, data in rows]

    def time_passes(self, seconds: float) -> None:
        """All that was written so far is older now."""
        for statement in (
            "UPDATE sign_in_attempts SET at = at - make_interval(secs => %s)",
            "UPDATE sessions SET seen_at = seen_at - make_interval(secs => %s)",
            "UPDATE sessions SET expires_at = expires_at - make_interval(secs => %s)",
        ):
            self.rows(statement, seconds)


def cookie_of(answer: Answer, name: str) -> dict[str, str | bool]:
    """One cookie of an answer with its attributes."""
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
