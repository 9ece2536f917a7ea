"""Camunda's own client for JavaScript, unmodified, from npm, below ``build``.

It is no package of ``frontend``: the pages would be built anew whenever it changes. Run
as a script it only fetches, for ``make packages``.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

from hatch_build import Node, find_node

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests" / "integration" / "web" / "engine_rest" / "client"
HOME = ROOT / "build" / "npm" / "external_worker"
NAMES = ("package.json", "package-lock.json", ".npmrc")
ENTRY = HOME / "node_modules" / "camunda-external-task-client-js" / "index.js"
NPM_S = 300


def fetch_client() -> Node:
    """``npm ci``, unless what is there is what the lock file asks for; the node."""
    node = find_node()
    HOME.mkdir(parents=True, exist_ok=True)
    wanted = hashlib.sha256((SOURCE / "package-lock.json").read_bytes()).hexdigest()
    mark = HOME / "fetched"
    with (HOME / "lock").open("w") as alone:
        fcntl.flock(alone, fcntl.LOCK_EX)
        if mark.is_file() and mark.read_text() == wanted:
            return node
        for name in NAMES:
            shutil.copy(SOURCE / name, HOME / name)
        path = os.pathsep.join([str(Path(node.node[0]).parent), os.environ["PATH"]])
        subprocess.run(
            [*node.npm, "ci", "--no-audit", "--no-fund"],
            cwd=HOME,
            env={**os.environ, "PATH": path},
            check=True,
            timeout=NPM_S,
        )
        mark.write_text(wanted)
    return node


class ClientProcess:
    """A worker written with it: tells line by line what it does."""

    def __init__(
        self,
        node: Node,
        url: str,
        token: str,
        topic: str,
        behaviour: str,
        *,
        name: str,
        lock_ms: int = 60_000,
        at_once: int = 10,
    ) -> None:
        self.heard: list[dict[str, Any]] = []
        told = {
            "CLIENT": ENTRY.as_uri(),
            "BASE_URL": f"{url}/engine-rest",
            "TOKEN": token,
            "WORKER": name,
            "TOPIC": topic,
            "BEHAVIOUR": behaviour,
            "LOCK_MS": str(lock_ms),
            "AT_ONCE": str(at_once),
        }
        self.process = subprocess.Popen(
            [*node.node, str(SOURCE / "worker.mjs")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | told,
            text=True,
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        for line in self.process.stdout or ():
            self.heard.append(json.loads(line))

    def tasks(self) -> list[str]:
        return [one["task"] for one in self.heard if "task" in one]

    def errors(self) -> list[str]:
        return [one["error"] for one in self.heard if "error" in one]

    def kill(self) -> None:
        """In the middle of whatever it does."""
        self.process.kill()
        self.close()

    def close(self) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process.wait(60)
        self._listener.join(60)
        if self.process.stdout is not None:
            self.process.stdout.close()


if __name__ == "__main__":
    fetch_client()
