"""Waiting for others, and doing several things at the same moment."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

PATIENCE_S = 60.0
T = TypeVar("T")


def until(true: Callable[[], object], what: str = "waited in vain") -> None:
    """For what cannot tell when it has happened."""
    give_up_at = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < give_up_at, what
        time.sleep(0.05)


def together(*functions: Callable[[], T]) -> list[T]:
    """Call functions at the same moment in threads; their results in this order."""
    barrier = threading.Barrier(len(functions))
    results: dict[int, T] = {}

    def one(place: int, function: Callable[[], T]) -> None:
        barrier.wait()
        results[place] = function()

    threads = [threading.Thread(target=one, args=pair) for pair in enumerate(functions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [results[place] for place in range(len(functions))]
