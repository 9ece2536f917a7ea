"""One call for every planner: a path between two points, or the cause why not.

``auto`` takes what is fastest and safe: the field of a prepared station, else the
corner graph, else (clutter, where a graph does not pay) Lazy Theta*.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from shopfloor.grid.occupancy import Grid
from shopfloor.planning.chains import (
    chain,
    points_along,
    without_waypoints_in_line,
)
from shopfloor.planning.corner_graph import CornerGraph, TooManyCorners
from shopfloor.planning.d_star_lite import DStarLite
from shopfloor.planning.goal_field import NO_COSTS
from shopfloor.planning.grid_search_kernel import search_cells
from shopfloor.planning.lazy_theta_kernel import NOWHERE, lazy_theta
from shopfloor.planning.paths import Path, Status, TuningRefused, UnknownMethod
from shopfloor.planning.places import Place, place
from shopfloor.planning.roads import roads_of
from shopfloor.planning.strings import pulled
from shopfloor.planning.workspace import workspace

METHODS = (
    "auto",
    "lazy_theta",
    "corner_graph",
    "goal_field",
    "a_star",
    "dijkstra",
    "d_star_lite",
)


@dataclass(frozen=True, slots=True)
class Tuning:
    """Lazy Theta* only; by default the plain algorithm searches."""

    cost_weight: float = 0.0
    """How much dearer a metre beside an obstacle is; 0 asks for the shortest way."""
    cost_falloff_m: float = 1.0
    """Where obstacles stop making the way dearer."""
    goal_weight: float = 1.0
    """Above 1 the search hurries to the goal and the path may be longer."""
    sight_limit_m: float = math.inf
    """No straight piece is longer. Costs count at the ends of a piece only, so with
    a cost weight about 1 m keeps them honest."""
    tighten: bool = True
    """Pull the path found tight around the corners it goes around; false leaves its
    bends at the centres of cells. Never done with a cost weight or a sight limit."""

    @property
    def shortest(self) -> bool:
        return self.cost_weight == 0.0 and math.isinf(self.sight_limit_m)

    def __post_init__(self) -> None:
        for name, value, least in (
            ("cost weight", self.cost_weight, 0.0),
            ("goal weight", self.goal_weight, 1.0),
        ):
            if not (math.isfinite(value) and value >= least):
                raise TuningRefused(f"the {name} is {least:g} or more, not {value}")
        for name, value in (
            ("cost falloff", self.cost_falloff_m),
            ("sight limit", self.sight_limit_m),
        ):
            if not value > 0.0:
                raise TuningRefused(f"the {name} is above 0 m, not {value}")
        if math.isinf(self.cost_falloff_m):
            raise TuningRefused("the cost falloff is a finite distance")


PLAIN = Tuning()
HURRIED = Tuning(goal_weight=1.05)
"""In clutter the plain search opens half the map; this one is many times as fast and
its paths are longer by about a thousandth."""


def plan(
    grid: Grid,
    start: tuple[float, float],
    goal: tuple[float, float],
    method: str = "auto",
    tuning: Tuning = PLAIN,
) -> Path:
    """A path in metres that touches no blocked cell; statuses name what is wrong.

    The same call on the same prepared map gives the same path, always.
    """
    if method not in METHODS:
        raise UnknownMethod(
            f"there is no planner {method!r}; there are {', '.join(METHODS)}"
        )
    if method == "d_star_lite":
        return DStarLite(grid, goal).plan(start)
    here = place(grid, start, "start")
    if isinstance(here, Status):
        return Path(here, method)
    there = place(grid, goal, "goal")
    if isinstance(there, Status):
        return Path(there, method)
    if grid.part[here.cell] != grid.part[there.cell]:
        return Path(Status.UNREACHABLE, method)
    if method == "auto":
        return _fastest(grid, here, there)
    if method == "corner_graph":
        return _over_corners(grid, roads_of(grid).graph(), here, there)
    if method == "goal_field":
        return _along_field(grid, here, there)
    if method == "lazy_theta":
        return _lazily(grid, here, there, tuning)
    return _over_cells(grid, here, there, method)


def prepare(grid: Grid, stations: Iterable[tuple[float, float]] = ()) -> None:
    """Do beforehand what ``auto`` needs: the graph, and a field per station.

    From then on ``auto`` drives to the stations along their fields.
    A station outside the map or in an obstacle is refused with its cause.
    """
    cells = []
    for station in stations:
        there = place(grid, station, "goal")
        if isinstance(there, Status):
            raise StationRefused(f"a station at {station} is no goal: {there.value}")
        cells.append(there.cell)
    roads = roads_of(grid)
    try:
        roads.graph()
    except TooManyCorners:
        _ = grid.part
    for cell in cells:
        roads.field(cell)
        roads.stations.add(cell)


class StationRefused(ValueError):
    """A station that no robot can reach."""


def _fastest(grid: Grid, here: Place, there: Place) -> Path:
    roads = roads_of(grid)
    if there.cell in roads.stations:
        return _along_field(grid, here, there)
    try:
        graph = roads.graph()
    except TooManyCorners:
        return _lazily(grid, here, there, HURRIED)
    return _over_corners(grid, graph, here, there)


def _over_corners(grid: Grid, graph: CornerGraph, here: Place, there: Place) -> Path:
    xy, length_m, expansions, checks = graph.search_metres(
        here.x, here.y, there.x, there.y
    )
    if len(xy) == 0:
        # The two are connected, so the fault would be the graph's: never strand a
        # robot over it.
        return _lazily(grid, here, there, PLAIN)
    return Path(Status.OK, "corner_graph", xy, length_m, expansions, checks)


def _along_field(grid: Grid, here: Place, there: Place) -> Path:
    found = (
        roads_of(grid)
        .field(there.cell)
        .follow(here.cell, here.x, here.y, there.x, there.y)
    )
    if found is None:
        return Path(Status.UNREACHABLE, "goal_field")
    points, length = found
    return Path(
        Status.OK, "goal_field", grid.to_metres(points), length * grid.resolution_m
    )


def _lazily(grid: Grid, here: Place, there: Place, tuning: Tuning) -> Path:
    tables = workspace(grid.blocked.size)
    layer = NO_COSTS
    if tuning.cost_weight > 0.0:
        layer = roads_of(grid).layer(tuning.cost_falloff_m)
    reached, expansions, checks = lazy_theta(
        grid.run_x,
        grid.run_y,
        grid.stride,
        here.cell,
        there.cell,
        layer,
        tuning.cost_weight,
        tuning.goal_weight,
        tuning.sight_limit_m / grid.resolution_m,
        tables.cost,
        tables.parent,
        tables.stamp,
        tables.next_stamp(),
    )
    if reached == NOWHERE:
        return Path(Status.UNREACHABLE, "lazy_theta", expansions=expansions)
    cells = chain(tables.parent, there.cell)[::-1].copy()
    points, length = points_along(
        grid.run_x, grid.run_y, grid.stride, cells, here.x, here.y, there.x, there.y
    )
    if tuning.tighten and tuning.shortest:
        points, length = pulled(grid.run_x, grid.run_y, grid.stride, points)
    return Path(
        Status.OK,
        "lazy_theta",
        grid.to_metres(points),
        length * grid.resolution_m,
        expansions,
        checks,
    )


def _over_cells(grid: Grid, here: Place, there: Place, method: str) -> Path:
    tables = workspace(grid.blocked.size)
    reached, expansions = search_cells(
        grid.run_x,
        grid.stride,
        here.cell,
        there.cell,
        1.0 if method == "a_star" else 0.0,
        tables.cost,
        tables.parent,
        tables.stamp,
        tables.next_stamp(),
    )
    if reached == NOWHERE:
        return Path(Status.UNREACHABLE, method, expansions=expansions)
    cells = chain(tables.parent, there.cell)[::-1].copy()
    points, length = points_along(
        grid.run_x,
        grid.run_y,
        grid.stride,
        without_waypoints_in_line(cells, grid.stride),
        here.x,
        here.y,
        there.x,
        there.y,
    )
    return Path(
        Status.OK,
        method,
        grid.to_metres(points),
        length * grid.resolution_m,
        expansions,
    )
