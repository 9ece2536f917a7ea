"""The watch over the lasers: which of them can be believed, and what is wrong.

A laser that is dead, late, frozen, blind or dirty shows a free way, so every laser is
known by name and has to prove in every cycle that it sees. An old stamp is an old scan.
Equal ranges are one only if the wheels have turned meanwhile: a robot that stands may
see the same for ever where nothing is noisy. And few returns are wrong only where the
map expects more of them: in wide places beams come back from nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from shopfloor.control import watch_kernels
from shopfloor.geometry import Odometry, Pose, Scan
from shopfloor.grid import Grid
from shopfloor.lasers import cast

USUAL_PERIOD_S = 0.025
MISSED_PERIODS = 1.5
LATE_PERIODS = 2.5
LEAST_LATE_S = 0.1
"""At full speed 8 cm: less than what the honest speed leaves before everything."""
HEALTHY_S = 1.0
"""A laser that was not believed is believed again after so long without trouble."""
MOVED = 0.02
"""After so many metres or radians no laser sees the very same."""
ASK_AGAIN = 0.1
"""And after so many the map is asked anew."""
ENOUGH_SHARE = 0.5
"""Of the returns that the map expects. Half of the beams still show every leg."""
LEAST_EXPECTED = 0.15
"""Where the map expects fewer beams to come back it decides nothing."""
CAST_EVERY = 8
SURE_SHARE = 0.9
"""Of the reach; whether something at the very end of it is seen is luck."""
DIRT_M = 0.02
"""Nothing but dirt on its own window is so near to a laser inside the hull."""


class Trouble(StrEnum):
    MISSING = "no scan"
    REPEATED = "no new scan"
    LATE = "only late scans"
    FROZEN = "the same scan"
    EMPTY = "empty scans"
    DIRTY = "few returns"


@dataclass(slots=True)
class _Laser:
    name: str
    period_s: float
    good_s: float | None = None
    """When it was last to be believed."""
    trouble: Trouble | None = None
    """As the newest look found it."""
    fault: Trouble | None = None
    """Stays until it is healthy again."""
    since_s: float = 0.0
    healthy_s: float | None = None
    looks: int = 0
    """In a row that found trouble."""
    stamp_s: float | None = None
    ranges: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    seen_at: Pose | None = None
    """Where the robot was when these ranges came for the first time."""
    asked_at: Pose | None = None
    expected: float = 0.0
    """The share of the beams that come back from the map, from there."""

    @property
    def late_s(self) -> float:
        return max(LEAST_LATE_S, LATE_PERIODS * self.period_s)

    def note(self, now_s: float, trouble: Trouble | None) -> None:
        self.trouble = trouble
        if trouble is None:
            self.good_s, self.looks = now_s, 0
            if self.healthy_s is None:
                self.healthy_s = now_s
            if now_s - self.healthy_s >= HEALTHY_S:
                self.fault = None
            return
        self.healthy_s = None
        self.looks += 1
        if self.fault is None:
            self.since_s = now_s if self.good_s is None else self.good_s
            lasts = now_s - self.since_s >= self.late_s - 1e-9
            if self.good_s is not None and not (lasts and self.looks > 1):
                return  # one lost scan stops nobody
        self.fault = trouble

    def words(self, now_s: float) -> str:
        if self.trouble is None:
            return f"{self.name}: {self.fault} until just now"
        return f"{self.name}: {self.fault} for {now_s - self.since_s:.1f} s"


class LaserWatch:
    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._lasers: dict[str, _Laser] = {}

    def expect(self, name: str, period_s: float = USUAL_PERIOD_S) -> None:
        """The robot has this laser. One that was heard once is expected anyway."""
        self._lasers[name] = _Laser(name, period_s)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._lasers)

    @property
    def faults(self) -> dict[str, str]:
        """What is wrong, by the name of the laser."""
        return {
            laser.name: str(laser.fault)
            for laser in self._lasers.values()
            if laser.fault is not None
        }

    @property
    def doubted(self) -> bool:
        """The newest look found trouble, however short it may be."""
        return any(laser.trouble is not None for laser in self._lasers.values())

    @property
    def all_empty(self) -> bool:
        """Not one beam of any laser comes back."""
        return all(laser.fault is Trouble.EMPTY for laser in self._lasers.values())

    def restart(self, now_s: float) -> None:
        """The clock was set: everything is counted from here on."""
        for laser in self._lasers.values():
            laser.good_s = laser.since_s = now_s
            laser.healthy_s = None

    def look(
        self,
        now_s: float,
        pose: Pose | None,
        odometry: Odometry | None,
        scans: Sequence[Scan],
    ) -> str | None:
        """Once per cycle, with the newest scan of each laser; says what is wrong."""
        given = {}
        for number, scan in enumerate(scans, 1):
            name = scan.laser or f"laser {number}"
            given[name] = scan
            if name not in self._lasers:
                self.expect(name)
        at = pose if odometry is None else odometry.pose
        if at is not None and not at.is_finite:
            at = None
        for laser in self._lasers.values():
            self._check_laser(laser, now_s, pose, at, given.get(laser.name))
        faulty = [one for one in self._lasers.values() if one.fault is not None]
        return "; ".join(laser.words(now_s) for laser in faulty) or None

    def _check_laser(
        self,
        laser: _Laser,
        now_s: float,
        pose: Pose | None,
        at: Pose | None,
        scan: Scan | None,
    ) -> None:
        if scan is None:
            laser.note(now_s, Trouble.MISSING)
            return
        stamp_s = scan.taken_at_s
        if stamp_s is not None:
            if stamp_s == laser.stamp_s:
                if now_s - stamp_s > MISSED_PERIODS * laser.period_s:
                    laser.note(now_s, Trouble.REPEATED)
                return  # between two scans
            laser.stamp_s = stamp_s
            if not abs(now_s - stamp_s) <= laser.late_s:
                laser.note(now_s, Trouble.LATE)
                return
        beams = len(scan.ranges_m)
        if len(laser.ranges) != beams:
            laser.ranges = np.full(beams, math.nan)
        same, returned = watch_kernels.compare(
            scan.ranges_m, laser.ranges, DIRT_M, scan.range_max_m
        )
        if not same or laser.seen_at is None:
            laser.seen_at = at
        if same and returned > 0 and _moved(laser.seen_at, at, MOVED):
            laser.note(now_s, Trouble.FROZEN)
        elif returned >= ENOUGH_SHARE * beams:
            laser.note(now_s, None)
        elif pose is not None:
            if laser.asked_at is None or _moved(laser.asked_at, pose, ASK_AGAIN):
                laser.asked_at, laser.expected = pose, self._expected(pose, scan)
            share = laser.expected
            if share < LEAST_EXPECTED or returned >= ENOUGH_SHARE * share * beams:
                laser.note(now_s, None)
            else:
                laser.note(now_s, Trouble.DIRTY if returned else Trouble.EMPTY)

    def _expected(self, pose: Pose, scan: Scan) -> float:
        """The share of the beams that come back from something on the map."""
        eye = pose.plus(scan.mount)
        if not self._grid.holds(*self._grid.to_cells(eye.x_m, eye.y_m)):
            return 0.0
        reach_m = SURE_SHARE * scan.range_max_m
        seen = cast(self._grid, eye, scan.angles_rad[::CAST_EVERY], reach_m)
        # From inside a wall, where only a wrong pose is, everything is 0 m away.
        return float(np.mean((seen > 0.0) & (seen < math.inf)))


def _moved(before: Pose | None, now: Pose | None, by: float) -> bool:
    """By so many metres or radians."""
    if before is None or now is None:
        return False
    turned = abs(math.remainder(now.yaw_rad - before.yaw_rad, math.tau))
    return before.distance_to(now) > by or turned > by
