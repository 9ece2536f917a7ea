"""Compiling the kernels of lasers and localisation before a robot waits for them."""

import numpy as np

from shopfloor.geometry import Odometry, Pose
from shopfloor.grid import Grid
from shopfloor.lasers import (
    Laser,
    box_segments,
    cast,
    cast_segments,
    simulate_scan,
)
from shopfloor.localisation.amcl import Amcl, Tuning
from shopfloor.localisation.field import explained_beams
from shopfloor.localisation.mapping import MapBuilder


def warm_up() -> None:
    cells = np.zeros((40, 60), np.bool_)
    cells[0], cells[-1], cells[:, 0], cells[:, -1] = True, True, True, True
    cells[10:14, 20:30] = True
    grid = Grid.of(cells, 0.1)
    random = np.random.default_rng(0)
    pose, box = Pose(1.5, 2.0, 0.3), box_segments(4.0, 3.0, 0.4, 0.4)
    scan = simulate_scan(grid, pose, Laser(beams=61), random, box, [[3.0, 2.0, 0.1]])
    cast(grid, pose, scan.angles_rad, 5.0)
    cast_segments(box, [], pose, scan.angles_rad, 5.0)
    explained_beams(grid, pose, scan)
    MapBuilder(2.0, 2.0).add(pose, scan)
    for holonomic in (True, False):
        amcl = Amcl(grid, random, pose, Tuning(holonomic=holonomic))
        amcl.relocalise([scan])
        for i in range(3):
            amcl.update(float(i), Odometry(Pose(0.1 * i, 0.0)), [scan])
