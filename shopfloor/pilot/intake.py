"""What every pilot is given, checked once per cycle before any of it is believed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from shopfloor.control.commands import Cause
from shopfloor.control.laser_watch import LaserWatch
from shopfloor.control.watching import Surroundings
from shopfloor.geometry import Odometry, Pose, Scan, TagSeen
from shopfloor.grid import Grid
from shopfloor.local.inputs import fault_of

LONGEST_CYCLE_S = 0.2
"""After a longer pause speeds change as if this much time had passed."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """A cycle that can be driven."""

    now_s: float
    dt_s: float
    pose: Pose
    scans: Sequence[Scan]
    """Those that can be believed."""


@dataclass(frozen=True, slots=True)
class Fault:
    cause: Cause
    detail: str = ""
    lost_s: float = 0.0
    """For how long the robot has not known where it is."""


class Intake:
    def __init__(self, grid: Grid, around: Surroundings) -> None:
        self._grid = grid
        self._around = around
        self.lasers = LaserWatch(grid)
        self._last_s: float | None = None
        self._lost_since_s: float | None = None
        self.checks = 0
        """How often the lasers were looked at for the emergency stop."""

    def check(
        self,
        now_s: float,
        pose: Pose | None,
        odometry: Odometry | None,
        scans: Sequence[Scan],
        people: Sequence[TagSeen],
        stop_pressed: bool,
    ) -> Cycle | Fault:
        """The first thing that is wrong; if nothing is, the surroundings are new."""
        if not math.isfinite(now_s):
            return Fault(Cause.TIME_NOT_FINITE, f"the time is {now_s}")
        last_s, self._last_s = self._last_s, now_s
        if last_s is not None and now_s < last_s:
            self._lost_since_s = None
            self.lasers.restart(now_s)
            detail = f"{now_s:g} s comes after {last_s:g} s"
            return Fault(Cause.TIME_WENT_BACKWARDS, detail)
        known = pose is not None and pose.is_finite and self._on_map(pose)
        fault = fault_of(odometry, scans, people)
        blind = None
        if fault is None or fault[0] is not Cause.SCAN_UNUSABLE:
            blind = self.lasers.look(now_s, pose if known else None, odometry, scans)
        if stop_pressed:
            return Fault(Cause.STOP_PRESSED)
        if blind is not None:
            # Without lasers nobody knows for long where a robot is.
            self._lost_since_s = None
            empty = self.lasers.all_empty
            cause = Cause.LASERS_SEE_NOTHING if empty else Cause.LASER_FAULT
            return Fault(cause, blind)
        if pose is None or not known:
            return self._lost(now_s, pose)
        self._lost_since_s = None
        if fault is not None:
            return Fault(*fault)
        scans = self.lasers.believed
        self._around.look(pose, scans)
        self.checks += 1
        if self.lasers.see_nothing:
            detail = "not one beam of any laser came back"
            return Fault(Cause.LASERS_SEE_NOTHING, detail)
        dt_s = 0.0 if last_s is None else min(now_s - last_s, LONGEST_CYCLE_S)
        return Cycle(now_s, dt_s, pose, scans)

    def _on_map(self, pose: Pose) -> bool:
        return self._grid.holds(*self._grid.to_cells(pose.x_m, pose.y_m))

    def _lost(self, now_s: float, pose: Pose | None) -> Fault:
        if self._lost_since_s is None:
            self._lost_since_s = now_s
        detail = "the pose is not known" if pose is None else f"the pose is {pose}"
        return Fault(Cause.LOST, detail, now_s - self._lost_since_s)
