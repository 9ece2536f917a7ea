"""Ways that a vehicle with its turning radius can drive, to the pose asked for."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleet.bodies.file import load_vehicle
from fleet.bodies.model import Vehicle
from shopfloor.geometry import Pose
from shopfloor.maneuvers.hybrid import Search, find_way
from shopfloor.maneuvers.reeds_shepp import PIECES, shortest_way
from shopfloor.maneuvers.scene import Obstacles, Way, gap_then
from shopfloor.streets.alley import Alley, alley_world
from shopfloor.streets.world import load_streets
from shopfloor.vehicles.errors import GoalUnreachable, SceneWrong
from shopfloor.vehicles.motion import along_arc

WORLDS = Path(__file__).resolve().parents[3] / "worlds"
POSE = st.tuples(st.floats(-4, 4), st.floats(-4, 4), st.floats(-math.pi, math.pi))


@pytest.fixture(scope="module")
def zebrat() -> Vehicle:
    return load_vehicle("zebrat")


def shortest(pose: tuple[float, float, float]) -> tuple[float, np.ndarray, np.ndarray]:
    lengths, bends = np.zeros(PIECES), np.zeros(PIECES)
    cost = shortest_way(*pose, 1.0, 1.0, 0.0, lengths, bends)
    return cost, lengths, bends


@settings(max_examples=300, deadline=None)
@given(POSE)
def test_a_reeds_shepp_way_ends_exactly_at_the_pose(
    pose: tuple[float, float, float],
) -> None:
    cost, lengths, bends = shortest(pose)
    assert cost == pytest.approx(np.abs(lengths).sum())
    at = (0.0, 0.0, 0.0)
    for length, bend in zip(lengths, bends, strict=True):
        assert abs(bend) in (0.0, 1.0)
        at = along_arc(*at, length, bend)
    assert at[:2] == pytest.approx(pose[:2], abs=1e-5)
    assert math.remainder(at[2] - pose[2], math.tau) == pytest.approx(0.0, abs=1e-5)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-2.5, 2.5), st.sampled_from([-1.0, 0.0, 1.0])),
        min_size=1,
        max_size=5,
    )
)
def test_no_drive_of_arcs_and_straights_is_shorter(
    drive: list[tuple[float, float]],
) -> None:
    at, far = (0.0, 0.0, 0.0), 0.0
    for length, bend in drive:
        at, far = along_arc(*at, length, bend), far + abs(length)
    assert shortest(at)[0] <= far + 1e-6


@settings(max_examples=100, deadline=None)
@given(POSE)
def test_there_and_back_and_mirrored_are_equally_long(
    pose: tuple[float, float, float],
) -> None:
    x, y, yaw = pose
    there = shortest(pose)[0]
    cos, sin = math.cos(yaw), math.sin(yaw)
    back = (-x * cos - y * sin, x * sin - y * cos, -yaw)
    for other in (back, (x, -y, -yaw), (-x, y, -yaw)):
        assert shortest(other)[0] == pytest.approx(there, abs=1e-6)


def check(way: Way, vehicle: Vehicle, obstacles: Obstacles) -> None:
    """It can be driven as it is: no bend too tight, no jump, nothing touched."""
    poses = way.poses
    for before, after in itertools.pairwise(poses):
        dx, dy = after[:2] - before[:2]
        turn = math.remainder(after[2] - before[2], math.tau)
        moved = math.hypot(dx, dy)
        assert moved < 0.12
        if moved < 1e-9:
            continue
        arc = moved * (turn / 2.0) / math.sin(turn / 2.0) if turn else moved
        assert abs(turn) <= arc / vehicle.turning_radius_m + 1e-6
        middle = before[2] + turn / 2.0
        along = dx * math.cos(middle) + dy * math.sin(middle)
        assert math.copysign(1.0, along) == after[3]
        aside = dy * math.cos(middle) - dx * math.sin(middle)
        assert abs(aside) < 1e-6
    for x, y, yaw, _ in poses:
        gap = gap_then(
            x, y, yaw, 0.0, vehicle.outline, obstacles.walls, obstacles.discs, 1.0
        )
        assert gap > 0.02


@pytest.mark.covers("Z28")
@pytest.mark.parametrize("width_m", [1.06, 1.6])
def test_a_way_through_the_alley_can_be_driven(zebrat: Vehicle, width_m: float) -> None:
    world = alley_world(Alley(width_m, shortcut_m=0.0))
    obstacles = Obstacles.of(world.known_walls)
    start, goal = world.place("start"), world.place("goal")
    found = find_way(zebrat, world.grid, start, goal, obstacles)
    check(found.way, zebrat, obstacles)
    assert found.way.goal.distance_to(goal) < 1e-6
    assert math.remainder(found.way.goal.yaw_rad - goal.yaw_rad, math.tau) < 1e-6


def test_turning_round_between_walls_takes_reverse(zebrat: Vehicle) -> None:
    """A lane of 1.3 m is too narrow for a circle and wide enough for three legs."""
    world = alley_world(Alley(1.3, shortcut_m=0.0))
    lane = np.array([[0.5, 4.0, 9.0, 4.0], [0.5, 5.3, 9.0, 5.3]])
    obstacles = Obstacles.of(lane)
    found = find_way(
        zebrat, world.grid, Pose(4.0, 4.65), Pose(4.0, 4.65, math.pi), obstacles
    )
    check(found.way, zebrat, obstacles)
    assert len(found.way.turns) >= 2
    assert {-1.0, 1.0} <= set(found.way.poses[:, 3])


@pytest.mark.covers("Z35")
def test_the_car_does_not_fit_and_the_small_one_takes_the_gap() -> None:
    world = alley_world(Alley(1.2))
    start, goal = world.place("start"), world.place("goal")
    obstacles = Obstacles.of(world.known_walls)
    lengths = {}
    for name in ("zebrat", "indoor"):
        vehicle = load_vehicle(name)
        found = find_way(vehicle, world.grid, start, goal, obstacles)
        check(found.way, vehicle, obstacles)
        lengths[name] = found.way.length_m
        through_gap = (np.abs(found.way.poses[:, 1] - 9.5) < 0.2).any()
        assert through_gap == (name == "indoor")
    assert lengths["indoor"] < lengths["zebrat"] - 2.0
    car, start, goal = load_vehicle("car"), Pose(2.6, 8.0), Pose(19.0, 8.0)
    with pytest.raises(GoalUnreachable, match=r"no way for car .* as wide as it is"):
        find_way(car, world.grid, start, goal, obstacles)


@pytest.mark.covers("Z29")
def test_in_town_the_way_keeps_to_sidewalks_and_crossings(zebrat: Vehicle) -> None:
    town = load_streets(WORLDS / "urban")
    obstacles = Obstacles.of(town.known_walls)
    start, goal = town.place("depot"), town.place("clinic")
    costs = town.way_costs(zebrat.prefers)
    found = find_way(zebrat, town.grid, start, goal, obstacles, costs)
    plain = find_way(zebrat, town.grid, start, goal, obstacles)
    check(found.way, zebrat, obstacles)
    kinds = ("sidewalks", "crossings")
    preferred = [area for area in town.areas if area.kind in kinds]

    def share(way: Way) -> float:
        inside = [any(a.holds(x, y) for a in preferred) for x, y, _, _ in way.poses]
        return sum(inside) / len(inside)

    assert share(found.way) > 0.97
    assert share(found.way) > share(plain.way)
    assert plain.way.length_m < found.way.length_m


def test_unreachable_goals_are_named(zebrat: Vehicle) -> None:
    world = alley_world(Alley(0.8, shortcut_m=0.0))
    obstacles = Obstacles.of(world.known_walls)
    start, goal = world.place("start"), world.place("goal")
    quick = Search()
    with pytest.raises(GoalUnreachable, match=r"turn there with a radius of 0\.31 m"):
        find_way(zebrat, world.grid, start, goal, obstacles, search=quick)
    with pytest.raises(GoalUnreachable, match="none is as wide as it is"):
        find_way(zebrat, world.grid, start, Pose(10.0, 1.3), obstacles, search=quick)
    with pytest.raises(GoalUnreachable, match="something stands there"):
        find_way(zebrat, world.grid, start, Pose(8.0, 1.0), obstacles)
    with pytest.raises(GoalUnreachable, match="outside the map"):
        find_way(zebrat, world.grid, start, Pose(100.0, 1.0), obstacles)
    with pytest.raises(SceneWrong, match="no numbers"):
        find_way(zebrat, world.grid, start, Pose(4.0, 4.0, math.nan), obstacles)
