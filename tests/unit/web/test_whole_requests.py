"""What a WSGI application is told about a request of either HTTP, and of whole ones."""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from mpms.server.answer_parts import AHEAD, AnswerParts, Message
from mpms.server.whole_requests import environ_of


def scope(**more: Any) -> dict[str, Any]:
    return {
        "method": "GET",
        "raw_path": b"/orders/M%C3%BCller",
        "query_string": b"a=1",
        "server": ("127.0.0.1", "8080"),
        "client": ("10.0.0.7", "5000"),
        "scheme": "https",
        "http_version": "2",
        "headers": [],
    } | more


def test_cookies_that_come_one_by_one_are_one_header() -> None:
    """A browser may send each in a header of its own over HTTP/2."""
    headers = [(b"cookie", b"a=1"), (b"cookie", b"b=2"), (b"x-a", b"1"), (b"x-a", b"2")]
    environ = environ_of(scope(headers=headers), io.BytesIO(), None)
    assert environ["HTTP_COOKIE"] == "a=1; b=2"
    assert environ["HTTP_X_A"] == "1,2"
    assert "CONTENT_LENGTH" not in environ


def test_the_path_is_given_as_bytes_in_latin_letters() -> None:
    environ = environ_of(scope(), io.BytesIO(), 3)
    assert environ["PATH_INFO"].encode("latin-1").decode() == "/orders/Müller"
    assert environ["CONTENT_LENGTH"] == "3"
    assert environ["REMOTE_ADDR"] == "10.0.0.7"
    assert environ["wsgi.url_scheme"] == "https"


class Reader:
    """Takes what is sent, or nothing any more."""

    def __init__(self) -> None:
        self.sent: list[Message] = []
        self.stalled = False
        self.left = asyncio.Event()

    async def send(self, message: Message) -> None:
        if self.stalled:
            await asyncio.Event().wait()
        self.sent.append(message)

    async def receive(self) -> Message:
        await self.left.wait()
        return {"type": "http.disconnect"}


def answer(reader: Reader, body: Iterator[bytes], *, unread_s: float = 60.0) -> Any:
    """An application that answers with this body, until the answer has ended."""
    parts = AnswerParts(asyncio.get_running_loop())

    def app(environ: Message, start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [("Content-Type", "text/plain")])
        return body

    environ = {"wsgi.input": io.BytesIO()}
    made = asyncio.get_running_loop().run_in_executor(None, parts.make, app, environ)
    sent = parts.pass_on(reader.receive, reader.send, unread_s)
    return asyncio.gather(sent, made)


def test_an_answer_that_fails_half_way_is_not_taken_for_a_whole_one() -> None:
    def body() -> Iterator[bytes]:
        yield b"half"
        raise ValueError("the other half")

    async def run() -> Reader:
        reader = Reader()
        with pytest.raises(ValueError, match="the other half"):
            await answer(reader, body())
        return reader

    assert asyncio.run(run()).sent[-1]["more_body"] is True


@pytest.mark.parametrize("leaves", [True, False])
def test_a_thread_ends_when_nobody_reads_on(leaves: bool) -> None:
    made = 0
    ended = threading.Event()

    def body() -> Iterator[bytes]:
        nonlocal made
        try:
            while True:
                made += 1
                yield b"x"
        finally:
            ended.set()

    async def run() -> None:
        reader = Reader()
        task = asyncio.ensure_future(answer(reader, body(), unread_s=0.3))
        while not reader.sent:
            await asyncio.sleep(0.01)
        reader.stalled = True
        if leaves:
            reader.left.set()
        await task
        # It ran ahead of the reader by a few parts, not by all there are.
        assert made <= len(reader.sent) + AHEAD + 2

    asyncio.run(run())
    assert ended.is_set()
