"""What a vehicle senses, against geometry done by hand and by another caster."""

import math

import numpy as np
import pytest

from fleet.bodies.file import load_vehicle
from fleet.bodies.model import Vehicle
from shopfloor.geometry import Pose
from shopfloor.lasers import cast_segments
from shopfloor.streets.alley import Alley, alley_world
from shopfloor.vehicles.motion import advance_many, numbers_of
from shopfloor.vehicles.sensors import (
    CURRENTS,
    Lidar,
    SensorMissing,
    Surroundings,
    depth_picture,
    motor_currents,
    read_gnss,
    read_imu,
    rear_axle,
)

NO_DISCS = np.empty((0, 3))


@pytest.fixture(scope="module")
def zebrat() -> Vehicle:
    return load_vehicle("zebrat")


def wall_ahead(x: float, height: float) -> Surroundings:
    return Surroundings(np.array([[x, -9.0, x, 9.0]]), np.array([height]), NO_DISCS)


@pytest.mark.covers("Z22")
def test_the_level_cut_is_what_plain_ray_casting_sees(zebrat: Vehicle) -> None:
    lidar, walls = Lidar.of(zebrat), alley_world(Alley(1.3)).walls
    pose = Pose(6.0, 4.0, 0.4)
    people = np.array([[7.5, 4.5, 0.25]])
    scan = lidar.cut(pose, walls, people, None)
    eye = pose.plus(scan.mount)
    expected = cast_segments(walls, people, eye, scan.angles_rad, lidar.range_m)
    np.testing.assert_allclose(scan.ranges_m, expected, atol=1e-9)
    assert scan.ranges_m.min() < 1.2


@pytest.mark.covers("Z22")
def test_sixteen_lines_meet_a_wall_where_their_slope_says(zebrat: Vehicle) -> None:
    lidar = Lidar.of(zebrat)
    assert (lidar.lines, len(lidar.azimuths_rad)) == (16, 360)
    x, _, z = lidar.at
    ranges = lidar.cloud(Pose(0.0, 0.0), wall_ahead(x + 5.0, 1.0), None)
    ahead = ranges[:, np.argmin(np.abs(lidar.azimuths_rad))]
    for up, seen in zip(lidar.elevations_rad, ahead, strict=True):
        meets_at = z + 5.0 * math.tan(up)
        if meets_at > 1.0:
            assert seen == math.inf  # over the wall
        elif meets_at >= 0.0:
            assert seen == pytest.approx(5.0 / math.cos(up))
        else:
            assert seen == pytest.approx(z / -math.sin(up))  # the ground before it
    points = lidar.points_m(ranges)
    assert points[:, 2].min() > -1e-9
    assert points[:, 2].max() <= 1.0 + 1e-9


def test_noise_is_that_of_the_file_and_the_same_for_the_same_seed(
    zebrat: Vehicle,
) -> None:
    lidar, around = Lidar.of(zebrat), wall_ahead(4.0, 9.0)
    plain = lidar.cloud(Pose(0.0, 0.0), around, None)
    noisy, again = (
        lidar.cloud(Pose(0.0, 0.0), around, np.random.default_rng(3)) for _ in range(2)
    )
    np.testing.assert_array_equal(noisy, again)
    seen = np.isfinite(plain)
    assert np.std(noisy[seen] - plain[seen]) == pytest.approx(0.02, rel=0.1)


@pytest.mark.covers("Z23")
def test_the_depth_picture_shows_the_wall_and_the_ground(zebrat: Vehicle) -> None:
    camera = zebrat.sensor("camera")
    assert camera is not None
    depth = depth_picture(zebrat, Pose(0.0, 0.0), wall_ahead(camera.at[0] + 3.0, 9.0))
    assert depth.shape == (36, 64)
    np.testing.assert_allclose(depth[:18], 3.0, rtol=1e-5)  # level and above
    tangent = math.tan(math.radians(29.0)) * (2 * 35 + 1 - 36) / 36
    assert depth[-1, 0] == pytest.approx(camera.at[2] / tangent, rel=1e-5)
    nothing = Surroundings(np.empty((0, 4)), np.empty(0), NO_DISCS)
    assert depth_picture(zebrat, Pose(0.0, 0.0), nothing)[0].max() == 0.0


@pytest.mark.covers("Z24")
def test_the_turn_rate_is_that_of_the_kinematics(zebrat: Vehicle) -> None:
    state = np.array([[0.0, 0.0, 0.0, 0.5, 0.4]])
    before = state[0].copy()
    advance_many(state, np.array([[0.5, 0.4]]), 0.02, numbers_of(zebrat))
    speeds = (before[3], state[0, 3])
    imu = read_imu(zebrat, speeds, state[0, 2] - before[2], 0.02, None)
    assert imu.wz_radps == pytest.approx(0.5 / 0.53 * math.tan(0.4))
    assert imu.ay_mps2 == pytest.approx(0.5 * imu.wz_radps)
    random = np.random.default_rng(1)
    rates = [read_imu(zebrat, (0, 0), 0.0, 0.02, random).wz_radps for _ in range(400)]
    assert np.std(rates) == pytest.approx(0.005, rel=0.15)


@pytest.mark.covers("Z25")
def test_satellites_and_currents_come_with_noise(zebrat: Vehicle) -> None:
    home = read_gnss(zebrat, Pose(0.0, 0.0), None)
    north = read_gnss(zebrat, Pose(0.0, 111.32), None)
    assert north[0] - home[0] == pytest.approx(0.001)
    random = np.random.default_rng(2)
    fixes = np.array([read_gnss(zebrat, Pose(0.0, 0.0), random) for _ in range(400)])
    assert np.std(fixes[:, 0]) * 111_320 == pytest.approx(home[2], rel=0.15)
    still = motor_currents(zebrat, 0.0, 0.0, 0.0, 0.0, 0.0, None)
    uphill = motor_currents(zebrat, 30.0, 1.0, 0.5, 0.4, 0.2, None)
    assert tuple(still) == CURRENTS
    assert all(uphill[name] > still[name] for name in CURRENTS)
    assert uphill["right_drive"] > uphill["left_drive"]  # the outer wheel
    noisy = motor_currents(zebrat, 0.0, 0.0, 0.0, 0.0, 0.0, random)
    assert 0.0 < abs(noisy["supply"] - still["supply"]) < 0.5


def test_encoders_of_the_rear_axle_tell_the_motion(zebrat: Vehicle) -> None:
    base = rear_axle(zebrat)
    assert base.to_motion(base.to_wheels(0.3, 0.0, 0.1)) == pytest.approx((0.3, 0, 0.1))


def test_a_sensor_that_the_file_lacks_is_named() -> None:
    with pytest.raises(SensorMissing, match="indoor has no gnss"):
        read_gnss(load_vehicle("indoor"), Pose(0.0, 0.0), None)
