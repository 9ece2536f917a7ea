"""Stock rosbridge clients, unmodified, in processes of their own.

Each plays a script and prints what it saw as one JSON object in its last line.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROSLIB = "roslib@1.4.1"
Seen = dict[str, Any]


def installed_roslib() -> Path:
    """A directory with stock roslibjs, filled once and kept outside the tree."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("node and npm are not installed")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    kept = base / "mpms-tests" / ROSLIB
    if (kept / "node_modules" / "roslib" / "package.json").is_file():
        return kept
    kept.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix="roslib-", dir=kept.parent))
    command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(fresh)]
    done = subprocess.run(
        [*command, ROSLIB, "ws"], capture_output=True, text=True, timeout=240
    )
    if done.returncode != 0:
        shutil.rmtree(fresh, ignore_errors=True)
        pytest.skip(f"npm cannot fetch {ROSLIB}: {done.stderr.strip()[-300:]}")
    try:
        fresh.rename(kept)
    except OSError:
        shutil.rmtree(fresh, ignore_errors=True)
    return kept


def played_in_node(suite: Path, *arguments: str) -> Seen:
    environment = dict(os.environ)
    environment["NODE_PATH"] = str(installed_roslib() / "node_modules")
    command = ["node", "--no-deprecation", str(suite), *arguments]
    return reported(command, environment)


def reported(command: list[str], environment: dict[str, str] | None) -> Seen:
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=240, env=environment, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout.splitlines()[-1]))
