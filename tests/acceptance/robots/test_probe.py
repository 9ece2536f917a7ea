"""``mpms robots probe``: the first hour with a robot, by the command itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mpms.cli import main
from tests.support.recorder import Recorder
from tests.support.simulator import Simulator
from tests.support.waiting import together

ROOT = Path(__file__).resolve().parents[3]
ON_THE_FLOOR = ("--robot", "robot1", "--namespace", "robot1", "--timeout", "60")


def probe(url: str, *options: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return mpms("robots", "probe", url, *options, **settings)


def mpms(*words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MPMS_")}
    return subprocess.run(
        [sys.executable, "-m", "mpms", *words],
        cwd=ROOT,
        env=environment | {"PYTHONPATH": str(ROOT)} | settings,
        capture_output=True,
        text=True,
        timeout=240,
    )


@pytest.fixture
def refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., str]:
    """Return a function that asks for a probe in this process and returns the refusal;
    before it refuses, nothing is opened that a process of its own would have to end."""

    def ask(url: str, **settings: str) -> str:
        for name in [name for name in os.environ if name.startswith("MPMS_")]:
            monkeypatch.delenv(name)
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        assert main(["robots", "probe", url, "--goal", "1", "1"]) == 1
        said = capsys.readouterr()
        assert said.out == ""
        return said.err

    return ask


@dataclass(frozen=True)
class InVain:
    """Probes that get no answer before their time is over."""

    without_namespace: subprocess.CompletedProcess[str]
    of_a_stranger: subprocess.CompletedProcess[str]
    driven: list[dict[str, Any]]
    told_to_the_stranger: list[tuple[str, str]]


@pytest.fixture(scope="module")
def in_vain(simulator: Simulator, behind_tls: Recorder) -> InVain:
    """Both wait at the same time, and nobody else does anything meanwhile."""
    goal = ("--goal", "6.5", "3.6", "--timeout", "10")
    starts, frames = len(simulator.starts()), len(behind_tls.frames)
    bare, stranger = together(
        lambda: probe(simulator.url, *goal),
        lambda: probe(behind_tls.url, *goal, *ON_THE_FLOOR[:4]),
    )
    driven, told = simulator.starts()[starts:], behind_tls.frames[frames:]
    return InVain(bare, stranger, driven, told)


@pytest.mark.covers("A18", "A19")
def test_the_probe_drives_one_goal_and_tells_every_state(simulator: Simulator) -> None:
    before = len(simulator.records("goal_started", "goal_ended"))
    done = probe(simulator.url, "--goal", "6.5", "3.6", *ON_THE_FLOOR)
    story = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert story["final"] == "SUCCEEDED"
    wrong = {problem["kind"] for problem in story["problems"]}
    assert not wrong & {"unknown_topic", "unknown_service", "wrong_type", "no_pose"}
    states = [entry["state"] for entry in story["states"]]
    for expected in ("LINK_UP", "SENT", "SUCCEEDED"):
        assert expected in states
    times = [entry["t_s"] for entry in story["states"]]
    assert times == sorted(times)
    start, end = simulator.records("goal_started", "goal_ended")[before:]
    assert (start["event"], end["event"]) == ("goal_started", "goal_ended")
    assert (round(end["x_m"], 1), round(end["y_m"], 1)) == (6.5, 3.6)


def test_the_probe_names_what_the_robot_does_not_have(in_vain: InVain) -> None:
    done = in_vain.without_namespace
    story = json.loads(done.stdout)
    assert done.returncode == 1
    assert story["final"] == "TIMEOUT"
    assert "/amcl_pose" in {problem["name"] for problem in story["problems"]}
    assert in_vain.driven == []


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (
            "ws://robot7.plant:9090",
            "'ws://robot7.plant:9090' is not encrypted and leaves this machine;"
            " use wss://, or name robot7.plant under allow_plain_ws",
        ),
        ("tcp://127.0.0.1:9090", "write ws://host:port or wss://host:port"),
    ],
)
def test_an_unsafe_address_is_refused_in_one_sentence(
    refused: Callable[..., str], url: str, said: str
) -> None:
    complaint = refused(url)
    assert said in complaint
    assert complaint.startswith("mpms: ")
    assert "Traceback" not in complaint


def test_a_robot_behind_tls_is_driven_if_its_authority_is_ours(
    behind_tls: Recorder, certificate: tuple[Path, Path]
) -> None:
    assert behind_tls.url.startswith("wss://")
    settings = {"MPMS_ROBOTS_CA_FILE": str(certificate[0])}
    before = len(behind_tls.frames)
    done = probe(behind_tls.url, "--goal", "6.5", "3.6", *ON_THE_FLOOR, **settings)
    assert json.loads(done.stdout)["final"] == "SUCCEEDED", done.stdout
    assert behind_tls.frames[before:]


def test_a_robot_with_a_certificate_of_a_stranger_is_not_spoken_with(
    in_vain: InVain,
) -> None:
    done = in_vain.of_a_stranger
    story = json.loads(done.stdout)
    assert done.returncode == 1
    assert story["final"] == "TIMEOUT"
    reasons = " ".join(str(entry.get("reason")) for entry in story["states"])
    assert "certificate" in reasons
    assert in_vain.told_to_the_stranger == []


def test_a_missing_certificate_file_is_named(
    refused: Callable[..., str], behind_tls: Recorder
) -> None:
    complaint = refused(behind_tls.url, MPMS_ROBOTS_CA_FILE="/nowhere/ca.pem")
    assert "certificate file /nowhere/ca.pem does not exist" in complaint


def test_a_worker_refuses_to_drive_robots_over_an_open_line(
    database_url: str,
) -> None:
    settings = {
        "MPMS_DATABASE_URL": database_url,
        "MPMS_ROBOTS_URL": "ws://10.20.0.7:9090",
    }
    done = mpms("work", **settings)
    assert done.returncode == 1
    assert done.stderr.startswith("mpms: Robot robot1: ")
    assert "not encrypted and leaves this machine" in done.stderr
    assert "Traceback" not in done.stderr
