"""The watch over the lasers: which of them can be believed, and what is wrong.

A laser that is dead, late, frozen, blind or dirty shows a free way, so every laser is
known by name and has to prove in every cycle that it sees. An old stamp is an old scan.
Equal ranges are one only if the wheels have turned meanwhile: a robot that stands may
see the same for ever where nothing is noisy. Few returns, of all beams or of those to
one side, are wrong only where the map expects more of them: in wide places beams come
back from nothing. A laser that fails on and off is as little believed as a dead one.
Two that see something else are another matter (``laser_pairs``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from shopfloor.control import watch_kernels
from shopfloor.control.laser_pairs import LaserPairs
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
CAST_EVERY = 4
PART_RAD = math.radians(15.0)
"""A dead part of a scan is looked for in parts of this width,"""
LEAST_PART_BEAMS = 8
"""and of as many beams at least."""
DEAD_SHARE = 0.25
"""A part with fewer returns sees nothing, if the map expects"""
SEEN_SHARE = 0.9
"""so many of them."""
FORGET_S = 0.4
"""What a laser's trouble is averaged over,"""
MOST_TROUBLE = 0.55
"""and from what share of the time on it is not believed."""
SURE_SHARE = 0.9
"""Of the reach; whether something at the very end of it is seen is luck."""
DIRT_M = 0.02
"""Nothing but dirt on its own window is so near to a laser inside the hull."""
COMPARE_EVERY = 4
"""Looks."""


class Trouble(StrEnum):
    MISSING = "no scan"
    REPEATED = "no new scan"
    LATE = "only late scans"
    FROZEN = "the same scan"
    EMPTY = "empty scans"
    DIRTY = "few returns"
    PART = "a part sees nothing"
    DISPUTED = "not what the other laser sees"


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
    expected: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, np.bool_))
    """Which beams, of those asked for, come back from the map, from there."""
    parts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    """Returns of each part of the scan."""
    disputed: bool = False
    """The other laser sees something else, and the map agrees with it, or neither."""
    kept: Scan | None = None
    """The newest that could be believed."""
    kept_at: Pose | None = None
    troubled: float = 0.0
    """Share of the time, of late, in which it could not be believed."""
    noted_s: float | None = None
    on_and_off: bool = False

    @property
    def late_s(self) -> float:
        return max(LEAST_LATE_S, LATE_PERIODS * self.period_s)

    def note(self, now_s: float, trouble: Trouble | None) -> None:
        self.trouble = trouble
        self._average(now_s, trouble is not None)
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
            before_s = now_s if self.good_s is None else self.good_s
            lasts = now_s - before_s >= self.late_s - 1e-9
            first = self.good_s is None
            self.on_and_off = not first and self.troubled > MOST_TROUBLE
            if not (first or self.on_and_off or (lasts and self.looks > 1)):
                return  # one lost scan stops nobody
            self.since_s = before_s
        self.fault = trouble

    def _average(self, now_s: float, trouble: bool) -> None:
        before_s, self.noted_s = self.noted_s, now_s
        passed_s = now_s - before_s if before_s is not None else 0.0
        passed_s = min(max(passed_s, 0.0), LEAST_LATE_S)  # nobody looked for longer
        share = -math.expm1(-passed_s / FORGET_S)
        self.troubled += share * (trouble - self.troubled)

    def words(self, now_s: float) -> str:
        if self.on_and_off:
            return f"{self.name}: {self.fault}, on and off"
        if self.trouble is None:
            return f"{self.name}: {self.fault} until just now"
        return f"{self.name}: {self.fault} for {now_s - self.since_s:.1f} s"


class LaserWatch:
    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._pairs = LaserPairs(grid)
        self._lasers: dict[str, _Laser] = {}
        self._looks = 0
        self.believed: list[Scan] = []
        """What the last look left to be driven by."""

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
    def see_nothing(self) -> bool:
        """The newest look found no beam of any laser that came back."""
        troubles = {laser.trouble for laser in self._lasers.values()}
        return Trouble.EMPTY in troubles <= {Trouble.EMPTY, Trouble.MISSING}

    @property
    def all_empty(self) -> bool:
        """Not one beam of any laser comes back."""
        return all(laser.fault is Trouble.EMPTY for laser in self._lasers.values())

    def restart(self, now_s: float) -> None:
        """The clock was set: everything is counted from here on."""
        for laser in self._lasers.values():
            laser.good_s = laser.since_s = laser.noted_s = now_s
            laser.healthy_s = laser.kept = None

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
        self._looks += 1
        if self._looks % COMPARE_EVERY == 0 and len(given) > 1:
            disputed = self._pairs.disputed(pose, given)
            for laser in self._lasers.values():
                laser.disputed = laser.name in disputed
        for laser in self._lasers.values():
            self._check_laser(laser, now_s, pose, at, given.get(laser.name))
        self._keep(at, given)
        faulty = [one for one in self._lasers.values() if one.fault is not None]
        return "; ".join(laser.words(now_s) for laser in faulty) or None

    def _keep(self, at: Pose | None, given: dict[str, Scan]) -> None:
        """What can be believed now; a scan in trouble is replaced by one before it.

        Else an empty scan that is not yet a fault wipes away what stands in the way.
        """
        self.believed = []
        for laser in self._lasers.values():
            scan = given.get(laser.name)
            if scan is not None and laser.trouble is None:
                laser.kept, laser.kept_at = scan, at
                self.believed.append(scan)
            elif laser.kept is not None:
                mount = laser.kept.mount
                if at is not None and laser.kept_at is not None:
                    mount = laser.kept_at.seen_from(at).plus(mount)
                self.believed.append(replace(laser.kept, mount=mount))

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
            laser.parts = np.zeros(_parts_of(scan), np.int64)
            laser.asked_at = None
        same, returned, fewest = watch_kernels.compare(
            scan.ranges_m, laser.ranges, DIRT_M, scan.range_max_m, laser.parts
        )
        if not same or laser.seen_at is None:
            laser.seen_at = at
        if same and returned > 0 and _moved(laser.seen_at, at, MOVED):
            laser.note(now_s, Trouble.FROZEN)
        elif laser.disputed:
            laser.note(now_s, Trouble.DISPUTED)
        else:
            few = returned < ENOUGH_SHARE * beams
            if few or fewest < DEAD_SHARE * beams // len(laser.parts):
                if pose is not None:
                    laser.note(now_s, self._missed(laser, pose, scan, returned))
            else:
                laser.note(now_s, None)

    def _missed(
        self, laser: _Laser, pose: Pose, scan: Scan, returned: int
    ) -> Trouble | None:
        """Returns that the map expects, by all beams or by those of one part."""
        if laser.asked_at is None or _moved(laser.asked_at, pose, ASK_AGAIN):
            laser.asked_at, laser.expected = pose, self._expected(pose, scan)
        share, beams = float(np.mean(laser.expected)), len(scan.ranges_m)
        if share >= LEAST_EXPECTED and returned < ENOUGH_SHARE * share * beams:
            return Trouble.DIRTY if returned else Trouble.EMPTY
        parts = len(laser.parts)
        asked = np.arange(0, beams, CAST_EVERY) * parts // beams
        rays = np.bincount(asked, minlength=parts)
        hits = np.bincount(asked, laser.expected, minlength=parts)
        seen = (rays > 0) & (hits >= SEEN_SHARE * rays)
        dead = laser.parts < DEAD_SHARE * beams // parts
        return Trouble.PART if bool((seen & dead).any()) else None

    def _expected(self, pose: Pose, scan: Scan) -> NDArray[np.bool_]:
        """Which beams come back from something on the map."""
        angles = scan.angles_rad[::CAST_EVERY]
        eye = pose.plus(scan.mount)
        if not self._grid.holds(*self._grid.to_cells(eye.x_m, eye.y_m)):
            return np.zeros(len(angles), np.bool_)
        seen = cast(self._grid, eye, angles, SURE_SHARE * scan.range_max_m)
        # From inside a wall, where only a wrong pose is, everything is 0 m away.
        return np.asarray((seen > 0.0) & (seen < math.inf))


def _parts_of(scan: Scan) -> int:
    beams = len(scan.ranges_m)
    width_rad = abs(scan.angle_step_rad) * beams
    return max(min(round(width_rad / PART_RAD), beams // LEAST_PART_BEAMS), 1)


def _moved(before: Pose | None, now: Pose | None, by: float) -> bool:
    """By so many metres or radians."""
    if before is None or now is None:
        return False
    turned = abs(math.remainder(now.yaw_rad - before.yaw_rad, math.tau))
    return before.distance_to(now) > by or turned > by
