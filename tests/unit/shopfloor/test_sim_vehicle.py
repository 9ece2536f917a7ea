"""The vehicle: limits kept, goals reached, the same every time."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shopfloor.sim.vehicle import Limits, Pose, Vehicle

LIMITS = Limits(speed_mps=0.8, accel_mps2=0.5, turn_radps=1.2, turn_accel_radps2=2.0)
TICK_S = 0.05


def drive(vehicle: Vehicle, seconds: float, rng: random.Random) -> None:
    for _ in range(round(seconds / TICK_S)):
        vehicle.tick(TICK_S, rng)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    x_m=st.floats(-10, 10),
    y_m=st.floats(-10, 10),
    yaw=st.floats(-math.pi, math.pi),
    start=st.floats(-math.pi, math.pi),
)
def test_every_goal_is_reached_within_the_limits(
    x_m: float, y_m: float, yaw: float, start: float
) -> None:
    vehicle = Vehicle(Pose(0.0, 0.0, start), LIMITS, target=Pose(x_m, y_m, yaw))
    rng = random.Random(1)
    speed = turn = 0.0
    for _ in range(round(60 / TICK_S)):
        before = vehicle.pose
        vehicle.tick(TICK_S, rng)
        moved = before.distance_to(vehicle.pose)
        assert vehicle.speed_mps <= LIMITS.speed_mps + 1e-9
        assert abs(vehicle.turn_radps) <= LIMITS.turn_radps + 1e-9
        assert abs(vehicle.speed_mps - speed) <= LIMITS.accel_mps2 * TICK_S + 1e-9
        change = abs(vehicle.turn_radps - turn)
        assert change <= LIMITS.turn_accel_radps2 * TICK_S + 1e-9
        assert moved <= LIMITS.speed_mps * TICK_S + 0.01
        speed, turn = vehicle.speed_mps, vehicle.turn_radps
    assert vehicle.arrived


def test_it_turns_before_it_drives() -> None:
    vehicle = Vehicle(Pose(0.0, 0.0, 0.0), LIMITS, target=Pose(0.0, 5.0))
    rng = random.Random(1)
    drive(vehicle, 0.5, rng)
    assert vehicle.pose.yaw_rad > 0.1
    assert (vehicle.pose.x_m, vehicle.pose.y_m) == (0.0, 0.0)


def test_the_same_seed_gives_the_same_way() -> None:
    ends = []
    for _ in range(2):
        vehicle = Vehicle(Pose(0.0, 0.0), LIMITS, target=Pose(4.0, 3.0))
        drive(vehicle, 5.0, random.Random(7))
        ends.append((vehicle.pose, vehicle.odometry, vehicle.battery))
    assert ends[0] == ends[1]


def test_one_long_tick_equals_many_short_ones() -> None:
    long = Vehicle(Pose(0.0, 0.0), LIMITS, target=Pose(4.0, 3.0))
    short = Vehicle(Pose(0.0, 0.0), LIMITS, target=Pose(4.0, 3.0))
    long.tick(6.0, random.Random(7))
    drive(short, 6.0, random.Random(7))
    assert long.pose.x_m == pytest.approx(short.pose.x_m)
    assert long.battery == pytest.approx(short.battery)


def test_an_emergency_stop_brakes_harder_than_a_pause() -> None:
    ways = []
    for name in ("emergency_stop", "paused"):
        vehicle = Vehicle(Pose(0.0, 0.0), LIMITS, target=Pose(20.0, 0.0))
        drive(vehicle, 5.0, random.Random(1))
        assert vehicle.speed_mps == LIMITS.speed_mps
        at = vehicle.pose.x_m
        setattr(vehicle, name, True)
        drive(vehicle, 3.0, random.Random(1))
        assert vehicle.standing
        ways.append(vehicle.pose.x_m - at)
    assert ways[0] < 0.6 * ways[1]


def test_driving_uses_the_battery_and_home_charges_it() -> None:
    home = Pose(0.0, 0.0)
    vehicle = Vehicle(home, LIMITS, charger=home, target=Pose(10.0, 0.0))
    drive(vehicle, 20.0, random.Random(1))
    used = 1.0 - vehicle.battery
    assert used > 10.0 * vehicle.consumption.per_m
    assert not vehicle.charging
    vehicle.target = home
    drive(vehicle, 25.0, random.Random(1))
    assert vehicle.arrived
    low = vehicle.battery
    vehicle.target = None
    drive(vehicle, 10.0, random.Random(1))
    assert vehicle.charging or vehicle.battery == 1.0
    assert vehicle.battery > low


def test_the_odometer_counts_the_metres() -> None:
    vehicle = Vehicle(Pose(0.0, 0.0), LIMITS, target=Pose(5.0, 0.0))
    drive(vehicle, 20.0, random.Random(1))
    assert vehicle.odometer_m == pytest.approx(5.0, abs=0.05)
