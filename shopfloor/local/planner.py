"""Lazy Theta* on the local map: around what is unknown, back to the global path.

Where nothing unknown is near, the global path itself is the answer: it was planned
with more room than any local one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shopfloor.control.path_kernels import look_along
from shopfloor.control.watching import Surroundings, in_grid_frame
from shopfloor.geometry import Pose, Scan, TagSeen
from shopfloor.grid import Grid
from shopfloor.local.aims import aims
from shopfloor.local.company import (
    Company,
    block_company,
    company_near,
    cost_of,
    returns_of,
)
from shopfloor.local.errors import WindowRefused
from shopfloor.local.paths import LocalPath, LocalStatus, length_of
from shopfloor.local.peers import Peer
from shopfloor.local.people import Courtesy
from shopfloor.local.search import WindowSearch
from shopfloor.local.window import LocalWindow, WindowShape, path_in_grid

__all__ = ["LocalPath", "LocalPlanner", "LocalStatus"]

ON_PATH_M = 0.15
LOYAL_M = 0.3
"""A way on another side must be shorter by so much to be taken instead."""
BESIDE_PATH_M = 0.4
FREE_AHEAD_M = 2.0
LOOSE_M = 0.03
"""A way that is being driven stays good with so much less room beside it."""


class LocalPlanner:
    def __init__(
        self,
        grid: Grid,
        radius_m: float,
        static_margin_m: float = 0.14,
        tight_margin_m: float = 0.08,
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
        self._search: WindowSearch | None = None
        self._path: NDArray[np.float64] | None = None
        self._taken: tuple[NDArray[np.float64], float] | None = None
        """The way of the last cycle, in the frame of the cells, and where it ends."""

    @property
    def blocked(self) -> NDArray[np.uint8] | None:
        """Of the last cycle that planned; None where the global path was followed."""
        return None if self._search is None else self._search.blocked

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
        peers: Sequence[Peer] = (),
        detour_m: float = math.inf,
        keep_to_path: bool = False,
    ) -> LocalPath:
        """``path`` is the global one, metres in the frame of the map.

        ``keep_to_path`` cuts no corner of it as long as it is free. ``tight`` leaves
        the least room to mapped obstacles, for places beside racks; people are waited
        for rather than driven around by more than ``detour_m``.
        """
        if path is not self._path:
            self._path, self._taken = path, None
        returns = returns_of(self.grid, people, peers, self.courtesy)
        self.window.update(now_s, pose, scans, around, returns)
        least, most = 0.0, math.inf
        if progress_m is not None:
            least, most = max(progress_m - 0.5, 0.0), progress_m + 3.0
        here = look_along(path, pose.x_m, pose.y_m, least, most, 0.0)
        progress, remaining, aside = here[0], here[1], here[2]
        reach = 0.5 * self.window.shape.size_m + self.courtesy.distance_m + 1.0
        company = company_near(
            self.grid, pose, people, peers, self.courtesy, self.radius_m, reach
        )
        if (
            not self.always_plan
            and self.window.marked == 0
            and company is None
            and abs(aside) < ON_PATH_M
        ):
            self._search = self._taken = None
            end = progress + remaining
            return LocalPath(LocalStatus.FOLLOWING, path, progress, end, True)
        static = self._tight if tight else self._static
        return self._plan(
            pose,
            static,
            company,
            path,
            progress,
            remaining,
            detour_m,
            keep_to_path=keep_to_path and abs(aside) < BESIDE_PATH_M,
        )

    def sees(self, pose: Pose, x_m: float, y_m: float) -> bool:
        """Can the robot drive straight to a point of the map."""
        if self._search is None:
            return True
        x, y, _ = in_grid_frame(self.grid, pose)
        to_x, to_y, _ = in_grid_frame(self.grid, Pose(x_m, y_m))
        return self._search.sees(x, y, to_x, to_y)

    def _plan(
        self,
        pose: Pose,
        static: NDArray[np.uint8],
        company: Company | None,
        path: NDArray[np.float64],
        progress: float,
        remaining: float,
        detour_m: float,
        *,
        keep_to_path: bool,
    ) -> LocalPath:
        x, y, _ = in_grid_frame(self.grid, pose)
        on_cells = path_in_grid(self.grid, path)
        end = progress + remaining
        empty = self.window.blocked(static, self._unknown_m)
        if company is None:
            search = WindowSearch(self.window, empty)
            if keep_to_path and _is_free(search, x, y, on_cells, progress):
                return self._kept_to(search, path, progress, end)
            found = self._way(search, x, y, on_cells, progress, end)
        else:
            ahead = look_along(on_cells, x, y, progress, math.inf, 1.0)
            dx, dy = ahead[3] - x, ahead[4] - y
            size = math.hypot(dx, dy) or 1.0
            right = dy / size, -dx / size
            blocked = empty.copy()
            cost = cost_of(company, self.window, blocked, right, self.courtesy)
            search = WindowSearch(self.window, blocked)
            if keep_to_path and _is_free(search, x, y, on_cells, progress):
                return self._kept_to(search, path, progress, end)
            found = self._way(
                search, x, y, on_cells, progress, end, right, cost, company
            )
        found = self._loyal(found, x, y, company, progress)
        self._search, self._taken = search, found
        waits = company is not None and (
            found is None or (math.isfinite(detour_m) and company.waited_for)
        )
        if waits and self._direct(
            empty, x, y, on_cells, progress, end, found, detour_m
        ):
            return LocalPath(LocalStatus.BLOCKED_BY_PERSON, progress_m=progress)
        if found is None:
            return LocalPath(LocalStatus.BLOCKED, progress_m=progress)
        way, goal_s = found
        at_goal = goal_s >= end - 1e-6
        corner = np.array([1.0, 1.0])
        points = self.grid.to_metres(way / self.grid.resolution_m + corner)
        points[0] = (pose.x_m, pose.y_m)
        if at_goal:
            points[-1] = path[-1]
        return LocalPath(LocalStatus.AROUND, points, progress, goal_s, at_goal)

    def _kept_to(
        self,
        search: WindowSearch,
        path: NDArray[np.float64],
        progress: float,
        end: float,
    ) -> LocalPath:
        self._search, self._taken = search, None
        return LocalPath(LocalStatus.FOLLOWING, path, progress, end, True)

    def _way(
        self,
        search: WindowSearch,
        x: float,
        y: float,
        path: NDArray[np.float64],
        progress: float,
        end: float,
        right: tuple[float, float] = (0.0, 0.0),
        cost: NDArray[np.float32] | None = None,
        company: Company | None = None,
    ) -> tuple[NDArray[np.float64], float] | None:
        """From the robot to the best aim that can be reached, and how far that is."""
        reach_m = max(self.radius_m + 0.6, self.courtesy.distance_m + 0.4)
        start = search.nearest_free(x, y, reach_m)
        if start is None:
            return None
        crossed = company is not None and company.is_crossed(right)
        for aim in aims(search, self.window, path, progress, right, beside=not crossed):
            goal_s, gx, gy = aim
            if cost is None:
                way = search.find(start, (gx, gy))
            else:
                way = search.find(start, (gx, gy), cost)
            if way is None:
                continue
            if start != (x, y):
                way = np.vstack([[x, y], way])
            stalled = goal_s - progress < 0.1 and math.hypot(gx - x, gy - y) < 0.1
            if stalled and goal_s < end - 1e-6:
                return None
            if crossed and length_of(way) > 1.35 * (goal_s - progress) + 0.3:
                # Who crosses will be gone sooner than a long way around is driven.
                return None
            return way, goal_s
        return None

    def _loyal(
        self,
        found: tuple[NDArray[np.float64], float] | None,
        x: float,
        y: float,
        company: Company | None,
        progress: float,
    ) -> tuple[NDArray[np.float64], float] | None:
        """The way of the last cycle, if the new one leads elsewhere for little.

        Two sides of a box are often equally long: who changes sides with every
        flicker of a laser drives to and fro before it.
        """
        if self.always_plan or self._taken is None or self._taken[1] <= progress:
            return found
        old, old_s = rest_of(self._taken[0], x, y), self._taken[1]
        if found is not None:
            new, new_s = found
            longer = length_of(new) - new_s - (length_of(old) - old_s)
            if longer <= LOYAL_M and not (longer > -LOYAL_M and leads_away(new, old)):
                return found
        blocked = self.window.blocked(self._tight, self._unknown_m - LOOSE_M)
        if company is not None:
            block_company(company, self.window, blocked, LOOSE_M, self.courtesy)
        loose = WindowSearch(self.window, blocked)
        ends = zip(old[:-1].tolist(), old[1:].tolist(), strict=True)
        if len(old) > 1 and all(loose.sees(*a, *b) for a, b in ends):
            return old, old_s
        return found

    def _direct(
        self,
        empty: NDArray[np.uint8],
        x: float,
        y: float,
        path: NDArray[np.float64],
        progress: float,
        end: float,
        found: tuple[NDArray[np.float64], float] | None,
        detour_m: float,
    ) -> bool:
        """Would there be a (much shorter) way if nobody were there."""
        if found is not None:
            way, goal_s = found
            if length_of(way) <= goal_s - progress + detour_m:
                return False
        search = WindowSearch(self.window, empty)
        alone = self._way(search, x, y, path, progress, end)
        if alone is None:
            return False
        farther = alone[1] > progress + 0.1 or alone[1] >= end - 1e-6
        if found is None:
            return farther
        left = found[1] - alone[1]
        return length_of(found[0]) > length_of(alone[0]) + left + detour_m


def _is_free(
    search: WindowSearch, x: float, y: float, path: NDArray[np.float64], at_m: float
) -> bool:
    """Can the next metres of a way be driven as they are."""
    passed = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(path, axis=0).T))])
    ahead = path[(passed >= at_m) & (passed <= at_m + FREE_AHEAD_M)]
    ahead = np.vstack([[x, y], ahead])
    ends = zip(ahead[:-1].tolist(), ahead[1:].tolist(), strict=True)
    return all(search.sees(*a, *b) for a, b in ends)


def rest_of(way: NDArray[np.float64], x: float, y: float) -> NDArray[np.float64]:
    """What is left of a way for a robot that is near it, from where it is."""
    at = look_along(way, x, y, 0.0, math.inf, 0.0)[0]
    passed = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(way, axis=0).T))])
    return np.vstack([[x, y], way[passed > at + 1e-9]])


def leads_away(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    """Do two ways from the same place part soon."""
    x, y = float(a[0, 0]), float(a[0, 1])
    one = look_along(a, x, y, 0.0, 0.0, 0.8)
    other = look_along(b, x, y, 0.0, 0.0, 0.8)
    return math.hypot(one[3] - other[3], one[4] - other[4]) > 0.4


def _inflated_cells(grid: Grid, margin_m: float) -> NDArray[np.uint8]:
    key = f"local_static_{margin_m:.6f}"
    cells: NDArray[np.uint8] | None = grid.prepared.get(key)
    if cells is None:
        cells = np.ascontiguousarray(grid.inflated(margin_m).cells)
        cells.flags.writeable = False
        grid.prepared[key] = cells
    return cells
