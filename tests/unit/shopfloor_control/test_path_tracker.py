"""Both ways of following a path."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from shopfloor.control import (
    ControlRefused,
    Movement,
    PathRefused,
    PathTracker,
    Ramp,
    RobotLimits,
)
from shopfloor.geometry import Pose, wrapped

AHEAD = np.array([[0.0, 0.0], [5.0, 0.0]])
HOLONOMIC = RobotLimits(drive="holonomic")
DT_S = 0.025


@pytest.mark.covers("A36")
@pytest.mark.parametrize(
    ("yaw_rad", "movement"),
    [
        (0.0, Movement.STRAIGHT),
        (-0.3, Movement.STRAIGHT_TURNING),
        (0.3, Movement.STRAIGHT_TURNING),
        (math.pi, Movement.TURNING),
        (-1.5, Movement.TURNING),
    ],
)
def test_where_the_next_point_is_decides_how_the_robot_moves(
    yaw_rad: float, movement: Movement
) -> None:
    tracker = PathTracker(RobotLimits(), "straight")
    wish = tracker.step(Pose(0.0, 0.0, yaw_rad), AHEAD, 0.0, 0.0, 1.0)
    assert wish.movement is movement
    assert wish.vy_mps == 0.0
    assert (wish.wz_radps == 0.0) is (movement is Movement.STRAIGHT)
    assert (wish.vx_mps == 0.0) is (movement is Movement.TURNING)
    if movement is Movement.STRAIGHT_TURNING:
        assert abs(wish.wz_radps) <= 0.5 * tracker.limits.turn_radps
        assert wish.wz_radps * wrapped(-yaw_rad) > 0.0


def drive(
    tracker: PathTracker, pose: Pose, path: np.ndarray, yaw_rad: float
) -> list[tuple[Pose, float, float, float, float]]:
    """Poses with vx, vy, wz and the distance aside, until arrived."""
    ramp, turn = Ramp(), Ramp()
    log: list[tuple[Pose, float, float, float, float]] = []
    for _ in range(8000):
        wish = tracker.step(pose, path, yaw_rad, ramp.speed, 1.0)
        if wish.movement is Movement.ARRIVED:
            return log
        limits = tracker.limits
        ramp.step(wish.vx_mps, wish.vy_mps, DT_S, limits.accel_mps2, limits.jerk_mps3)
        turn.step(
            wish.wz_radps,
            0.0,
            DT_S,
            limits.turn_accel_radps2,
            limits.turn_jerk_radps3,
        )
        pose = pose.plus(Pose(ramp.x * DT_S, ramp.y * DT_S, turn.x * DT_S))
        if limits.drive == "holonomic":
            ramp.turned(turn.x * DT_S)
        log.append((pose, ramp.x, ramp.y, turn.x, wish.aside_m))
    raise AssertionError(f"never arrived, at {pose}")


BENT = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [8.0, 5.0]])


@pytest.mark.covers("A32")
@pytest.mark.parametrize("mode", ["straight", "holonomic"])
def test_a_bent_path_is_followed_within_15_centimetres(mode: str) -> None:
    limits = RobotLimits(drive="holonomic" if mode == "holonomic" else "differential")
    tracker = PathTracker(limits, mode)  # type: ignore[arg-type]
    log = drive(tracker, Pose(0.0, 0.0, 1.0), BENT, -1.0)
    # Aside of the nearest piece; bends are cut by less than the bound.
    assert max(abs(entry[4]) for entry in log) < 0.15
    end = log[-1][0]
    assert end.distance_to(Pose(8.0, 5.0)) <= 0.06
    assert abs(wrapped(end.yaw_rad + 1.0)) <= 0.06


@pytest.mark.covers("A39")
@pytest.mark.parametrize("mode", ["straight", "holonomic"])
def test_acceleration_never_exceeds_the_limit(mode: str) -> None:
    limits = RobotLimits(drive="holonomic" if mode == "holonomic" else "differential")
    log = drive(
        PathTracker(limits, mode),  # type: ignore[arg-type]
        Pose(0.0, 0.0, 0.0),
        BENT,
        0.0,
    )
    for (before, vx0, vy0, wz0, _), (after, vx1, vy1, wz1, _) in itertools.pairwise(
        log
    ):
        turned = after.yaw_rad - before.yaw_rad if mode == "holonomic" else 0.0
        cos, sin = math.cos(turned), math.sin(turned)
        dx = cos * vx1 - sin * vy1 - vx0
        dy = sin * vx1 + cos * vy1 - vy0
        assert math.hypot(dx, dy) / DT_S <= limits.accel_mps2 * 1.05 + 1e-9
        assert abs(wz1 - wz0) / DT_S <= limits.turn_accel_radps2 + 1e-9


@pytest.mark.covers("A37")
def test_a_holonomic_robot_moves_sideways_with_its_heading_as_it_is() -> None:
    tracker = PathTracker(HOLONOMIC, "holonomic")
    path = np.array([[0.0, 0.0], [0.0, 5.0]])
    wish = tracker.step(Pose(0.0, 0.0, 0.0), path, 1.0, 0.0, 1.0)
    assert wish.vy_mps > 0.3
    assert wish.vx_mps == pytest.approx(0.0, abs=1e-9)
    assert wish.wz_radps == 0.0


@pytest.mark.covers("A38")
def test_the_heading_begins_to_change_a_metre_and_a_half_before_the_goal() -> None:
    tracker = PathTracker(HOLONOMIC, "holonomic")
    log = drive(tracker, Pose(0.0, 0.0, 0.0), AHEAD, 2.0)
    first = next(entry for entry in log if entry[3] != 0.0)
    assert 1.4 <= first[0].distance_to(Pose(5.0, 0.0)) <= 1.5
    assert abs(wrapped(log[-1][0].yaw_rad - 2.0)) <= 0.06


def test_a_point_that_cannot_be_seen_is_not_steered_for() -> None:
    tracker = PathTracker(RobotLimits(), "straight")
    path = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 3.0]])

    def sees(x_m: float, y_m: float) -> bool:
        return y_m <= 1e-9

    wish = tracker.step(Pose(0.9, 0.0, 0.0), path, 0.0, 0.5, 1.0, sees)
    assert wish.movement is Movement.STRAIGHT


def test_a_pose_that_jumps_does_not_start_the_approach_again() -> None:
    tracker = PathTracker(RobotLimits(), "straight")
    near = tracker.step(Pose(4.96, 0.0, 0.0), AHEAD, 1.5, 0.0, 1.0)
    jumped = tracker.step(Pose(4.93, 0.0, 0.1), AHEAD, 1.5, 0.0, 1.0)
    assert near.movement is jumped.movement is Movement.TURNING
    assert jumped.wz_radps > 0.0


@pytest.mark.parametrize("path", [np.empty((0, 2)), np.zeros(4), np.zeros((3, 3))])
def test_what_is_no_path_is_refused(path: np.ndarray) -> None:
    with pytest.raises(PathRefused):
        PathTracker(RobotLimits()).step(Pose(0.0, 0.0), path, 0.0, 0.0, 1.0)


def test_a_differential_robot_refuses_to_move_sideways() -> None:
    with pytest.raises(ControlRefused, match="sideways"):
        PathTracker(RobotLimits(), "holonomic")
    with pytest.raises(ControlRefused, match="sideling"):
        PathTracker(RobotLimits(), "sideling")  # type: ignore[arg-type]
