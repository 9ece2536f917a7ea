"""``mpms processes``, ``messages`` and ``signals``: what they print and refuse."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mpms.cli import main
from mpms.domain.people.people import Role
from tests.support.starting_plant import StartingPlant

Command = Callable[..., tuple[int, str, str]]

ORDER = '<messageEventDefinition id="d" messageRef="order"/>'
EVERY_DAY = (
    '<timerEventDefinition id="t"><timeCycle>0 0 9 * * ?</timeCycle>'
    "</timerEventDefinition>"
)


@pytest.fixture
def mpms(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    database_url: str,
    tmp_path: Path,
) -> Command:
    """Return a function that runs a command: exit code, output, complaints."""
    monkeypatch.setenv("MPMS_DATABASE_URL", database_url)
    monkeypatch.setenv("MPMS_STATE_DIR", str(tmp_path))

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(list(arguments))
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_a_process_is_started_with_variables(
    mpms: Command, plant: StartingPlant
) -> None:
    plant.deploy(p=plant.draw("p", '<startEvent id="b"/><userTask id="f"/>', "b f"))
    variables = ("--var", "n=1", "--var", "color=deep blue", "--var", 'list=["a", 2]')
    code, out, _ = mpms("processes", "start", "p", "--business-key", "MO-1", *variables)
    assert code == 0
    assert plant.variables(out.strip()) == {
        "n": 1,
        "color": "deep blue",
        "list": ["a", 2],
    }
    assert plant.instances()[0].business_key == "MO-1"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("start", "q"), "No model with the key q"),
        (("start", "p"), "'begin' (message Order placed)"),
        (("start", "p", "--at", "nowhere"), "no start event 'nowhere'"),
        (("start", "p", "--version", "9"), "Version 9 of p"),
        (("start", "p", "--var", "oops"), "name=value"),
    ],
)
def test_a_start_that_cannot_be_is_one_sentence(
    mpms: Command, plant: StartingPlant, arguments: tuple[str, ...], complaint: str
) -> None:
    plant.deploy(p=plant.beginning_with("p", ORDER))
    code, out, err = mpms("processes", *arguments)
    assert (code, out) == (1, "")
    assert complaint in err
    assert len(err.splitlines()) == 1


def test_what_starts_by_itself_is_listed(mpms: Command, plant: StartingPlant) -> None:
    plant.deploy(
        p=plant.beginning_with("p", ORDER), q=plant.beginning_with("q", EVERY_DAY)
    )
    code, out, _ = mpms("processes", "starts")
    assert code == 0
    assert out.splitlines() == [
        "p: begin: message Order placed",
        "q: begin: timer 0 0 9 * * ?, next 2026-03-02 09:00:00Z",
    ]


def test_messages_and_signals_are_sent(mpms: Command, plant: StartingPlant) -> None:
    plant.deploy(p=plant.beginning_with("p", ORDER))
    code, out, _ = mpms("messages", "send", "Order placed", "--key", "MO-7")
    assert (code, out.split()[0]) == (0, "started")
    code, _, err = mpms("messages", "send", "nothing", "--key", "MO-7")
    assert code == 1
    assert "Nobody waits for the message 'nothing' with the key 'MO-7'" in err
    assert mpms("messages", "send", "nothing", "--keep") == (0, "kept\n", "")
    assert mpms("signals", "send", "alarm", "--var", "level=3") == (
        0,
        "reached 0\n",
        "",
    )


def test_only_those_whom_the_model_names_start_its_process(
    mpms: Command, plant: StartingPlant, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = plant.draw("p", '<startEvent id="b"/><userTask id="f"/>', "b f")
    named = 'camunda:candidateStarterUsers="rosa" isExecutable'
    plant.deploy(p=model.replace(b"isExecutable", named.encode(), 1))
    with plant.uow() as tx:
        for login in ("rosa", "ana"):
            tx.people.add(login, login.title(), Role.WORKER)
    code, _, why = mpms("processes", "start", "p")
    assert (code, "names who may start" in why) == (1, True)
    assert mpms("processes", "start", "p", "--as", "ana")[0] == 1
    code, _, why = mpms("processes", "start", "p", "--as", "nobody")
    assert (code, "no person with the login 'nobody'" in why) == (1, True)
    assert mpms("processes", "start", "p", "--as", "rosa")[0] == 0
    monkeypatch.setenv("USER", "rosa")
    assert mpms("processes", "start", "p")[0] == 0
    assert len(plant.instances()) == 2
