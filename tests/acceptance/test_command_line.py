"""The commands that stay stable: what they print, how they end, what they refuse."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mpms.cli import main

ROOT = Path(__file__).resolve().parents[2]
PROCESSES = ROOT / "processes"
PATIENCE_S = 240.0
SHIPPED = [
    *sorted(PROCESSES.glob("*.bpmn")),
    *sorted(PROCESSES.glob("*.dmn")),
    *sorted((ROOT / "forms").glob("*.form")),
]
BAD = b"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  id="d" targetNamespace="t"><process id="bad" isExecutable="true">
  <startEvent id="begin"/><task id="nothing" name="Do nothing"/>
  <businessRuleTask id="riddle" name="Who knows?"/><endEvent id="end"/>
  <sequenceFlow id="one" sourceRef="begin" targetRef="riddle"/>
  <sequenceFlow id="two" sourceRef="riddle" targetRef="end"/></process>
  </definitions>"""


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("MPMS_") and name != "MPMS_TEST_PG_BINDIR":
            monkeypatch.delenv(name)


@pytest.fixture
def mpms(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs a command: exit code, output, complaints."""

    def run(*arguments: object, **environment: str) -> tuple[int, str, str]:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        code = main([str(a) for a in arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


Command = Callable[..., tuple[int, str, str]]


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


# models lint


def test_lint_says_of_every_shipped_file_that_it_can_be_deployed(mpms: Command) -> None:
    code, out, _ = mpms("models", "lint", *SHIPPED)
    assert lines(out) == [
        {"file": str(path), "deployable": True, "problems": []} for path in SHIPPED
    ]
    assert code == 0


def test_lint_names_element_name_and_reason(mpms: Command, tmp_path: Path) -> None:
    bad = tmp_path / "bad.bpmn"
    bad.write_bytes(BAD)
    code, out, _ = mpms("models", "lint", bad)
    (answer,) = lines(out)
    assert code == 1
    assert set(answer) == {"file", "deployable", "problems"}
    assert (answer["file"], answer["deployable"]) == (str(bad), False)
    problems = {p["element"]: p for p in answer["problems"]}
    assert set(problems["riddle"]) == {"element", "name", "reason"}
    assert problems["riddle"]["name"] == "Who knows?"
    assert all(p["reason"] for p in answer["problems"])
    assert "nothing" in problems


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.bpmn", b""),
        ("binary.bpmn", bytes(range(256))),
        ("page.bpmn", b"<html><body>Not found</body></html>"),
        ("cut.bpmn", BAD[:200]),
        ("letter.txt", b"Dear Sir"),
        ("wrong.dmn", b"<definitions/>"),
        ("wrong.form", b"[1, 2"),
        ("bomb.bpmn", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'),
    ],
)
def test_lint_answers_for_any_file_and_never_with_a_trace(
    mpms: Command, tmp_path: Path, name: str, content: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    code, out, err = mpms("models", "lint", path)
    (answer,) = lines(out)
    assert (code, answer["deployable"]) == (1, False)
    assert answer["problems"][0]["reason"]
    assert err == ""


def test_lint_goes_on_after_a_file_that_is_missing(
    mpms: Command, tmp_path: Path
) -> None:
    code, out, _ = mpms("models", "lint", tmp_path / "no.bpmn", tmp_path, *SHIPPED[:1])
    missing, directory, good = lines(out)
    assert code == 1
    assert "No such file" in missing["problems"][0]["reason"]
    assert "directory" in directory["problems"][0]["reason"].lower()
    assert good["deployable"]


# models deploy, migrate, check


def test_deploy_prints_what_was_deployed_and_refuses_as_a_whole(
    mpms: Command, database_url: str, tmp_path: Path
) -> None:
    environment = {"MPMS_DATABASE_URL": database_url}
    code, out, _ = mpms("models", "deploy", *SHIPPED, **environment)
    assert code == 0
    assert out.splitlines() == [
        *[f"{path.stem}: version 1" for path in SHIPPED if path.suffix == ".bpmn"],
        "weight_tolerance: decision",
        *[f"{path.stem}: form" for path in SHIPPED if path.suffix == ".form"],
    ]
    assert "warehouse: version 1" in out.splitlines()
    bad = tmp_path / "bad.bpmn"
    bad.write_bytes(BAD)
    code, out, err = mpms("models", "deploy", SHIPPED[0], bad)
    assert (code, out) == (1, "")
    assert err.startswith("mpms: bad.bpmn: ")
    assert "riddle (Who knows?)" in err

    code, out, err = mpms("models", "deploy", tmp_path / "no.bpmn")
    assert (code, out) == (1, "")
    assert "no.bpmn: No such file" in err


def test_migrate_applies_what_is_missing_once(
    mpms: Command, create_database: Callable[..., str]
) -> None:
    environment = {"MPMS_DATABASE_URL": create_database()}
    code, _, err = mpms("check", **environment)
    assert code == 1
    assert "run: mpms migrate" in err
    assert "0001_foundation" in err

    code, out, _ = mpms("migrate", **environment)
    assert code == 0
    names = sorted(p.stem for p in (ROOT / "db" / "migrations").glob("*.sql"))
    assert out.splitlines() == names
    assert mpms("migrate") == (0, "The database is up to date.\n", "")

    code, out, _ = mpms("check")
    assert code == 0
    assert "reachable, 0 processes deployed" in out
    assert "Paint factory" in out


# bad settings


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("MPMS_POLL_S", "soon", "MPMS_POLL_S is a number of seconds above zero."),
        ("MPMS_POLL_S", "0", "MPMS_POLL_S is a number of seconds above zero."),
        ("MPMS_LEASE_S", "-5", "MPMS_LEASE_S is a number of seconds above zero."),
        ("MPMS_LEASE_S", "nan", "MPMS_LEASE_S is a number of seconds above zero."),
        ("MPMS_LOG_LEVEL", "LOUD", "MPMS_LOG_LEVEL is one of DEBUG, INFO"),
        ("MPMS_DATABSE_URL", "x", "MPMS_DATABSE_URL is not a setting."),
    ],
)
def test_a_bad_setting_is_named(
    mpms: Command, name: str, value: str, complaint: str
) -> None:
    code, out, err = mpms("check", **{name: value})
    assert (code, out) == (1, "")
    assert complaint in err


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("postgresql://mpms@127.0.0.1:1/mpms", "does not answer"),
        ("nonsense", "MPMS_DATABASE_URL looks like postgresql://"),
        ("mysql://root@localhost/x", "MPMS_DATABASE_URL looks like postgresql://"),
        ("postgresql://mpms@[half/mpms", "does not answer"),
    ],
)
def test_a_database_that_is_away_is_one_sentence(
    mpms: Command, url: str, complaint: str
) -> None:
    for command in (["migrate"], ["check"], ["models", "deploy", SHIPPED[0]]):
        code, _, err = mpms(*command, MPMS_DATABASE_URL=url)
        assert code == 1
        assert complaint in err
        assert "Traceback" not in err


def test_a_world_that_is_not_there_is_named(mpms: Command, database_url: str) -> None:
    code, _, err = mpms("check", MPMS_DATABASE_URL=database_url, MPMS_WORLD="the_moon")
    assert code == 1
    assert "the_moon" in err


# as a program


def program(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command; one that hangs is asked to stop, so that it ends its servers."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("MPMS_")}
    command = [sys.executable, "-m", "mpms", *map(str, arguments)]
    with subprocess.Popen(
        command,
        env=clean | {"PYTHONPATH": str(ROOT), "COLUMNS": "120"} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            try:
                out, err = process.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
            pytest.fail(f"no end within {PATIENCE_S:g} s:\n{out}\n{err}")
    return subprocess.CompletedProcess(command, process.returncode, out, err)


@pytest.mark.covers("A1", "A3", "A66")
def test_the_demo_brings_one_order_through_the_whole_process(
    postgres_directory: Path,
) -> None:
    done = program(
        *("demo", "--once", "--fast"),
        MPMS_STATE_DIR=str(postgres_directory / "state"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for step in (
        *("PostgreSQL", "orders_handling,", "warehouse,", "Order"),
        *("Connect to the web server", "Wait for a ready robot", "Move to material"),
        *("Load material", "Weigh material", "310 kg", "120.5 kg", "240 kg"),
        *("Move to mixing tank", "Unload material", "Move home", "Start mixing"),
        *("Set order done", "Close the connection", "instance completed"),
    ):
        assert step in done.stdout, done.stdout
    assert done.stdout.count("Load material") == 3
    assert done.stdout.count("Move to mixing tank") == 3
    assert "Traceback" not in done.stderr
    # What it has left is not where a plant would be begun, and no plant begins there.
    left = sorted(path.name for path in (postgres_directory / "state").iterdir())
    assert left == ["demo"]
    refused = program("work", MPMS_STATE_DIR=str(postgres_directory / "state" / "demo"))
    assert refused.returncode == 1
    assert "made by mpms demo" in refused.stderr


def test_an_unknown_command_is_explained() -> None:
    done = program("dance")
    assert done.returncode == 2
    assert "invalid choice: 'dance'" in done.stderr
