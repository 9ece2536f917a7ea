"""Threads beside the worker for what may block on a server: mail out, mail in.

A failing loop is told once and tried again; it never ends the worker.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

log = logging.getLogger(__name__)

PAUSE_S = 1.0
AFTER_FAILURE_S = 2.0


class BackgroundLoop:
    """Calls one function again and again; ``True`` means there was something to do."""

    def __init__(
        self, name: str, run: Callable[[], bool], *, pause_s: float = PAUSE_S
    ) -> None:
        self._name = name
        self._run = run
        self._pause_s = pause_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._loop, name=name)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()

    def join(self) -> None:
        self._thread.join()

    def _loop(self) -> None:
        last = ""
        while not self._stop.is_set():
            try:
                busy = self._run()
                last = ""
            except Exception as failure:
                if str(failure) != last:
                    last = str(failure)
                    log.warning("%s: %s", self._name, failure)
                self._stop.wait(AFTER_FAILURE_S)
                continue
            if not busy:
                self._stop.wait(self._pause_s)
