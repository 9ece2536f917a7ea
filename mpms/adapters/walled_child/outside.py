"""A child process as its parent sees it: started, asked, and ended when it is late."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import time
from pathlib import Path

import mpms
from mpms.adapters.walled_child import FRAME_HEAD_BYTES, frame_head

_START_TIMEOUT_S = 60.0
# Somebody else's signals: they say nothing about what was being read.
_FROM_OUTSIDE = {-signal.SIGKILL, -signal.SIGTERM, -signal.SIGHUP, -signal.SIGINT}


class ChildGone(Exception):
    """The child ended or said nothing in time. ``innocent``: not by what it read."""

    def __init__(self, innocent: bool = False) -> None:
        super().__init__()
        self.innocent = innocent


class WalledChild:
    """One process and the two pipes to it."""

    def __init__(self, module: str, largest_answer: int) -> None:
        root = Path(mpms.__file__).resolve().parents[1]
        self._process = subprocess.Popen(
            [sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env={"PYTHONPATH": str(root), "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"},
        )
        if self._process.stdin is None or self._process.stdout is None:
            raise ChildGone
        self._input, self._output = self._process.stdin, self._process.stdout
        os.set_blocking(self._input.fileno(), False)
        os.set_blocking(self._output.fileno(), False)
        self.pid = self._process.pid
        self.answered = 0
        self._largest_answer = largest_answer

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def start(self, settings: bytes) -> None:
        self._send([settings], time.monotonic() + _START_TIMEOUT_S)
        self._receive(time.monotonic() + _START_TIMEOUT_S)

    def ask(self, *frames: bytes, timeout_s: float) -> bytes:
        """ChildGone: it ended, or said nothing in time."""
        deadline = time.monotonic() + timeout_s
        self._send(list(frames), deadline)
        answer = self._receive(deadline)
        self.answered += 1
        return answer

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        self._input.close()
        self._output.close()

    def _send(self, frames: list[bytes], deadline: float) -> None:
        for frame in frames:
            for content in (frame_head(len(frame)), frame):
                rest = memoryview(content)
                while rest:
                    self._wait_for(selectors.EVENT_WRITE, deadline)
                    try:
                        rest = rest[os.write(self._input.fileno(), rest[: 1 << 20]) :]
                    except BlockingIOError:
                        continue
                    except OSError:
                        raise self._gone() from None

    def _receive(self, deadline: float) -> bytes:
        received = bytearray()
        wanted = FRAME_HEAD_BYTES
        while len(received) < wanted:
            self._wait_for(selectors.EVENT_READ, deadline)
            try:
                piece = os.read(self._output.fileno(), 1 << 16)
            except BlockingIOError:
                continue
            if not piece:
                raise self._gone()
            received += piece
            if len(received) >= FRAME_HEAD_BYTES:
                length = int.from_bytes(received[:FRAME_HEAD_BYTES], "big")
                if length > self._largest_answer:
                    raise ChildGone
                wanted = FRAME_HEAD_BYTES + length
        return bytes(received[FRAME_HEAD_BYTES:wanted])

    def _wait_for(self, event: int, deadline: float) -> None:
        with selectors.DefaultSelector() as selector:
            pipe = self._input if event == selectors.EVENT_WRITE else self._output
            selector.register(pipe, event)
            if not selector.select(max(0.0, deadline - time.monotonic())):
                raise ChildGone

    def _gone(self) -> ChildGone:
        """The pipe broke: tell a death by our limits from one by somebody's hand."""
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return ChildGone()
        return ChildGone(innocent=code in _FROM_OUTSIDE)
