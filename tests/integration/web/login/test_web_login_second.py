"""The second factor: asked for after the password, once, by nobody else's code."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pyotp
import pytest

from mpms.adapters.authenticators import LibraryAuthenticators
from mpms.domain.people.people import Role
from mpms.services.people.second_factor import drop_factors
from mpms.services.people.sign_in import HALF_S
from tests.support.site import Browser
from tests.support.web_login import PASSWORD, Gate


@pytest.fixture
def gate(site: Gate) -> Gate:
    site.person("ada", Role.ADMIN)
    return site


def two(gate: Gate, **changes: Any) -> Browser:
    return gate.visitor(authenticators=LibraryAuthenticators(), **changes)


def signed_in(gate: Gate, **changes: Any) -> Browser:
    browser = two(gate, **changes)
    assert gate.sign_in(browser, "ada").status_code == 303
    return browser


def set_up(gate: Gate, browser: Browser) -> pyotp.TOTP:
    """Switch an app on, with the code of the half minute before this one."""
    page = browser.post("/me/second/app", data={"now": PASSWORD}).text
    found = re.search(r'class="second-key">([A-Z2-7 ]+)<', page)
    assert found is not None
    app = pyotp.TOTP(found[1].replace(" ", ""))
    early = app.at(datetime.now(UTC) - timedelta(seconds=30))
    done = browser.post("/me/second/app/confirm", data={"code": early})
    assert done.status_code == 303, done.text
    return app


def half_way(gate: Gate) -> Browser:
    browser = two(gate)
    answer = gate.sign_in(browser, "ada")
    assert answer.location.startswith("/login/second")
    assert browser.get("/me").status_code == 303
    return browser


def test_a_password_alone_opens_nothing_where_an_app_shows_codes(gate: Gate) -> None:
    app = set_up(gate, signed_in(gate))
    browser = half_way(gate)
    assert "Code of your app" in browser.get("/login/second").text
    wrong = browser.post("/login/second", data={"code": "000000"})
    assert (wrong.status_code, "is wrong" in wrong.text) == (401, True)
    code = app.now()
    done = browser.post("/login/second", data={"code": code, "next": "/me"})
    assert (done.status_code, done.location) == (303, "/me")
    assert browser.get("/me").status_code == 200
    again = half_way(gate).post("/login/second", data={"code": code})
    assert again.status_code == 401, "a code counts once"
    told = gate.history()
    assert "password and code" in str([data for _, _, data in told])
    assert app.secret not in str(told)


def test_who_guesses_codes_waits(gate: Gate) -> None:
    app = set_up(gate, signed_in(gate))
    browser = half_way(gate)
    statuses = [
        browser.post("/login/second", data={"code": f"{n:06}"}).status_code
        for n in range(6)
    ]
    assert statuses == [401] * 5 + [429]
    right = half_way(gate).post("/login/second", data={"code": app.now()})
    assert right.status_code == 429


def test_half_a_sign_in_ends_by_itself_and_is_nobody_s_session(gate: Gate) -> None:
    app = set_up(gate, signed_in(gate))
    browser = half_way(gate)
    cookie = browser.get_cookie("mpms_half")
    assert cookie is not None
    other = two(gate)
    other.set_cookie("mpms_session", cookie.value)
    assert other.get("/me").status_code == 303
    gate.rows(
        f"UPDATE half_sign_ins SET expires_at = expires_at - interval '{HALF_S} s'"
    )
    late = browser.post("/login/second", data={"code": app.now()})
    assert (late.status_code, late.location) == (303, "/login?with=password")


def test_an_app_is_set_up_and_removed_only_with_the_password(gate: Gate) -> None:
    browser = signed_in(gate)
    refused = browser.post("/me/second/app", data={"now": "something else"})
    assert (refused.status_code, "second-key" in refused.text) == (422, False)
    set_up(gate, browser)
    assert "An app that shows codes" in browser.get("/me").text
    refused = browser.post("/me/second/remove", data={"now": "something else"})
    assert refused.status_code == 422
    assert browser.post("/me/second/remove", data={"now": PASSWORD}).status_code == 303
    assert gate.sign_in(two(gate), "ada").location == "/"


def test_leaders_set_one_up_before_anything_else_where_that_is_asked(
    gate: Gate,
) -> None:
    gate.person("wil", Role.WORKER)
    browser = signed_in(gate, leaders_need_two=True)
    assert browser.get("/admin/people").location == "/me#second"
    assert browser.get("/api/v1/people").status_code == 403
    assert "Leaders need a second factor" in browser.get("/me").text
    set_up(gate, browser)
    assert browser.get("/admin/people").status_code == 200
    worker = two(gate, leaders_need_two=True)
    gate.sign_in(worker, "wil")
    assert worker.get("/tasks").status_code == 200


def test_an_administrator_helps_who_has_lost_the_phone(gate: Gate) -> None:
    set_up(gate, browser := signed_in(gate))
    gate.person("eve", Role.ADMIN)
    eve = two(gate)
    gate.sign_in(eve, "eve")
    assert "Remove the second factors" in eve.get("/admin/people/ada").text
    done = eve.post("/admin/people/ada/second-factors", data={"reason": "lost"})
    assert done.status_code == 303
    assert browser.get("/me").status_code == 303, "signed out"
    assert gate.sign_in(two(gate), "ada").location == "/"
    assert drop_factors(gate.uow, "ada", by="test", reason="again") == 0


def test_a_change_of_credentials_is_mailed_to_its_person(gate: Gate) -> None:
    with gate.uow() as tx:
        tx.people.set_mail("ada", "ada@plant.example")
    browser = signed_in(gate)
    set_up(gate, browser)
    browser.post("/me/mail", data={"mail": "other@plant.example"})
    assert gate.rows("SELECT address, what, by FROM account_notices ORDER BY id") == [
        ("ada@plant.example", "second factor added", "ada"),
        ("ada@plant.example", "mail address changed", "ada"),
    ]


def test_people_see_where_they_are_signed_in_and_end_it(gate: Gate) -> None:
    here, there, third = (signed_in(gate) for _ in range(3))
    assert here.get("/me").text.count("/end") == 3
    ((one,),) = gate.rows("SELECT id FROM sessions ORDER BY id LIMIT 1 OFFSET 1")
    assert here.post(f"/me/sessions/{one}/end").status_code == 303
    assert there.get("/me").status_code == 303
    assert here.post("/me/sessions/end").status_code == 303
    assert third.get("/me").status_code == 303
    assert here.get("/me").status_code == 200
    gate.person("eve", Role.ADMIN)
    eve = two(gate)
    gate.sign_in(eve, "eve")
    ((mine,),) = gate.rows(
        "SELECT s.id FROM sessions AS s JOIN people AS p"
        " ON p.id = s.person_id WHERE p.login = 'ada'"
    )
    eve.post(f"/me/sessions/{mine}/end")
    assert here.get("/me").status_code == 200, "of somebody else"


def test_a_sign_in_ends_after_the_time_that_is_set_for_its_role(gate: Gate) -> None:
    gate.person("wil", Role.WORKER)
    idle = {Role.WORKER: timedelta(minutes=5)}
    ada, wil = (two(gate, idle=idle) for _ in range(2))
    gate.sign_in(ada, "ada")
    gate.sign_in(wil, "wil")
    gate.rows("UPDATE sessions SET seen_at = now() - interval '6 min'")
    assert ada.get("/me").status_code == 200
    assert wil.get("/me").status_code == 303
