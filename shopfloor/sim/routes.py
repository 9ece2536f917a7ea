"""Ways around racks for robots that do not navigate for themselves.

The planners of ``shopfloor.planning`` are compiled, which takes half a minute on a
fresh machine; a simulator must answer at once. A hall has few corners, so a search
over them without a compiler is quick enough: what a corner sees is found when
somebody passes it and kept. All robots of a simulation share one of these.
"""

import heapq
import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shopfloor.sim.sensors import FREE, INSCRIBED, LETHAL, size_in_cells
from shopfloor.sim.vehicle import NoWay, Pose
from shopfloor.sim.world import Map

Cells = NDArray[np.bool_]
Points = NDArray[np.float64]
SPARE_M = 0.05
"""Further from obstacles than the radius, so that rounding never touches one."""
SAMPLES_PER_CELL = 2.0
MOST_SAMPLES = 2_000_000
MOST_CORNERS = 5_000
ESCAPE_RADII = 2.0
"""How far a robot that stands too close to something looks for room."""


class Routes:
    """Shortest ways over a map, by the radius of the robot."""

    def __init__(self, plan: Map, cells: Sequence[int]) -> None:
        """The cells are those of the map, row by row from the lower left corner."""
        self._plan = plan
        self._cells = cells
        self._floors: dict[float, _Floor] = {}

    def bends(self, start: Pose, goal: Pose, radius_m: float) -> tuple[Pose, ...]:
        """Where the way from start to goal turns. NoWay names why there is none."""
        for what, pose in (("start", start), ("goal", goal)):
            if not self._plan.contains(pose.x_m, pose.y_m):
                raise NoWay(f"{what}_outside")
        points = self._floor(radius_m).way((start.x_m, start.y_m), (goal.x_m, goal.y_m))
        return tuple(
            Pose(x, y, math.atan2(points[n + 2][1] - y, points[n + 2][0] - x))
            for n, (x, y) in enumerate(points[1:-1])
        )

    def costs(self, radius_m: float) -> list[int]:
        """What the map costs a robot, row by row from the lower left corner."""
        return self._floor(radius_m).costs()

    def cost_at(self, pose: Pose, radius_m: float) -> int:
        """What the map costs a robot there; outside is as dear as a wall."""
        if not self._plan.contains(pose.x_m, pose.y_m):
            return LETHAL
        return self._floor(radius_m).cost_at((pose.x_m, pose.y_m))

    def _floor(self, radius_m: float) -> "_Floor":
        floor = self._floors.get(radius_m)
        if floor is None:
            floor = self._floors[radius_m] = _Floor(
                self._plan, self._blocked(), radius_m
            )
        return floor

    def _blocked(self) -> Cells:
        """Only what is clearly free may be driven on: unknown cells are blocked."""
        cells = np.array(self._cells, np.int16)
        blocked: Cells = cells.reshape(size_in_cells(self._plan)[::-1]) != FREE
        return blocked


Spot = tuple[float, float]


class _Floor:
    """Where the middle of a robot of one radius may be."""

    def __init__(self, plan: Map, blocked: Cells, radius_m: float) -> None:
        self._unit_m = plan.resolution_m
        self._left_m, self._low_m = plan.origin.x_m, plan.origin.y_m
        self._rows, self._columns = blocked.shape
        self._reach_m = ESCAPE_RADII * radius_m
        around = math.ceil((radius_m + SPARE_M) / self._unit_m - 1e-9)
        self._solid = blocked
        self._taken = _grown(blocked, around, round_=True)
        # Grown by squares, a rack keeps its four corners; grown by discs each of
        # them becomes a staircase of bends. The latter serve where the former, which
        # need more room, leave no way.
        self._nets = [_Net(self, self._corners(_grown(blocked, around, round_=False)))]

    def costs(self) -> list[int]:
        near = np.where(self._taken, INSCRIBED, FREE)
        found: list[int] = np.where(self._solid, LETHAL, near).reshape(-1).tolist()
        return found

    def cost_at(self, spot: Spot) -> int:
        if self._is(self._solid, spot):
            return LETHAL
        return INSCRIBED if self._is(self._taken, spot) else FREE

    def way(self, start: Spot, goal: Spot) -> list[Spot]:
        """Start, bends, goal."""
        if self._is(self._taken, goal):
            raise NoWay("goal_blocked")
        begin = [start]
        if self._is(self._taken, start):
            begin.append(self._escape(start))
        for attempt in range(2):
            if attempt == len(self._nets):
                self._nets.append(_Net(self, self._corners(self._taken)))
            found = self._nets[attempt].search(begin[-1], goal)
            if found is not None:
                return begin[:-1] + self._straightened(found)
        raise NoWay("unreachable")

    def sees(self, spot: Spot, points: Points) -> Cells:
        """Which of the points a straight line from the spot reaches."""
        return self._clear(self._taken, spot, points)

    def _clear(self, taken: Cells, spot: Spot, points: Points) -> Cells:
        found = np.zeros(len(points), np.bool_)
        if not len(points):
            return found
        at = np.array(spot)
        longest_m = float(np.hypot(*(points - at).T).max())
        samples = math.ceil(longest_m / self._unit_m * SAMPLES_PER_CELL) + 2
        share = np.linspace(0.0, 1.0, samples)
        most = max(1, MOST_SAMPLES // samples)
        for first in range(0, len(points), most):
            some = points[first : first + most]
            column, row = (
                (at[axis] + share * (some[:, axis, None] - at[axis]) - low_m)
                / self._unit_m
                for axis, low_m in ((0, self._left_m), (1, self._low_m))
            )
            column = np.clip(column.astype(np.int32), 0, self._columns - 1)
            row = np.clip(row.astype(np.int32), 0, self._rows - 1)
            found[first : first + most] = ~taken[row, column].any(axis=1)
        return found

    def _is(self, cells: Cells, spot: Spot) -> bool:
        column = int((spot[0] - self._left_m) / self._unit_m)
        row = int((spot[1] - self._low_m) / self._unit_m)
        return bool(
            cells[
                min(self._rows - 1, max(0, row)), min(self._columns - 1, max(0, column))
            ]
        )

    def _escape(self, start: Spot) -> Spot:
        """The nearest spot with room around it that can be reached in a line."""
        if not self._is(self._solid, start):
            row, column = np.nonzero(~self._taken)
            points = self._middles(row, column)
            away_m = np.hypot(*(points - np.array(start)).T)
            near = np.flatnonzero(away_m <= self._reach_m)
            near = near[np.argsort(away_m[near], kind="stable")]
            clear = self._clear(self._solid, start, points[near])
            if clear.any():
                x_m, y_m = points[near[int(np.argmax(clear))]]
                return float(x_m), float(y_m)
        raise NoWay("start_blocked")

    def _straightened(self, way: list[Spot]) -> list[Spot]:
        """Without bends that a straight line makes needless."""
        kept = way[:1]
        for spot, following in pairwise(way[1:]):
            if not self.sees(kept[-1], np.array([following]))[0]:
                kept.append(spot)
        return [*kept, way[-1]]

    def _middles(self, row: NDArray[np.int64], column: NDArray[np.int64]) -> Points:
        return np.column_stack(
            (
                self._left_m + (column + 0.5) * self._unit_m,
                self._low_m + (row + 0.5) * self._unit_m,
            )
        )

    def _corners(self, taken: Cells) -> Points:
        """Free cells that touch an obstacle with a corner only."""
        free = ~taken
        found = np.zeros_like(taken)
        for up in (1, -1):
            for right in (1, -1):
                beside = _moved(free, 0, right)
                above = _moved(free, up, 0)
                across = _moved(taken, up, right)
                found |= free & beside & above & across
        return self._middles(*np.nonzero(found))[:MOST_CORNERS]


class _Net:
    """Corners and, once somebody has asked, which of them each one sees."""

    def __init__(self, floor: _Floor, corners: Points) -> None:
        self._floor = floor
        self._corners = corners
        self._seen: dict[int, tuple[NDArray[np.int64], Points]] = {}

    def search(self, start: Spot, goal: Spot) -> list[Spot] | None:
        if self._floor.sees(start, np.array([goal]))[0]:
            return [start, goal]
        corners = self._corners
        to_goal_m = np.hypot(*(corners - np.array(goal)).T)
        last = self._floor.sees(goal, corners)
        first = np.flatnonzero(self._floor.sees(start, corners))
        way_m = np.full(len(corners), math.inf)
        before = np.full(len(corners), -1)
        way_m[first] = np.hypot(*(corners[first] - np.array(start)).T)
        heap = [(float(way_m[n] + to_goal_m[n]), int(n)) for n in first]
        heapq.heapify(heap)
        done: set[int] = set()
        while heap:
            _, node = heapq.heappop(heap)
            if node in done:
                continue
            if last[node]:
                return [start, *self._back_from(node, before), goal]
            done.add(node)
            others, away_m = self._visible(node)
            through_m = way_m[node] + away_m
            for other, length_m in zip(others, through_m, strict=True):
                if length_m < way_m[other]:
                    way_m[other], before[other] = length_m, node
                    heapq.heappush(heap, (float(length_m + to_goal_m[other]), other))
        return None

    def _back_from(self, node: int, before: NDArray[np.int64]) -> list[Spot]:
        spots = []
        while node >= 0:
            x_m, y_m = self._corners[node]
            spots.append((float(x_m), float(y_m)))
            node = int(before[node])
        return spots[::-1]

    def _visible(self, node: int) -> tuple[NDArray[np.int64], Points]:
        known = self._seen.get(node)
        if known is None:
            x_m, y_m = self._corners[node]
            others = np.flatnonzero(
                self._floor.sees((float(x_m), float(y_m)), self._corners)
            )
            away_m = np.hypot(*(self._corners[others] - self._corners[node]).T)
            known = self._seen[node] = (others, away_m)
        return known


def _moved(cells: Cells, up: int, right: int) -> Cells:
    """What each cell finds that far up and to the right; nothing beyond the map."""
    rows, columns = cells.shape
    found = np.zeros_like(cells)
    found[max(0, -up) : rows - max(0, up), max(0, -right) : columns - max(0, right)] = (
        cells[max(0, up) : rows - max(0, -up), max(0, right) : columns - max(0, -right)]
    )
    return found


def _grown(blocked: Cells, around: int, *, round_: bool) -> Cells:
    """Obstacles that many cells thicker on every side."""
    rows, columns = blocked.shape
    counts = np.zeros((rows, columns + 2 * around + 1), np.int32)
    counts[:, around + 1 : around + 1 + columns] = blocked
    counts = counts.cumsum(axis=1, dtype=np.int32)
    found = np.zeros_like(blocked)
    for up in range(-around, around + 1):
        wide = math.isqrt(around * around - up * up) if round_ else around
        right = counts[:, around + wide + 1 : around + wide + 1 + columns]
        left = counts[:, around - wide : around - wide + columns]
        found |= _moved(right > left, up, 0)
    return found
