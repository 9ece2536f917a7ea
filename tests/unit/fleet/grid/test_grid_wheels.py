"""Traffic with robots that turn, accelerate and stop for a while: no overlap ever."""

from __future__ import annotations

import pytest

from fleet.grid.floor import Cell, Floor
from fleet.grid.kinematics import Drive
from fleet.grid.traffic import GridTraffic
from tests.support.wheeled_robots import CELL_M, WheeledRobots

DEMONSTRATOR = Drive(0.5, -0.5, 0.21, 5.5)
"""Motors and cells of the demonstrator: 36 cells of 0.45 m, four robots."""
DIAMETER_M = CELL_M - 1e-6
"""A robot may be as wide as its cell."""
HOUR_S = 3600.0
DAY_S = 24 * HOUR_S


def demonstrator(seed: int) -> tuple[WheeledRobots, list[Cell]]:
    floor = Floor.drawn(*["......"] * 6)
    robots = WheeledRobots(GridTraffic(floor, seed=seed), DEMONSTRATOR, seed)
    for number in range(4):
        robots.put(f"r{number}", (number, 0))
    return robots, [floor.cell_of(n) for n in range(floor.count)]


def drive(duration_s: float) -> WheeledRobots:
    robots, cells = demonstrator(seed=83)
    robots.run_for(duration_s, cells, delays=0.01)
    assert robots.nearest_m >= DIAMETER_M
    assert robots.traffic.counts.jams_unsolved == 0
    return robots


@pytest.mark.covers("R85")
def test_wheels_never_touch_in_ten_minutes_with_delays() -> None:
    robots = drive(HOUR_S / 6)
    assert robots.reached > 40
    assert robots.longest_run > 1
    assert robots.nearest_m < 2 * CELL_M


@pytest.mark.soak
@pytest.mark.covers("R83", "R90")
def test_wheels_never_touch_in_a_day_with_delays() -> None:
    robots = drive(DAY_S)
    assert robots.reached > 144 * 40
