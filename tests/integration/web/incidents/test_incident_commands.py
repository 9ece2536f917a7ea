"""``mpms incidents`` and the addresses of ``mpms users``, from the command line."""

from __future__ import annotations

import io
from typing import Any

import pytest

from mpms.cli import main
from mpms.domain.errors import MpmsError
from mpms.services.incidents.close import StillStuck
from mpms.settings import Settings
from tests.support.web_incidents import House


@pytest.fixture
def run(house: House, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("MPMS_DATABASE_URL", house.url)
    monkeypatch.setenv("USER", "operator")
    return lambda *words: main(list(words))


def test_lost_replies_are_closed_with_a_reason(
    house: House, run: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    with house.uow() as tx:
        tx.incidents.open("reply", "No reply could be sent to a@x.example")
        tx.incidents.open("reply", "No reply could be sent to b@x.example")
    (cause,) = house.causes()
    assert run("incidents", "list") == 0
    assert f"{cause}       2  reply" in capsys.readouterr().out
    run("incidents", "list", "--cause", cause)
    number = capsys.readouterr().out.split()[0]
    assert run("incidents", "close", number, "--reason", "called") == 0
    assert house.open_incidents() == 1
    assert run("incidents", "close", cause, "--reason", "called") == 0
    assert house.open_incidents() == 0
    who = {(actor, data["note"]) for actor, data in house.told("incident closed")}
    assert who == {("operator", "called")}


def test_what_a_process_waits_for_is_not_closed(house: House, run: Any) -> None:
    house.stuck("mixing", "K-1")
    (cause,) = house.causes()
    assert run("incidents", "close", cause, "--reason", "away") != 0
    assert house.open_incidents() == 1
    assert issubclass(StillStuck, MpmsError)


def test_people_get_addresses(
    house: House,
    run: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert Settings.read({}).site_url is None
    monkeypatch.setattr("sys.stdin", io.StringIO("a few long words\n"))
    added = run(
        *("users", "add", "eva", "--name", "Eva", "--role", "supervisor"),
        *("--mail", "eva@plant.example.com", "--password-stdin"),
    )
    assert added == 0
    run("users", "list")
    assert "eva@plant.example.com" in capsys.readouterr().out
    assert run("users", "mail", "eva", "nonsense") != 0
    assert run("users", "mail", "eva") == 0
    assert house.rows("SELECT mail FROM people") == [(None,)]
