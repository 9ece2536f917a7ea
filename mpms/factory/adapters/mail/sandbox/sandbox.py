"""The order reader in a child process, so that no message can stop the intake.

The child lives on between messages and is replaced when it dies. Whatever it dies of
while reading - time, memory, a fault of the interpreter - that message is rejected as
unreadable and the next one is read by a fresh child.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection
from types import TracebackType
from typing import Self, TypeVar

from mpms.adapters.walled_child.outside import ChildGone, WalledChild
from mpms.domain.errors import MpmsError
from mpms.factory.adapters.mail.sandbox.wire import (
    LARGEST_ANSWER,
    decode_outcome,
    decode_text,
)
from mpms.factory.domain.order_mail import Catalogue, Outcome, Senders
from mpms.factory.domain.order_mail.reading import LARGEST_MESSAGE, unreadable
from mpms.factory.domain.order_mail.showing import MailText

Answer = TypeVar("Answer")

_MODULE = "mpms.factory.adapters.mail.sandbox.child"
_SENT_OF_A_LARGE_MESSAGE = 1 << 20


class SandboxUnavailable(MpmsError):
    """The process that reads messages could not be started."""


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
        self._child: WalledChild | None = None

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
                return decode(
                    self._ready_child().ask(question, raw, timeout_s=self._wall_s)
                )
            except ChildGone as gone:
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

    def _ready_child(self) -> WalledChild:
        child = self._child
        if child is not None and (
            child.has_ended or child.answered >= self._messages_per_child
        ):
            self._drop_child()
            child = None
        if child is None:
            child = self._child = WalledChild(_MODULE, LARGEST_ANSWER)
            try:
                known = {"catalogue": self._catalogue.to_json(), **self._limits}
                child.start(json.dumps(known).encode())
            except ChildGone:
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
