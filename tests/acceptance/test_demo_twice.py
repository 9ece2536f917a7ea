"""Demos beside each other, and where they keep what they need."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from mpms.demo.known_secrets import apart
from mpms.demo.state import alone, left_elsewhere
from mpms.settings import PLANT_OF_ROOT, Settings

ROOT = Path(__file__).resolve().parents[2]
WAIT_S = 240.0
Demo = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Demo]:
    """Starts demos of somebody whose home is closed to everybody else."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MPMS_", "XDG_"))
    }
    started: list[subprocess.Popen[str]] = []

    def start(**environment: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "mpms", "demo"],
            env=clean
            | {"HOME": str(home), "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
            | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
    for process in started:
        try:
            process.communicate(timeout=WAIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def pages_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if " Pages " in line:
            return line
    pytest.fail(f"no pages: {process.communicate(timeout=WAIT_S)}")


def address_in(line: str) -> str:
    return line[line.index("http") :].split()[0].rstrip(";")


def serves(address: str) -> bool:
    link = HTTPConnection(urlsplit(address).netloc, timeout=WAIT_S)
    link.request("GET", "/healthz")
    status = link.getresponse().status
    link.close()
    return status == 200


def test_a_demo_takes_another_port_and_tells_a_second_one_of_itself(
    demo: Demo, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        first = demo(MPMS_WEB_PORT=port)
        line = pages_line(first)
    assert f"port {port} is taken" in line
    address = address_in(line)
    assert str(urlsplit(address).port) != port
    assert serves(address)
    state = tmp_path / "home" / ".local" / "state" / "mpms"
    assert (state / "demo" / "postgres" / "cluster" / "PG_VERSION").is_file()
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700

    second = demo(MPMS_WEB_PORT=port)
    said, complaint = second.communicate(timeout=WAIT_S)
    assert (second.returncode, said) == (1, "")
    assert complaint == (
        f"mpms: A demo runs here already (process {first.pid}, pages at {address},"
        f" data in {state / 'demo'}); to run another beside it:"
        f" MPMS_STATE_DIR={state}-2 make demo\n"
    )

    assert first.poll() is None


@pytest.mark.soak
@pytest.mark.timeout(900)  # two whole demos
def test_a_second_demo_runs_beside_the_first(demo: Demo, tmp_path: Path) -> None:
    first = demo(MPMS_WEB_PORT="0")
    line = pages_line(first)
    address = address_in(line)
    port = str(urlsplit(address).port)
    assert "taken" not in line

    beside = demo(MPMS_WEB_PORT=port, MPMS_STATE_DIR=str(tmp_path / "home" / "other"))
    line = pages_line(beside)
    assert f"port {port} is taken" in line
    assert address_in(line) != address
    assert serves(address_in(line))
    assert serves(address)
    assert first.poll() is None


def test_a_directory_is_free_again_after_its_demo(tmp_path: Path) -> None:
    for _ in range(2):
        with alone(tmp_path / "demo") as note:
            note("http://127.0.0.1:1")
    assert "127.0.0.1:1" in (tmp_path / "demo" / "running.json").read_text()


def test_the_demo_lies_in_the_home_unless_a_directory_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("MPMS_STATE_DIR", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for uid, plant in ((0, PLANT_OF_ROOT), (1000, tmp_path / ".local/state/mpms")):
        monkeypatch.setattr(os, "geteuid", lambda uid=uid: uid)
        settings = Settings.read({})
        assert settings.state_dir == plant
        assert apart(settings).state_dir == tmp_path / ".local/state/mpms/demo"
    monkeypatch.setenv("MPMS_STATE_DIR", "/srv/given")
    assert apart(Settings.read()).state_dir == Path("/srv/given/demo")


def test_root_is_told_of_data_that_an_earlier_demo_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MPMS_STATE_DIR", raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    old, now = tmp_path / "old", Settings(state_dir=tmp_path / "now")
    assert left_elsewhere(now, old) is None
    (old / "demo" / "postgres").mkdir(parents=True)
    line = left_elsewhere(now, old) or ""
    assert f"data in {old / 'demo'};" in line
    assert f"MPMS_STATE_DIR={old} make demo" in line
    monkeypatch.setenv("MPMS_STATE_DIR", str(old))
    assert left_elsewhere(now, old) is None
