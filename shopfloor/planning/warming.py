"""Compiling every kernel before the first robot asks.

The compiler takes some twenty seconds once per machine; afterwards its results come
from disk in well under a second. A start-up or an installer calls this.
"""

import numpy as np

from shopfloor.grid.occupancy import Grid
from shopfloor.planning.d_star_lite import DStarLite
from shopfloor.planning.planner import METHODS, Tuning, plan
from shopfloor.planning.validator import find_faults


def warm_up() -> None:
    cells = np.zeros((24, 24), np.bool_)
    cells[8:12, 4:20] = True
    grid = Grid.of(cells, 0.5).inflated(0.5)
    start, goal = (5.0, 2.0), (6.0, 9.0)
    for method in METHODS:
        path = plan(grid, start, goal, method)
        find_faults(grid, path, start, goal)
    plan(grid, start, goal, "lazy_theta", Tuning(cost_weight=1.0, sight_limit_m=1.0))
    replanner = DStarLite(grid, goal)
    replanner.plan(start)
    replanner.mark([(12, 2)])
    replanner.plan(start)
