"""Compiling every kernel of the on-board loop before the first robot drives.

The compiler takes most of a minute once per machine; a robot that meets its first box
must not wait for it.
"""

import math

import numpy as np

from shopfloor.control.limits import RobotLimits
from shopfloor.geometry import Pose, TagSeen
from shopfloor.grid import Grid
from shopfloor.lasers import box_segments, front_and_rear, simulate_scan
from shopfloor.local.peers import Peer
from shopfloor.pilot import Pilot, PilotSettings
from shopfloor.pilot.making_way import MakingWay


def warm_up() -> None:
    cells = np.zeros((60, 120), np.bool_)
    cells[:1], cells[-1:], cells[:, :1], cells[:, -1:] = True, True, True, True
    grid = Grid.of(cells, 0.1)
    random = np.random.default_rng(0)
    lasers = front_and_rear(ahead_m=0.25, beams=91)
    far, near = box_segments(5.0, 3.0, 0.4, 0.4), box_segments(2.6, 3.0, 0.4, 0.4)
    person = TagSeen("1", 6.0, 3.0, 0.1, -0.5, 0.0)
    robot = Peer(TagSeen("2", 3.5, 3.0, 0.1), 0.3, goes_first=True)
    scenes = [(far, ()), (far, (person,)), (far, ()), (near, ()), (near, ())]
    MakingWay(grid.inflated(0.36), 0.3).begin(0.0, Pose(2.0, 3.0), [robot])
    for settings in (PilotSettings(), PilotSettings(controller="dwa")):
        pilot = Pilot(grid, RobotLimits(), settings=settings)
        pilot.set_goal(10.0, 3.0, 0.0)
        for second, (box, people) in enumerate(scenes):
            for shift_m in (0.0, 0.2, 0.4, 0.6, 0.8):
                pose = Pose(2.0 + shift_m, 3.0, 0.1 * math.pi)
                scans = [simulate_scan(grid, pose, one, random, box) for one in lasers]
                pilot.step(5.0 * second + shift_m, pose, None, scans, people)
        pilot.routes.remember(pilot.planner.window.marked_points_m(), 30.0)
        pilot.routes.find(Pose(2.0, 3.0), Pose(10.0, 3.0), 30.0)
