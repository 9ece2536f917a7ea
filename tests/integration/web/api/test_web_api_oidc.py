"""Signing in at a small real provider: own server, own keys, honest or not."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from werkzeug.test import TestResponse

from mpms.adapters.oidc import OidcProvider, OidcSettings
from mpms.domain.people.people import Role
from mpms.services.people.change_secret import set_active
from tests.support.site import Browser
from tests.support.web_api import Plant

CLIENT, SECRET = "mpms", "the secret of the client"
HOME = "http://localhost/login/arrive"


class Provider:
    """Knows ``claims`` of one person; ``twist`` changes what it signs."""

    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, {"kid": "first"})
        self.claims: dict[str, Any] = {
            "sub": "u-1",
            "preferred_username": "Ana@example.com",
            "name": "Ana Nimm",
            "groups": ["plant-workers", "mixing"],
        }
        self.twist: Callable[[dict[str, Any]], None] = lambda claims: None
        self.signing_key = self.key
        self.codes: dict[str, dict[str, str]] = {}
        self.asked: list[str] = []
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.asked.append(self.path)
                if self.path == "/.well-known/openid-configuration":
                    self._say(provider.about())
                elif self.path == "/keys":
                    public = provider.key.as_dict(private=False)
                    self._say({"keys": [public]})
                else:
                    self._say({}, 404)

            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                form = parse_qs(self.rfile.read(length).decode())
                self._say(*provider.redeem(form, self.headers["Authorization"]))

            def _say(self, told: Any, status: int = 200) -> None:
                body = json.dumps(told).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def about(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            "end_session_endpoint": f"{self.url}/leave",
        }

    def consent(self, location: str) -> str:
        """What a browser that comes from here is sent back to with."""
        asked = {k: v[0] for k, v in parse_qs(urlsplit(location).query).items()}
        assert location.startswith(f"{self.url}/authorize?")
        assert asked["client_id"] == CLIENT
        assert asked["redirect_uri"] == HOME
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        code = f"code-{len(self.codes)}"
        self.codes[code] = asked
        return f"/login/arrive?code={code}&state={asked['state']}"

    def redeem(
        self, form: dict[str, list[str]], authorization: str | None
    ) -> tuple[Any, int]:
        expected = base64.b64encode(
            f"{CLIENT}:{SECRET.replace(' ', '+')}".encode()
        ).decode()
        plain = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        asked = self.codes.pop(form["code"][0], None)
        digest = hashlib.sha256(form["code_verifier"][0].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if (
            asked is None
            or authorization not in (f"Basic {expected}", f"Basic {plain}")
            or asked["code_challenge"] != challenge
        ):
            return {"error": "invalid_grant"}, 400
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": asked["nonce"],
            **self.claims,
        }
        self.twist(claims)
        header = {"alg": "RS256", "kid": "first"}
        signed = jwt.encode(header, claims, self.signing_key)
        return {"access_token": "a", "token_type": "Bearer", "id_token": signed}, 200

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def provider() -> Iterator[Provider]:
    provider = Provider()
    yield provider
    provider.close()


@pytest.fixture
def door(plant: Plant, provider: Provider) -> OidcProvider:
    return OidcProvider(
        OidcSettings(
            provider.url,
            CLIENT,
            SECRET,
            name="Acme",
            roles={
                "plant-admins": Role.ADMIN,
                "plant-leaders": Role.SUPERVISOR,
                "plant-workers": Role.WORKER,
            },
        )
    )


@pytest.fixture
def browser(plant: Plant, door: OidcProvider) -> Browser:
    return plant.visitor(sign_in_elsewhere=door)


def come_in(
    browser: Browser, provider: Provider, going_to: str = "/tasks"
) -> TestResponse:
    going = browser.get(f"/login/elsewhere?next={going_to}")
    assert going.status_code == 303
    return browser.get(provider.consent(going.location))


def test_the_login_page_offers_it_only_where_it_is_set_up(
    plant: Plant, browser: Browser
) -> None:
    assert "Sign in with Acme" in browser.get("/login").text
    bare = plant.visitor()
    assert "/login/elsewhere" not in bare.get("/login").text
    assert bare.get("/login/elsewhere").status_code == 404


def test_a_person_is_made_at_the_first_sign_in(
    plant: Plant, browser: Browser, provider: Provider
) -> None:
    answer = come_in(browser, provider)
    assert (answer.status_code, answer.location) == (303, "/tasks")
    assert browser.get("/tasks").status_code == 200
    with plant.uow() as tx:
        ana = tx.people.get("ana")
    assert ana is not None
    assert (ana.name, ana.role) == ("Ana Nimm", Role.WORKER)
    assert ana.groups == ("plant-workers", "mixing")
    assert [actor for actor, _ in plant.told("person added")] == [provider.url]
    assert plant.told("signed in")[0][0] == "ana"


def test_an_account_with_the_same_login_is_not_taken_over(
    plant: Plant, browser: Browser, provider: Provider
) -> None:
    with plant.uow() as tx:
        tx.people.add("ana", "Ana before", Role.ADMIN)
    for _ in range(2):
        answer = come_in(browser, provider)
        assert answer.status_code == 401
        assert "Ask an administrator to link it" in answer.text
    assert browser.get("/tasks").status_code == 303
    assert plant.known("ana").name == "Ana before"
    assert len(plant.told("sign-in refused")) == 2
    admin = plant.program("admin")
    (asked,) = admin.get("/people/ana/sign_ins")["items"]
    assert (asked["subject"], asked["name"], asked["linked"]) == (
        "u-1",
        "Ana Nimm",
        False,
    )


def test_an_administrator_links_and_unlinks_a_sign_in(
    plant: Plant, browser: Browser, provider: Provider
) -> None:
    with plant.uow() as tx:
        tx.people.add("ana", "Ana before", Role.VIEWER)
    come_in(browser, provider)
    boss = plant.browser("admin")
    page = boss.get("/admin/people/ana").text
    assert "Ana Nimm asks for this account" in page
    which = {"issuer": provider.url, "subject": "u-1"}
    where = "/admin/people/ana/sign-in"
    assert (
        boss.post(where, data=which | {"link": "yes"}).status_code == 422
    )  # no reason
    told = {"reason": "she showed her badge"}
    assert boss.post(where, data=which | told | {"link": "yes"}).status_code == 303
    assert come_in(browser, provider).status_code == 303
    assert plant.known("ana").role is Role.WORKER
    assert boss.post(where, data=which | told).status_code == 303
    assert browser.get("/tasks").status_code == 303  # her sessions ended
    assert come_in(browser, provider).status_code == 401
    assert boss.post(where, data=which | told).status_code == 303  # refuses who asked
    assert plant.program("admin").get("/people/ana/sign_ins")["items"] == []
    nobody = boss.post(where, data=which | told | {"link": "yes"})
    assert nobody.status_code == 422
    assert "Nobody at that sign-in service" in nobody.text
    kinds = ["sign-in linked", "sign-in unlinked", "sign-in unlinked"]
    assert [k for k in kinds[:2] for _ in plant.told(k)] == kinds


def test_only_confirmed_addresses_of_named_domains_come_in(
    plant: Plant, provider: Provider
) -> None:
    settings = OidcSettings(
        provider.url,
        CLIENT,
        SECRET,
        roles={"plant-workers": Role.WORKER},
        domains=("plant.example",),
    )
    browser = plant.visitor(sign_in_elsewhere=OidcProvider(settings))
    for email, confirmed, reason in (
        (None, True, "of that domain may not"),
        ("ana@elsewhere.example", True, "of that domain may not"),
        ("ana@plant.example", False, "not confirmed"),
        ("ana@plant.example", "true", "not confirmed"),
    ):
        provider.claims |= {"email": email, "email_verified": confirmed}
        refused = come_in(browser, provider)
        assert (refused.status_code, reason in refused.text) == (401, True)
    provider.claims |= {"email": "Ana@Plant.Example", "email_verified": True}
    assert come_in(browser, provider).status_code == 303


def test_somebody_linked_follows_the_provider(
    plant: Plant, browser: Browser, provider: Provider
) -> None:
    come_in(browser, provider)
    provider.claims["groups"] = ["plant-leaders"]
    provider.claims["preferred_username"] = "ana.married"
    come_in(browser, provider)
    with plant.uow() as tx:
        people = {person.login: person.role for person in tx.people.listing()}
    assert people == {"ana": Role.SUPERVISOR}


def test_the_last_administrator_stays_one_whatever_the_provider_says(
    plant: Plant, browser: Browser, provider: Provider
) -> None:
    provider.claims["groups"] = ["plant-admins"]
    come_in(browser, provider)
    provider.claims["groups"] = ["plant-workers", "mixing"]
    assert come_in(browser, provider).status_code == 303
    assert browser.get("/admin/people").status_code == 200
    ana = plant.known("ana")
    assert (ana.role, ana.groups) == (Role.ADMIN, ("plant-workers", "mixing"))
    kept = {"login": "ana", "role": "worker"}
    assert plant.told("administrator kept") == [(provider.url, kept)]
    with plant.uow() as tx:
        tx.people.add("ada", "Ada", Role.ADMIN)
    come_in(browser, provider)
    assert browser.get("/admin/people").status_code == 403
    assert plant.known("ana").role is Role.WORKER
    assert len(plant.told("administrator kept")) == 1


def test_a_disabled_administrator_counts_for_nobody(
    plant: Plant, browser: Browser, provider: Provider
) -> None:
    provider.claims["groups"] = ["plant-admins"]
    come_in(browser, provider)
    with plant.uow() as tx:
        tx.people.add("ada", "Ada", Role.ADMIN)
    set_active(plant.uow, "ada", False, by="ana")
    provider.claims["groups"] = ["plant-leaders"]
    come_in(browser, provider)
    assert plant.known("ana").role is Role.ADMIN


def test_another_person_with_an_old_login_becomes_nobody_else(
    plant: Plant, browser: Browser, provider: Provider
) -> None:
    come_in(browser, provider)
    provider.claims["sub"] = "u-2"
    answer = come_in(browser, provider)
    assert answer.status_code == 401
    assert "somebody else" in answer.text


def test_a_disabled_person_stays_out(
    plant: Plant, browser: Browser, provider: Provider
) -> None:
    come_in(browser, provider)
    set_active(plant.uow, "ana", False, by="admin")
    answer = come_in(browser, provider)
    assert answer.status_code == 401
    assert "disabled" in answer.text
    assert browser.get("/tasks").status_code == 303


def test_an_unknown_group_opens_nothing(
    plant: Plant, browser: Browser, provider: Provider
) -> None:
    provider.claims["groups"] = ["canteen"]
    answer = come_in(browser, provider)
    assert answer.status_code == 401
    assert "no role" in answer.text
    with plant.uow() as tx:
        assert tx.people.listing() == []


def with_nonce(claims: dict[str, Any]) -> None:
    claims["nonce"] = "of another sign-in"


def without_nonce(claims: dict[str, Any]) -> None:
    del claims["nonce"]


def with_audience(claims: dict[str, Any]) -> None:
    claims["aud"] = "another program"


def with_two_audiences(claims: dict[str, Any]) -> None:
    claims["aud"] = [CLIENT, "another program"]


def with_issuer(claims: dict[str, Any]) -> None:
    claims["iss"] = "https://accounts.example.com"


def expired(claims: dict[str, Any]) -> None:
    claims["iat"] -= 7200
    claims["exp"] = claims["iat"] + 300


def nameless(claims: dict[str, Any]) -> None:
    del claims["sub"]


@pytest.mark.parametrize(
    "twist",
    [
        with_nonce,
        without_nonce,
        with_audience,
        with_two_audiences,
        with_issuer,
        expired,
        nameless,
    ],
)
def test_a_token_that_is_not_for_this_sign_in_opens_nothing(
    browser: Browser,
    provider: Provider,
    twist: Callable[[dict[str, Any]], None],
) -> None:
    provider.twist = twist
    answer = come_in(browser, provider)
    assert answer.status_code == 401
    assert browser.get("/tasks").status_code == 303


def test_a_signature_of_somebody_else_opens_nothing(
    browser: Browser, provider: Provider
) -> None:
    provider.signing_key = RSAKey.generate_key(2048, {"kid": "first"})
    assert come_in(browser, provider).status_code == 401


def test_new_keys_of_the_provider_are_noticed(
    browser: Browser, provider: Provider
) -> None:
    assert come_in(browser, provider).status_code == 303
    provider.key = provider.signing_key = RSAKey.generate_key(2048, {"kid": "first"})
    assert come_in(browser, provider).status_code == 303
    assert provider.asked.count("/keys") == 2


def test_a_link_that_somebody_else_made_opens_nothing(
    plant: Plant, browser: Browser, provider: Provider, door: OidcProvider
) -> None:
    """The state belongs to the browser that departed, and is good once."""
    going = browser.get("/login/elsewhere")
    back = provider.consent(going.location)
    victim = plant.visitor(sign_in_elsewhere=door)
    assert victim.get(back).status_code == 401
    tampered = browser.get(back.replace("state=", "state=x"))
    assert tampered.status_code == 401
    assert browser.get("/login/arrive?code=a&state=ü").status_code == 401
    assert browser.get("/login/arrive").status_code == 401


def test_a_code_counts_once(browser: Browser, provider: Provider) -> None:
    going = browser.get("/login/elsewhere")
    back = provider.consent(going.location)
    kept = browser.get_cookie("mpms_departure", path="/login")
    assert kept is not None
    assert browser.get(back).status_code == 303
    browser.set_cookie("mpms_departure", kept.decoded_value, path="/login")
    assert browser.get(back).status_code == 401


def test_nobody_is_sent_to_an_address_of_somebody_else(
    browser: Browser, provider: Provider
) -> None:
    answer = come_in(browser, provider, "//evil.example.com/")
    assert answer.location == "/"


def test_a_provider_that_is_away_is_told_and_passwords_still_work(
    browser: Browser, provider: Provider
) -> None:
    provider.close()
    answer = browser.get("/login/elsewhere")
    assert answer.status_code == 401
    assert "does not answer" in answer.text
    assert 'name="password"' in answer.text


def test_signing_out_ends_our_session_and_offers_to_end_theirs(
    browser: Browser, provider: Provider
) -> None:
    come_in(browser, provider)
    left = browser.post("/logout")
    assert left.status_code == 303
    assert browser.get("/tasks").status_code == 303
    assert "/login/leave" in browser.get(left.location).text
    theirs = browser.get("/login/leave")
    assert theirs.location.startswith(f"{provider.url}/leave?client_id={CLIENT}")
