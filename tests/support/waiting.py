"""Waiting for a condition, as long as a loaded machine may need."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal, TypeVar

PATIENCE_S = 200.0
Found = TypeVar("Found")


def until(
    what: str,
    condition: Callable[[], Found | Literal[False] | None],
    patience_s: float = PATIENCE_S,
    every_s: float = 0.03,
) -> Found:
    """Wait until a condition holds and return what it returned."""
    give_up_at = time.monotonic() + patience_s
    while not (found := condition()):
        assert time.monotonic() < give_up_at, f"in vain for {patience_s:g} s: {what}"
        time.sleep(every_s)
    return found
