"""The simulator and other programs as processes that can be killed and frozen."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Any

from tests.support.factory import ROOT
from tests.support.waiting import PATIENCE_S


class Child:
    """A process that tells its news in lines and ends with its standard input."""

    def __init__(self, *arguments: str, errors: Path | None = None) -> None:
        with ExitStack() as open_now:
            said = None if errors is None else open_now.enter_context(errors.open("ab"))
            self._start(arguments, said)
        self._rest = b""

    def _start(self, arguments: tuple[str, ...], errors: IO[bytes] | None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )

    def line(self) -> str:
        assert self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        give_up_at = time.monotonic() + PATIENCE_S
        while b"\n" not in self._rest:
            left_s = give_up_at - time.monotonic()
            assert select.select([descriptor], [], [], left_s)[0], "the child is silent"
            chunk = os.read(descriptor, 65536)
            assert chunk, f"the child ended with {self.process.wait()}"
            self._rest += chunk
        line, self._rest = self._rest.split(b"\n", 1)
        return line.decode()

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()


class Simulator:
    """The robots, with an independent record of what they did."""

    def __init__(
        self,
        world: Path,
        trace: Path,
        speed: float,
        errors: Path | None = None,
        dialect: str = "ros1",
    ) -> None:
        self._dialect = dialect
        self._errors = errors
        self._world = world
        self._trace = trace
        self._speed = speed
        self._child = self._start(0)
        self.url = json.loads(self._child.line())["url"]

    def _start(self, port: int) -> Child:
        return Child(
            *("-m", "shopfloor", "sim", str(self._world), "--port", str(port)),
            *("--speed", str(self._speed), "--trace", str(self._trace)),
            *("--dialect", self._dialect, "--with-parent"),
            errors=self._errors,
        )

    def fault(self, command: str) -> None:
        self._child.say(command)
        answer = json.loads(self._child.line())
        assert answer["ok"], answer

    def freeze(self) -> None:
        self._child.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._child.signal(signal.SIGCONT)

    def kill(self) -> None:
        self._child.kill()

    def restart(self) -> None:
        """On the same port, with every robot at home again."""
        self._child = self._start(int(self.url.rsplit(":", 1)[1]))
        self._child.line()

    def records(self, *events: str) -> list[dict[str, Any]]:
        lines = self._trace.read_bytes().split(b"\n")[:-1]
        records = [json.loads(line) for line in lines]
        return [r for r in records if not events or r["event"] in events]

    def starts(self) -> list[dict[str, Any]]:
        return self.records("goal_started")
