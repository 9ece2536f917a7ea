"""Headers, foreign pages, large bodies, errors, and the rights of every route."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from werkzeug.routing import Rule

from mpms.domain.errors import DatabaseAway, InstanceBusy, MpmsError
from mpms.domain.people.people import Role
from mpms.factory.domain.errors import OrderUnknown
from mpms.web.rights import STRANGERS, allowed, knows_tokens, open_to_all, roles_of
from tests.support.site import Browser, browser_of, pages_of
from tests.support.web_login import Gate

UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"
FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "http://localhost:9999"},
    {"Origin": "http://sub.localhost"},
    {"Origin": "http://localhost.evil.example"},
    {"Origin": "null"},
    {"Origin": "http://[bad"},
    {"Origin": ""},
    {"Origin": "file://localhost"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "same-origin", "Origin": "https://evil.example"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
]
OWN = [
    {},
    {"Origin": "http://localhost"},
    {"Origin": "http://LOCALHOST:80"},
    {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"},
]


def requests_of(app: Flask) -> Iterator[tuple[str, str, str]]:
    """(endpoint, method, path) of all that the site answers, with plausible values.

    What programs may use with a token has rules and tests of its own.
    """
    for rule in app.url_map.iter_rules():
        if knows_tokens(app, rule.endpoint):
            continue
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            yield rule.endpoint, method, path_of(app, rule)


def path_of(app: Flask, rule: Rule) -> str:
    values: dict[str, Any] = {}
    for name in rule.arguments:
        converter = type(rule._converters[name]).__name__
        values[name] = 424242 if converter == "IntegerConverter" else UNKNOWN_ID
    path = app.url_map.bind("localhost").build(rule.endpoint, values)
    return str(path)


def fresh_session(site: Gate, browser: Browser, login: str) -> None:
    """Some routes sign out."""
    browser.set_cookie("mpms_session", site.session_of(login))


@pytest.mark.covers("A8")
def test_every_route_is_closed_to_strangers_unless_it_says_otherwise(
    site: Gate,
) -> None:
    browser, closed = site.visitor(), 0
    for endpoint, method, path in requests_of(site.app()):
        answer = browser.open(path, method=method)
        if roles_of(site.app(), endpoint) == STRANGERS:
            assert answer.status_code != 500, (method, path)
            assert not str(answer.location).startswith("/login?next"), (method, path)
        elif method == "GET":
            assert answer.status_code == 303, (method, path)
            assert answer.location.startswith("/login"), (method, path)
            closed += 1
        else:
            assert answer.status_code == 401, (method, path)
            closed += 1
    assert closed >= 20


@pytest.mark.covers("A8")
@pytest.mark.parametrize("role", list(Role))
def test_every_route_is_open_to_exactly_the_roles_it_names(
    site: Gate, role: Role
) -> None:
    site.person("somebody", role)
    browser, refused, let_in = site.visitor(), 0, 0
    for endpoint, method, path in requests_of(site.app()):
        roles = roles_of(site.app(), endpoint)
        assert roles is not None
        if roles == STRANGERS:
            continue
        fresh_session(site, browser, "somebody")
        answer = browser.open(path, method=method)
        if role in roles:
            assert answer.status_code not in (401, 403, 500), (method, path)
            assert not str(answer.location).startswith("/login"), (method, path)
            let_in += 1
        else:
            assert answer.status_code == 403, (method, path)
            refused += 1
    assert let_in >= 5
    assert refused >= 1 or role is Role.ADMIN or role is Role.SUPERVISOR


def test_nothing_is_changed_for_a_page_of_somebody_else(site: Gate) -> None:
    site.person("ada", Role.ADMIN)
    browser, tried = site.signed_in("ada"), 0
    for _, method, path in requests_of(site.app()):
        if method == "GET":
            continue
        for headers in FOREIGN:
            answer = browser.open(path, method=method, headers=headers)
            assert answer.status_code == 403, (method, path, headers)
            tried += 1
    assert tried >= 10 * len(FOREIGN)
    assert site.who(browser) == "ada"


def test_our_own_pages_may_post(site: Gate) -> None:
    site.person("ada")
    browser = site.visitor()
    for headers in OWN:
        form = {"login": "ada", "password": "correct horse battery"}
        answer = browser.post("/login", data=form, headers=headers)
        assert answer.status_code == 303, headers
    behind_a_proxy = browser.post(
        "/logout",
        headers={"Origin": "https://plant.local", "Host": "plant.local"},
    )
    assert behind_a_proxy.status_code == 303


def test_every_answer_carries_the_headers(site: Gate) -> None:
    browser = site.visitor()
    for path in ("/login", "/trust", "/no/such/page", "/me"):
        headers = browser.get(path).headers
        policy = headers["Content-Security-Policy"].split("; ")
        assert "default-src 'none'" in policy
        assert "script-src 'self' 'wasm-unsafe-eval'" in policy
        assert "style-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "base-uri 'none'" in policy
        assert "unsafe-inline" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert headers["Cache-Control"] == "no-store"
        assert "camera=(self)" in headers["Permissions-Policy"]
        assert "Strict-Transport-Security" not in headers


def test_browsers_are_told_to_stay_with_tls_but_not_on_localhost(site: Gate) -> None:
    browser = site.visitor(secure=True)
    there = browser.get("/login", base_url="https://plant.local").headers
    assert "max-age=31536000" in there["Strict-Transport-Security"]
    here = browser.get("/login", base_url="https://localhost:8443").headers
    assert "Strict-Transport-Security" not in here


def test_pages_have_no_inline_script_and_no_inline_style(site: Gate) -> None:
    site.person("ada", pin="4071")
    browser, tablet = site.signed_in("ada"), site.tablet()
    pages = [browser.get(path).text for path in ("/me", "/tablets", "/trust", "/no")]
    pages += [tablet.get(p).text for p in ("/login", "/login?as=ada")]
    pages += [site.visitor().get("/login").text]
    for page in pages:
        assert " style=" not in page
        assert "<style" not in page
        assert " onclick=" not in page
        for script in page.split("<script")[1:]:
            tag = script.split(">")[0]
            assert " src=" in tag or 'type="application/json"' in tag


def test_a_body_that_is_too_large_is_refused_unread(site: Gate) -> None:
    browser = site.visitor()
    large = b"x" * (20 << 20)
    answer = browser.post("/login", data=large, content_type="text/plain")
    assert answer.status_code == 413
    assert "At most 12 MB" in answer.text
    json = browser.post("/login", data=large, headers={"Accept": "application/json"})
    assert (json.status_code, json.json["status"]) == (413, 413)
    parts = {"login": "x" * (2 << 20)}
    field = browser.post("/login", data=parts, content_type="multipart/form-data")
    assert field.status_code == 413


def failing(site: Gate, error: Exception) -> Browser:
    app = pages_of(site.desk())
    app.config.update(TESTING=False)

    @app.get("/fail")
    @open_to_all
    def fail() -> str:
        raise error

    return browser_of(app)


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (OrderUnknown("There is no order <b>7</b>."), 404, "&lt;b&gt;7&lt;/b&gt;"),
        (InstanceBusy(), 409, "Somebody else is changing this instance"),
        (MpmsError("It does not fit."), 422, "It does not fit."),
        (DatabaseAway("secret.host:5432 refused"), 503, "Nothing is lost"),
    ],
)
def test_our_errors_become_pages_that_name_the_cause(
    site: Gate, error: Exception, status: int, words: str
) -> None:
    browser = failing(site, error)
    answer = browser.get("/fail")
    assert answer.status_code == status
    assert words in answer.text
    assert "secret.host" not in answer.text
    assert ("Retry-After" in answer.headers) == (status == 503)
    json = browser.get("/fail", headers={"Accept": "application/json"})
    assert json.json["status"] == status
    fragment = browser.get("/fail", headers={"HX-Request": "true"})
    assert (fragment.status_code, fragment.mimetype) == (status, "text/plain")


def test_a_fault_of_ours_shows_a_number_that_is_in_the_log_and_no_trace(
    site: Gate, caplog: pytest.LogCaptureFixture
) -> None:
    browser = failing(site, RuntimeError("the secret reason"))
    with caplog.at_level(logging.ERROR):
        answer = browser.get("/fail")
    assert answer.status_code == 500
    assert "secret reason" not in answer.text
    assert "Traceback" not in answer.text
    number = answer.text.split("Its number: ")[1].split(".")[0]
    assert any(number in r.getMessage() and r.exc_info for r in caplog.records)


def test_what_is_not_there_is_said_in_the_readers_language(site: Gate) -> None:
    site.person("ada", language="de")
    browser = site.signed_in("ada")
    answer = browser.get("/no/such/page", headers={"Accept": "text/html"})
    assert answer.status_code == 404
    assert "Hier ist nichts" in answer.text
    wrong_method = browser.get("/logout")
    assert wrong_method.status_code == 405
    assert "POST" in wrong_method.headers["Allow"]


def test_the_wrong_role_gets_a_page_and_scripts_get_words(site: Gate) -> None:
    site.person("vic", Role.VIEWER)
    browser = site.signed_in("vic")
    page = browser.get("/tablets")
    assert (page.status_code, page.mimetype) == (403, "text/html")
    assert "Your role does not include this page" in page.text
    json = browser.get("/tablets", headers={"Accept": "application/json"})
    assert (json.status_code, json.mimetype) == (403, "application/problem+json")


def test_without_the_database_every_page_says_so(site: Gate) -> None:
    site.person("ada")
    browser = site.signed_in("ada")
    site.services.close()
    for path in ("/me", "/login", "/"):
        answer = browser.get(path, headers={"Accept": "text/html"})
        assert answer.status_code == 503
        assert "The database does not answer" in answer.text
        assert int(answer.headers["Retry-After"]) > 0


def test_a_page_that_names_no_roles_is_closed_to_everybody(site: Gate) -> None:
    app = pages_of(site.desk())
    app.add_url_rule("/forgotten", "forgotten", lambda: "open")
    app.add_url_rule("/named", "named", allowed(frozenset({Role.ADMIN}))(lambda: "ok"))
    site.person("ada", Role.ADMIN)
    browser = browser_of(app)
    site.sign_in(browser, "ada")
    assert browser.get("/forgotten").status_code == 403
    assert browser.get("/named").status_code == 200
