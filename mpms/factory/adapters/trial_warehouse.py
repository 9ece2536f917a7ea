"""A trial warehouse: ``shopfloor sim`` as a child process, asked over rosbridge.

It listens on this machine only, ends with the server, and by itself when nobody has
looked at it for a while.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from mpms.domain.errors import MpmsError

START_S = 60.0
ANSWER_S = 10.0
IDLE_S = 900.0
LOOK_S = 5.0
INSTALL = "pip install 'mpms[sim]'"


class TrialFailed(MpmsError):
    """The trial warehouse does not do this."""


class SimulatedWarehouse:
    """Safe to share between threads."""

    def __init__(self, *, idle_s: float = IDLE_S) -> None:
        self._idle_s = idle_s
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._process: subprocess.Popen[str] | None = None
        self._socket: ClientConnection | None = None
        self._open = ExitStack()  # the connection
        self._looked_at = 0.0

    def launch(self, preset: str) -> str:
        with self._lock:
            if self._running():
                made = self._call("/warehouse/insert_world", world=preset, replace=True)
                return str(made["message"])
            self._end()
            self._begin(preset)
        return f"started {preset}"

    def command(self, line: str) -> str:
        with self._lock:
            if not self._running():
                raise TrialFailed("Launch a warehouse first.")
            return str(self._call("/warehouse/command", line=line)["message"])

    def state(self) -> Mapping[str, Any] | None:
        with self._lock:
            self._looked_at = time.monotonic()
            if not self._running():
                return None
            found: dict[str, Any] = json.loads(self._call("/warehouse/state")["json"])
            return found

    def stop(self) -> None:
        with self._lock:
            self._end()

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    # With the lock held

    def _running(self) -> bool:
        return (
            self._process is not None
            and self._process.poll() is None
            and self._socket is not None
        )

    def _begin(self, preset: str) -> None:
        self._looked_at = time.monotonic()
        self._process = process = subprocess.Popen(
            [
                *(sys.executable, "-m", "shopfloor", "sim", f"kiva_{preset}"),
                *("--planned", "--port", "0", "--with-parent"),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        url = _ready(process)
        try:
            self._socket = self._open.enter_context(
                connect(url, max_size=None, open_timeout=ANSWER_S)
            )
        except (OSError, WebSocketException) as broken:
            self._end()
            raise TrialFailed(
                f"The trial warehouse does not answer: {broken}"
            ) from broken
        for pipe in (process.stdout, process.stderr):
            threading.Thread(target=_drain, args=(pipe,), daemon=True).start()
        threading.Thread(target=self._watch, args=(process,), daemon=True).start()

    def _call(self, service: str, **args: Any) -> dict[str, Any]:
        socket, ident = self._socket, f"trial:{next(self._numbers)}"
        if socket is None:
            raise TrialFailed
        frame = {"op": "call_service", "service": service, "id": ident, "args": args}
        until = time.monotonic() + ANSWER_S
        try:
            socket.send(json.dumps(frame))
            while True:
                left_s = max(0.0, until - time.monotonic())
                answer = json.loads(socket.recv(timeout=left_s))
                if answer.get("id") == ident:
                    break
        except (TimeoutError, OSError, WebSocketException, ValueError) as broken:
            self._end()
            raise TrialFailed(
                f"The trial warehouse does not answer; launch it again: {broken}"
            ) from broken
        values: dict[str, Any] = answer.get("values") or {}
        if not answer.get("result") or values.get("success") is False:
            raise TrialFailed(str(values.get("message") or values))
        return values

    def _end(self) -> None:
        self._socket = None
        process, self._process = self._process, None
        self._open.close()
        if process is not None:
            process.terminate()
            try:
                process.wait(ANSWER_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdin is not None:
                process.stdin.close()

    def _watch(self, process: subprocess.Popen[str]) -> None:
        """Nobody looks: it need not go on."""
        while process.poll() is None:
            time.sleep(min(LOOK_S, self._idle_s / 4))
            with self._lock:
                if self._process is not process:
                    return
                if time.monotonic() - self._looked_at > self._idle_s:
                    self._end()
                    return


def _ready(process: subprocess.Popen[str]) -> str:
    """Its address. TrialFailed names what it said instead."""
    timer = threading.Timer(START_S, process.kill)
    timer.start()
    line = process.stdout.readline() if process.stdout else ""
    timer.cancel()
    try:
        return str(json.loads(line)["url"])
    except (ValueError, KeyError):
        process.kill()
        _, said = process.communicate()
        last = (said.strip().splitlines() or [line.strip() or "nothing"])[-1]
        hint = f" Install the simulator: {INSTALL}." if "No module" in said else ""
        raise TrialFailed(
            f"The trial warehouse does not start: {last}.{hint}"
        ) from None


def _drain(pipe: Any) -> None:
    for _ in pipe:
        pass
