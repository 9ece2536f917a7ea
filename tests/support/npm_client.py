"""Camunda's own clients for JavaScript, unmodified, from npm, below ``build``.

They are no packages of ``frontend``: the pages would be built anew whenever they
change.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from hatch_build import Node, find_node

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "tests" / "integration" / "web"
SOURCE = WEB / "engine_rest" / "client"
HOME = ROOT / "build" / "npm" / "external_worker"
SOURCE_8 = WEB / "camunda8" / "client"
HOME_8 = ROOT / "build" / "npm" / "camunda8"
NAMES = ("package.json", "package-lock.json", ".npmrc")
ENTRY = HOME / "node_modules" / "camunda-external-task-client-js" / "index.js"
NPM_S = 300


def fetch_client(source: Path = SOURCE, home: Path = HOME) -> Node:
    """``npm ci``, unless what is there is what the lock file asks for; the node."""
    node = find_node()
    home.mkdir(parents=True, exist_ok=True)
    wanted = hashlib.sha256((source / "package-lock.json").read_bytes()).hexdigest()
    mark = home / "fetched"
    with (home / "lock").open("w") as alone:
        fcntl.flock(alone, fcntl.LOCK_EX)
        if mark.is_file() and mark.read_text() == wanted:
            return node
        for name in NAMES:
            shutil.copy(source / name, home / name)
        path = os.pathsep.join([str(Path(node.node[0]).parent), os.environ["PATH"]])
        subprocess.run(
            [*node.npm, "ci", "--no-audit", "--no-fund"],
            cwd=home,
            env={**os.environ, "PATH": path},
            check=True,
            timeout=NPM_S,
        )
        mark.write_text(wanted)
    return node
