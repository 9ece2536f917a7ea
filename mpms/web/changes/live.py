"""Tells browsers what has changed: one follower of the history for all of them.

A notification wakes the follower, a slow poll is the truth; no browser costs a query.
While the database is away the streams stay open and say so.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from mpms.domain.errors import DatabaseAway, MpmsError
from mpms.domain.history.events import Event
from mpms.domain.history.kinds import Kinds
from mpms.ports.store import Transaction, UnitOfWork
from mpms.web.changes.hints import hint_of
from mpms.web.changes.streams import Hints, Lost, message, position_text, read_position

log = logging.getLogger(__name__)

KEEP = 2000
LINES = 500  # read at once
MOST_EARLY = 5000
MOST_STREAMS = 3000  # each holds one of the web server's 4,096 connections
MOST_EACH = 64  # of one person
POLL_S = 1.0
GAP_S = 0.1  # between two hints: a burst becomes one
AWAY_S = 0.5
FRAME_S = 0.2
PORTION, PORTION_S = 4, 0.004  # woken at once: all together would hold up the pages
KEYS_KEPT = 10_000
CLOSE_S = 5.0  # the follower may be trying to reach a database that is away

Frame = Callable[[], Mapping[str, Any] | None]


class Alarm(Protocol):
    """Something that sleeps until there may be news."""

    def wait(self, timeout_s: float) -> object: ...
    def wake(self) -> None: ...


class TooManyStreams(MpmsError):
    """Too many pages are open at once; this one is not kept up to date."""


class TooManyOfYours(TooManyStreams):
    """You have too many pages open at once; this one is not kept up to date."""


class Stream:
    """One browser's place; read by one at a time."""

    def __init__(
        self,
        live: Live,
        after: str,
        floor: bool,
        key: str | None,
        owner: object = None,
    ) -> None:
        self.owner = owner
        self.floor = floor
        self.key = key
        self.closed = False
        self.after = after
        self.began: int | None = None  # the number of its first hint
        self.number = 0  # of the next hint it wants
        self.frame = 0  # the number of the last frame it got
        self.link = "back"
        self.news = threading.Event()
        self._ring: Callable[[], None] = lambda: None
        self._live = live

    def read(self, timeout_s: float) -> bytes | None:
        """What is new; nothing after the timeout; None when it has ended."""
        return self._live.read(self, timeout_s)

    def call_on_news(self, ring: Callable[[], None]) -> None:
        """For who does not wait in ``read``; ``ring`` must not wait."""
        self._ring = ring
        if self.news.is_set():
            ring()

    def tell(self) -> None:
        """There may be news, or it has ended."""
        self.news.set()
        self._ring()

    def close(self) -> None:
        self._live.leave(self)


class Live:
    """One a process. ``frame`` gives the floor as it is now, for those who watch."""

    def __init__(
        self,
        uow: UnitOfWork,
        alarm: Alarm,
        *,
        frame: Frame | None = None,
        kinds: Kinds | None = None,
        keep: int = KEEP,
        most_streams: int = MOST_STREAMS,
        most_each: int = MOST_EACH,
        poll_s: float = POLL_S,
        gap_s: float = GAP_S,
        frame_s: float = FRAME_S,
    ) -> None:
        self.frame = frame
        self._kinds = kinds
        self._uow = uow
        self._alarm = alarm
        self._keep = keep
        self._most_streams = most_streams
        self._most_each = most_each
        self._poll_s = poll_s
        self._gap_s = gap_s
        self._frame_s = frame_s
        self._lock = threading.Lock()
        self._hints = Hints(keep)
        self._primed = False
        self._link = "back"
        self._streams: set[Stream] = set()
        self._frame_bytes = b""
        self._frame_number = 0
        self._keys: OrderedDict[str, str | None] = OrderedDict()
        self._to_call: list[Callable[[], None]] = []
        self._stop = threading.Event()
        self._follower: threading.Thread | None = None
        self._ticker: threading.Thread | None = None

    # -- for the pages -------------------------------------------------------------

    def position(self) -> str:
        """Where the history stands, to be resumed from."""
        with self._lock:
            return position_text(self._hints.certain)

    def stream(
        self,
        after: str | None = None,
        *,
        floor: bool = False,
        key: str | None = None,
        owner: object = None,
    ) -> Stream:
        """Open a stream from a position; a new one ends the old one of its key.

        TooManyStreams, so that streams never take the last connection of the server;
        TooManyOfYours, so that one ``owner`` does not take those of all.
        """
        with self._lock:
            after = after or position_text(self._hints.certain)
            opened = Stream(self, after, floor, key, owner)
            if key is not None:
                for old in [s for s in self._streams if s.key == key]:
                    self._end(old)
            if len(self._streams) >= self._most_streams:
                raise TooManyStreams
            if owner is not None:
                theirs = sum(each.owner == owner for each in self._streams)
                if theirs >= self._most_each:
                    raise TooManyOfYours
            self._streams.add(opened)
            opened.closed = self._stop.is_set()
            opened.news.set()
            if floor:
                self._tick()
        return opened

    def call_on_news(self, call: Callable[[], None]) -> None:
        """Call it whenever the history has grown, and at the end; it must not wait."""
        with self._lock:
            self._to_call.append(call)

    @property
    def ended(self) -> bool:
        return self._stop.is_set()

    @property
    def open_streams(self) -> int:
        with self._lock:
            return len(self._streams)

    def read(self, stream: Stream, timeout_s: float) -> bytes | None:
        give_up_at = time.monotonic() + timeout_s
        while True:
            left_s = give_up_at - time.monotonic()
            stream.news.wait(max(0.0, left_s))
            with self._lock:
                stream.news.clear()
                if stream.closed:
                    return None
                found = self._news_of(stream)
            if found or left_s <= 0:
                return found

    def leave(self, stream: Stream) -> None:
        with self._lock:
            self._end(stream)

    # -- life ----------------------------------------------------------------------

    def start(self) -> None:
        self._follower = threading.Thread(
            target=self._follow, name="live follower", daemon=True
        )
        self._follower.start()

    def close(self) -> None:
        """End every stream and the threads."""
        self._stop.set()
        self._alarm.wake()
        with self._lock:
            for stream in list(self._streams):
                self._end(stream)
            ticker, to_call = self._ticker, list(self._to_call)
        for call in to_call:
            call()
        for thread in (self._follower, ticker):
            if thread is not None and thread is not threading.current_thread():
                thread.join(CLOSE_S)

    # -- the follower --------------------------------------------------------------

    def follow(self) -> bool:
        """One look at the history; True if there was something new."""
        with self._uow() as tx:
            if not self._primed:
                early: Iterable[Event] = ()
                certain = tx.events.last(self._keep + 1)
            else:
                # In this order: a line that is let go meanwhile is in the second.
                known = self._hints.early
                few = len(known) < MOST_EARLY
                early = tx.events.held(known, limit=LINES) if few else ()
                certain = tx.events.after(self._hints.certain, limit=LINES)
            self._look_up_keys(tx, [*early, *certain])
        with self._lock:
            told = self._keep_hints(early, certain)
            if self._link != "back":
                self._link = "back"
                told.append(True)
        if any(told):
            self._tell()
        return bool(told)

    def _follow(self) -> None:
        while not self._stop.is_set():
            try:
                if self.follow():
                    self._stop.wait(self._gap_s)
                else:
                    self._alarm.wait(self._poll_s)
            except DatabaseAway as away:
                self._away(str(away))
                self._stop.wait(AWAY_S)
            except Exception:
                log.exception("following the history failed; going on")
                self._stop.wait(AWAY_S)

    def _keep_hints(
        self, early: Iterable[Event], certain: Sequence[Event]
    ) -> list[bool]:
        """One answer a line: whether browsers have not been told of it before."""
        if not self._primed:
            self._primed = True
            if len(certain) > self._keep:
                self._hints.begin(certain[0].cursor)
                certain = certain[1:]
            for event in certain:
                self._hints.add(event.cursor, self._hint(event))
            return [True]
        told = [self._hints.add(e.cursor, self._hint(e)) for e in certain]
        for event in early:
            if event.cursor > self._hints.certain:  # else it was let go meanwhile
                self._hints.add_early(event.cursor.line, self._hint(event))
                told.append(True)
        return told

    def _look_up_keys(self, tx: Transaction, events: Iterable[Event]) -> None:
        wanted = {e.instance_id for e in events if e.instance_id is not None}
        unknown = wanted - self._keys.keys()
        if unknown:
            found = tx.instances.business_keys(unknown)
            self._keys.update({i: found.get(i) for i in unknown})
            while len(self._keys) > max(KEYS_KEPT, len(wanted)):
                self._keys.popitem(last=False)

    def _hint(self, event: Event) -> Mapping[str, str | None]:
        key = self._keys.get(event.instance_id or "")
        return hint_of(event, key, self._kinds)

    def _away(self, why: str) -> None:
        with self._lock:
            known, self._link = self._link == "away", "away"
        if not known:
            log.warning("browsers wait for the database: %s", why)
            self._tell()

    def _tell(self, *, watching: bool = False) -> None:
        """Tell the browsers; those who watch the floor, or all."""
        with self._lock:
            streams = [s for s in self._streams if s.floor or not watching]
            to_call = [] if watching else list(self._to_call)
        for call in to_call:
            call()
        for place, stream in enumerate(streams, start=1):
            stream.tell()
            if place % PORTION == 0:
                self._stop.wait(PORTION_S)

    # -- one stream, under the lock ------------------------------------------------

    def _news_of(self, stream: Stream) -> bytes:
        found = []
        if stream.link != self._link:
            stream.link = self._link
            found.append(message("link", f"database {self._link}"))
        if self._primed:
            found.append(self._hints_of(stream))
        if stream.floor and stream.frame != self._frame_number:
            stream.frame = self._frame_number
            found.append(self._frame_bytes)
        return b"".join(found)

    def _hints_of(self, stream: Stream) -> bytes:
        try:
            if stream.began is None:
                return self._begin(stream)
            news, _ = self._hints.since(stream.number, stream.began)
        except Lost:
            news = message("reset", "{}", self._hints.certain)
            if stream.began is None:
                stream.began = self._hints.next
        stream.number = self._hints.next
        return news

    def _begin(self, stream: Stream) -> bytes:
        """Place a new stream; it hears its position at once, to resume from it."""
        hints = self._hints
        after = read_position(stream.after)
        if after is None:
            raise Lost
        began = hints.number_after(after)
        stream.began, stream.number = began, hints.next
        news, at = hints.since(began, began)
        return message("hello", "{}", None if at else after) + news

    def _end(self, stream: Stream) -> None:
        self._streams.discard(stream)
        stream.closed = True
        stream.tell()

    # -- the floor -----------------------------------------------------------------

    def _tick(self) -> None:
        if self._ticker is None and self.frame is not None and not self._stop.is_set():
            self._ticker = threading.Thread(
                target=self._frames, name="live floor", daemon=True
            )
            self._ticker.start()

    def _frames(self) -> None:
        failing = False
        while True:
            with self._lock:
                if self._stop.is_set() or not any(s.floor for s in self._streams):
                    self._ticker = None
                    return
            try:
                self._show()
                failing = False
            except Exception:
                if not failing:
                    log.exception("the floor cannot be shown; trying on")
                failing = True
            self._stop.wait(self._frame_s)

    def _show(self) -> None:
        """One frame for all; a browser that is slow gets the newest one only."""
        seen = self.frame() if self.frame is not None else None
        if seen is None:
            return
        frame = message("floor", json.dumps(seen, separators=(",", ":")))
        with self._lock:
            self._frame_bytes = frame
            self._frame_number += 1
        self._tell(watching=True)
