"""A worker of somebody else as a process that tells line by line what it does."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from typing import Any


class ScriptProcess:
    """``told``: its environment beyond ours."""

    def __init__(self, argv: Sequence[str], told: Mapping[str, str]) -> None:
        self.heard: list[dict[str, Any]] = []
        self.process = subprocess.Popen(
            argv,
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
