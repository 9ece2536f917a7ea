"""Hands reports to their owners, away from the loop that reads the sockets.

An owner writes to a database; if it did so on the loop's thread, every robot would
wait for one slow commit. Reports therefore pass through one queue and one thread.
Poses and batteries replace their predecessor in the queue, so a slow owner sees
fewer of them instead of old ones, and the queue stays short.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable

from robot_bridge.reports import Battery, Pose, Report

LOGGER = logging.getLogger("robot_bridge")
Owner = Callable[[str, Report], None]


class Delivery:
    """Counts its users; the thread lives as long as there is one."""

    def __init__(self) -> None:
        self._wake = threading.Condition()
        self._queue: deque[list[object]] = deque()
        self._latest: dict[tuple[int, str, type], list[object]] = {}
        self._users = 0
        self._thread: threading.Thread | None = None

    def join(self) -> None:
        with self._wake:
            self._users += 1
            if self._users == 1:
                self._thread = threading.Thread(
                    target=self._run, name="robot-reports", daemon=True
                )
                self._thread.start()

    def leave(self) -> None:
        """Waits until what was reported before is delivered."""
        with self._wake:
            self._users -= 1
            thread = self._thread if self._users == 0 else None
            self._wake.notify_all()
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=10)

    def put(self, owner: Owner, robot_id: str, report: Report) -> None:
        with self._wake:
            if isinstance(report, Pose | Battery):
                key = (id(owner), robot_id, type(report))
                waiting = self._latest.get(key)
                if waiting is not None:
                    waiting[2] = report
                    return
                entry: list[object] = [owner, robot_id, report]
                self._latest[key] = entry
            else:
                entry = [owner, robot_id, report]
            self._queue.append(entry)
            self._wake.notify()

    def _run(self) -> None:
        me = threading.current_thread()
        while True:
            with self._wake:
                while not self._queue:
                    if self._users == 0 or self._thread is not me:
                        return
                    self._wake.wait()
                owner, robot_id, report = self._queue.popleft()
                self._latest.pop((id(owner), str(robot_id), type(report)), None)
            try:
                owner(robot_id, report)  # type: ignore[operator]
            except Exception:
                LOGGER.exception("the owner of robot %s failed on a report", robot_id)
