"""How often a token may ask: so many times a minute of each web server."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import cast

from flask import Flask, current_app

from mpms.ports.api import ApiToken
from mpms.services.people.limit_attempts import TooManyAttempts

MINUTE_S = 60.0
KEPT = 10_000  # tokens


class TooOften(TooManyAttempts):
    """This token has asked as often as it may in a minute."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(wait_s)
        self.args = (f"This token asks too often. Wait {self.wait_s} s.",)


class Rates:
    """A bucket a token: it holds a minute's questions and fills evenly."""

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._clock_s = clock_s
        self._lock = threading.Lock()
        self._left: OrderedDict[int, tuple[float, float]] = OrderedDict()

    def take(self, token: ApiToken) -> None:
        """TooOften."""
        most = token.per_minute
        if most is None:
            return
        now = self._clock_s()
        with self._lock:
            left, at = self._left.pop(token.id, (float(most), now))
            left = min(float(most), left + (now - at) * most / MINUTE_S)
            self._left[token.id] = (left - 1 if left >= 1 else left, now)
            while len(self._left) > KEPT:
                self._left.popitem(last=False)
        if left < 1:
            raise TooOften((1 - left) * MINUTE_S / most)


def install(app: Flask) -> None:
    app.extensions["rates"] = Rates()


def take_turn(token: ApiToken) -> None:
    """TooOften."""
    cast(Rates, current_app.extensions["rates"]).take(token)
