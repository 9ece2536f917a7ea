"""Steel obeys force and mass, whatever is asked; contacts are measured exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest

from shopfloor.control.limits import RobotLimits
from shopfloor.geometry import Pose
from shopfloor.plant import Body, Box, Hull
from shopfloor.plant.gap_kernels import gaps

NO_CELLS = np.zeros((40, 40), np.uint8)
NO_QUADS = np.empty((0, 4, 2))
NO_DISCS = np.empty((0, 3))


def gaps_of(
    pose: Pose,
    hull: Hull,
    cells: np.ndarray = NO_CELLS,
    quads: np.ndarray = NO_QUADS,
    discs: np.ndarray = NO_DISCS,
) -> tuple[float, float, float]:
    return gaps(
        pose.x_m,
        pose.y_m,
        pose.yaw_rad,
        hull.radius_m,
        hull.length_m,
        hull.width_m,
        cells,
        0.0,
        0.0,
        0.1,
        2.0,
        quads,
        discs,
    )


def stopping_distance_m(payload_kg: float) -> float:
    body = Body(Pose(0.0, 0.0), RobotLimits())
    body.load(payload_kg)
    for _ in range(400):
        body.step(0.8, 0.0, 0.0, 0.025)
    assert body.vx_mps == pytest.approx(0.8)
    begin_m = body.pose.x_m
    while body.speed_mps > 0.0:
        body.step(0.0, 0.0, 0.0, 0.025)
    return body.pose.x_m - begin_m


@pytest.mark.covers("A39", "A84")
def test_a_loaded_robot_gains_speed_slowly_and_stops_late() -> None:
    empty, loaded = stopping_distance_m(0.0), stopping_distance_m(150.0)
    assert loaded > 1.7 * empty

    bodies = [Body(Pose(0.0, 0.0), RobotLimits()) for _ in range(2)]
    bodies[1].load(150.0)
    for body in bodies:
        for _ in range(20):
            body.step(0.8, 0.0, 0.0, 0.025)
    assert bodies[1].vx_mps == pytest.approx(0.5 * bodies[0].vx_mps, rel=0.01)


def test_no_command_however_sudden_exceeds_the_force_of_the_motors() -> None:
    limits = RobotLimits()
    body = Body(Pose(0.0, 0.0), limits)
    for i in range(200):
        sign = 1.0 if i % 7 < 4 else -1.0
        body.step(5.0 * sign, 0.0, 9.0 * sign, 0.025)
    assert body.hardest_mps2 <= limits.braking_mps2 + 1e-9


def test_a_differential_base_never_moves_sideways() -> None:
    body = Body(Pose(0.0, 0.0), RobotLimits(drive="differential"))
    for _ in range(40):
        body.step(0.0, 0.5, 0.0, 0.025)
    assert body.pose == Pose(0.0, 0.0)


def test_a_holonomic_base_does() -> None:
    body = Body(Pose(0.0, 0.0), RobotLimits(drive="holonomic"))
    for _ in range(40):
        body.step(0.0, 0.5, 0.0, 0.025)
    assert body.pose.y_m > 0.2
    assert body.pose.x_m == pytest.approx(0.0)


def test_a_round_hull_touches_exactly_at_its_radius() -> None:
    cells = NO_CELLS.copy()
    cells[:, 30] = 1  # from x = 3.0 m
    hull = Hull(0.3)
    wall, _, _ = gaps_of(Pose(2.5, 2.0), hull, cells)
    assert wall == pytest.approx(0.2)
    wall, _, _ = gaps_of(Pose(2.75, 2.0), hull, cells)
    assert wall == pytest.approx(-0.05)


def test_a_rectangular_hull_turns_its_corners_out() -> None:
    cells = NO_CELLS.copy()
    cells[:, 30] = 1
    hull = Hull(0.5, 0.8, 0.4)
    assert gaps_of(Pose(2.5, 2.0, 0.0), hull, cells)[0] == pytest.approx(0.1)
    assert gaps_of(Pose(2.5, 2.0, math.pi / 2), hull, cells)[0] == pytest.approx(0.3)
    slanted = 0.5 * (0.8 + 0.4) * math.sqrt(0.5)
    wall, _, _ = gaps_of(Pose(2.5, 2.0, math.pi / 4), hull, cells)
    assert wall == pytest.approx(0.5 - slanted)
    assert gaps_of(Pose(2.8, 2.0, 0.0), hull, cells)[0] <= 0.0


def test_boxes_and_people_are_measured_from_their_sides() -> None:
    box = Box(3.0, 2.0, 0.4, 0.4, math.pi / 4)
    quads = box.corners()[None]
    discs = np.array([[1.0, 2.0, 0.25]])
    for hull in (Hull(0.3), Hull(0.5, 0.6, 0.6)):
        _, to_box, to_person = gaps_of(Pose(2.0, 2.0), hull, NO_CELLS, quads, discs)
        assert to_box == pytest.approx(1.0 - 0.3 - 0.2 * math.sqrt(2.0))
        assert to_person == pytest.approx(1.0 - 0.3 - 0.25)


def test_a_hull_needs_both_a_length_and_a_width() -> None:
    with pytest.raises(ValueError, match="length and a width"):
        Hull(0.3, 0.5)
