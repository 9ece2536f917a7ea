"""``shopfloor rmfs`` as a process: the orchestrator never imports what simulates.

A sweep that runs is told line by line. The process ends when its standard input does,
so that it does not outlive the worker, however that one ends.
"""

from __future__ import annotations

import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mpms.factory.ports.experiments import (
    Event,
    Plan,
    PlanRefused,
    SimulatorFailed,
    SimulatorMissing,
)

NICE = 10  # workers and pages go first
TICK_S = 1.0
LIMIT_S = 120.0  # the first start of all compiles kernels
LINE = re.compile(r"^\d+: ")
MOST_SAID = 2000


class SimulatorProcess:
    """Starts ``shopfloor rmfs`` with the Python that runs us."""

    def __init__(self) -> None:
        self._parts: Mapping[str, Any] | None = None

    def parts(self) -> Mapping[str, Any]:
        if self._parts is None:
            self._parts = json.loads(_ask(["parts"])[0])
        return self._parts

    def check(self, plan: Plan) -> int:
        with _as_file(plan) as file:
            told = [json.loads(line) for line in _ask(["batch", "--check", file])]
        return int(_not_refused(told[0])["runs"])

    @contextmanager
    def start(
        self, plan: Plan, done: Sequence[tuple[str, int, float]]
    ) -> Iterator[_Process]:
        _require()
        with _as_file(plan) as file:
            known = Path(file).with_name("done.json")
            known.write_text(json.dumps(done), "utf-8")
            process = subprocess.Popen(
                [*_command(), "batch", file, "--done", str(known)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=known.parent,
                encoding="utf-8",
            )
            try:
                yield _Process(process)
            finally:
                process.kill()
                process.communicate()


class _Process:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._lines: queue.Queue[str | None] = queue.Queue(maxsize=100)
        self._said: list[str] = []
        for read in (self._read, self._read_errors):
            threading.Thread(target=read, daemon=True).start()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self._lines.put(line)
        self._lines.put(None)

    def _read_errors(self) -> None:
        for line in self._process.stderr or ():
            self._said = [*self._said[-20:], line]

    def events(self) -> Iterator[Event | None]:
        while True:
            try:
                line = self._lines.get(timeout=TICK_S)
            except queue.Empty:
                yield None
                continue
            if line is None:
                code = self._process.wait()
                said = "".join(self._said)[-MOST_SAID:].strip()
                raise SimulatorFailed(f"It {_ending(code)}. {said}".strip())
            event = _not_refused(json.loads(line))
            if event["event"] == "end":
                return
            yield event


def _ending(code: int) -> str:
    if code >= 0:
        return f"ended with code {code}"
    memory = ", as when the memory is used up" if code == -9 else ""
    return f"was ended by signal {-code}{memory}"


def _not_refused(event: Event) -> Event:
    if event["event"] == "refused":
        raise PlanRefused([LINE.sub("", line) for line in event["lines"]])
    return event


def _command() -> list[str]:
    nice = ["nice", "-n", str(NICE)] if os.name == "posix" else []
    return [*nice, sys.executable, "-m", "shopfloor", "rmfs"]


def _require() -> None:
    if find_spec("numba") is None or find_spec("PIL") is None:
        raise SimulatorMissing(str(SimulatorMissing.__doc__))


def _ask(arguments: Sequence[str]) -> list[str]:
    """The lines that it prints, whether it agrees or not. SimulatorMissing."""
    _require()
    with tempfile.TemporaryDirectory() as nowhere:
        try:
            done = subprocess.run(
                [*_command()[-4:], *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                cwd=nowhere,
                encoding="utf-8",
                timeout=LIMIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise SimulatorFailed(f"It gave no answer in {LIMIT_S:.0f} s.") from None
    if not done.stdout:
        raise SimulatorFailed(done.stderr[-MOST_SAID:].strip())
    return done.stdout.splitlines()


@contextmanager
def _as_file(plan: Plan) -> Iterator[str]:
    """A plan in a directory of its own, so that names never mean files of ours."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "plan.json"
        path.write_text(json.dumps(plan), "utf-8")
        yield str(path)
