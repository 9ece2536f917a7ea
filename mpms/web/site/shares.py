"""Fair shares: what one person or one token may have served at the same time.

Threads and connections are few. Whoever asks for more than a share is told so at once,
so that a program in a loop or a browser with a hundred tabs costs only itself. Streams
of the pages are counted where they are kept (``changes/live``).
"""

from __future__ import annotations

import threading
from collections import Counter
from typing import cast

from flask import Flask, current_app, g

from mpms.domain.errors import ServerBusy


class TooManyRequests(ServerBusy):
    """You have too many requests open at once; wait for some of them."""


class Shares:
    """How many requests of whom are being served; safe to share between threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: Counter[str] = Counter()
        self._lock = threading.Lock()

    def take(self, who: str) -> None:
        """TooManyRequests."""
        with self._lock:
            if self._open[who] >= self._most:
                raise TooManyRequests
            self._open[who] += 1

    def give_back(self, who: str) -> None:
        with self._lock:
            self._open[who] -= 1
            if self._open[who] <= 0:
                del self._open[who]

    def open_of(self, who: str) -> int:
        with self._lock:
            return self._open[who]


def install(app: Flask) -> None:
    app.extensions["shares"] = Shares(app.extensions["desk"].requests_each)
    app.teardown_request(_give_back)


def take_share(who: str) -> None:
    """Until the end of this request. TooManyRequests."""
    if "share" in g:
        return
    cast(Shares, current_app.extensions["shares"]).take(who)
    g.share = who


def _give_back(_: BaseException | None) -> None:
    if (who := g.pop("share", None)) is not None:
        cast(Shares, current_app.extensions["shares"]).give_back(who)
