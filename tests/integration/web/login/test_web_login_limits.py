"""Who guesses passwords and PINs must wait."""

from __future__ import annotations

from functools import partial
from ipaddress import ip_network

import pytest

from mpms.cli import main
from mpms.domain.people.people import Role
from mpms.services.people.limit_attempts import Limit
from tests.support.site import Browser
from tests.support.waiting import together
from tests.support.web_login import Gate

SLACK_S = 50  # a busy machine may take its time between two requests


def guess(site: Gate, browser: Browser, login: str, times: int) -> list[int]:
    return [
        site.sign_in(browser, login, f"guess number {n}").status_code
        for n in range(times)
    ]


def guess_pin(browser: Browser, login: str, pins: list[str]) -> list[int]:
    return [
        browser.post("/login/pin", data={"login": login, "pin": pin}).status_code
        for pin in pins
    ]


def test_after_five_wrong_passwords_even_the_right_one_waits(site: Gate) -> None:
    site.person("ada")
    browser = site.visitor()
    assert guess(site, browser, "ada", 7) == [401] * 5 + [429] * 2
    assert len(site.hasher.asked) == 5
    answer = site.sign_in(browser, "ada")
    assert answer.status_code == 429
    assert 0 < int(answer.headers["Retry-After"]) <= 60
    assert "Try again in" in answer.text
    site.time_passes(61)
    assert site.sign_in(browser, "ada").status_code == 303


def test_the_wait_grows_with_each_further_failure(site: Gate) -> None:
    site.person("ada")
    browser = site.visitor()
    guess(site, browser, "ada", 5)
    for wait_s in (60, 120, 240, 480, 900, 900):
        answer = site.sign_in(browser, "ada")
        assert answer.status_code == 429
        assert wait_s - SLACK_S <= int(answer.headers["Retry-After"]) <= wait_s
        site.time_passes(wait_s - SLACK_S)
        assert site.sign_in(browser, "ada").status_code == 429
        site.time_passes(SLACK_S + 1)
        assert guess(site, browser, "ada", 1) == [401]


def test_a_login_that_does_not_exist_waits_just_the_same(site: Gate) -> None:
    site.person("ada")
    browser = site.visitor()
    known = guess(site, browser, "ada", 7)
    assert guess(site, browser, "nobody-here", 7) == known
    assert guess(site, browser, "not a login", 7) == known


def test_the_wait_of_one_login_is_not_the_wait_of_another(site: Gate) -> None:
    site.person("ada")
    site.person("bob")
    browser = site.visitor()
    guess(site, browser, "ada", 6)
    assert site.sign_in(browser, "bob").status_code == 303


def test_a_right_password_clears_the_failures_before_it(site: Gate) -> None:
    site.person("ada")
    browser = site.visitor()
    for _ in range(4):
        assert guess(site, browser, "ada", 4) == [401] * 4
        assert site.sign_in(browser, "ada").status_code == 303


def test_guessing_through_many_logins_from_one_address_waits_too(site: Gate) -> None:
    site.person("ada")
    browser = site.visitor()
    answers = [guess(site, browser, f"login{n}", 1)[0] for n in range(25)]
    assert answers == [401] * 20 + [429] * 5
    assert site.sign_in(browser, "ada").status_code == 429
    elsewhere = browser.post(
        "/login",
        data={"login": "ada", "password": "correct horse battery"},
        environ_base={"REMOTE_ADDR": "192.0.2.7"},
    )
    assert elsewhere.status_code == 303


def from_address(browser: Browser, address: str, password: str, **headers: str) -> int:
    return browser.post(
        "/login",
        data={"login": "ada", "password": password},
        environ_base={"REMOTE_ADDR": address},
        headers=headers,
    ).status_code


RIGHT = "correct horse battery"


def test_who_guesses_elsewhere_does_not_lock_the_owner_out(site: Gate) -> None:
    site.person("ada")
    browser = site.visitor()
    guesses = [from_address(browser, "192.0.2.7", f"wrong {n}") for n in range(6)]
    assert guesses == [401] * 5 + [429]
    assert from_address(browser, "192.0.2.8", RIGHT) == 303


def test_guesses_from_many_addresses_wait_together(site: Gate) -> None:
    site.person("ada")
    browser = site.visitor()
    guesses = [from_address(browser, f"192.0.2.{n}", "wrong") for n in range(52)]
    assert guesses == [401] * 50 + [429] * 2
    assert from_address(browser, "198.51.100.1", RIGHT) == 429


def test_behind_a_trusted_proxy_each_browser_has_its_own_address(site: Gate) -> None:
    site.person("ada")
    proxies = (ip_network("127.0.0.1"), ip_network("10.0.0.0/8"))
    browser = site.visitor(trusted_proxies=proxies)

    def through(told: str, password: str) -> int:
        return from_address(browser, "127.0.0.1", password, **{"X-Forwarded-For": told})

    # Whoever guesses may write what he likes in front of what the proxies add.
    lies = [f"203.0.113.{n}, 192.0.2.7, 10.0.0.5" for n in range(6)]
    assert [through(told, "wrong") for told in lies] == [401] * 5 + [429]
    assert through("192.0.2.8, 10.0.0.5", RIGHT) == 303
    told = {"Forwarded": 'for="[2001:db8::7]:4711";proto=https, for=10.0.0.5'}
    assert from_address(browser, "127.0.0.1", RIGHT, **told) == 303
    refused, entered = site.told("sign-in refused"), site.told("signed in")
    assert {data["address"] for _, data in refused} == {"192.0.2.7"}
    assert [d["address"] for _, d in entered] == ["192.0.2.8", "2001:db8::7"]


def test_a_header_of_somebody_who_is_no_proxy_is_not_believed(site: Gate) -> None:
    site.person("ada")
    for trusted in ((), (ip_network("10.0.0.0/8"),)):
        browser = site.visitor(trusted_proxies=trusted)
        told = {"X-Forwarded-For": "192.0.2.9", "Forwarded": "for=192.0.2.9"}
        assert from_address(browser, "127.0.0.1", RIGHT, **told) == 303
    assert {d["address"] for _, d in site.told("signed in")} == {"127.0.0.1"}


def test_metrics_are_not_for_everybody_behind_a_proxy_of_this_machine(
    site: Gate,
) -> None:
    browser = site.visitor(trusted_proxies=(ip_network("127.0.0.1"),))
    told = {"X-Forwarded-For": "192.0.2.9"}
    assert browser.get("/metrics").status_code == 200
    assert browser.get("/metrics", headers=told).status_code in (401, 403)


def test_an_administrator_unlocks_somebody_on_the_command_line(
    site: Gate, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    site.person("ada")
    browser = site.visitor()
    guess(site, browser, "ada", 6)
    monkeypatch.setenv("MPMS_DATABASE_URL", site.url)
    assert main(["users", "unlock", "ada"]) == 0
    assert "10 failed attempts are forgotten" in capsys.readouterr().out
    assert site.sign_in(browser, "ada").status_code == 303
    assert main(["users", "unlock", "nobody-here"]) == 1


def test_guesses_that_arrive_at_once_are_not_all_checked(site: Gate) -> None:
    site.person("wil", Role.WORKER, pin="4071")
    browsers = [site.tablet(f"tablet {n}") for n in range(20)]
    together(
        *(
            partial(guess_pin, browser, "wil", [f"{5000 + 7 * n}"])
            for n, browser in enumerate(browsers)
        )
    )
    assert 1 <= len(site.hasher.asked) <= 5


def test_five_wrong_pins_lock_the_pin_on_every_tablet_and_not_the_password(
    site: Gate,
) -> None:
    site.person("wil", Role.WORKER, pin="4071")
    door, mixer = site.tablet("Door"), site.tablet("Mixer")
    wrong = ["1111", "2580", "9999", "4070", "0000"]
    assert guess_pin(door, "wil", wrong) == [401] * 5
    assert guess_pin(door, "wil", ["4071"]) == [429]
    answer = mixer.post("/login/pin", data={"login": "wil", "pin": "4071"})
    assert answer.status_code == 429
    assert 600 - SLACK_S <= int(answer.headers["Retry-After"]) <= 600
    assert "10 minutes" in answer.text
    assert site.sign_in(mixer, "wil").status_code == 303
    site.time_passes(600 - SLACK_S)
    assert guess_pin(door, "wil", ["4071"]) == [429]
    site.time_passes(SLACK_S + 1)
    assert guess_pin(door, "wil", ["4071"]) == [303]


def test_a_tablet_on_which_many_pins_were_guessed_waits(site: Gate) -> None:
    for n in range(6):
        site.person(f"wil{n}", Role.WORKER, password=None, pin="4071")
    door, mixer = site.tablet("Door"), site.tablet("Mixer")
    for n in range(5):
        assert guess_pin(door, f"wil{n}", ["5000", "5001", "5002"]) == [401] * 3
    assert guess_pin(door, "wil5", ["4071"]) == [429]
    assert door.post("/login/badge", data={"badge": "x" * 10}).status_code == 429
    assert guess_pin(mixer, "wil5", ["4071"]) == [303]


def test_unknown_badges_are_counted_on_the_tablet(site: Gate) -> None:
    site.person("wil", Role.WORKER, password=None, badge="W-000-001")
    door = site.tablet()
    answers = [
        door.post("/login/badge", data={"badge": f"W-999-{n:03}"}).status_code
        for n in range(15)
    ]
    assert answers == [401] * 15
    assert door.post("/login/badge", data={"badge": "W-000-001"}).status_code == 429
    site.time_passes(61)
    assert door.post("/login/badge", data={"badge": "W-000-001"}).status_code == 303


def test_the_present_password_cannot_be_guessed_on_ones_own_page(site: Gate) -> None:
    site.person("ada")
    browser = site.signed_in("ada")
    form = {"new": "another passphrase", "again": "another passphrase"}
    answers = [
        browser.post("/me/password", data={**form, "now": f"wrong {n}"}).status_code
        for n in range(6)
    ]
    assert answers == [422] * 5 + [429]
    right = {**form, "now": "correct horse battery"}
    assert browser.post("/me/password", data=right).status_code == 429


def test_old_attempts_are_swept_away(site: Gate) -> None:
    site.person("ada")
    browser = site.visitor()
    guess(site, browser, "somebody", 3)
    site.time_passes(25 * 3600)
    site.sign_in(browser, "ada")
    assert site.rows("SELECT count(*) FROM sign_in_attempts") == [(0,)]


def test_the_wait_doubles_up_to_its_longest() -> None:
    limit = Limit(3, 10, 45, 100)
    waits = [limit.wait_s(n) for n in (0, 2, 3, 4, 5, 6, 1000)]
    assert waits == [0, 0, 10, 20, 40, 45, 45]
