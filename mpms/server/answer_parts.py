"""Carries an answer from the thread that makes it to the event loop that sends it.

The thread runs ahead by a few parts only, so that a large download does not lie in
memory. It is told when the reader has gone: a stream would else keep its thread.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Iterable, MutableMapping, Sequence
from typing import Any

log = logging.getLogger(__name__)

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AHEAD = 4
WHEN_GONE = "mpms.when_gone"  # environ: takes what is to be called when nobody reads on


class ReaderGone(Exception):
    """Nobody takes the rest of the answer."""


def start_of(status: int, headers: Sequence[tuple[bytes, bytes]]) -> Message:
    return {"type": "http.response.start", "status": status, "headers": headers}


class AnswerParts:
    """One answer. ``make`` runs in a thread, ``pass_on`` in the event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._parts: asyncio.Queue[list[Message] | BaseException | None] = (
            asyncio.Queue()
        )
        self._room = threading.Semaphore(AHEAD)
        self._lock = threading.Lock()
        self._gone = False
        self._to_call: list[Callable[[], None]] = []
        self._start: list[Message] = []
        self._length: int | None = None

    def when_gone(self, call: Callable[[], None]) -> None:
        """Call it when the answer has ended, in another thread; it must not wait."""
        with self._lock:
            if not self._gone:
                self._to_call.append(call)
                return
        call()

    # -- in the thread -------------------------------------------------------------

    def make(self, app: Callable[..., Iterable[bytes]], environ: Message) -> None:
        """Call a WSGI application and hand over what it answers."""
        try:
            body = app(environ, self._begin)
            try:
                self._put_all(body)
            finally:
                if (close := getattr(body, "close", None)) is not None:
                    close()
        except ReaderGone:
            pass
        except BaseException as failure:
            if self._gone:
                log.exception("an answer failed that nobody waits for any more")
            else:
                self._hand_over(failure)
        finally:
            environ["wsgi.input"].close()

    def _begin(
        self, status: str, headers: list[tuple[str, str]], exc_info: Any = None
    ) -> Callable[[bytes], None]:
        raw = [(n.lower().encode("latin-1"), v.encode("latin-1")) for n, v in headers]
        length = dict(raw).get(b"content-length", b"")
        self._length = int(length) if length.isdigit() else None
        self._start = [start_of(int(status.split(" ", 1)[0]), raw)]
        return _refuse_to_write

    def _put_all(self, body: Iterable[bytes]) -> None:
        """A page of known length goes at once, and its thread with it."""
        made = 0
        for content in body:
            made += len(content)
            last = made == self._length
            self._put(content, more=not last)
            if last:
                return
        self._put(b"", more=False)

    def _put(self, content: bytes, *, more: bool) -> None:
        part = {"type": "http.response.body", "body": content, "more_body": more}
        messages, self._start = [*self._start, part], []
        self._room.acquire()
        if self._gone:
            raise ReaderGone
        self._hand_over(messages)

    def _hand_over(self, messages: list[Message] | BaseException) -> None:
        self._loop.call_soon_threadsafe(self._parts.put_nowait, messages)

    # -- in the event loop ---------------------------------------------------------

    async def pass_on(
        self,
        receive: Receive,
        send: Send,
        unread_s: float,
        keep_back: Callable[[list[Message]], Awaitable[list[Message]]] | None = None,
    ) -> None:
        """Send the parts as they come, until the last or until nobody reads them.

        ``keep_back`` may wait with the first of them and send others, or none.
        """
        watch: asyncio.Task[None] | None = None
        try:
            while (messages := await self._parts.get()) is not None:
                if isinstance(messages, BaseException):
                    raise messages
                if keep_back is not None:
                    messages, keep_back = await keep_back(messages), None
                    if not messages:
                        return
                if not await sent(messages, send, unread_s):
                    log.info("nobody read an answer for %.0f s; it ends", unread_s)
                    return
                self._room.release()
                if not messages[-1]["more_body"]:
                    return
                if watch is None:
                    watch = self._loop.create_task(self._watch(receive))
        finally:
            if watch is not None:
                watch.cancel()
            self._leave()

    async def _watch(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._parts.put_nowait(None)

    def _leave(self) -> None:
        with self._lock:
            self._gone = True
            to_call, self._to_call = self._to_call, []
        self._room.release()
        for call in to_call:
            call()


async def sent(messages: list[Message], send: Send, within_s: float) -> bool:
    """False: nobody took them."""
    try:
        async with asyncio.timeout(within_s):
            for message in messages:
                await send(message)
    except TimeoutError:
        return False
    return True


def _refuse_to_write(content: bytes) -> None:
    raise NotImplementedError("answers are returned, not written")
