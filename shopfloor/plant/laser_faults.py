"""Lasers that break: what a faulty one tells instead of what it sees.

The healthy scan is always made first, so that the luck of everything else stays as it
is. A frozen laser is the worst kind: its clock goes on, what it sees does not.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from shopfloor.geometry import Scan

DIRTY_SHARE = 0.9
SHADED_SHARE = 0.2
"""Of the beams, straight ahead: tape over a window."""
FLICKERS = 4
"""One scan in so many shows something."""
LATE_SCANS = 20
"""Half a second at the usual rate."""


class LaserFault(StrEnum):
    MISSING = "missing"
    LATE = "late"
    REPEATED = "repeated"
    EMPTY = "empty"
    FROZEN = "frozen"
    DIRTY = "dirty"
    SHADED = "shaded"
    FLICKERING = "flickering"


class LaserFaults:
    """Of one robot; nothing is broken at first."""

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random
        self._broken: dict[str, LaserFault] = {}
        self._kept: dict[str, Scan] = {}
        self._on_the_way: dict[str, deque[Scan]] = {}
        self._dirt: dict[str, NDArray[np.bool_]] = {}
        self._flickers = 0

    def set(self, broken: dict[str, LaserFault]) -> None:
        """From now on these lasers are broken, by their names, and no others."""
        for name, fault in self._broken.items():
            if broken.get(name) is not fault:
                self._kept.pop(name, None)
                self._on_the_way.pop(name, None)
                self._dirt.pop(name, None)
        self._broken = dict(broken)

    def spoil(self, scans: Sequence[Scan]) -> list[Scan]:
        found = (self._told(scan, self._broken.get(scan.laser)) for scan in scans)
        return [scan for scan in found if scan is not None]

    def _told(self, scan: Scan, fault: LaserFault | None) -> Scan | None:
        if fault is None:
            return scan
        if fault is LaserFault.MISSING:
            return None
        if fault is LaserFault.LATE:
            empty: deque[Scan] = deque(maxlen=LATE_SCANS)
            on_the_way = self._on_the_way.setdefault(scan.laser, empty)
            on_the_way.append(scan)
            return on_the_way[0]
        if fault is LaserFault.REPEATED:
            return self._kept.setdefault(scan.laser, scan)
        if fault is LaserFault.FROZEN:
            kept = self._kept.setdefault(scan.laser, scan)
            return replace(kept, taken_at_s=scan.taken_at_s)
        ranges = scan.ranges_m.copy()
        if fault is LaserFault.FLICKERING:
            self._flickers += 1
            if self._flickers % FLICKERS == 0:
                return scan
        if fault in (LaserFault.EMPTY, LaserFault.FLICKERING):
            ranges[:] = math.inf
        elif fault is LaserFault.SHADED:
            middle, half = len(ranges) // 2, round(0.5 * SHADED_SHARE * len(ranges))
            ranges[middle - half : middle + half + 1] = math.inf
        else:
            ranges[self._dirt_of(scan)] = math.inf
        return replace(scan, ranges_m=ranges)

    def _dirt_of(self, scan: Scan) -> NDArray[np.bool_]:
        """Dirt stays where it is."""
        if scan.laser not in self._dirt:
            dirt = self._random.random(len(scan.ranges_m)) < DIRTY_SHARE
            self._dirt[scan.laser] = dirt
        return self._dirt[scan.laser]
