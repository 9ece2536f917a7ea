"""Gives a thread to a request when all of it has arrived.

Flask holds a thread from the first line of a request to the last byte of its answer.
Were a sender waited for in that thread, a few hundred that send slowly, or not at all,
would stop the site. So bodies are read in the event loop, where waiting costs nothing,
within limits of size and time.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import IO, Any
from urllib.parse import unquote_to_bytes

from mpms.server.answer_parts import (
    WHEN_GONE,
    AnswerParts,
    Message,
    Receive,
    Send,
    start_of,
)
from mpms.server.held_answers import HELD, HeldAnswer
from mpms.server.streamed_answers import STREAMED, StreamedAnswer

log = logging.getLogger(__name__)

Scope = MutableMapping[str, Any]
IN_MEMORY_BYTES = 256 << 10  # larger bodies wait in a file
TOLD_S = 60.0  # between two lines of the log about slow senders
TOO_SLOW = b"The request did not arrive in time.\n"


@dataclass(frozen=True)
class Patience:
    """How long the other side may take, in seconds.

    A body may take ``grace_s`` and a second more for every ``least_bytes_s`` that have
    arrived: bad Wi-Fi is slow, but it sends.
    """

    header_s: float = 20.0
    silence_s: float = 20.0  # without a byte of a body
    grace_s: float = 30.0
    least_bytes_s: int = 4096
    unread_s: float = 60.0  # nobody takes what we send


class TooSlow(Exception):
    """The body does not arrive, or not in time."""


class SenderGone(Exception):
    """The connection ended before the body did."""


class WholeRequests:
    """An ASGI application that calls a WSGI one in a thread for every whole request.

    ``most_bytes``: longer bodies are not read; the application sees their length and
    says what it says about that. ``started`` is called in the event loop's thread.
    """

    def __init__(
        self,
        app: Callable[..., Any],
        *,
        most_bytes: int,
        threads: int,
        patience: Patience,
        started: Callable[[], None] = lambda: None,
    ) -> None:
        self._app = app
        self._most_bytes = most_bytes
        self._patience = patience
        self._started = started
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="request")
        self._slow = SlowSenders()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        try:
            body, length = await self._body_of(scope, receive)
        except TooSlow:
            self._slow.count(scope["client"][0])
            await _say_too_slow(scope, send)
            return
        except SenderGone:
            return
        loop = asyncio.get_running_loop()
        answer, held = AnswerParts(loop), HeldAnswer(loop, self._threads)
        streamed = StreamedAnswer(loop, self._threads)
        environ = environ_of(scope, body, length)
        environ[WHEN_GONE] = answer.when_gone
        environ[HELD] = held
        environ[STREAMED] = streamed
        unread_s = self._patience.unread_s

        async def keep_back(messages: list[Message]) -> list[Message]:
            if streamed.follows:
                await streamed.pass_on(messages, receive, send, unread_s)
                return []
            return await held.wait(messages, receive) if held.held else messages

        self._threads.submit(answer.make, self._app, environ)
        await answer.pass_on(receive, send, unread_s, keep_back)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        self._started()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})

    async def _body_of(
        self, scope: Scope, receive: Receive
    ) -> tuple[IO[bytes], int | None]:
        """What was sent, and its length; nothing, and a length above the limit, if it
        is too long. TooSlow, SenderGone."""
        body: IO[bytes] = SpooledTemporaryFile(IN_MEMORY_BYTES)  # noqa: SIM115
        given = {name: value for name, value in scope["headers"] if name in _LENGTHS}
        declared = given.get(b"content-length", b"")
        length = int(declared) if declared.isdigit() else None
        if length is not None and length > self._most_bytes:
            return body, length
        if not length and _ENCODED not in given and scope["http_version"] != "2":
            return body, length
        try:
            read = await self._read(body, receive)
        except BaseException:
            body.close()
            raise
        body.seek(0)
        return body, read

    async def _read(self, body: IO[bytes], receive: Receive) -> int:
        patience = self._patience
        began_at = asyncio.get_running_loop().time()
        read = 0
        more = True
        while more and read <= self._most_bytes:
            due_at = began_at + patience.grace_s + read / patience.least_bytes_s
            left_s = due_at - asyncio.get_running_loop().time()
            if left_s <= 0:
                raise TooSlow
            try:
                async with asyncio.timeout(min(left_s, patience.silence_s)):
                    message = await receive()
            except TimeoutError:
                raise TooSlow from None
            if message["type"] == "http.disconnect":
                raise SenderGone
            body.write(message.get("body", b""))
            read += len(message.get("body", b""))
            more = message.get("more_body", False)
        return read


_ENCODED = b"transfer-encoding"
_LENGTHS = frozenset({b"content-length", _ENCODED})


def environ_of(
    scope: Mapping[str, Any], body: IO[bytes], length: int | None
) -> dict[str, Any]:
    """What a WSGI application is told about a request."""
    server, port = scope["server"]
    path = unquote_to_bytes(scope["raw_path"]).decode("latin-1")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": path,
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": server,
        "SERVER_PORT": str(port),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": scope["client"][0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": body,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in scope["headers"]:
        if name in _LENGTHS:
            continue
        text = value.decode("latin-1")
        key = name.decode("latin-1").upper().replace("-", "_")
        key = key if key == "CONTENT_TYPE" else f"HTTP_{key}"
        # HTTP/2 sends every cookie in a header of its own.
        between = "; " if key == "HTTP_COOKIE" else ","
        environ[key] = f"{environ[key]}{between}{text}" if key in environ else text
    if length is not None:
        environ["CONTENT_LENGTH"] = str(length)
    return environ


async def _say_too_slow(scope: Scope, send: Send) -> None:
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(TOO_SLOW)).encode()),
    ]
    if scope["http_version"] != "2":
        headers.append((b"connection", b"close"))
    await send(start_of(408, headers))
    await send({"type": "http.response.body", "body": TOO_SLOW})


class SlowSenders:
    """Tells of them in the log, but not of each: there may be thousands."""

    def __init__(self) -> None:
        self._number = 0
        self._told_at = float("-inf")

    def count(self, address: str) -> None:
        self._number += 1
        now = asyncio.get_running_loop().time()
        if now - self._told_at >= TOLD_S:
            log.warning(
                "%d requests did not arrive in time; the last came from %s",
                self._number,
                address,
            )
            self._number, self._told_at = 0, now
