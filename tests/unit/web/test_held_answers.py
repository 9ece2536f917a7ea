"""An answer is kept back in the event loop until there is something to say."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from mpms.server.answer_parts import AnswerParts, Message
from mpms.server.held_answers import HELD, HeldAnswer


class Line:
    """A connection; whoever is at its other end may go."""

    def __init__(self) -> None:
        self.sent: list[Message] = []
        self.left = asyncio.Event()

    async def send(self, message: Message) -> None:
        self.sent.append(message)

    async def receive(self) -> Message:
        await self.left.wait()
        return {"type": "http.disconnect"}

    @property
    def body(self) -> bytes:
        return b"".join(m.get("body", b"") for m in self.sent)


class Held:
    """One request whose application may hold its answer."""

    def __init__(self, again: Callable[[], bytes | None], patience_s: float) -> None:
        loop = asyncio.get_running_loop()
        self.threads = ThreadPoolExecutor(2)
        self.line, self.answer = Line(), AnswerParts(loop)
        self.held = HeldAnswer(loop, self.threads)
        self.over = asyncio.Event()
        self.asked = 0

        def counted() -> bytes | None:
            self.asked += 1
            return again()

        def app(environ: dict[str, Any], start: Any) -> list[bytes]:
            environ[HELD].hold(counted, patience_s, left=self.over.set)
            start("200 OK", [("Content-Length", "2"), ("X-A", "1")])
            return [b"[]"]

        class Body:
            def close(self) -> None: ...

        environ = {HELD: self.held, "wsgi.input": Body()}
        self.threads.submit(self.answer.make, app, environ)

    async def passed_on(self) -> None:
        line = self.line

        async def keep_back(messages: list[Message]) -> list[Message]:
            return await self.held.wait(messages, line.receive)

        await self.answer.pass_on(line.receive, line.send, 5.0, keep_back)
        self.threads.shutdown()


@pytest.mark.parametrize("rings", [1, 3])
def test_it_is_replaced_when_a_ring_brings_something(rings: int) -> None:
    async def play() -> Held:
        found = iter([None] * (rings - 1) + [b"[1,2]"])
        request = Held(lambda: next(found), 60.0)
        passing = asyncio.create_task(request.passed_on())
        for number in range(rings):
            request.held.ring()
            while request.asked <= number:
                await asyncio.sleep(0.001)
        await passing
        return request

    request = asyncio.run(play())
    start, body = request.line.sent
    assert dict(start["headers"]) == {b"content-length": b"5", b"x-a": b"1"}
    assert (body["body"], body["more_body"]) == (b"[1,2]", False)
    assert request.over.is_set()


@pytest.mark.parametrize("ended", [True, False])
def test_it_goes_out_as_it_was_when_the_time_is_up_or_the_server_ends(
    ended: bool,
) -> None:
    async def play() -> Held:
        request = Held(lambda: None, 60.0 if ended else 0.01)
        passing = asyncio.create_task(request.passed_on())
        if ended:
            request.held.end()
        await passing
        return request

    request = asyncio.run(play())
    assert (request.line.body, request.asked) == (b"[]", 0)
    assert request.over.is_set()


def test_nobody_is_asked_for_one_who_has_gone() -> None:
    async def play() -> Held:
        request = Held(lambda: b"[1]", 60.0)
        passing = asyncio.create_task(request.passed_on())
        request.line.left.set()
        await passing
        request.held.ring()
        await asyncio.sleep(0)
        return request

    request = asyncio.run(play())
    assert (request.line.sent, request.asked) == ([], 0)
    assert request.over.is_set()
