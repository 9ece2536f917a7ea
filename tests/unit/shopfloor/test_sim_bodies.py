"""Robots on straight lines never stand inside each other."""

from __future__ import annotations

import random

from shopfloor.sim.simulation import TOUCH_M, Simulation
from shopfloor.sim.vehicle import Pose

SPOT = Pose(7.0, 3.0)
ROUNDS = 1500
TICK_S = 0.05


def drive(simulation: Simulation, rounds: int = ROUNDS) -> float:
    """Let time pass; how near the two came to each other."""
    rng = random.Random(0)
    one, two = simulation.robots["robot1"], simulation.robots["robot2"]
    nearest_m = one.vehicle.pose.distance_to(two.vehicle.pose)
    for _ in range(rounds):
        simulation.tick(TICK_S, rng)
        gap_m = one.vehicle.pose.distance_to(two.vehicle.pose)
        nearest_m = min(nearest_m, gap_m)
    return nearest_m


def test_the_second_of_two_robots_with_one_target_stops_short_until_it_is_free(
    simulation: Simulation,
) -> None:
    one, two = simulation.robots["robot1"], simulation.robots["robot2"]
    bodies_m = one.spec.radius_m + two.spec.radius_m - TOUCH_M
    one.vehicle.head_for(SPOT)
    two.vehicle.head_for(SPOT)
    assert drive(simulation) >= bodies_m
    assert sorted([one.vehicle.arrived, two.vehicle.arrived]) == [False, True]
    first, second = (one, two) if one.vehicle.arrived else (two, one)
    first.vehicle.head_for(None)
    assert drive(simulation, 100) >= bodies_m
    assert second.vehicle.target == SPOT
    first.vehicle.head_for(Pose(7.0, 8.0))
    drive(simulation)
    assert second.vehicle.arrived


def test_robots_park_side_by_side(simulation: Simulation) -> None:
    one, two = simulation.robots["robot1"], simulation.robots["robot2"]
    bodies_m = one.spec.radius_m + two.spec.radius_m
    two.vehicle.pose = Pose(SPOT.x_m, SPOT.y_m + bodies_m - 0.005)
    one.vehicle.head_for(SPOT)
    drive(simulation)
    assert one.vehicle.arrived
