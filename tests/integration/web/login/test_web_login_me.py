"""One's own page: changing password and PIN."""

from __future__ import annotations

from typing import Any

from mpms.domain.people.people import Role
from tests.support.site import Browser
from tests.support.web_login import PASSWORD, Gate

NEW = "quiet river under stones"


def change(
    browser: Browser, what: str, now: str, new: str, again: str | None = None
) -> Any:
    form = {"now": now, "new": new, "again": new if again is None else again}
    return browser.post(f"/me/{what}", data=form)


def test_a_new_password_works_and_the_old_one_does_not(site: Gate) -> None:
    site.person("ada")
    here, elsewhere = site.signed_in("ada"), site.signed_in("ada")
    before = site.token(here)
    answer = change(here, "password", PASSWORD, NEW)
    assert (answer.status_code, answer.location) == (303, "/me")
    assert here.get("/me").status_code == 200
    assert site.token(here) != before
    assert elsewhere.get("/me").status_code == 303
    assert site.sign_in(site.visitor(), "ada").status_code == 401
    assert site.sign_in(site.visitor(), "ada", NEW).status_code == 303
    assert "password changed" in [kind for kind, _, _ in site.history()]
    assert NEW not in str(site.history())


def test_a_password_is_changed_only_by_who_knows_it(site: Gate) -> None:
    site.person("ada")
    browser = site.signed_in("ada")
    wrong = change(browser, "password", "something else", NEW)
    assert wrong.status_code == 422
    assert "is wrong" in wrong.text
    differ = change(browser, "password", PASSWORD, NEW, NEW + "!")
    assert "not the same" in differ.text
    for weak in ("short", "password123", "aaaaaaaaaaaa", "ada ada123", "x" * 300):
        answer = change(browser, "password", PASSWORD, weak)
        assert answer.status_code == 422, weak
    assert site.sign_in(site.visitor(), "ada").status_code == 303


def test_a_pin_is_set_with_the_password(site: Gate) -> None:
    site.person("wil", Role.WORKER)
    browser, tablet = site.signed_in("wil"), site.tablet()
    for weak in ("1234", "0000", "987", "123456789", "12a4", "١٢٣٥", ""):
        assert change(browser, "pin", PASSWORD, weak).status_code == 422, weak
    assert change(browser, "pin", "4071", "4071").status_code == 422
    assert change(browser, "pin", PASSWORD, "4071").status_code == 303
    form = {"login": "wil", "pin": "4071"}
    assert tablet.post("/login/pin", data=form).status_code == 303


def test_who_has_no_password_proves_himself_by_pin(site: Gate) -> None:
    site.person("wil", Role.WORKER, password=None, pin="4071")
    tablet = site.tablet()
    tablet.post("/login/pin", data={"login": "wil", "pin": "4071"})
    assert "Present PIN" in tablet.get("/me").text
    assert change(tablet, "pin", "9999", "8264").status_code == 422
    assert change(tablet, "pin", "4071", "8264").status_code == 303
    assert site.who(tablet) == "wil"
    assert change(tablet, "password", "8264", NEW).status_code == 303
    assert site.sign_in(site.visitor(), "wil", NEW).status_code == 303


def test_the_page_shows_the_person_and_no_secret(site: Gate) -> None:
    site.person("wil", Role.WORKER, pin="4071", groups=["warehouse", "<i>mixing</i>"])
    page = site.signed_in("wil").get("/me").text
    assert "warehouse" in page
    assert "&lt;i&gt;mixing" in page
    assert "$argon2" not in page
    assert 'href="/tablets"' not in page.split("<main")[1]
