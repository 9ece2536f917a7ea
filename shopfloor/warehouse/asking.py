"""Asking a running warehouse over rosbridge, as any client would."""

from __future__ import annotations

import contextlib
import itertools
import json
import time
from collections.abc import Iterator
from typing import Any

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from shopfloor.warehouse.errors import WarehouseRefused

DEADLINE_S = 30.0


class NoAnswer(Exception):
    """Nobody answers there, or not as a warehouse does."""


class Asking:
    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._ids = itertools.count(1)
        self._heard: list[dict[str, Any]] = []

    def call(self, service: str, **args: Any) -> dict[str, Any]:
        """WarehouseRefused with the server's reason."""
        number = f"ask:{next(self._ids)}"
        self._send("call_service", id=number, service=service, args=args)
        until = time.monotonic() + DEADLINE_S
        while True:
            frame = self._receive(until)
            if frame.get("id") != number:
                self._heard.append(frame)
                continue
            values = frame.get("values")
            if not frame.get("result"):
                raise WarehouseRefused(str(values))
            if not isinstance(values, dict):
                raise NoAnswer(f"{service} answered {values!r}")
            if values.get("success") is False:
                why = values.get("message") or values.get("status_message")
                raise WarehouseRefused(str(why))
            return values

    def listen(self, topic: str) -> None:
        self._send("subscribe", topic=topic)

    def hear(self, topic: str, until: float) -> dict[str, Any]:
        """The next message; NoAnswer after that time (monotonic)."""
        while True:
            frame = self._heard.pop(0) if self._heard else self._receive(until)
            if frame.get("topic") == topic:
                return dict(frame["msg"])

    def _send(self, op: str, **fields: Any) -> None:
        self._socket.send(json.dumps({"op": op, **fields}))

    def _receive(self, until: float) -> dict[str, Any]:
        try:
            text = self._socket.recv(timeout=max(0.0, until - time.monotonic()))
            frame = json.loads(text)
        except TimeoutError:
            raise NoAnswer("no answer in time") from None
        except (WebSocketException, ValueError) as error:
            raise NoAnswer(f"the connection broke: {error}") from None
        return frame if isinstance(frame, dict) else {}


@contextlib.contextmanager
def asking(url: str) -> Iterator[Asking]:
    try:
        socket = connect(url, max_size=None, open_timeout=DEADLINE_S)
    except (OSError, WebSocketException, ValueError) as error:
        raise NoAnswer(f"nobody answers at {url}: {error}") from None
    with socket:
        yield Asking(socket)
