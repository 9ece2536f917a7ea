"""Shared tablets: enrolling, PIN, badge, switching, revoking."""

from __future__ import annotations

import pytest

from mpms.domain.people.people import Role
from mpms.services.people.change_secret import set_active, set_pin
from tests.support.web_login import Gate, cookie_of


def test_a_leader_enrols_the_browser_in_which_he_is_signed_in(site: Gate) -> None:
    site.person("ada", Role.SUPERVISOR)
    browser = site.signed_in("ada")
    answer = browser.post("/tablets", data={"name": " Mixing,  door side "})
    cookie = cookie_of(answer, "mpms_tablet")
    assert len(str(cookie.pop("value"))) >= 43
    cookie.pop("expires")
    year_s = str(365 * 86_400)
    expected = {"httponly": True, "samesite": "Lax", "path": "/", "max-age": year_s}
    assert cookie == expected
    assert "Mixing, door side" in browser.get("/tablets").text
    assert site.rows("SELECT name, enrolled_by FROM tablets") == [
        ("Mixing, door side", "ada")
    ]
    browser.post("/tablets", data={"name": "Twice"})
    assert site.rows("SELECT count(*) FROM tablets") == [(1,)]


@pytest.mark.parametrize("name", ["", "   ", "x" * 61, "a\x00b"])
def test_a_tablet_needs_a_name(site: Gate, name: str) -> None:
    site.person("ada")
    answer = site.signed_in("ada").post("/tablets", data={"name": name})
    assert answer.status_code == 422
    assert "A tablet needs a name" in answer.text


def test_workers_cannot_enrol_or_revoke(site: Gate) -> None:
    site.person("wil", Role.WORKER)
    site.tablet()
    browser = site.signed_in("wil")
    assert browser.get("/tablets").status_code == 403
    assert browser.post("/tablets", data={"name": "Mine"}).status_code == 403
    assert browser.post("/tablets/1/revoke").status_code == 403
    assert site.rows("SELECT count(*) FROM tablets WHERE revoked_at IS NULL") == [(1,)]


def test_people_with_a_pin_have_a_tile_on_a_tablet_and_nowhere_else(site: Gate) -> None:
    site.person("wil", Role.WORKER, pin="4071", name="Wil <b>Turner</b>")
    site.person("bob", Role.WORKER, name="Bob Nopin")
    gone = site.person("eve", Role.WORKER, pin="4071", name="Eve Gone")
    set_active(site.uow, gone.login, False, by="test")
    page = site.tablet("Door").get("/login").text
    assert "Wil &lt;b&gt;Turner&lt;/b&gt;" in page
    assert "Bob Nopin" not in page
    assert "Eve Gone" not in page
    assert "Wil" not in site.visitor().get("/login").text
    assert "Wil" not in site.visitor().get("/login?as=wil").text


def test_two_taps_and_a_pin_switch_the_person(site: Gate) -> None:
    site.person("wil", Role.WORKER, password=None, pin="4071", name="Wil Turner")
    site.person("kim", Role.WORKER, password=None, pin="8264", name="Kim Lee")
    tablet = site.tablet("Door")
    form = {"login": "wil", "pin": "4071", "next": "/tasks"}
    answer = tablet.post("/login/pin", data=form)
    assert (answer.status_code, answer.location) == (303, "/tasks")
    first = site.token(tablet)
    assert 'href="/login?next=/&amp;as=kim"' in tablet.get("/login").text
    assert "Kim Lee" in tablet.get("/login?as=kim").text
    assert site.who(tablet) == "wil"
    tablet.post("/login/pin", data={"login": "kim", "pin": "8264"})
    assert site.who(tablet) == "kim"
    assert site.token(tablet) != first
    kind, actor, data = site.history()[-1]
    assert (kind, actor) == ("signed in", "kim")
    assert data["with"] == "pin"
    assert data["tablet"] == "Door"
    assert data["instead_of"] == "wil"
    assert site.rows("SELECT count(*) FROM sessions") == [(1,)]


def test_a_wrong_pin_leaves_whoever_was_there_signed_in(site: Gate) -> None:
    site.person("wil", Role.WORKER, password=None, pin="4071")
    site.person("kim", Role.WORKER, password=None, pin="8264", name="Kim Lee")
    tablet = site.tablet()
    tablet.post("/login/pin", data={"login": "wil", "pin": "4071"})
    answer = tablet.post("/login/pin", data={"login": "kim", "pin": "4071"})
    assert answer.status_code == 401
    assert "The PIN is wrong." in answer.text
    assert "Kim Lee" in answer.text
    assert site.who(tablet) == "wil"


def test_a_scanned_badge_signs_in_and_an_unknown_one_does_not(site: Gate) -> None:
    site.person("wil", Role.WORKER, password=None, badge="W-000-001")
    tablet = site.tablet()
    answer = tablet.post("/login/badge", data={"badge": "W-000-002"})
    assert answer.status_code == 401
    assert "This badge is not known." in answer.text
    for nonsense in ("", "x", "y" * 5000, "a\x00bcdefg"):
        assert tablet.post("/login/badge", data={"badge": nonsense}).status_code == 401
    answer = tablet.post("/login/badge", data={"badge": " W-000-001\r", "next": "/map"})
    assert (answer.status_code, answer.location) == (303, "/map")
    assert site.who(tablet) == "wil"
    assert "W-000" not in str(site.history())


def test_pin_and_badge_open_nothing_away_from_a_tablet(site: Gate) -> None:
    site.person("wil", Role.WORKER, pin="4071", badge="W-000-001")
    stranger = site.visitor()
    stranger.set_cookie("mpms_tablet", "made-up")
    for browser in (site.visitor(), stranger):
        by_pin = browser.post("/login/pin", data={"login": "wil", "pin": "4071"})
        by_badge = browser.post("/login/badge", data={"badge": "W-000-001"})
        assert (by_pin.status_code, by_badge.status_code) == (403, 403)
        assert site.who(browser) is None


def test_the_password_works_on_a_tablet_as_well(site: Gate) -> None:
    site.person("ada")
    tablet = site.tablet()
    assert 'name="password"' in tablet.get("/login?with=password").text
    assert site.sign_in(tablet, "ada").status_code == 303
    assert site.rows("SELECT tablet_id IS NOT NULL FROM sessions") == [(True,)]


def test_leaders_on_a_tablet_have_no_idle_hour(site: Gate) -> None:
    site.person("ada", pin="4071")
    tablet = site.tablet()
    tablet.post("/login/pin", data={"login": "ada", "pin": "4071"})
    site.time_passes(3 * 3600)
    assert tablet.get("/me").status_code == 200


def test_a_revoked_tablet_signs_out_and_asks_for_passwords_again(site: Gate) -> None:
    site.person("ada")
    site.person("wil", Role.WORKER, pin="4071")
    tablet = site.tablet("Door")
    other = site.tablet("Mixer")
    for each in (tablet, other):
        each.post("/login/pin", data={"login": "wil", "pin": "4071"})
    leader = site.signed_in("ada")
    [(door_id,)] = site.rows("SELECT id FROM tablets WHERE name = 'Door'")
    assert leader.post(f"/tablets/{door_id}/revoke").status_code == 303
    assert "Door" not in leader.get("/tablets").text.split("Enrolled tablets")[-1]
    assert tablet.get("/me").status_code == 303
    assert 'name="password"' in tablet.get("/login").text
    form = {"login": "wil", "pin": "4071"}
    assert tablet.post("/login/pin", data=form).status_code == 403
    assert other.get("/me").status_code == 200
    assert leader.post(f"/tablets/{door_id}/revoke").status_code == 404
    assert leader.post("/tablets/999999/revoke").status_code == 404


def test_revoking_the_tablet_in_hand_forgets_its_cookie(site: Gate) -> None:
    site.person("ada")
    tablet = site.tablet()
    site.sign_in(tablet, "ada")
    [(number,)] = site.rows("SELECT id FROM tablets")
    tablet.post(f"/tablets/{number}/revoke")
    assert tablet.get_cookie("mpms_tablet") is None


def test_a_pin_that_was_taken_away_opens_nothing(site: Gate) -> None:
    site.person("wil", Role.WORKER, pin="4071")
    tablet = site.tablet()
    set_pin(site.uow, site.hasher, "wil", None, by="test")
    form = {"login": "wil", "pin": "4071"}
    assert tablet.post("/login/pin", data=form).status_code == 401
    assert tablet.post("/login/pin", data={"login": "wil"}).status_code == 401
