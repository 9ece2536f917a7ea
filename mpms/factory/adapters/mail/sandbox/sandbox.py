"""The order reader in a child process, so that no message can stop the intake.

The child lives on between messages and is replaced when it dies. Whatever it dies of
while reading - time, memory, a fault of the interpreter - that message is rejected as
unreadable and the next one is read by a fresh child.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import mpms
from mpms.domain.errors import MpmsError
from mpms.factory.adapters.mail.sandbox.wire import (
    FRAME_HEAD_BYTES,
    LARGEST_ANSWER,
    decode_outcome,
    decode_text,
    frame_head,
)
from mpms.factory.domain.order_mail import Catalogue, Outcome, Senders
from mpms.factory.domain.order_mail.reading import LARGEST_MESSAGE, unreadable
from mpms.factory.domain.order_mail.showing import MailText

Answer = TypeVar("Answer")

_START_TIMEOUT_S = 60.0
_SENT_OF_A_LARGE_MESSAGE = 1 << 20
# Somebody else's signals: they say nothing about the message that was being read.
_FROM_OUTSIDE = {-signal.SIGKILL, -signal.SIGTERM, -signal.SIGHUP, -signal.SIGINT}


class SandboxUnavailable(MpmsError):
    """The process that reads messages could not be started."""


class _ChildGone(Exception):
    """The child ended or said nothing in time. ``innocent``: not by its message."""

    def __init__(self, innocent: bool = False) -> None:
        super().__init__()
        self.innocent = innocent


class MailSandbox:
    """Reads messages within limits; safe to share between threads.

    ``cpu_s`` bounds the computing time of one message. ``wall_s`` is longer, because
    a machine under load must not turn a good order into a rejection.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        senders: Senders,
        *,
        cpu_s: float = 4.0,
        wall_s: float = 30.0,
        memory_mb: int = 300,
        messages_per_child: int = 1000,
    ) -> None:
        self._catalogue = catalogue
        self._limits = {
            "senders": senders.to_json(),
            "memory_bytes": memory_mb << 20,
            "cpu_s": cpu_s,
        }
        self._wall_s = wall_s
        self._messages_per_child = messages_per_child
        self._lock = threading.Lock()
        self._child: _Child | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def read(
        self,
        raw: bytes,
        *,
        proven_domains: Collection[str] = (),
        size: int | None = None,
        catalogue: Catalogue | None = None,
    ) -> Outcome:
        """Read one message; repeats are undecided, so ``settle`` the outcome.

        ``size`` is the message's true size where ``raw`` is only its beginning. From
        now on ``catalogue`` is what may be ordered; a fresh child learns it.
        """
        true_size = len(raw) if size is None else size
        asked = {"proven_domains": sorted(proven_domains), "size": true_size}
        if len(raw) > LARGEST_MESSAGE:
            raw = raw[:_SENT_OF_A_LARGE_MESSAGE]
        with self._lock:
            self._learn(catalogue)
            return self._ask(asked, raw, decode_outcome) or unreadable()

    def show(self, raw: bytes) -> MailText:
        """What a person can read of a message; no text if it cannot be read."""
        with self._lock:
            return self._ask({"show": True}, raw, decode_text) or MailText()

    def _ask(
        self, asked: dict[str, object], raw: bytes, decode: Callable[[bytes], Answer]
    ) -> Answer | None:
        """The child's answer; None if it died of the message."""
        question = json.dumps(asked).encode()
        for may_try_again in (True, False):
            try:
                return decode(self._ready_child().ask(question, raw, self._wall_s))
            except _ChildGone as gone:
                self._drop_child()
                if not (gone.innocent and may_try_again):
                    break
            except (ValueError, KeyError, TypeError):
                self._drop_child()
                break
        return None

    def close(self) -> None:
        with self._lock:
            self._drop_child()

    @property
    def child_pid(self) -> int | None:
        """The process that reads, while there is one."""
        return None if self._child is None else self._child.pid

    def _ready_child(self) -> _Child:
        child = self._child
        if child is not None and (
            child.has_ended or child.answered >= self._messages_per_child
        ):
            self._drop_child()
            child = None
        if child is None:
            child = self._child = _Child()
            try:
                known = {"catalogue": self._catalogue.to_json(), **self._limits}
                child.start(json.dumps(known).encode())
            except _ChildGone:
                self._drop_child()
                raise SandboxUnavailable() from None
        return child

    def _learn(self, catalogue: Catalogue | None) -> None:
        if catalogue is None or catalogue is self._catalogue:
            return
        if catalogue != self._catalogue:
            self._drop_child()
        self._catalogue = catalogue

    def _drop_child(self) -> None:
        if self._child is not None:
            self._child.stop()
            self._child = None


class _Child:
    """One process and the two pipes to it."""

    def __init__(self) -> None:
        root = Path(mpms.__file__).resolve().parents[1]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mpms.factory.adapters.mail.sandbox.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env={"PYTHONPATH": str(root), "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"},
        )
        if self._process.stdin is None or self._process.stdout is None:
            raise SandboxUnavailable
        self._input, self._output = self._process.stdin, self._process.stdout
        os.set_blocking(self._input.fileno(), False)
        os.set_blocking(self._output.fileno(), False)
        self.pid = self._process.pid
        self.answered = 0

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def start(self, settings: bytes) -> None:
        self._send([settings], time.monotonic() + _START_TIMEOUT_S)
        self._receive(time.monotonic() + _START_TIMEOUT_S)

    def ask(self, question: bytes, raw: bytes, timeout_s: float) -> bytes:
        deadline = time.monotonic() + timeout_s
        self._send([question, raw], deadline)
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
                if length > LARGEST_ANSWER:
                    raise _ChildGone
                wanted = FRAME_HEAD_BYTES + length
        return bytes(received[FRAME_HEAD_BYTES:wanted])

    def _wait_for(self, event: int, deadline: float) -> None:
        with selectors.DefaultSelector() as selector:
            pipe = self._input if event == selectors.EVENT_WRITE else self._output
            selector.register(pipe, event)
            if not selector.select(max(0.0, deadline - time.monotonic())):
                raise _ChildGone

    def _gone(self) -> _ChildGone:
        """The pipe broke: tell a death by our limits from one by somebody's hand."""
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return _ChildGone()
        return _ChildGone(innocent=code in _FROM_OUTSIDE)
