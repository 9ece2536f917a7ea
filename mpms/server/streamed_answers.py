"""Sends an answer that has no end, without a thread that waits.

Every open page keeps a stream. Were a thread kept for each, a few hundred pages would
stop the site. So the application says where its news come from, and its thread is free.
The event loop waits: for somebody to ring, for the next beat, or for the other side to
go. News are read in the event loop, so reading them must not wait; whether the reader
may stay is asked in a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

from mpms.server.answer_parts import Message, Receive, Send, sent

STREAMED = "mpms.streamed"  # environ: a StreamedAnswer


@dataclass(frozen=True)
class Source:
    """Where the parts of an answer come from."""

    read: Callable[[], bytes | None]
    beat: bytes
    beat_s: float
    may_stay: Callable[[], bool]
    check_s: float


class StreamedAnswer:
    """One answer. ``follow`` is called in its thread, ``ring`` in any."""

    def __init__(self, loop: asyncio.AbstractEventLoop, threads: Executor) -> None:
        self._loop = loop
        self._threads = threads
        self._rung = asyncio.Event()
        self._gone = False
        self._source: Source | None = None

    def follow(
        self,
        read: Callable[[], bytes | None],
        *,
        beat: bytes,
        beat_s: float,
        may_stay: Callable[[], bool],
        check_s: float,
    ) -> None:
        """Go on after the answer of this request.

        ``read`` gives what is new, perhaps nothing, and None at the end; ``beat`` is
        sent when there was nothing for ``beat_s``. ``may_stay`` is asked every
        ``check_s``, in a thread, and may wait.
        """
        self._source = Source(read, beat, beat_s, may_stay, check_s)

    def ring(self) -> None:
        """There may be news, or the end."""
        self._loop.call_soon_threadsafe(self._rung.set)

    @property
    def follows(self) -> bool:
        return self._source is not None

    async def pass_on(
        self, messages: list[Message], receive: Receive, send: Send, unread_s: float
    ) -> None:
        """Send the beginning and what comes, until the source ends or nobody reads."""
        assert self._source is not None  # noqa: S101
        messages[-1]["more_body"] = True
        if not await sent(messages, send, unread_s):
            return
        watch = self._loop.create_task(self._watch(receive))
        try:
            await self._go_on(self._source, send, unread_s)
        finally:
            watch.cancel()

    async def _go_on(self, source: Source, send: Send, unread_s: float) -> None:
        check_at = self._loop.time() + source.check_s
        news = source.read()
        while news is not None:
            if news and not await sent([_part(news)], send, unread_s):
                return
            rung = await self._wait(source.beat_s)
            if self._gone:
                return
            if self._loop.time() >= check_at:
                stays = self._loop.run_in_executor(self._threads, source.may_stay)
                if not await stays:
                    break
                check_at = self._loop.time() + source.check_s
            self._rung.clear()
            news = source.read()
            if not rung and news is not None:
                news = news or source.beat
        await sent([_part(b"", more=False)], send, unread_s)

    async def _wait(self, timeout_s: float) -> bool:
        try:
            async with asyncio.timeout(timeout_s):
                return await self._rung.wait()
        except TimeoutError:
            return False

    async def _watch(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._gone = True
        self._rung.set()


def _part(content: bytes, *, more: bool = True) -> Message:
    return {"type": "http.response.body", "body": content, "more_body": more}
