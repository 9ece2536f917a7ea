"""Hybrid A*: a way that a vehicle with this turning radius can really drive.

Forwards and backwards, around what is known, on the ground that the vehicle prefers,
and exactly to the pose asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fleet.bodies.model import Vehicle
from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.maneuvers.grid_way import with_discs
from shopfloor.maneuvers.lattice_kernel import cost_to_goal, search_poses
from shopfloor.maneuvers.reeds_shepp import PIECES
from shopfloor.maneuvers.scene import SPACING_M, Obstacles, Way, gap_then
from shopfloor.vehicles.errors import GoalUnreachable, SceneWrong
from shopfloor.vehicles.motion import along_arc

MARGIN_M = 0.04
CELLS = 12_000_000
"""Of place and heading together; larger maps get larger cells."""
HEADINGS = 72


@dataclass(frozen=True, slots=True)
class Search:
    reverse_cost: float = 1.6
    turn_cost_m: float = 0.5
    """What a change of direction costs, in metres."""
    lock_share: float = 0.92
    """Of the steering; the rest is left to whoever follows the way."""
    most_nodes: int = 400_000
    margin_m: float = MARGIN_M
    finer: float = 1.0
    """Divides the size of the cells."""


NARROW = Search(lock_share=0.99, margin_m=MARGIN_M, finer=2.0, most_nodes=1_500_000)
"""Asked when the usual search finds nothing."""


@dataclass(frozen=True)
class FoundWay:
    way: Way
    expanded: int


def find_way(
    vehicle: Vehicle,
    grid: Grid,
    start: Pose,
    goal: Pose,
    obstacles: Obstacles,
    costs: NDArray[np.float32] | None = None,
    search: Search | None = None,
) -> FoundWay:
    """GoalUnreachable names why there is none. SceneWrong: no numbers.

    ``costs`` is by row and column of the grid: what a metre costs there. Unless a
    search is given, a fine one with full lock follows where the usual one fails.
    """
    if not (start.is_finite and goal.is_finite):
        raise SceneWrong(f"a way from {start} to {goal} has no numbers")
    outline, walls, discs = vehicle.outline, obstacles.walls, obstacles.discs
    there = (goal.x_m, goal.y_m, goal.yaw_rad)
    if not grid.holds(*grid.to_cells(goal.x_m, goal.y_m)):
        raise GoalUnreachable(f"{goal.x_m:.1f}, {goal.y_m:.1f} lies outside the map")
    if not grid.holds(*grid.to_cells(start.x_m, start.y_m)):
        raise GoalUnreachable(f"{vehicle.name} stands outside the map")
    if gap_then(*there, 0.0, outline, walls, discs, 1.0) < MARGIN_M:
        raise GoalUnreachable(
            f"{vehicle.name} does not fit at {goal.x_m:.1f}, {goal.y_m:.1f}: "
            "something stands there"
        )
    left = _left_to_drive(vehicle, grid, goal, obstacles, costs)
    row, column = _cell(grid, start)
    if not math.isfinite(left[row, column]):
        raise GoalUnreachable(
            f"no way for {vehicle.name} to {goal.x_m:.1f}, {goal.y_m:.1f}: "
            "none is as wide as it is"
        )
    ground = _ones(grid) if costs is None else costs
    expanded, cut_short = 0, False
    for one in (search,) if search else (Search(), NARROW):
        found, tried = _searched(
            vehicle, grid, start, goal, obstacles, ground, left, one
        )
        expanded += tried
        if found is not None:
            return FoundWay(found, expanded)
        cut_short = tried >= one.most_nodes
    place = f"{goal.x_m:.1f}, {goal.y_m:.1f}"
    if cut_short:
        raise GoalUnreachable(
            f"no way for {vehicle.name} to {place} found among {expanded} poses"
        )
    raise GoalUnreachable(
        f"no way for {vehicle.name} to {place}: it cannot turn there with a radius of "
        f"{vehicle.turning_radius_m:.2f} m ({expanded} poses tried)"
    )


def _searched(
    vehicle: Vehicle,
    grid: Grid,
    start: Pose,
    goal: Pose,
    obstacles: Obstacles,
    costs: NDArray[np.float32],
    left: NDArray[np.float64],
    search: Search,
) -> tuple[Way | None, int]:
    lock = search.lock_share * vehicle.limits.steering_rad
    radius_m = vehicle.dimensions.wheel_base_m / math.tan(lock)
    area_m2 = grid.width * grid.height * grid.resolution_m**2
    cell_m = min(max(radius_m / 3.0, 0.1), 0.5) / search.finer
    cell_m = max(cell_m, math.sqrt(area_m2 * HEADINGS / CELLS))
    arc_m = 1.5 * cell_m
    lengths, turns = np.zeros(PIECES), np.zeros(PIECES)
    nodes, parents, last, expanded = search_poses(
        np.array([start.x_m, start.y_m, start.yaw_rad]),
        np.array([goal.x_m, goal.y_m, goal.yaw_rad]),
        np.array([-1.0, -0.5, 0.0, 0.5, 1.0]) / radius_m,
        np.array(
            [
                arc_m,
                radius_m,
                min(0.1, cell_m),
                search.reverse_cost,
                search.turn_cost_m,
                search.margin_m,
                cell_m,
            ]
        ),
        vehicle.outline,
        obstacles.walls,
        obstacles.discs,
        left,
        costs,
        np.array(grid.origin[:2]),
        grid.resolution_m,
        search.most_nodes,
        lengths,
        turns,
    )
    if last < 0:
        return None, expanded
    return _way(nodes, parents, last, arc_m, lengths, turns), expanded


def _ones(grid: Grid) -> NDArray[np.float32]:
    return np.ones((grid.height, grid.width), np.float32)


def _cell(grid: Grid, pose: Pose) -> tuple[int, int]:
    x, y = grid.to_cells(pose.x_m, pose.y_m)
    return int(y) - 1, int(x) - 1


def _left_to_drive(
    vehicle: Vehicle,
    grid: Grid,
    goal: Pose,
    obstacles: Obstacles,
    costs: NDArray[np.float32] | None,
) -> NDArray[np.float64]:
    """The rear axle's middle is never nearer to a wall than the hull allows."""
    known = with_discs(grid, obstacles)
    inside_m = min(vehicle.half_width_m, -vehicle.back_m)
    room_m = max(inside_m - 1.5 * grid.resolution_m, 0.0)
    free = known.inflated(room_m)
    row, column = _cell(grid, goal)
    return np.asarray(
        cost_to_goal(
            np.ascontiguousarray(free.cells),
            _ones(grid) if costs is None else costs,
            row,
            column,
            grid.resolution_m,
        )
    )


def _way(
    nodes: NDArray[np.float64],
    parents: NDArray[np.int32],
    last: int,
    arc_m: float,
    lengths: NDArray[np.float64],
    bends: NDArray[np.float64],
) -> Way:
    chain = [last]
    while parents[chain[-1]] >= 0:
        chain.append(int(parents[chain[-1]]))
    pieces = [(nodes[n, 4] * arc_m, nodes[n, 5]) for n in chain[-2::-1]]
    pieces += [(lengths[i], bends[i]) for i in range(PIECES) if abs(lengths[i]) > 1e-6]
    x, y, yaw = (float(v) for v in nodes[chain[-1], :3])
    first = 1.0 if not pieces else math.copysign(1.0, pieces[0][0])
    rows = [(x, y, yaw, first)]
    for length, bend in pieces:
        direction = math.copysign(1.0, length)
        if direction != rows[-1][3]:
            # Where it turns round, one leg ends and the next begins.
            rows.append((x, y, yaw, direction))
        steps = max(1, math.ceil(abs(length) / SPACING_M))
        for step in range(1, steps + 1):
            at = along_arc(x, y, yaw, length * step / steps, bend)
            rows.append((*at, direction))
        x, y, yaw = along_arc(x, y, yaw, length, bend)
    if len(rows) == 1:
        rows.append(rows[0])
    return Way(np.array(rows))
