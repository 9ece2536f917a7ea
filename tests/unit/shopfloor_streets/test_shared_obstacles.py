"""Vehicles tell each other over the bridge what no map shows, and share the map."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from fleet.bodies.file import load_vehicle
from shopfloor.cli import find_world
from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.maneuvers.grid_way import grid_way
from shopfloor.maneuvers.scene import Obstacles, Way, gap_then
from shopfloor.sim.clock import ManualClock
from shopfloor.sim.vehicle import Pose as SimPose
from shopfloor.streets.served import StreetRobot, StreetSimulation
from shopfloor.streets.world import load_streets

NOTHING = np.empty((0, 4))


def far_from(points: NDArray[np.float64], x_m: float, y_m: float) -> float:
    return float(np.hypot(points[:, 0] - x_m, points[:, 1] - y_m).min(initial=99.0))


@pytest.mark.covers("Z37", "Z38")
def test_what_only_the_vehicle_saw_is_driven_around_by_the_robot() -> None:
    streets = load_streets(Path(find_world("urban")))
    clock = ManualClock()
    town = StreetSimulation(streets, clock=clock)
    car, robot = town.robots["hydro"], town.robots["zebrat"]
    assert isinstance(car, StreetRobot)
    assert isinstance(robot, StreetRobot)
    there, here = car.vehicle.driver, robot.vehicle.driver
    assert there is not None
    assert here is not None
    there.put(Pose(11.0, 18.3, 0.0))
    there._look()  # a crate that is on no map lies at 13.0, 14.6
    assert far_from(there.seen_m, 13.0, 14.6) < 0.7
    assert far_from(here.seen_m, 13.0, 14.6) > 5.0
    for _ in range(30):
        clock.advance(0.1)
        town.step()
    told = here.seen_m
    assert far_from(told, 13.0, 14.6) < 0.7
    grid = town.graph.topics["/hydro/map"].latched
    assert grid is not None
    info = grid.message["info"]
    cells = np.array(grid.message["data"]).reshape(info["height"], info["width"])
    shared = Grid.of((cells != 0).astype(np.uint8), info["resolution"], (0.0, 0.0, 0.0))
    zebrat = load_vehicle("zebrat")
    start, goal = Pose(9.0, 14.6), Pose(18.0, 14.6)
    blind = grid_way(zebrat, shared, start, goal)
    warned = grid_way(zebrat, shared, start, goal, Obstacles.of(points=told))
    discs = Obstacles.of(points=told).discs

    def nearest_m(way: Way) -> float:
        return min(
            float(gap_then(x, y, yaw, 0.0, zebrat.outline, NOTHING, discs, 9.0))
            for x, y, yaw, _ in way.poses
        )

    # Who looks at the map sees that the robot keeps clear of it.
    robot.vehicle.pose = SimPose(12.0, 14.6)
    costs = robot._costmap()
    row, column = (round(10.0 * far) for far in (14.6 - 12.6, 13.0 - 10.0))
    around = np.array(costs["data"]).reshape(40, 40)[row - 6 : row + 6, column - 6 :]
    assert around.max() == 100
    here._seen.clear()
    costs = robot._costmap()
    around = np.array(costs["data"]).reshape(40, 40)[row - 6 : row + 6, column - 6 :]
    assert around.max() == 0
    assert nearest_m(blind) == 0.0
    assert far_from(warned.poses, 13.0, 14.6) > far_from(blind.poses, 13.0, 14.6) + 0.3
