"""Lazy Theta* on the local map: around what is unknown, back to the global path.

Where nothing unknown is near, the global path itself is the answer: it was planned
with more room than any local one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from shopfloor.control.path_kernels import look_along
from shopfloor.control.watching import Surroundings, in_grid_frame
from shopfloor.geometry import Pose, Scan, TagSeen
from shopfloor.grid import Grid
from shopfloor.grid.compiled import kernel
from shopfloor.grid.kernels import pad, parts, runs
from shopfloor.grid.sight import sees
from shopfloor.local import window_kernels
from shopfloor.local.errors import WindowRefused
from shopfloor.local.people import Courtesy
from shopfloor.local.window import LocalWindow, WindowShape, people_rows
from shopfloor.planning.chains import chain, points_along
from shopfloor.planning.goal_field import NO_COSTS
from shopfloor.planning.lazy_theta_kernel import NOWHERE, lazy_theta
from shopfloor.planning.strings import pulled
from shopfloor.planning.workspace import workspace

EDGE_CELLS = 2
SIGHT_WITH_COSTS_M = 1.0
COST_WEIGHT = 2.0
HURRY_WITH_COSTS = 1.5
"""Costs make straight-line estimates poor; without hurry the whole window is searched.
"""
ON_PATH_M = 0.15
WALKING_MPS = 0.2
"""Slower people stand."""
AIM_WITHIN_M = 1.6
"""How far beside the path the robot may aim where the path is blocked."""
BESIDE_M = 0.5
"""How far to the right of the path the search for such a place begins."""


class LocalStatus(StrEnum):
    FOLLOWING = "following"
    """The global path is free as far as the window reaches."""
    AROUND = "around"
    """A local path leads around something and back."""
    BLOCKED = "blocked"
    BLOCKED_BY_PERSON = "blocked_by_person"


def _nothing() -> NDArray[np.float64]:
    return np.empty((0, 2))


@dataclass(frozen=True, slots=True, eq=False)
class LocalPath:
    """Waypoints in the frame of the map; the last one lies on the global path."""

    status: LocalStatus
    xy: NDArray[np.float64] = field(default_factory=_nothing)
    progress_m: float = 0.0
    """How far along the global path the robot is."""
    rejoins_m: float = 0.0
    """How far along the global path the local one ends."""
    at_goal: bool = False

    @property
    def ok(self) -> bool:
        return self.status in (LocalStatus.FOLLOWING, LocalStatus.AROUND)


class LocalPlanner:
    def __init__(
        self,
        grid: Grid,
        radius_m: float,
        static_margin_m: float = 0.10,
        tight_margin_m: float = 0.05,
        unknown_margin_m: float = 0.24,
        shape: WindowShape | None = None,
        courtesy: Courtesy | None = None,
        *,
        always_plan: bool = False,
    ) -> None:
        for margin in (radius_m, static_margin_m, tight_margin_m, unknown_margin_m):
            if not (math.isfinite(margin) and margin >= 0.0):
                raise WindowRefused(f"a margin is 0 m or more, not {margin}")
        self.grid = grid
        self.radius_m = radius_m
        self.window = LocalWindow(grid, shape)
        self.courtesy = courtesy or Courtesy()
        self.always_plan = always_plan
        self._static = _inflated_cells(grid, radius_m + static_margin_m)
        self._tight = _inflated_cells(grid, radius_m + tight_margin_m)
        self._unknown_m = radius_m + unknown_margin_m
        self._tables: tuple[NDArray[np.int32], NDArray[np.int32]] | None = None
        self.blocked: NDArray[np.uint8] | None = None
        """Of the last cycle that planned; None where the global path was followed."""

    def step(
        self,
        now_s: float,
        pose: Pose,
        scans: Sequence[Scan],
        around: Surroundings,
        people: Sequence[TagSeen],
        path: NDArray[np.float64],
        progress_m: float | None = None,
        *,
        tight: bool = False,
    ) -> LocalPath:
        """``path`` is the global one, metres in the frame of the map.

        ``tight`` leaves the least room to mapped obstacles, for places beside racks.
        """
        rows = people_rows(self.grid, people, self.courtesy.returns_m)
        self.window.update(now_s, pose, scans, around, rows)
        least, most = 0.0, math.inf
        if progress_m is not None:
            least, most = max(progress_m - 0.5, 0.0), progress_m + 3.0
        here = look_along(path, pose.x_m, pose.y_m, least, most, 0.0)
        progress, remaining, aside = here[0], here[1], here[2]
        rows = self._near(rows, pose)
        if (
            not self.always_plan
            and self.window.marked == 0
            and len(rows) == 0
            and abs(aside) < ON_PATH_M
        ):
            self.blocked, self._tables = None, None
            end = progress + remaining
            return LocalPath(LocalStatus.FOLLOWING, path, progress, end, True)
        static = self._tight if tight else self._static
        return self._plan(pose, static, rows, path, progress, remaining)

    def sees(self, pose: Pose, x_m: float, y_m: float) -> bool:
        """Can the robot drive straight to a point of the map."""
        tables, stride = self._tables, self.window.cells + 2
        if tables is None:
            return True
        x, y = self._cell(*in_grid_frame(self.grid, pose)[:2])
        tx, ty = self._cell(*in_grid_frame(self.grid, Pose(x_m, y_m))[:2])
        inside = self.window.cells + 1.0
        if not (min(x, y, tx, ty) >= 1.0 and max(x, y, tx, ty) < inside):
            return True
        return sees(tables[0], tables[1], stride, x, y, tx, ty)

    def _near(self, rows: NDArray[np.float64], pose: Pose) -> NDArray[np.float64]:
        if len(rows) == 0:
            return rows
        x, y, _ = in_grid_frame(self.grid, pose)
        reach = 0.5 * self.window.shape.size_m + self.courtesy.distance_m + 1.0
        near = np.hypot(rows[:, 0] - x, rows[:, 1] - y) < reach
        return np.ascontiguousarray(rows[near])

    def _plan(
        self,
        pose: Pose,
        static: NDArray[np.uint8],
        rows: NDArray[np.float64],
        path: NDArray[np.float64],
        progress: float,
        remaining: float,
    ) -> LocalPath:
        window = self.window
        x, y, _ = in_grid_frame(self.grid, pose)
        blocked = window.blocked(static, self._unknown_m)
        without_people = blocked.copy() if len(rows) else blocked
        cost, right = self._with_people(blocked, rows, x, y, path, progress)
        flat = pad(blocked)
        stride = window.cells + 2
        run_x, run_y = _tables(flat, stride)
        self.blocked, self._tables = blocked, (run_x, run_y)
        on_cells = _in_grid(self.grid, path)
        end = progress + remaining
        start = self._start(blocked, x, y)
        crossed = _somebody_crosses(rows, right)
        found, goal_s, gx, gy = None, -1.0, x, y
        for aim in self._goals(blocked, on_cells, progress, right, beside=not crossed):
            if start is not None and found is None:
                goal_s, gx, gy = aim
                found = self._search(run_x, run_y, stride, start, (gx, gy), cost)
        at_goal = goal_s >= end - 1e-6
        stalled = found is None or (
            not at_goal and goal_s - progress < 0.1 and math.hypot(gx - x, gy - y) < 0.1
        )
        if stalled or found is None:
            return self._stuck(rows, without_people, x, y, on_cells, progress, end)
        if crossed and self._is_long_way(found, goal_s - progress):
            # Who crosses will be gone sooner than a long way around is driven.
            return LocalPath(LocalStatus.BLOCKED_BY_PERSON, progress_m=progress)
        points = self.grid.to_metres(found + np.array([window.left, window.low]))
        if start is not None and start != (x, y):
            points = np.vstack([[pose.x_m, pose.y_m], points])
        else:
            points[0] = (pose.x_m, pose.y_m)
        if at_goal:
            points[-1] = path[-1]
        return LocalPath(LocalStatus.AROUND, points, progress, goal_s, at_goal)

    def _with_people(
        self,
        blocked: NDArray[np.uint8],
        rows: NDArray[np.float64],
        x: float,
        y: float,
        path: NDArray[np.float64],
        progress: float,
    ) -> tuple[NDArray[np.float32], tuple[float, float]]:
        """The cost of coming near to people, and where the right is, if any."""
        if len(rows) == 0:
            return NO_COSTS, (0.0, 0.0)
        window, courtesy = self.window, self.courtesy
        cost = np.zeros((window.cells + 2) ** 2, np.float32)
        unsure = rows[:, 4] - courtesy.returns_m
        keep = self.radius_m + courtesy.distance_m + 0.05 + unsure
        ahead = look_along(_in_grid(self.grid, path), x, y, progress, math.inf, 1.0)
        dx, dy = ahead[3] - x, ahead[4] - y
        size = math.hypot(dx, dy) or 1.0
        window_kernels.add_people(
            blocked,
            cost,
            window.left,
            window.low,
            window.resolution_m,
            rows,
            keep,
            courtesy.block_s,
            courtesy.foresee_s,
            1.0,
            -dy / size,
            dx / size,
            courtesy.left_m,
        )
        cost.flags.writeable = False
        return cost, (dy / size, -dx / size)

    def _goals(
        self,
        blocked: NDArray[np.uint8],
        path: NDArray[np.float64],
        progress: float,
        right: tuple[float, float],
        *,
        beside: bool = True,
    ) -> Iterator[tuple[float, float, float]]:
        """Where to aim: progress and place, best first.

        If the path leaves the window where that is blocked, beside it; else at the
        farthest free point of the path.
        """
        window = self.window
        free_s, fx, fy, last_s, lx, ly, leaves = window_kernels.last_free_on_path(
            path,
            progress,
            window.resolution_m,
            window.left,
            window.low,
            blocked,
            EDGE_CELLS,
        )
        if beside and leaves and last_s > free_s:
            column, row = window_kernels.nearest_free(
                blocked,
                (lx + BESIDE_M * right[0]) / window.resolution_m - window.left,
                (ly + BESIDE_M * right[1]) / window.resolution_m - window.low,
                AIM_WITHIN_M / window.resolution_m,
            )
            if column >= 0:
                yield (
                    last_s,
                    (column + window.left + 0.5) * window.resolution_m,
                    (row + window.low + 0.5) * window.resolution_m,
                )
        if free_s >= 0.0:
            yield free_s, fx, fy

    def _is_long_way(self, points: NDArray[np.float64], direct_m: float) -> bool:
        length = float(np.hypot(*np.diff(points, axis=0).T).sum())
        return length * self.window.resolution_m > 1.35 * direct_m + 0.3

    def _start(
        self, blocked: NDArray[np.uint8], x: float, y: float
    ) -> tuple[float, float] | None:
        """The robot's place, or the nearest free one if it stands too near."""
        window = self.window
        cx, cy = x / window.resolution_m - window.left, y / window.resolution_m
        cy -= window.low
        column, row = int(cx), int(cy)
        if not blocked[row, column]:
            return x, y
        reach_m = max(self.radius_m + 0.6, self.courtesy.distance_m + 0.4)
        reach = reach_m / window.resolution_m
        column, row = window_kernels.nearest_free(blocked, cx, cy, reach)
        if column < 0:
            return None
        return (
            (column + window.left + 0.5) * window.resolution_m,
            (row + window.low + 0.5) * window.resolution_m,
        )

    def _cell(self, x: float, y: float) -> tuple[float, float]:
        """Metres of the grid's frame to padded cells of the window."""
        window = self.window
        return (
            x / window.resolution_m - window.left + 1.0,
            y / window.resolution_m - window.low + 1.0,
        )

    def _search(
        self,
        run_x: NDArray[np.int32],
        run_y: NDArray[np.int32],
        stride: int,
        start: tuple[float, float],
        goal: tuple[float, float],
        cost: NDArray[np.float32],
    ) -> NDArray[np.float64] | None:
        """Points of padded cells of the window, or nothing."""
        sx, sy = self._cell(*start)
        gx, gy = self._cell(*goal)
        if not connected(
            run_x, stride, int(sy) * stride + int(sx), int(gy) * stride + int(gx)
        ):
            return None
        weighted = len(cost) > 0
        limit = SIGHT_WITH_COSTS_M / self.window.resolution_m if weighted else math.inf
        tables = workspace(run_x.size)
        goal_cell = int(gy) * stride + int(gx)
        reached, _, _ = lazy_theta(
            run_x,
            run_y,
            stride,
            int(sy) * stride + int(sx),
            goal_cell,
            cost,
            COST_WEIGHT if weighted else 0.0,
            HURRY_WITH_COSTS if weighted else 1.0,
            limit,
            tables.cost,
            tables.parent,
            tables.stamp,
            tables.next_stamp(),
        )
        if reached == NOWHERE:
            return None
        cells = chain(tables.parent, goal_cell)[::-1].copy()
        points, _ = points_along(run_x, run_y, stride, cells, sx, sy, gx, gy)
        if not weighted:
            points, _ = pulled(run_x, run_y, stride, points)
        return points

    def _stuck(
        self,
        rows: NDArray[np.float64],
        without_people: NDArray[np.uint8],
        x: float,
        y: float,
        path: NDArray[np.float64],
        progress: float,
        end: float,
    ) -> LocalPath:
        """Would the way be free if the people were gone?"""
        window = self.window
        if len(rows):
            start = self._start(without_people, x, y)
            stride = window.cells + 2
            run_x, run_y = _tables(pad(without_people), stride)
            goals = self._goals(without_people, path, progress, (0.0, 0.0))
            for goal_s, gx, gy in goals if start is not None else ():
                farther = goal_s > progress + 0.1 or goal_s >= end - 1e-6
                if (
                    farther
                    and self._search(
                        run_x, run_y, stride, start or (x, y), (gx, gy), NO_COSTS
                    )
                    is not None
                ):
                    return LocalPath(LocalStatus.BLOCKED_BY_PERSON, progress_m=progress)
        return LocalPath(LocalStatus.BLOCKED, progress_m=progress)


def _somebody_crosses(rows: NDArray[np.float64], right: tuple[float, float]) -> bool:
    """Walks more across the robot's way than along it."""
    speed = np.hypot(rows[:, 2], rows[:, 3])
    across = np.abs(rows[:, 2] * right[0] + rows[:, 3] * right[1])
    return bool(((speed > WALKING_MPS) & (across > 0.7 * speed)).any())


@kernel
def connected(run_x: NDArray[np.int32], stride: int, a: int, b: int) -> bool:
    """Far cheaper than a search that must fail."""
    part = parts(run_x, stride)
    return bool(part[a] == part[b])


def _tables(
    flat: NDArray[np.uint8], stride: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Read-only as those of the global map: one compiled search serves both."""
    run_x, run_y = runs(flat, stride)
    run_x.flags.writeable = run_y.flags.writeable = False
    return run_x, run_y


def _inflated_cells(grid: Grid, margin_m: float) -> NDArray[np.uint8]:
    key = f"local_static_{margin_m:.6f}"
    cells: NDArray[np.uint8] | None = grid.prepared.get(key)
    if cells is None:
        cells = np.ascontiguousarray(grid.inflated(margin_m).cells)
        cells.flags.writeable = False
        grid.prepared[key] = cells
    return cells


def _in_grid(grid: Grid, path: NDArray[np.float64]) -> NDArray[np.float64]:
    """Metres of the map to metres from its first cell."""
    left, bottom, yaw = grid.origin
    moved = path - np.array([left, bottom])
    if yaw != 0.0:
        cos, sin = math.cos(yaw), math.sin(yaw)
        moved = moved @ np.array([[cos, -sin], [sin, cos]])
    return np.ascontiguousarray(moved)
