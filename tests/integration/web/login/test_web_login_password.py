"""Signing in with a password, its session and its cookie."""

from __future__ import annotations

import pytest

from mpms.domain.people.people import Role
from mpms.services.people.change_secret import set_active
from tests.support.web_login import Gate, cookie_of

HTML = {"Accept": "text/html"}
WRONG_PAIRS = [
    ("ada", "wrong password!"),
    ("ada", ""),
    ("ada", "correct horse batterY"),
    ("nobody-here", "correct horse battery"),
    ("", "correct horse battery"),
    ("a\x00b", "correct horse battery"),
    ("x" * 500, "y" * 5000),
    ("pin-only", ""),
    ("pin-only", "4071"),
]
WISHES = [
    ("/orders", "/orders"),
    ("/orders?state=late&q=a%20b", "/orders?state=late&q=a%20b"),
    ("//evil.example", "/"),
    ("///evil.example", "/"),
    ("/\\evil.example", "/"),
    ("\\\\evil.example", "/"),
    ("https://evil.example", "/"),
    ("javascript:alert(1)", "/"),
    ("/\t/evil.example", "/"),
    ("/\r\nSet-Cookie: a=b", "/"),
    ("evil.example", "/"),
    ("/login?next=//evil.example", "/"),
    ("/logout", "/"),
    ("/" + "x" * 3000, "/"),
    ("", "/"),
]


@pytest.mark.covers("A8")
def test_the_right_password_opens_the_site(site: Gate) -> None:
    site.person("ada")
    browser = site.visitor()
    assert browser.get("/me").status_code == 303
    answer = site.sign_in(browser, "Ada ")
    assert (answer.status_code, answer.location) == (303, "/")
    assert site.who(browser) == "ada"
    assert "Ada Doe" in browser.get("/me", headers=HTML).text


@pytest.mark.covers("A8")
def test_every_wrong_pair_gets_the_same_answer_after_the_same_work(site: Gate) -> None:
    site.person("ada")
    site.person("pin-only", Role.WORKER, password=None, pin="4071")
    browser = site.visitor()
    for number, (login, typed) in enumerate(WRONG_PAIRS, start=1):
        answer = site.sign_in(browser, login, typed)
        assert answer.status_code == 401, login
        assert "The login or the password is wrong." in answer.text
        assert site.token(browser) is None
        assert len(site.hasher.asked) == number


def test_who_does_not_exist_is_compared_with_nobodys_hash(site: Gate) -> None:
    site.sign_in(site.visitor(), "nobody")
    assert site.hasher.asked == [None]


def test_a_disabled_person_cannot_sign_in_until_enabled_again(site: Gate) -> None:
    site.person("ada")
    set_active(site.uow, "ada", False, by="test")
    browser = site.visitor()
    assert site.sign_in(browser, "ada").status_code == 401
    set_active(site.uow, "ada", True, by="test")
    assert site.sign_in(browser, "ada").status_code == 303


def test_each_sign_in_gets_a_new_token_and_ends_the_old_one(site: Gate) -> None:
    site.person("ada")
    browser = site.visitor()
    browser.set_cookie("mpms_session", "chosen-by-an-attacker")
    site.sign_in(browser, "ada")
    first = site.token(browser)
    assert first is not None
    assert first != "chosen-by-an-attacker"
    assert len(first) >= 43
    site.sign_in(browser, "ada")
    assert site.token(browser) != first
    assert site.rows("SELECT count(*) FROM sessions") == [(1,)]
    other = site.visitor()
    other.set_cookie("mpms_session", first)
    assert other.get("/me").status_code == 303


def test_the_database_keeps_no_token_and_no_secret(site: Gate) -> None:
    site.person("ada", pin="4071", badge="BADGE-0001")
    browser = site.signed_in("ada")
    kept = str(site.rows("SELECT * FROM sessions") + site.rows("SELECT * FROM people"))
    token = site.token(browser)
    assert token is not None
    for secret in (token, "correct horse battery", "4071", "BADGE-0001"):
        assert secret not in kept


@pytest.mark.parametrize("secure", [False, True])
def test_the_cookie_is_for_this_host_and_out_of_reach_of_scripts(
    site: Gate, secure: bool
) -> None:
    site.person("ada")
    browser = site.visitor(secure=secure)
    cookie = cookie_of(site.sign_in(browser, "ada"), "mpms_session")
    assert cookie.pop("value")
    assert cookie.pop("expires")
    expected: dict[str, str | bool] = {
        "httponly": True,
        "samesite": "Lax",
        "path": "/",
        "max-age": str(12 * 3600),
    }
    assert cookie == expected | ({"secure": True} if secure else {})


def test_a_session_ends_after_twelve_hours_however_busy(site: Gate) -> None:
    site.person("wil", Role.WORKER)
    browser = site.signed_in("wil")
    site.time_passes(11.9 * 3600)
    assert browser.get("/me").status_code == 200
    site.time_passes(0.2 * 3600)
    assert browser.get("/me").status_code == 303


def test_leaders_are_signed_out_after_an_idle_hour_and_workers_are_not(
    site: Gate,
) -> None:
    site.person("ada", Role.ADMIN)
    site.person("wil", Role.WORKER)
    leader, worker = site.signed_in("ada"), site.signed_in("wil")
    for _ in range(3):
        site.time_passes(50 * 60)
        assert leader.get("/me").status_code == 200
    site.time_passes(61 * 60)
    assert leader.get("/me").status_code == 303
    assert worker.get("/me").status_code == 200


def test_news_fetched_by_a_page_do_not_keep_a_leader_signed_in(site: Gate) -> None:
    site.person("ada")
    leader = site.signed_in("ada")
    site.time_passes(50 * 60)
    assert leader.get("/me", headers={"HX-Request": "true"}).status_code == 200
    site.time_passes(11 * 60)
    assert leader.get("/me").status_code == 303


def test_a_session_is_touched_at_most_once_a_minute(site: Gate) -> None:
    site.person("ada")
    browser = site.signed_in("ada")
    seen = "SELECT seen_at FROM sessions"
    site.time_passes(30)
    before = site.rows(seen)
    browser.get("/me")
    assert site.rows(seen) == before
    site.time_passes(31)
    before = site.rows(seen)
    browser.get("/me")
    assert site.rows(seen) > before


def test_signing_out_ends_the_session_everywhere_it_was_copied_to(site: Gate) -> None:
    site.person("ada")
    browser, copy = site.signed_in("ada"), site.visitor()
    token = site.token(browser)
    assert token is not None
    copy.set_cookie("mpms_session", token)
    assert copy.get("/me").status_code == 200
    answer = browser.post("/logout")
    assert (answer.status_code, answer.location) == (303, "/login")
    assert site.token(browser) is None
    assert copy.get("/me").status_code == 303
    assert site.visitor().post("/logout").status_code == 303


def test_a_session_ends_when_its_person_is_disabled(site: Gate) -> None:
    site.person("ada")
    browser = site.signed_in("ada")
    site.rows("UPDATE people SET active = false")
    assert browser.get("/me").status_code == 303
    set_active(site.uow, "ada", True, by="test")
    set_active(site.uow, "ada", False, by="test")
    assert site.rows("SELECT count(*) FROM sessions") == [(0,)]


def test_the_history_tells_who_came_and_never_what_was_typed(site: Gate) -> None:
    site.person("ada")
    browser = site.visitor()
    site.sign_in(browser, "ada", "my old passphrase")
    site.sign_in(browser, "my secret passphrase", "x")
    site.sign_in(browser, "ada")
    browser.post("/logout")
    lines = [(kind, actor) for kind, actor, _ in site.history()]
    assert lines == [
        ("person added", "test"),
        ("sign-in refused", "ada"),
        ("sign-in refused", "nobody"),
        ("signed in", "ada"),
        ("signed out", "ada"),
    ]
    assert "passphrase" not in str(site.history())
    assert "battery" not in str(site.history())


def test_after_signing_in_nobody_is_led_elsewhere(site: Gate) -> None:
    site.person("ada")
    for wish, where in WISHES:
        browser = site.visitor()
        answer = site.sign_in(browser, "ada", next=wish)
        assert (answer.status_code, answer.location) == (303, where)
        again = browser.get("/login", query_string={"next": wish})
        assert (again.status_code, again.location) == (303, where)
        language = browser.post("/language", data={"language": "de", "next": wish})
        assert "evil" not in language.location.split("?")[0]
        assert language.location.startswith("/")
        assert not language.location.startswith(("//", "/\\"))


def test_a_page_that_needs_a_sign_in_is_shown_after_it(site: Gate) -> None:
    site.person("ada")
    browser = site.visitor()
    answer = browser.get("/orders?state=late")
    assert answer.status_code == 303
    assert answer.location == "/login?next=/orders%3Fstate%3Dlate"
    page = browser.get(answer.location).text
    assert 'name="next" value="/orders?state=late"' in page


def test_scripts_are_told_that_nobody_is_signed_in(site: Gate) -> None:
    browser = site.visitor()
    json = browser.get("/orders", headers={"Accept": "application/json"})
    assert json.status_code == 401
    assert json.content_type == "application/problem+json"
    assert json.json["status"] == 401
    fragment = browser.get(
        "/orders",
        headers={"HX-Request": "true", "HX-Current-URL": "http://localhost/map?a=1"},
    )
    assert fragment.status_code == 401
    assert fragment.headers["HX-Redirect"] == "/login?next=/map%3Fa%3D1"
    assert fragment.content_type.startswith("text/plain")
    assert browser.post("/me/pin").status_code == 401
    fetched = browser.get("/orders", headers={"Sec-Fetch-Mode": "cors"})
    assert fetched.status_code == 401


def test_without_people_the_page_says_how_to_make_the_first(site: Gate) -> None:
    browser = site.visitor()
    assert "mpms users add" in browser.get("/login").text
    site.person("ada")
    assert "mpms users add" not in browser.get("/login").text


def test_what_was_typed_comes_back_escaped(site: Gate) -> None:
    answer = site.sign_in(site.visitor(), '"><script>alert(1)</script>', "x")
    assert "<script>alert" not in answer.text
    assert "&lt;script&gt;" in answer.text


def test_a_stranger_chooses_the_language(site: Gate) -> None:
    browser = site.visitor()
    words = {"de": "Anmelden", "es": "Iniciar sesión", "en": "Sign in"}
    for language, word in words.items():
        form = {"language": language, "next": "/login"}
        answer = browser.post("/language", data=form)
        assert (answer.status_code, answer.location) == (303, "/login")
        assert word in browser.get("/login").text


def test_a_person_keeps_the_language_and_an_unknown_one_is_ignored(site: Gate) -> None:
    site.person("ada")
    browser = site.signed_in("ada")
    browser.post("/language", data={"language": "de", "next": "/me"})
    assert site.rows("SELECT language FROM people") == [("de",)]
    browser.post("/language", data={"language": "xx", "next": "/me"})
    assert site.rows("SELECT language FROM people") == [("de",)]
    assert "Passwort" in browser.get("/me").text


def test_choosing_a_language_on_the_answer_of_a_form_shows_its_page(site: Gate) -> None:
    site.person("ada")
    browser = site.signed_in("ada")
    answer = browser.post("/language", data={"language": "de", "next": "/me/pin"})
    assert answer.location == "/me"
