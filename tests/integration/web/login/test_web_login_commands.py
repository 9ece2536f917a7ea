"""``mpms users``: people from the command line."""

from __future__ import annotations

import io
from typing import Any

import pytest

from mpms.cli import people as people_commands
from mpms.domain.errors import LoginTaken
from mpms.domain.people.secret_rules import (
    BadgeInvalid,
    LoginInvalid,
    NameMissing,
    PasswordTooWeak,
    PinTooWeak,
)
from mpms.services.people.change_secret import BadgeTaken, PersonUnknown
from mpms.settings import Settings
from tests.support.site import quick_hasher
from tests.support.web_login import Gate


class Terminal(io.StringIO):
    """Somebody sits there."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def settings(site: Gate, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """What the hasher costs in production is looked at beside the hasher."""
    monkeypatch.setattr(people_commands, "Argon2Hasher", quick_hasher)
    return Settings(database_url=site.url)


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that says what comes from standard input."""

    def say(text: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))

    return say


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that says what is typed at the terminal, unseen."""

    def say(*answers: str) -> list[str]:
        left, prompts = list(answers), []

        def ask(prompt: str) -> str:
            prompts.append(prompt)
            return left.pop(0)

        monkeypatch.setattr("sys.stdin", Terminal())
        monkeypatch.setattr("getpass.getpass", ask)
        return prompts

    return say


def test_a_person_added_here_can_sign_in(
    site: Gate, settings: Settings, typed: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    typed("quiet river under stones\n4071\n")
    people_commands.add(
        settings,
        "Ada",
        name="Ada Lovelace",
        role="supervisor",
        groups=["mixing"],
        language="de",
        pin=True,
        password_stdin=True,
    )
    browser, tablet = site.visitor(), site.tablet()
    assert site.sign_in(browser, "ada", "quiet river under stones").status_code == 303
    form = {"login": "ada", "pin": "4071"}
    assert tablet.post("/login/pin", data=form).status_code == 303
    people_commands.listing(settings)
    out = capsys.readouterr().out
    assert "Ada Lovelace" in out
    assert "supervisor" in out
    assert "mixing" in out
    assert "river" not in out


def test_at_a_terminal_the_password_is_asked_for_twice(
    site: Gate, settings: Settings, asked: Any
) -> None:
    prompts = asked("quiet river under stones", "quiet river under stones")
    people_commands.add(settings, "ada", name="Ada", role="admin")
    assert len(prompts) == 2
    asked("quiet river under stones", "quiet river under stone")
    with pytest.raises(people_commands.SecretsDiffer):
        people_commands.add(settings, "bob", name="Bob", role="admin")
    asked("")
    with pytest.raises(people_commands.SecretMissing):
        people_commands.add(settings, "bob", name="Bob", role="admin")
    assert site.rows("SELECT login FROM people") == [("ada",)]


def test_nobody_gets_a_password_that_nobody_typed(
    site: Gate, settings: Settings, typed: Any
) -> None:
    typed("quiet river under stones\n")
    with pytest.raises(people_commands.SecretMissing, match="--password-stdin"):
        people_commands.add(settings, "ada", name="Ada", role="admin")
    typed("")
    with pytest.raises(people_commands.SecretMissing):
        people_commands.add(
            settings, "ada", name="Ada", role="admin", password_stdin=True
        )
    assert site.rows("SELECT count(*) FROM people") == [(0,)]


def test_a_worker_with_a_pin_needs_no_password(
    site: Gate, settings: Settings, asked: Any
) -> None:
    prompts = asked("4071", "4071")
    people_commands.add(settings, "wil", name="Wil", role="worker", pin=True)
    assert prompts == ["PIN: ", "Once more: "]
    assert site.rows("SELECT password_hash, pin_hash IS NULL FROM people") == [
        (None, False)
    ]


@pytest.mark.parametrize(
    ("login", "name", "password", "error"),
    [
        ("ada lovelace", "Ada", "quiet river bed", LoginInvalid),
        ("", "Ada", "quiet river bed", LoginInvalid),
        (".ada", "Ada", "quiet river bed", LoginInvalid),
        ("x" * 65, "Ada", "quiet river bed", LoginInvalid),
        ("ada", " ", "quiet river bed", NameMissing),
        ("ada", "Ada", "too short", PasswordTooWeak),
        ("ada", "Ada", "Password123", PasswordTooWeak),
        ("ada", "Ada", "aaaabbbbaaaa", PasswordTooWeak),
        ("taken", "Ada", "quiet river bed", LoginTaken),
    ],
)
def test_what_is_wrong_with_a_new_person_is_said(
    site: Gate,
    settings: Settings,
    typed: Any,
    login: str,
    name: str,
    password: str,
    error: type[Exception],
) -> None:
    site.person("taken")
    typed(password + "\n")
    with pytest.raises(error):
        people_commands.add(
            settings, login, name=name, role="admin", password_stdin=True
        )
    assert site.rows("SELECT login FROM people") == [("taken",)]


@pytest.mark.parametrize(
    "pin", ["0000", "1234", "4321", "56789", "123", "123456789", "12b4", "１２３５"]
)
def test_a_pin_that_anybody_would_try_is_refused(
    site: Gate, settings: Settings, typed: Any, pin: str
) -> None:
    site.person("ada")
    typed(pin + "\n")
    with pytest.raises(PinTooWeak):
        people_commands.pin(settings, "ada", stdin=True)


def test_a_forgotten_password_is_replaced_and_its_sessions_end(
    site: Gate, settings: Settings, typed: Any
) -> None:
    site.person("ada")
    browser = site.signed_in("ada")
    for _ in range(6):
        site.sign_in(site.visitor(), "ada", "wrong wrong wrong")
    typed("quiet river under stones\n")
    people_commands.password(settings, "ada", password_stdin=True)
    assert browser.get("/me").status_code == 303
    new = site.sign_in(site.visitor(), "ada", "quiet river under stones")
    assert new.status_code == 303


def test_pin_and_badge_are_given_and_taken(
    site: Gate, settings: Settings, typed: Any
) -> None:
    site.person("ada")
    site.person("bob")
    typed("4071\n")
    people_commands.pin(settings, "ada", stdin=True)
    typed("W-000-001\n")
    people_commands.badge(settings, "ada", stdin=True)
    typed("W-000-001\n")
    with pytest.raises(BadgeTaken):
        people_commands.badge(settings, "bob", stdin=True)
    typed("short\n")
    with pytest.raises(BadgeInvalid):
        people_commands.badge(settings, "bob", stdin=True)
    tablet = site.tablet()
    assert tablet.post("/login/badge", data={"badge": "W-000-001"}).status_code == 303
    people_commands.pin(settings, "ada", remove=True)
    people_commands.badge(settings, "ada", remove=True)
    assert site.rows("SELECT pin_hash, badge_hash FROM people WHERE login = 'ada'") == [
        (None, None)
    ]


def test_disabled_and_enabled(
    site: Gate, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    site.person("ada")
    browser = site.signed_in("ada")
    people_commands.set_active(settings, "ada", False)
    assert browser.get("/me").status_code == 303
    people_commands.listing(settings)
    assert "disabled" in capsys.readouterr().out
    people_commands.set_active(settings, "ada", True)
    assert site.sign_in(browser, "ada").status_code == 303


def test_the_badge_of_who_leaves_may_go_to_somebody_else(
    site: Gate, settings: Settings, typed: Any
) -> None:
    site.person("ada", badge="W-000-001")
    site.person("bob")
    people_commands.set_active(settings, "ada", False)
    typed("W-000-001\n")
    people_commands.badge(settings, "bob", stdin=True)
    tablet = site.tablet()
    tablet.post("/login/badge", data={"badge": "W-000-001"})
    assert site.who(tablet) == "bob"


def test_an_unknown_login_is_named(settings: Settings, typed: Any) -> None:
    typed("4071\n")
    with pytest.raises(PersonUnknown, match="eve"):
        people_commands.pin(settings, "eve", stdin=True)
    with pytest.raises(PersonUnknown, match="eve"):
        people_commands.set_active(settings, "eve", False)
    with pytest.raises(PersonUnknown, match="eve"):
        people_commands.badge(settings, "eve", remove=True)
    typed("quiet river under stones\n")
    with pytest.raises(PersonUnknown, match="eve"):
        people_commands.password(settings, "eve", password_stdin=True)
