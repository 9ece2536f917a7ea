"""One wheel of this checkout for all tests, made and installed without network."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

Pip = Callable[..., None]


@pytest.fixture(scope="session")
def pip() -> Pip:
    """Run pip without a network."""

    def run(*arguments: object) -> None:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pip", "--disable-pip-version-check"),
                *map(str, arguments),
            ],
            env=os.environ | {"PIP_NO_INDEX": "1"},
            capture_output=True,
            text=True,
            timeout=250,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    return run


@pytest.fixture(scope="session")
def wheel(pip: Pip, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made by the first of the processes of a test run that asks for it."""
    run = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        run = run.parent
    directory = run / "wheel"
    with open(run / "wheel.lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not directory.exists():
            pip(
                *("wheel", "--quiet", "--no-deps", "--no-build-isolation"),
                *("--wheel-dir", directory, ROOT),
            )
    (built,) = directory.glob("*.whl")
    return built
