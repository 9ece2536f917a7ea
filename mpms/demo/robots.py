"""The demo's robots: a simulator as a process of its own, started again if it dies.

MPMS never imports the shop floor. It starts it like a user would and speaks with it
over rosbridge, as with real robots.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable

from mpms.domain.errors import MpmsError

AGAIN_S = 2.0
PATIENCE_S = 120.0


class SimulatorNotStarted(MpmsError):
    """The simulator of the robots does not start."""


class Simulator:
    """Keeps one ``shopfloor sim`` running on one port."""

    def __init__(
        self, world: str, *, speed: float, on_told: Callable[[str], None]
    ) -> None:
        self._world = world
        self._speed = speed
        self._on_told = on_told
        self._stop = threading.Event()
        self._process = self._start(port=0)
        self.url = self._await_ready(self._process)
        self._port = int(self.url.rsplit(":", 1)[1])
        self._guard = threading.Thread(target=self._watch, name="simulator")
        self._guard.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def close(self) -> None:
        self._stop.set()
        self._process.terminate()
        self._guard.join()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _start(self, *, port: int) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [
                *(sys.executable, "-m", "shopfloor", "sim", self._world),
                *("--port", str(port), "--speed", str(self._speed), "--with-parent"),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    @staticmethod
    def _await_ready(process: subprocess.Popen[str]) -> str:
        line: list[str] = []
        reader = threading.Thread(
            target=lambda: line.append(
                process.stdout.readline() if process.stdout else ""
            )
        )
        reader.start()
        reader.join(PATIENCE_S)
        try:
            return str(json.loads(line[0])["url"])
        except (IndexError, ValueError, KeyError):
            process.kill()
            process.wait()
            raise SimulatorNotStarted(
                f"The simulator of the robots said {''.join(line) or 'nothing'!r}."
            ) from None

    def _watch(self) -> None:
        while not self._stop.is_set():
            try:
                self._process.wait(0.2)
            except subprocess.TimeoutExpired:
                continue
            if self._stop.is_set():
                return
            self._on_told("the simulator is gone; starting it again")
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
            self._stop.wait(AGAIN_S)
            try:
                self._process = self._start(port=self._port)
                self._await_ready(self._process)
            except SimulatorNotStarted as failure:
                self._on_told(str(failure))
