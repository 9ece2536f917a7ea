"""Keeps an answer back that has nothing to say yet, without a thread that waits.

A program that asks for work may wait a minute for some. Were it waited for in the
thread of its request, a few hundred such programs would stop the site. So the
application says that its answer may wait, hands over what is to be asked again, and its
thread is free. The event loop waits: for somebody to ring, for the time to be up, or
for the other side to go. Only to ask again it takes a thread, as long as that takes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor

from mpms.server.answer_parts import Message, Receive

HELD = "mpms.held"  # environ: a HeldAnswer


class HeldAnswer:
    """One answer. ``hold`` is called in its thread, ``ring`` and ``end`` in any."""

    def __init__(self, loop: asyncio.AbstractEventLoop, threads: Executor) -> None:
        self._loop = loop
        self._threads = threads
        self._rung = asyncio.Event()
        self._again: Callable[[], bytes | None] | None = None
        self._left: Callable[[], None] = lambda: None
        self._patience_s = 0.0
        self._status: int | None = None
        self._over = False

    def hold(
        self,
        again: Callable[[], bytes | None],
        patience_s: float,
        *,
        left: Callable[[], None],
        status: int | None = None,
    ) -> None:
        """Keep the answer of this request back until ``again`` says something else.

        It gives the whole body, or None: nothing yet. What it says goes out with
        ``status``, or with that of the answer. ``left`` is called in the event loop
        when nobody waits any more, and must not wait.
        """
        self._again, self._left = again, left
        self._patience_s, self._status = patience_s, status

    def ring(self) -> None:
        """Ask again: there may be something to say."""
        self._loop.call_soon_threadsafe(self._rung.set)

    def end(self) -> None:
        """Do not wait any longer."""
        self._over = True
        self.ring()

    @property
    def held(self) -> bool:
        return self._again is not None

    async def wait(self, messages: list[Message], receive: Receive) -> list[Message]:
        """What is to be sent in place of these messages; none if nobody reads it."""
        gone = self._loop.create_task(_until_gone(receive))
        try:
            body = await self._news(gone)
            if gone.done():
                return []
            if body is None:
                return messages
            return _with_body(messages, body, self._status)
        finally:
            gone.cancel()
            self._left()

    async def _news(self, gone: asyncio.Task[None]) -> bytes | None:
        assert self._again is not None  # noqa: S101
        give_up_at = self._loop.time() + self._patience_s
        while not gone.done():
            rung = self._loop.create_task(self._rung.wait())
            left_s = max(0.0, give_up_at - self._loop.time())
            await asyncio.wait(
                {rung, gone}, timeout=left_s, return_when=asyncio.FIRST_COMPLETED
            )
            rung.cancel()
            if self._over or not self._rung.is_set() or gone.done():
                return None
            self._rung.clear()
            found = await self._loop.run_in_executor(self._threads, self._again)
            if found is not None:
                return found
        return None


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _with_body(
    messages: list[Message], body: bytes, status: int | None
) -> list[Message]:
    """The same headers with another body, and another status where one is given."""
    start, *_ = messages
    status = start["status"] if status is None else status
    kept = [(n, v) for n, v in start["headers"] if n != b"content-length"]
    length = (b"content-length", str(len(body)).encode())
    part = {"type": "http.response.body", "body": body, "more_body": False}
    return [{**start, "status": status, "headers": [*kept, length]}, part]
