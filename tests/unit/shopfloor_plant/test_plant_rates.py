"""A whole mission of a differential robot: how often it looks, and how well it knows.

Everything is counted in the time of the simulation, so a slow machine changes nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import pytest

from shopfloor.grid import Grid
from shopfloor.pilot import Pilot
from shopfloor.plant import STEP_S, MissionReport, Plant, drive_mission, stops_of
from shopfloor.sim.world import World

SEED = 5


@dataclass
class Driven:
    report: MissionReport
    seconds: float
    driving_s: float
    checks: int
    plans: int


@pytest.fixture(scope="module")
def driven(arco_lab: World, lab_grid: Grid) -> Driven:
    robot = replace(arco_lab.robots[0], drive="differential")
    plant = Plant(replace(arco_lab, robots=(robot,)), SEED, grid=lab_grid)
    pilot = plant.robots[0].pilot
    assert isinstance(pilot, Pilot)
    driving = 0

    def count(plant: Plant) -> None:
        nonlocal driving
        driving += pilot.goal is not None

    stops = stops_of(arco_lab.places)
    report = drive_mission(plant, stops, payload_kg=50.0, dwell_s=0.5, observe=count)
    return Driven(
        report,
        plant.now_s,
        driving * STEP_S,
        pilot.intake.checks,
        pilot.guide.cycles,
    )


@pytest.mark.covers("A29")
def test_the_local_planner_runs_twenty_times_a_second_over_a_mission(
    driven: Driven,
) -> None:
    assert driven.report.ok
    assert driven.driving_s > 60.0
    assert driven.plans / driven.driving_s >= 20.0


@pytest.mark.covers("A35")
def test_the_emergency_stop_looks_forty_times_a_second_over_a_mission(
    driven: Driven,
) -> None:
    assert driven.checks / driven.seconds >= 40.0 - 1e-6


@pytest.mark.covers("A22", "A23")
def test_a_differential_robot_knows_its_place_and_heading_all_the_way(
    driven: Driven,
) -> None:
    print(f"seed {SEED}")
    assert driven.report.amcl.worst_m < 0.1
    assert math.degrees(driven.report.amcl_rad.worst_m) < 3.0
    assert driven.report.odometry.worst_m > 3.0 * driven.report.amcl.worst_m


@pytest.mark.covers("A68")
def test_without_obstacles_the_mission_is_as_long_as_its_straight_lines(
    driven: Driven,
) -> None:
    assert driven.report.distance_m == pytest.approx(62.7, rel=0.03)
    assert driven.report.nearest_wall_m > 0.2
