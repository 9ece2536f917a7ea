"""What a run has counted so far."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


def _sums() -> defaultdict[str, float]:
    return defaultdict(float)


@dataclass
class Tally:
    """Sums over the whole run."""

    orders_placed: int = 0
    orders_done: int = 0
    orders_late: int = 0
    items_ordered: int = 0
    items: int = 0
    lines: int = 0
    bundles_placed: int = 0
    bundles: int = 0
    bundle_units: int = 0
    orders_refused: int = 0
    tasks: Counter[str] = field(default_factory=Counter)
    task_s: defaultdict[str, float] = field(default_factory=_sums)
    state_s: defaultdict[str, float] = field(default_factory=_sums)
    trips: int = 0
    trip_s: float = 0.0
    trips_to: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    turnover_s: float = 0.0
    throughput_s: float = 0.0
    lateness_s: float = 0.0
    bundle_turnover_s: float = 0.0
    pods_handled: int = 0
    delays: int = 0
    """Robots held up by chance, and how long in all."""
    delayed_s: float = 0.0
