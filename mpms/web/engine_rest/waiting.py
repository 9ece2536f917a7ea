"""Rings for workers that wait until there is work for them.

One thread for all of them, and only while somebody waits: it asks the database once for
all topics that are waited for, when the history has grown and once a second, because a
lease that runs out or a retry that falls due leaves no line in the history. As many are
woken as there are jobs, who waits longest first: hundreds that wait for one job would
otherwise all ask for it. Who wants only some jobs of a topic is always woken.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, cast

from flask import current_app

from mpms.domain.errors import DatabaseAway
from mpms.ports.store import UnitOfWork
from mpms.web.changes.live import Live

log = logging.getLogger(__name__)

HELD = "mpms.held"  # environ: see mpms/server/held_answers.py
LOOK_S = 1.0
GAP_S = 0.01  # between two looks: a burst becomes one
LONGEST_S = 60.0  # then an empty answer; who still waits asks again, and is seen again
MOST_RUNG = 100  # a topic, at one look
MOST = 2000  # waiting at once; a connection each, of which the server has 4,096


class Held(Protocol):
    """An answer that is kept back without a thread."""

    def hold(
        self,
        again: Callable[[], bytes | None],
        patience_s: float,
        *,
        left: Callable[[], None],
        status: int | None = None,
    ) -> None: ...
    def ring(self) -> None: ...
    def end(self) -> None: ...


@dataclass(frozen=True, eq=False)
class Waiter:
    held: Held
    topics: frozenset[str]  # none: it is always woken
    picky: bool  # wants only some jobs of its topics


class Bell:
    """One a site."""

    def __init__(self, uow: UnitOfWork, live: Live) -> None:
        self._uow = uow
        self._live = live
        self._lock = threading.Lock()
        self._news = threading.Event()
        self._waiters: dict[Waiter, None] = {}  # in the order of their turns
        self._thread: threading.Thread | None = None
        live.call_on_news(self._news.set)

    def wait(
        self,
        held: Held,
        topics: frozenset[str],
        again: Callable[[], bytes | None],
        patience_s: float,
        *,
        picky: bool,
        status: int | None = None,
    ) -> None:
        """Keep an answer back until there is work, for a while; if too many wait it
        goes out as it is."""
        waiter = Waiter(held, topics, picky)
        with self._lock:
            if len(self._waiters) >= MOST or self._live.ended:
                return
            self._waiters[waiter] = None
            held.hold(
                again,
                min(patience_s, LONGEST_S),
                left=lambda: self._leave(waiter),
                status=status,
            )
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._ring, name="work bell", daemon=True
                )
                self._thread.start()
        self._news.set()  # what came since it asked is found now

    @property
    def waiting(self) -> int:
        with self._lock:
            return len(self._waiters)

    def _leave(self, waiter: Waiter) -> None:
        with self._lock:
            self._waiters.pop(waiter, None)

    def _ring(self) -> None:
        while True:
            self._news.wait(LOOK_S)
            self._news.clear()
            with self._lock:
                waiters = list(self._waiters)
                if not waiters:
                    self._thread = None
                    return
            if self._live.ended:
                for waiter in waiters:
                    waiter.held.end()
            else:
                self._look(waiters)
            time.sleep(GAP_S)

    def _look(self, waiters: list[Waiter]) -> None:
        topics = {topic for waiter in waiters for topic in waiter.topics}
        try:
            with self._uow() as tx:
                due = tx.external_tasks.due_topics(topics, most=MOST_RUNG)
        except DatabaseAway:
            return
        except Exception:
            log.exception("looking for work failed; going on")
            return
        for waiter in waiters:
            found = next((one for one in waiter.topics if due.get(one)), None)
            if found is None and waiter.topics:
                continue
            if found is not None and not waiter.picky:
                due[found] -= 1
                self._put_last(waiter)
            waiter.held.ring()

    def _put_last(self, waiter: Waiter) -> None:
        """What it was woken for may be another's; then others have their turn."""
        with self._lock:
            if waiter in self._waiters:
                del self._waiters[waiter]
                self._waiters[waiter] = None


_making = threading.Lock()


def current_bell() -> Bell:
    """Made when somebody first waits."""
    with _making:
        desk = current_app.extensions["desk"]
        if "work bell" not in current_app.extensions:
            current_app.extensions["work bell"] = Bell(desk.uow, desk.live)
        return cast(Bell, current_app.extensions["work bell"])
