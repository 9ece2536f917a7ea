"""Strategies that compute beside the run: its time waits for theirs.

A strategy that returns a ``Thought`` when it wakes is computed in a thread of its own.
Meanwhile the simulated time goes on, but only as fast as the clock, times a pace: a
search of ten seconds is answered ten seconds later, as in a real warehouse. Such a run
depends on the machine and is not reproducible; without thoughts nothing waits.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from fleet.rmfs.strategies.base import Thought

NAP_S = 0.002


@dataclass(frozen=True)
class _Begun:
    thought: Thought
    future: Future[object]
    at_s: float  # simulated
    wall_s: float


class Thinking:
    """Thoughts of one run."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        nap: Callable[[float], None] = time.sleep,
    ) -> None:
        self._clock, self._nap = clock, nap
        self._begun: list[_Begun] = []
        self._pool: ThreadPoolExecutor | None = None

    def begin(self, thought: Thought, now_s: float) -> None:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(thread_name_prefix="thought")
        future = self._pool.submit(thought.work)
        self._begun.append(_Begun(thought, future, now_s, self._clock()))

    def limit(self, now_s: float, until_s: float) -> float:
        """How far the simulated time may go now. What has been found is told first;
        what a thought raises is raised here."""
        for one in [each for each in self._begun if each.future.done()]:
            self._begun.remove(one)
            one.thought.then(one.future.result())
        if not self._begun:
            if self._pool is not None:
                self._pool.shutdown()
                self._pool = None
            return until_s
        clock = self._clock()
        allowed_s = min(
            one.at_s + (clock - one.wall_s) * one.thought.pace for one in self._begun
        )
        if allowed_s <= now_s:
            self._nap(NAP_S)
        return min(until_s, max(now_s, allowed_s))

    @property
    def busy(self) -> bool:
        return bool(self._begun)
