"""People whom no laser saw before, who look elsewhere, and who moved when they met."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.pilot import PilotStatus
from shopfloor.plant import Plant, Walker
from shopfloor.plant.walkers import TEMPERS
from shopfloor.sim.vehicle import Pose as Place
from shopfloor.sim.world import Map, RobotSpec, World


def rectangle(
    x1: float, y1: float, x2: float, y2: float
) -> tuple[tuple[float, float, float, float], ...]:
    return ((x1, y1, x2, y1), (x2, y1, x2, y2), (x2, y2, x1, y2), (x1, y2, x1, y1))


HALL = rectangle(0.0, 0.0, 12.0, 8.0)
RACK = rectangle(5.0, 0.0, 5.8, 4.0)
ROBOT = RobotSpec("r1", Place(2.0, 4.6), kind="holonomic")
BEHIND_RACK = World("rack", Map(0.05, 12.0, 8.0, (*HALL, *RACK)), robots=(ROBOT,))
EMPTY = World("hall", Map(0.05, 12.0, 8.0, HALL), robots=(ROBOT,))
GOAL = Pose(10.0, 4.6, 0.0)
PERSON_M = 0.25


class Marcher(Walker):
    """Walks straight on from a moment on, wherever a robot is, until both touch."""

    speed_mps = (0.0, 0.0)
    begins_at_x_m = -math.inf
    """Of the robot's front."""

    def step(
        self,
        now_s: float,
        dt_s: float,
        floor: Grid,
        robots: Sequence[tuple[Pose, float]],
    ) -> None:
        pose, radius = robots[0]
        begun = pose.x_m + radius >= self.begins_at_x_m
        self.vx_mps, self.vy_mps = self.speed_mps if begun else (0.0, 0.0)
        x, y = self.x_m + self.vx_mps * dt_s, self.y_m + self.vy_mps * dt_s
        if math.hypot(x - pose.x_m, y - pose.y_m) > radius + PERSON_M - 0.02:
            self.x_m, self.y_m = x, y
        else:
            self.vx_mps = self.vy_mps = 0.0


def marcher(
    plant: Plant, x_m: float, y_m: float, vx: float, vy: float, *, tag: bool
) -> Marcher:
    person = Marcher("anna", x_m, y_m, np.random.default_rng(1))
    person.speed_mps = (vx, vy)
    plant.add_walker(person)
    if not tag:
        plant.tags.silent = {"anna"}
    return person


@pytest.mark.parametrize("speed_mps", [1.0, 1.4])
def test_who_steps_out_from_behind_a_rack_is_met_by_a_robot_that_nearly_stands(
    speed_mps: float,
) -> None:
    plant = Plant(BEHIND_RACK, 3, localisation="known")
    robot = plant.robots[0]
    person = marcher(plant, 6.1, 2.9, 0.0, speed_mps, tag=False)
    person.begins_at_x_m = 6.1 - PERSON_M - 0.6
    plant.run(1.0)
    assert robot.drive_to(GOAL) is None
    nearest_m, met_mps = math.inf, math.inf
    for _ in range(800):
        plant.step()
        pose = robot.body.pose
        gap = math.hypot(person.x_m - pose.x_m, person.y_m - pose.y_m)
        gap -= robot.hull.radius_m + PERSON_M
        if gap < nearest_m:
            nearest_m, met_mps = gap, robot.body.speed_mps
    assert person.y_m > 4.0
    assert nearest_m < 0.6
    assert met_mps <= 0.1
    assert plant.watches[0].contacts_by_robot == 0


def test_without_a_corner_the_robot_keeps_its_speed() -> None:
    plant = Plant(EMPTY, 3, localisation="known")
    robot = plant.robots[0]
    assert robot.drive_to(GOAL) is None
    plant.run(5.0)
    assert robot.body.speed_mps == pytest.approx(robot.limits.speed_mps, abs=0.02)


def test_a_person_who_walks_into_a_standing_robot_is_counted_as_that() -> None:
    plant = Plant(EMPTY, 3, localisation="known")
    marcher(plant, 4.0, 4.6, -0.6, 0.0, tag=True)
    plant.run(4.0)
    watch = plant.watches[0]
    assert [touch.person for touch in watch.touches] == ["anna"]
    assert watch.touches[0].person_mps == pytest.approx(0.6, abs=0.05)
    assert abs(watch.touches[0].robot_mps) < 0.05
    assert watch.contacts_by_robot == 0


@pytest.mark.long
def test_among_people_who_look_elsewhere_the_robot_touches_nobody() -> None:
    kinds = list(TEMPERS.values())
    plant = Plant(EMPTY, 5, people=6, manners=kinds)
    robot = plant.robots[0]
    ends = [GOAL, Pose(2.0, 1.5, 0.0), Pose(10.0, 6.5, 0.0)]
    for turn in range(2400):
        if robot.command.status not in (
            PilotStatus.DRIVING,
            PilotStatus.BLOCKED,
            PilotStatus.WAITING_FOR_PERSON,
        ):
            place = ends[turn % 3]
            robot.drive_to(place)
        plant.step()
    assert robot.body.travelled_m > 5.0
    assert plant.watches[0].contacts_by_robot == 0
