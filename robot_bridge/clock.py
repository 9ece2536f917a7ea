"""One clock for sessions: it counts from the Unix epoch and never jumps.

Instants written by another process can be compared with it, and a corrected wall
clock cannot make a fresh pose look old.
"""

from __future__ import annotations

import time

_ORIGIN_S = time.time() - time.monotonic()


def steady_epoch_s() -> float:
    return _ORIGIN_S + time.monotonic()


def from_wall_s(wall_s: float) -> float:
    """An instant of the wall clock on this clock, by its age."""
    return steady_epoch_s() - (time.time() - wall_s)
