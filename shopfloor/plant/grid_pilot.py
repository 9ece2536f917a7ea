"""On board a grid robot: turn by quarters, drive one cell, look, drive the next.

It speaks as the other pilot does. A cell is entered only when the robot holds it and
its lasers see the way free; what stands in the way is waited for, then driven around.
A robot that nobody wants any more still comes to rest in the middle of a cell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from shopfloor.control.limits import RobotLimits
from shopfloor.control.watching import Surroundings
from shopfloor.geometry import Odometry, Pose, Scan, TagSeen, wrapped
from shopfloor.grid import Grid
from shopfloor.local.peers import Peer
from shopfloor.local.routes import Route
from shopfloor.pilot import Cause, Command, PilotStatus
from shopfloor.pilot.intake import Fault, Intake
from shopfloor.plant.lattice import AHEAD, Cell, Lattice, Traffic, Way
from shopfloor.sim.world import WorldRefused

WALL_ROOM_M = 0.10
"""Between the hull and anything mapped."""
THING_ROOM_M = 0.12
"""Between the hull and anything unknown beside or behind the next cell."""
PERSON_ROOM_M = 0.5
STAND_OFF_M = 0.08
"""A robot stands before something with so much room left."""
WAIT_S = 2.0
"""Then another way is looked for."""
YIELD_S = 2.5
YIELDS = 4
"""Robots that meet must not step aside at the same time, for ever."""
REMEMBER_S = 30.0
PATIENCE_S = 60.0
"""Of standing without coming nearer; then a goal has failed."""
LOST_PATIENCE_S = 10.0
THERE_M = 0.01
STRAIGHT_RAD = 0.015
SOFTLY = 0.8
"""Of the acceleration is used for slowing down, so that nothing is overrun."""


class GridPilot:
    planner: ClassVar[None] = None
    """Cells are all the plan there is: no window, no local path."""

    def __init__(
        self,
        grid: Grid,
        limits: RobotLimits,
        start: Pose,
        cell_m: float,
        *,
        name: str = "robot",
        traffic: Traffic | None = None,
    ) -> None:
        self.grid = grid
        self.empty_limits = self.limits = limits
        self.lattice = Lattice(grid, cell_m, limits.radius_m + WALL_ROOM_M)
        self.name = name
        self.traffic = traffic or Traffic()
        self.around = Surroundings(grid, limits.radius_m)
        self._intake = Intake(grid, self.around)
        self.lasers = self._intake.lasers
        self.at = cell_at_home(self.lattice, start, name)
        """The cell it is in, or leaves."""
        rank = self.traffic.join(name, cell_m, self.at)
        self._wait_s = WAIT_S + YIELD_S * (rank % YIELDS)
        self._least_left: float = math.inf
        self.goal: Pose | None = None
        self.cells: list[Cell] = []
        """Still to be entered."""
        self._target: Cell | None = None
        self._entering: Cell | None = None
        self._backwards = False
        self._arrived = False
        self._failure: tuple[Cause, str] | None = None
        self._vx_mps = self._wz_radps = 0.0
        self._waits_since_s: float | None = None
        self._stood_s = 0.0
        self._closed: dict[Way, float] = {}

    @property
    def route(self) -> Route | None:
        if self.goal is None:
            return None
        entering = [] if self._entering is None else [self._entering]
        cells = [self.at, *entering, *self.cells]
        return Route(np.array([self.lattice.middle(cell) for cell in cells]), True)

    def carry(self, payload_kg: float) -> None:
        self.limits = self.empty_limits.loaded(payload_kg)

    def set_goal(self, x_m: float, y_m: float, yaw_rad: float = 0.0) -> Cause | None:
        """The middle of the cell that holds the point, at the nearest quarter."""
        self.cancel()
        cause: Cause | None = None
        target: Cell | None = None
        if not all(map(math.isfinite, (x_m, y_m, yaw_rad))):
            cause = Cause.GOAL_NOT_FINITE
        else:
            target = self.lattice.cell_of(x_m, y_m)
            if target is None:
                cause = Cause.GOAL_OUTSIDE_MAP
            elif not self.lattice.is_free(target):
                cause = Cause.GOAL_IN_WALL
            else:
                found = self.lattice.find(self._entering or self.at, target)
                cause = Cause.UNREACHABLE if found is None else None
                self.cells = [] if found is None else found[1:]
        if cause is not None:
            self._failure = (cause, f"the goal is ({x_m}, {y_m}, {yaw_rad})")
            return cause
        self.goal, self._target = Pose(x_m, y_m, yaw_rad), target
        return None

    def cancel(self) -> None:
        self.goal = self._target = self._failure = None
        self._arrived = False
        self.cells = []
        self._closed.clear()
        self._waits_since_s = None
        self._stood_s = 0.0
        self._least_left = math.inf

    def step(
        self,
        now_s: float,
        pose_estimate: Pose | None,
        odometry: Odometry | None,
        scans: Sequence[Scan],
        people: Sequence[TagSeen] = (),
        stop_pressed: bool = False,
        peers: Sequence[Peer] = (),
    ) -> Command:
        """Robots of a grid hold cells: where the others are is known without tags."""
        cycle = self._intake.check(
            now_s, pose_estimate, odometry, scans, people, stop_pressed
        )
        if isinstance(cycle, Fault):
            return self._faulty(cycle)
        dt_s, pose = cycle.dt_s, cycle.pose
        if self._entering is not None:
            return self._enter(now_s, dt_s, pose, self._entering)
        if self._failure is not None:
            return self._failed(*self._failure)
        if self.goal is None:
            self._ramp(dt_s, 0.0, 0.0)
            return self._say(PilotStatus.ARRIVED if self._arrived else PilotStatus.IDLE)
        if not self.cells and self.at == self._target:
            quarter = round(self.goal.yaw_rad / (0.5 * math.pi)) % 4
            if self._turn(dt_s, pose, quarter):
                self._arrived, self.goal = True, None
                return self._say(PilotStatus.ARRIVED)
            return self._say(PilotStatus.DRIVING)
        return self._start(now_s, dt_s, pose, people)

    # From the middle of a cell

    def _start(
        self, now_s: float, dt_s: float, pose: Pose, people: Sequence[TagSeen]
    ) -> Command:
        if not self.cells:
            # The way here was closed behind the last plan.
            return self._wait(now_s, dt_s, Cause.NO_WAY_AROUND, None)
        to = self.cells[0]
        quarter = AHEAD.index((to[0] - self.at[0], to[1] - self.at[1]))
        if not self._turn(dt_s, pose, quarter):
            return self._say(PilotStatus.DRIVING)
        if self._person_ahead(pose, people):
            return self._wait(now_s, dt_s, Cause.PERSON, to)
        if self._thing_ahead() or not self.traffic.take(self.name, to):
            return self._wait(now_s, dt_s, Cause.OBSTACLE, to)
        self._waits_since_s = None
        self._entering, self._backwards = to, False
        self.cells.pop(0)
        return self._enter(now_s, dt_s, pose, to)

    def _thing_ahead(self) -> bool:
        things = self.around.points[self.around.known == 0]
        reach = self.limits.radius_m + THING_ROOM_M
        ahead = (things[:, 0] > 0.0) & (things[:, 0] < self.lattice.cell_m + reach)
        return bool((ahead & (np.abs(things[:, 1]) < reach)).any())

    def _person_ahead(self, pose: Pose, people: Sequence[TagSeen]) -> bool:
        reach = self.limits.radius_m + PERSON_ROOM_M
        for person in people:
            seen = Pose(person.x_m, person.y_m).seen_from(pose)
            ahead = 0.0 < seen.x_m < self.lattice.cell_m + reach
            if ahead and abs(seen.y_m) < reach:
                return True
        return False

    def _wait(
        self, now_s: float, dt_s: float, cause: Cause, to: Cell | None
    ) -> Command:
        """Stand for a while, then look for another way, then give up."""
        self._vx_mps = self._wz_radps = 0.0
        if self._waits_since_s is None:
            self._waits_since_s = now_s
        self._stood_s += dt_s
        if self._stood_s > PATIENCE_S:
            return self._failed(Cause.BLOCKED_TOO_LONG, "the way stayed closed")
        if now_s - self._waits_since_s >= self._wait_s:
            self._waits_since_s = now_s
            self._replan(now_s, to)
        waiting = PilotStatus.WAITING_FOR_PERSON
        return self._say(
            waiting if cause is Cause.PERSON else PilotStatus.BLOCKED, cause
        )

    def _replan(self, now_s: float, to: Cell | None) -> None:
        """Around what is closed now, or else straight on as if it were open."""
        if self._target is None:
            return
        if to is not None and to not in self.traffic.held_by_others(self.name):
            self._closed[frozenset((self.at, to))] = now_s
        found = self._way_around(now_s)
        if found is None:
            # What was closed may be open by now; the next try looks afresh.
            self._closed.clear()
            found = self.lattice.find(self.at, self._target)
        if found is not None:
            self.cells = found[1:]

    def _way_around(self, now_s: float) -> list[Cell] | None:
        if self._target is None:
            return None
        self._closed = {
            way: at_s for way, at_s in self._closed.items() if now_s - at_s < REMEMBER_S
        }
        taken = self.traffic.held_by_others(self.name)
        return self.lattice.find(self.at, self._target, self._closed, taken)

    # Between two cells

    def _enter(self, now_s: float, dt_s: float, pose: Pose, to: Cell) -> Command:
        goal = self.at if self._backwards else to
        x_m, y_m = self.lattice.middle(goal)
        dx, dy = to[0] - self.at[0], to[1] - self.at[1]
        sign = -1.0 if self._backwards else 1.0
        left_m = sign * (dx * (x_m - pose.x_m) + dy * (y_m - pose.y_m))
        limits = self.limits
        if left_m <= THERE_M:
            self._ramp(dt_s, 0.0, 0.0)
            if self._vx_mps == 0.0:
                self._settle(now_s, to)
            return self._say(PilotStatus.DRIVING)
        free_m = self.around.free_m(sign, 0.0, 0.03) - STAND_OFF_M + 0.03
        free_m = min(free_m, self._unknown_m(sign) - STAND_OFF_M)
        honest = limits.honest_speed_mps(free_m)
        softly = math.sqrt(2.0 * SOFTLY * limits.accel_mps2 * left_m)
        self._ramp(dt_s, sign * min(limits.speed_mps, softly), 0.0)
        if abs(self._vx_mps) > honest:
            self._vx_mps = sign * honest
        if abs(self._vx_mps) > 0.02:
            self._waits_since_s = None
            return self._say(PilotStatus.DRIVING)
        if self._waits_since_s is None:
            self._waits_since_s = now_s
        elif now_s - self._waits_since_s > WAIT_S:
            self._waits_since_s = now_s
            self._backwards = not self._backwards
        return self._say(PilotStatus.BLOCKED, Cause.OBSTACLE)

    def _unknown_m(self, sign: float) -> float:
        """Room along the way to what the map does not explain, seen a bit wider."""
        things = self.around.points[self.around.known == 0]
        reach = self.limits.radius_m + 0.05
        on_way = (sign * things[:, 0] > 0.0) & (np.abs(things[:, 1]) < reach)
        if not on_way.any():
            return math.inf
        return float(np.abs(things[on_way, 0]).min()) - self.limits.radius_m

    def _settle(self, now_s: float, to: Cell) -> None:
        """In the middle of a cell: the other one is anybody's again."""
        self._entering = None
        self._waits_since_s = None
        if self._backwards:
            self.traffic.leave(self.name, to)
            self._replan(now_s, to)
        else:
            self.traffic.leave(self.name, self.at)
            self.at = to
            self._note_progress(now_s)

    def _note_progress(self, now_s: float) -> None:
        """Driving to and fro before a closed way is none."""
        if self._target is None:
            return
        found = self.lattice.find(self.at, self._target)
        if found is not None and len(found) < self._least_left:
            self._least_left = len(found)
            self._stood_s = 0.0
        found = self._way_around(now_s)
        if found is not None and len(found) <= len(self.cells):
            # What a detour was for has gone.
            self.cells = found[1:]

    # Wheels

    def _turn(self, dt_s: float, pose: Pose, quarter: int) -> bool:
        """Is it done."""
        off = wrapped(0.5 * math.pi * quarter - pose.yaw_rad)
        if abs(off) < STRAIGHT_RAD:
            self._ramp(dt_s, 0.0, 0.0)
            return self._wz_radps == 0.0
        limits = self.limits
        most = math.sqrt(2.0 * SOFTLY * limits.turn_accel_radps2 * abs(off))
        self._ramp(dt_s, 0.0, math.copysign(min(limits.turn_radps, most), off))
        return False

    def _ramp(self, dt_s: float, vx_mps: float, wz_radps: float) -> None:
        reach = self.limits.accel_mps2 * dt_s
        self._vx_mps += min(max(vx_mps - self._vx_mps, -reach), reach)
        reach = self.limits.turn_accel_radps2 * dt_s
        self._wz_radps += min(max(wz_radps - self._wz_radps, -reach), reach)

    def _say(self, status: PilotStatus, cause: Cause | None = None) -> Command:
        return Command(self._vx_mps, 0.0, self._wz_radps, status, cause)

    # What can be wrong

    def _faulty(self, fault: Fault) -> Command:
        if fault.cause is Cause.TIME_WENT_BACKWARDS:
            self._waits_since_s = None
            self._closed.clear()
        if fault.cause in (Cause.LASER_FAULT, Cause.LASERS_SEE_NOTHING):
            self._waits_since_s = None
        too_long = fault.lost_s > LOST_PATIENCE_S
        if fault.cause is Cause.LOST and self.goal is not None and too_long:
            return self._failed(fault.cause, fault.detail)
        self._vx_mps = self._wz_radps = 0.0
        return Command(0.0, 0.0, 0.0, PilotStatus.STOPPED, fault.cause, fault.detail)

    def _failed(self, cause: Cause, detail: str) -> Command:
        self.goal = self._target = None
        self.cells = []
        self._failure = (cause, detail)
        self._vx_mps = self._wz_radps = 0.0
        return Command(0.0, 0.0, 0.0, PilotStatus.FAILED, cause, detail)


def cell_at_home(lattice: Lattice, home: Pose, name: str) -> Cell:
    cell = lattice.cell_of(home.x_m, home.y_m)
    if cell is None or not lattice.is_free(cell):
        raise WorldRefused(
            f"robot {name} starts at ({home.x_m:g}, {home.y_m:g}), "
            "where no cell has room for it"
        )
    return cell
