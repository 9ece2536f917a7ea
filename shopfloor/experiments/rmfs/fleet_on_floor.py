"""Robots on the floor, as arrays that the traffic kernel moves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fleet.rmfs.errors import RmfsRefused
from fleet.rmfs.floor import Floor
from fleet.rmfs.layout import LayoutParameters
from shopfloor.experiments.rmfs import drive_kernels as drive
from shopfloor.experiments.rmfs.traffic import arrays as traffic
from shopfloor.experiments.rmfs.traffic.arrays import Traffic
from shopfloor.experiments.rmfs.traffic.kernels import advance, reached
from shopfloor.experiments.rmfs.traffic.record import record_all
from shopfloor.experiments.rmfs.ways import Ways
from shopfloor.experiments.rmfs.windows import Windows

MOST_PIECES = 400_000
RULES = {
    "far": traffic.FAR_RULE,
    "pibt": traffic.PIBT,
    "simple": traffic.SIMPLE,
    "whca": traffic.PLANNED,
    "lacam": traffic.PLANNED,
}


class FleetOnFloor:
    """Sends robots, lets time pass, says who is there."""

    def __init__(
        self,
        layout: LayoutParameters,
        floor: Floor,
        ways: Ways,
        cells: Sequence[int],
        *,
        planner: Any,
        record: bool,
    ) -> None:
        count = len(cells)
        self._ways, self._floor = ways, floor
        self._windows: Windows | None = None
        self._now = 0.0
        self.whole = np.zeros((count, traffic.WHOLES), np.int32)
        self.real = np.zeros((count, drive.REALS))
        self.real[:, drive.EVADES_SINCE] = drive.NEVER
        self.whole[:, traffic.FROM_CELL] = cells
        self.whole[:, traffic.FRONT] = cells
        self.whole[:, traffic.GOAL] = cells
        self.whole[:, traffic.HEADING] = 1
        self.whole[:, traffic.WANT] = -1
        self.whole[:, traffic.ASIDE] = -1
        self.due = np.full(count, math.inf)
        limits = np.zeros(drive.LIMITS)
        limits[drive.RISE] = layout.acceleration_mps2
        limits[drive.BRAKE] = layout.deceleration_mps2
        limits[drive.TOP] = layout.top_speed_mps
        limits[drive.FULL_TURN_S] = layout.full_turn_s
        limits[drive.CELL_M] = layout.cell_m
        owner = np.full(floor.count, -1, np.int32)
        owner[list(cells)] = np.arange(count, dtype=np.int32)
        self.arrays = Traffic(
            out=floor.out,
            into=floor.into,
            kind=floor.kind,
            spots=floor.spots,
            lift=floor.lift,
            lift_of=floor.lift_of,
            lift_s=floor.lift_s,
            lift_user=np.full(len(floor.lift_s), -1, np.int32),
            zone=floor.zone,
            behind=floor.behind,
            following=floor.following,
            shortcut=floor.shortcut,
            chain=floor.chain,
            tunnel=floor.tunnel,
            tunnel_length=floor.tunnel_length,
            table=ways.table,
            owner=owner,
            owned_at=np.zeros(floor.count),
            visits=np.zeros(floor.count, np.int64),
            held_s=np.zeros(floor.count),
            whole=self.whole,
            real=self.real,
            due=self.due,
            limits=limits,
            counts=np.zeros(traffic.COUNTS, np.int64),
            record=np.zeros((MOST_PIECES if record else 0, traffic.PIECE)),
            plan=np.full((count, 1), -1, np.int32),
            outside=np.zeros(count, np.uint8),
        )
        self.follow(planner)

    def follow(self, planner: Any) -> None:
        """Paths are planned by this strategy from now on."""
        given, limits = planner.parameters, self.arrays.limits
        limits[drive.RULE] = RULES[planner.rule]
        limits[drive.RETRY_S] = given.retry_s
        limits[drive.TUNNEL_GAIN] = given.tunnel_gain
        limits[drive.DETOUR] = getattr(given, "detour", 0)
        self._windows = None
        if RULES[planner.rule] == traffic.PLANNED:
            self._windows = Windows(self._floor, planner, len(self.whole), self._now)
        steps = 1 if self._windows is None else self._windows.steps + 1
        plan = np.full((len(self.whole), steps), -1, np.int32)
        self.arrays = self.arrays._replace(plan=plan)

    def cell(self, robot: int) -> int:
        """Where it stands, or the last cell that it will surely reach."""
        return int(self.whole[robot, traffic.FRONT])

    def send(self, robot: int, goal: int, loaded: bool, now: float) -> None:
        """A robot that drives already changes its mind at the next cell it can."""
        whole = self.whole[robot]
        whole[traffic.GOAL] = goal
        whole[traffic.ROW] = self._ways.row(goal)
        whole[traffic.LOADED] = loaded
        self.real[robot, drive.RANK] = now
        if whole[traffic.PHASE] == traffic.IDLE:
            whole[traffic.PHASE] = traffic.DECIDING
            self.due[robot] = now

    def occupy(self, robot: int, until: float) -> None:
        """It stands and is busy."""
        self.whole[robot, traffic.PHASE] = traffic.BUSY
        self.due[robot] = until

    def hold_up(self, robot: int, now: float, until: float) -> None:
        """It drives no farther than the cells that it owns, and goes on later."""
        whole = self.whole[robot]
        held = self.real[robot, drive.HELD_UNTIL]
        self.real[robot, drive.HELD_UNTIL] = max(held, until)
        if whole[traffic.PHASE] in (traffic.DRIVING, traffic.WAITING):
            whole[traffic.WANT] = -1  # nobody gives it a cell meanwhile
        if whole[traffic.PHASE] == traffic.WAITING:
            self.due[robot] = self.real[robot, drive.HELD_UNTIL]

    def advance(self, until: float) -> tuple[float, int, int]:
        """See the kernel."""
        while True:
            limit = until
            if self._windows is not None:
                self._windows.plan_if_due(self.arrays, self._now)
                limit = min(until, self._windows.next_at)
            now, robot, why = advance(self.arrays, limit)
            self._now = now
            if why != traffic.NONE or now >= until:
                break
        if why == traffic.LOST:
            tier, x, y = self.arrays.spots[self.cell(robot)].tolist()
            raise RmfsRefused(
                f"robot {robot} finds no way on from tier {tier}, x {x}, y {y}"
            )
        return now, robot, why

    def take_outside(self, robot: int) -> None:
        """From now on it moves when ``reached`` says so, and not by itself."""
        self.arrays.outside[robot] = 1

    def drive_of(self, robot: int) -> tuple[int, int] | None:
        """The cell that a robot is to drive to and the heading it is to have there;
        None while it is to stand."""
        whole = self.whole[robot]
        if whole[traffic.PHASE] == traffic.DRIVING:
            return int(whole[traffic.FRONT]), int(whole[traffic.HEADING])
        if whole[traffic.PHASE] == traffic.TURNING:
            return int(whole[traffic.FROM_CELL]), int(whole[traffic.HEADING])
        return None

    def reached(self, robot: int, now: float) -> None:
        """A robot outside is where ``drive_of`` sent it."""
        reached(self.arrays, robot, now)

    def take_record(self, now: float) -> NDArray[np.float64]:
        """The pieces of drives since the last time, all of them up to now."""
        record_all(self.arrays, now)
        count = int(self.arrays.counts[traffic.RECORDED])
        found = self.arrays.record[:count].copy()
        self.arrays.counts[traffic.RECORDED] = 0
        return found

    @property
    def driven_m(self) -> float:
        return float(self.real[:, drive.DRIVEN_M].sum())

    def count(self, which: int) -> int:
        return int(self.arrays.counts[which])
