"""The outbox of tablets, tried with Node: no Wi-Fi for hours, lost answers, tabs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

FRONTEND = Path(__file__).resolve().parents[4] / "frontend"
ESBUILD = FRONTEND / "node_modules" / "esbuild" / "bin" / "esbuild"


def test_nothing_that_a_worker_confirms_is_lost_or_doubled(tmp_path: Path) -> None:
    _tried(tmp_path, "outbox")


@pytest.mark.covers("A57")
def test_a_scanned_gs1_code_gives_the_lot(tmp_path: Path) -> None:
    _tried(tmp_path, "gs1")


def _tried(tmp_path: Path, name: str) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    if not ESBUILD.exists():
        pytest.skip("needs frontend/node_modules: npm ci in frontend")
    bundle = tmp_path / f"{name}.test.mjs"
    _run(
        ESBUILD,
        FRONTEND / "tests" / f"{name}.test.ts",
        "--bundle",
        "--platform=node",
        "--format=esm",
        "--log-level=warning",
        f"--outfile={bundle}",
    )
    said = _run(node, "--test", bundle)
    assert "# fail 0" in said or "ℹ fail 0" in said, said


def _run(*command: str | Path) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
