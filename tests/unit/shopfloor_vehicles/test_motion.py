"""A car-like vehicle drives arcs, never sideways, and stands without a command."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleet.bodies.file import load_vehicle, vehicles
from fleet.bodies.model import Vehicle
from shopfloor.vehicles.errors import CommandWrong, OverLoaded
from shopfloor.vehicles.joints import (
    joint_states,
    most_true_steering_rad,
    true_joint_states,
)
from shopfloor.vehicles.motion import advance_many, checked, numbers_of, steering_of
from shopfloor.vehicles.outline import gap_to

NO_WALLS, NO_DISCS = np.empty((0, 4)), np.empty((0, 3))


@pytest.fixture(scope="module")
def zebrat() -> Vehicle:
    return load_vehicle("zebrat")


def driven(
    vehicle: Vehicle,
    speed: float,
    steering: float,
    seconds: float,
    *,
    dt: float = 0.05,
    start: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0),
    load_kg: float = 0.0,
) -> np.ndarray:
    """Every state of a drive, the first one included."""
    state, numbers = np.array([start]), numbers_of(vehicle, load_kg)
    seen = [state[0].copy()]
    for _ in range(round(seconds / dt)):
        advance_many(state, np.array([[speed, steering]]), dt, numbers)
        seen.append(state[0].copy())
    return np.array(seen)


@pytest.mark.covers("Z14", "Z16")
@pytest.mark.parametrize("name", vehicles())
@pytest.mark.parametrize("share", [-1.0, -0.5, 0.25, 1.0])
@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_a_circle_has_the_radius_of_wheel_base_by_tangent(
    name: str, share: float, direction: float
) -> None:
    vehicle = load_vehicle(name)
    angle = share * vehicle.limits.steering_rad
    start = (1.0, -2.0, 0.7, 0.0, angle)  # the wheels have turned already
    seen = driven(vehicle, direction * 0.4, angle, 60.0, start=start)
    radius = vehicle.dimensions.wheel_base_m / math.tan(angle)
    middle = (1.0 - radius * math.sin(0.7), -2.0 + radius * math.cos(0.7))
    away = np.hypot(seen[:, 0] - middle[0], seen[:, 1] - middle[1])
    assert np.abs(away / abs(radius) - 1.0).max() < 1e-9
    assert math.copysign(1.0, seen[-1, 2] - 0.7) == math.copysign(1, share * direction)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-3.0, 3.0), st.floats(-1.5, 1.5)), min_size=1, max_size=12
    ),
    st.sampled_from(vehicles()),
)
@pytest.mark.covers("Z15", "Z7")
def test_nothing_moves_sideways_turns_on_the_spot_or_passes_a_limit(
    commands: list[tuple[float, float]], name: str
) -> None:
    vehicle = load_vehicle(name)
    limits, numbers, dt = vehicle.limits, numbers_of(vehicle), 0.05
    state = np.zeros((1, 5))
    for command in commands:
        before = state[0].copy()
        advance_many(state, np.array([command]), dt, numbers)
        after = state[0]
        dx, dy = after[:2] - before[:2]
        middle = (before[2] + after[2]) / 2.0
        # The chord of an arc lies along its middle heading.
        assert abs(dy * math.cos(middle) - dx * math.sin(middle)) < 1e-9
        turned, moved = abs(after[2] - before[2]), math.hypot(dx, dy)
        assert turned <= moved / vehicle.turning_radius_m * 1.01 + 1e-9
        assert abs(after[4]) <= limits.steering_rad + 1e-12
        assert abs(after[4] - before[4]) <= limits.steering_radps * dt + 1e-9
        assert -limits.reverse_mps - 1e-9 <= after[3] <= limits.forward_mps + 1e-9
        assert abs(after[3] - before[3]) <= limits.braking_mps2 * dt + 1e-9


@pytest.mark.covers("Z13")
@pytest.mark.parametrize("steering", [0.0, 1.0])
def test_a_vehicle_without_a_command_stands_where_it_stood(
    zebrat: Vehicle, steering: float
) -> None:
    start = (3.0, -1.0, 0.3, 0.0, 0.0)
    end = driven(zebrat, 0.0, steering, 10.0, start=start)[-1]
    assert tuple(end[:4]) == start[:4]


@pytest.mark.covers("Z7")
def test_steering_beyond_sixty_degrees_is_clipped(zebrat: Vehicle) -> None:
    seen = driven(zebrat, 0.2, math.radians(85.0), 3.0)
    assert math.degrees(seen[-1, 4]) == pytest.approx(60.0)


def test_steering_and_speed_take_the_time_that_the_file_gives(zebrat: Vehicle) -> None:
    seen = driven(zebrat, 1.0, math.radians(30.0), 1.0, dt=0.01)
    assert np.argmax(seen[:, 4] >= math.radians(30.0) - 1e-9) == 25
    assert np.argmax(seen[:, 3] >= 0.8) == 80
    assert (
        seen[:, 3].max() <= math.sqrt(1.5 * 0.53 / math.tan(math.radians(30.0))) + 1e-9
    )


def test_small_steps_and_large_ones_lead_to_the_same_place(zebrat: Vehicle) -> None:
    small = driven(zebrat, 0.8, 0.4, 4.0, dt=0.001)[-1]
    large = driven(zebrat, 0.8, 0.4, 4.0, dt=0.1)[-1]
    assert np.hypot(*(small[:2] - large[:2])) < 0.01
    assert large[2] == pytest.approx(small[2], abs=0.02)


def test_a_load_makes_starting_and_braking_slower(zebrat: Vehicle) -> None:
    empty, loaded = (
        driven(zebrat, 1.0, 0.0, 0.5, load_kg=kg)[-1] for kg in (0.0, 37.0)
    )
    assert loaded[3] == pytest.approx(empty[3] * 74.0 / 111.0)


@pytest.mark.covers("Z3")
def test_four_places_take_goods_up_to_their_weight(zebrat: Vehicle) -> None:
    assert [place.side for place in zebrat.load_places] == ["left"] * 2 + ["right"] * 2
    assert zebrat.loaded({"left_front": 12.0, "right_rear": 5.0}) == 17.0
    with pytest.raises(OverLoaded, match="13 kg do not go into left_front"):
        zebrat.loaded({"left_front": 13.0})
    with pytest.raises(OverLoaded, match="40 kg at most, not 48"):
        zebrat.loaded(dict.fromkeys([place.id for place in zebrat.load_places], 12.0))


@pytest.mark.parametrize("command", [(math.nan, 0.0), (1.0, math.nan), (math.inf, 0.0)])
def test_a_command_that_is_no_number_is_refused_and_stops_the_vehicle(
    zebrat: Vehicle, command: tuple[float, float]
) -> None:
    with pytest.raises(CommandWrong, match="are no command"):
        checked(*command)
    seen = driven(zebrat, *command, 2.0, start=(0.0, 0.0, 0.0, 1.0, 0.2))
    assert np.isfinite(seen).all()
    assert seen[-1, 3] == 0.0


@pytest.mark.covers("Z17")
def test_joints_follow_the_table(zebrat: Vehicle) -> None:
    states = {each.name: each for each in joint_states(zebrat, 0.6, 0.3, 1.5)}
    assert list(states) == [
        "base2lstr", "base2rstr", "fl_axle", "fr_axle", "rl_axle", "rr_axle"
    ]  # fmt: skip
    for name, each in states.items():
        if name.startswith("base2"):
            assert (each.position_rad, each.velocity_radps) == (0.3, 0.0)
        else:
            assert each.velocity_radps == pytest.approx(0.6 / 0.15)
            assert each.position_rad == pytest.approx(1.5 / 0.15)


@pytest.mark.parametrize("steering", [0.4, -0.4])
def test_true_wheels_stand_across_the_line_to_the_middle_of_the_turn(
    zebrat: Vehicle, steering: float
) -> None:
    states = {each.name: each for each in true_joint_states(zebrat, 0.5, steering)}
    size = zebrat.dimensions
    radius = size.wheel_base_m / math.tan(steering)
    left, right = states["base2lstr"].position_rad, states["base2rstr"].position_rad
    assert math.tan(left) == pytest.approx(
        size.wheel_base_m / (radius - size.track_m / 2)
    )
    assert math.tan(right) == pytest.approx(
        size.wheel_base_m / (radius + size.track_m / 2)
    )
    inner, outer = ("l", "r") if steering > 0 else ("r", "l")
    assert abs(states[f"base2{inner}str"].position_rad) > abs(steering)
    for end in "fr":
        slow, fast = states[f"{end}{inner}_axle"], states[f"{end}{outer}_axle"]
        assert slow.velocity_radps < fast.velocity_radps
    most = most_true_steering_rad(zebrat)
    at_most = {each.name: each for each in true_joint_states(zebrat, 0.5, most)}
    assert at_most["base2lstr"].position_rad == pytest.approx(math.radians(60.0))


def test_a_velocity_becomes_the_steering_that_gives_its_turn() -> None:
    angle = steering_of(0.5, 1.0, 0.53)
    assert math.tan(angle) / 0.53 == pytest.approx(0.5)
    assert steering_of(0.5, 0.0, 0.53) == 0.0


@pytest.mark.covers("Z10")
@settings(max_examples=80, deadline=None)
@given(
    st.tuples(st.floats(-2, 2), st.floats(-2, 2), st.floats(-4, 4)),
    st.tuples(*[st.floats(-2.0, 2.0)] * 4),
)
def test_the_gap_to_a_wall_is_that_of_the_footprint(
    pose: tuple[float, float, float], wall: tuple[float, float, float, float]
) -> None:
    """Against points spread densely over the box and the wall."""
    vehicle = load_vehicle("zebrat")
    found = gap_to(*pose, vehicle.outline, np.array([wall]), NO_DISCS, 9.0)
    back, front, half = vehicle.outline
    across = np.linspace(0.0, 1.0, 60)
    box_x, box_y = np.meshgrid(back + (front - back) * across, half * (2 * across - 1))
    cos, sin = math.cos(pose[2]), math.sin(pose[2])
    xs = pose[0] + cos * box_x.ravel() - sin * box_y.ravel()
    ys = pose[1] + sin * box_x.ravel() + cos * box_y.ravel()
    wall_x = wall[0] + (wall[2] - wall[0]) * across
    wall_y = wall[1] + (wall[3] - wall[1]) * across
    near = np.hypot(xs[:, None] - wall_x, ys[:, None] - wall_y).min()
    assert found == pytest.approx(near, abs=0.06)
    assert found <= near + 1e-9


@pytest.mark.covers("Z10")
def test_the_shell_touches_where_its_box_ends(zebrat: Vehicle) -> None:
    back, front, half = zebrat.outline
    assert front - back == pytest.approx(0.963)
    assert 2.0 * half == pytest.approx(0.672)
    person = np.array([[front + 0.4, 0.0, 0.25]])
    gap = gap_to(0.0, 0.0, 0.0, zebrat.outline, NO_WALLS, person, 9.0)
    assert gap == pytest.approx(0.15)
    assert gap_to(0.2, 0.0, 0.0, zebrat.outline, NO_WALLS, person, 9.0) == 0.0
