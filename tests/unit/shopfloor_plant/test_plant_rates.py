"""A differential robot on its way: how often it looks, and how well it knows.

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


def drive(arco_lab: World, lab_grid: Grid, stops: list[str]) -> Driven:
    robot = replace(arco_lab.robots[0], drive="differential")
    plant = Plant(replace(arco_lab, robots=(robot,)), SEED, grid=lab_grid)
    pilot = plant.robots[0].pilot
    assert isinstance(pilot, Pilot)
    driving = 0

    def count(plant: Plant) -> None:
        nonlocal driving
        driving += pilot.goal is not None

    report = drive_mission(plant, stops, payload_kg=50.0, dwell_s=0.5, observe=count)
    return Driven(
        report,
        plant.now_s,
        driving * STEP_S,
        pilot.intake.checks,
        pilot.guide.cycles,
    )


@pytest.fixture(scope="module")
def leg(arco_lab: World, lab_grid: Grid) -> Driven:
    return drive(arco_lab, lab_grid, ["A"])


@pytest.fixture(scope="module")
def mission(arco_lab: World, lab_grid: Grid) -> Driven:
    return drive(arco_lab, lab_grid, stops_of(arco_lab.places))


@pytest.fixture(
    scope="module",
    params=[("leg", 5.0), pytest.param(("mission", 60.0), marks=pytest.mark.soak)],
    ids=["leg", "mission"],
)
def driven(request: pytest.FixtureRequest) -> Driven:
    way, least_s = request.param
    found: Driven = request.getfixturevalue(way)
    assert found.driving_s > least_s
    return found


@pytest.mark.covers("A29")
def test_the_local_planner_runs_twenty_times_a_second_while_driving(
    driven: Driven,
) -> None:
    assert driven.report.ok
    assert driven.plans / driven.driving_s >= 20.0


@pytest.mark.covers("A35")
def test_the_emergency_stop_looks_forty_times_a_second(
    driven: Driven,
) -> None:
    assert driven.checks / driven.seconds >= 40.0 - 1e-6


@pytest.mark.soak
@pytest.mark.covers("A22", "A23")
def test_a_differential_robot_knows_its_place_and_heading_all_the_way(
    mission: Driven,
) -> None:
    print(f"seed {SEED}")
    assert mission.report.amcl.worst_m < 0.1
    assert math.degrees(mission.report.amcl_rad.worst_m) < 3.0
    assert mission.report.odometry.worst_m > 3.0 * mission.report.amcl.worst_m


@pytest.mark.soak
@pytest.mark.covers("A68")
def test_without_obstacles_the_mission_is_as_long_as_its_straight_lines(
    mission: Driven,
) -> None:
    assert mission.report.distance_m == pytest.approx(62.7, rel=0.03)
    assert mission.report.nearest_wall_m > 0.2
