"""Waits for what happens beside a test, and calls that meet at one moment."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Literal, TypeVar

Seen = TypeVar("Seen")
PATIENCE_S = 200.0  # the machine may be busy
LOOK_AGAIN_S = 0.01  # at first: what takes long is looked at less often
LONGEST_LOOK_S = 0.1


def until(
    what: str,
    condition: Callable[[], Seen | Literal[False] | None],
    patience_s: float = PATIENCE_S,
) -> Seen:
    """Wait until a condition holds; return what it then said."""
    give_up_at = time.monotonic() + patience_s
    pause_s = LOOK_AGAIN_S
    while not (seen := condition()):
        assert time.monotonic() < give_up_at, f"in vain for {patience_s:g} s: {what}"
        time.sleep(pause_s)
        pause_s = min(1.2 * pause_s, LONGEST_LOOK_S)
    return seen


def eventually(condition: Callable[[], Seen], what: str = "it holds") -> Seen:
    """The same, for conditions that speak for themselves."""
    return until(what, condition)


def together(*functions: Callable[[], Any]) -> list[Any]:
    """Call functions at the same moment in threads; return answers and failures."""
    barrier = threading.Barrier(len(functions))
    results: list[Any] = [None] * len(functions)

    def one(place: int, function: Callable[[], Any]) -> None:
        barrier.wait()
        try:
            results[place] = function()
        except Exception as failure:
            results[place] = failure

    threads = [threading.Thread(target=one, args=pair) for pair in enumerate(functions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
