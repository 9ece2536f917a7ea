"""Ways of planners that know only a map and a radius, not how a vehicle turns.

Dijkstra and A* over the cells, as ordinary navigation stacks use them: the vehicle is a
disc as wide as its hull. Whether it can follow is left to the local planner.
"""

from __future__ import annotations

import numpy as np

from fleet.bodies.model import Vehicle
from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.maneuvers.scene import Obstacles, Way
from shopfloor.planning import plan
from shopfloor.vehicles.errors import GoalUnreachable, SceneWrong


def with_discs(grid: Grid, obstacles: Obstacles) -> Grid:
    """The map and round things that it does not show."""
    if not len(obstacles.discs):
        return grid
    cells = grid.cells.copy()
    left, low, _ = grid.origin
    for x, y, radius, _, _ in obstacles.discs:
        reach = max(radius, grid.resolution_m / 2.0)
        columns = np.arange(
            int((x - reach - left) / grid.resolution_m),
            int((x + reach - left) / grid.resolution_m) + 1,
        )
        rows = np.arange(
            int((y - reach - low) / grid.resolution_m),
            int((y + reach - low) / grid.resolution_m) + 1,
        )
        columns = columns[(columns >= 0) & (columns < grid.width)]
        rows = rows[(rows >= 0) & (rows < grid.height)]
        cells[np.ix_(rows, columns)] = 1
    return Grid.of(cells, grid.resolution_m, grid.origin)


def grid_way(
    vehicle: Vehicle,
    grid: Grid,
    start: Pose,
    goal: Pose,
    obstacles: Obstacles | None = None,
    method: str = "a_star",
) -> Way:
    """GoalUnreachable: no way is as wide as the vehicle. SceneWrong: no numbers."""
    if not (start.is_finite and goal.is_finite):
        raise SceneWrong(f"a way from {start} to {goal} has no numbers")
    known = grid if obstacles is None else with_discs(grid, obstacles)
    # Beside a wall the vehicle's own cell is inflated away while it stands there.
    free = known.inflated(vehicle.half_width_m)
    here = free.nearest_free(start.x_m, start.y_m, 1.0)
    there = free.nearest_free(goal.x_m, goal.y_m, 0.3)
    if here is None or there is None:
        end = "start" if here is None else "goal"
        raise GoalUnreachable(f"{vehicle.name} does not fit at the {end}")
    path = plan(free, here, there, method)
    if not path.ok:
        raise GoalUnreachable(
            f"no way for {vehicle.name} to {goal.x_m:.1f}, {goal.y_m:.1f}: "
            f"{path.status.value}"
        )
    points = path.xy if len(path.xy) > 1 else np.array([here, there])
    return Way.along(points)
