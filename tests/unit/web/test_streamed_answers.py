"""An answer without an end goes on in the event loop and holds no thread."""

from __future__ import annotations

import asyncio
import queue
from concurrent.futures import ThreadPoolExecutor

import pytest

from mpms.server.answer_parts import Message
from mpms.server.streamed_answers import StreamedAnswer


class Browser:
    """The other side of a connection."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[bytes] = asyncio.Queue()
        self.ended = False
        self.left = asyncio.Event()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.body":
            self.ended = not message["more_body"]
            self.heard.put_nowait(message["body"])

    async def receive(self) -> Message:
        await self.left.wait()
        return {"type": "http.disconnect"}


class Played:
    """A stream of what a test puts in, read by a browser."""

    def __init__(self, *, beat_s: float = 60.0, check_s: float = 60.0) -> None:
        self.browser = Browser()
        self.news: queue.Queue[bytes | None] = queue.Queue()
        self.stays = True
        self.answer = StreamedAnswer(asyncio.get_running_loop(), ThreadPoolExecutor(1))
        self.answer.follow(
            self._read,
            beat=b"beat",
            beat_s=beat_s,
            may_stay=lambda: self.stays,
            check_s=check_s,
        )
        begin = {"type": "http.response.body", "body": b"begin", "more_body": True}
        self.passing = asyncio.create_task(
            self.answer.pass_on(
                [begin], self.browser.receive, self.browser.send, unread_s=5.0
            )
        )

    def _read(self) -> bytes | None:
        return b"" if self.news.empty() else self.news.get()

    def tell(self, news: bytes | None) -> None:
        self.news.put(news)
        self.answer.ring()

    async def hears(self, what: bytes) -> None:
        async with asyncio.timeout(10):
            assert await self.browser.heard.get() == what

    async def ends(self) -> None:
        async with asyncio.timeout(10):
            await self.passing


def test_news_are_sent_when_somebody_rings_until_the_source_ends() -> None:
    async def play() -> None:
        stream = Played()
        await stream.hears(b"begin")
        stream.tell(b"one")
        await stream.hears(b"one")
        stream.tell(b"two")
        await stream.hears(b"two")
        stream.tell(None)
        await stream.ends()
        assert stream.browser.ended

    asyncio.run(play())


def test_silence_is_filled_with_beats() -> None:
    async def play() -> None:
        stream = Played(beat_s=0.01)
        for heard in (b"begin", b"beat", b"beat"):
            await stream.hears(heard)
        stream.browser.left.set()
        await stream.ends()
        assert not stream.browser.ended

    asyncio.run(play())


@pytest.mark.parametrize("busy", [True, False])
def test_who_may_not_stay_hears_nothing_more(busy: bool) -> None:
    async def play() -> None:
        stream = Played(beat_s=0.01, check_s=0.0)
        stream.stays = False
        if busy:
            stream.tell(b"")
        await stream.hears(b"begin")
        await stream.hears(b"")
        await stream.ends()
        assert stream.browser.ended

    asyncio.run(play())
