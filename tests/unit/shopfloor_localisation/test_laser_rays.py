"""Rays against plain geometry: every beam against every square, segment and disc."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.lasers import (
    Laser,
    UnusableLaser,
    UnusablePose,
    UnusableScan,
    UnusableShapes,
    box_segments,
    cast,
    cast_many,
    cast_segments,
    check_scan,
    front_and_rear,
    simulate_scan,
)

EXACT = Laser(noise_m=0.0)


def to_square(column: int, row: int, x: float, y: float, angle: float) -> float:
    """Slabs: where a ray enters a closed unit square, infinite if it misses."""
    enter, leave = 0.0, math.inf
    for low, at, slope in (
        (column, x, math.cos(angle)),
        (row, y, math.sin(angle)),
    ):
        if abs(slope) < 1e-12:
            if not low - 1e-9 <= at <= low + 1 + 1e-9:
                return math.inf
            continue
        near, far = sorted(((low - at) / slope, (low + 1 - at) / slope))
        enter, leave = max(enter, near), min(leave, far)
    return enter if enter <= leave + 1e-9 else math.inf


def brute_ranges(cells: Any, x: float, y: float, angles: Any, reach: float) -> Any:
    rows, columns = np.nonzero(cells)
    squares = list(zip(columns.tolist(), rows.tolist(), strict=True))
    nearest = [
        min((to_square(c, r, x, y, angle) for c, r in squares), default=math.inf)
        for angle in angles
    ]
    return np.array([near if near <= reach else math.inf for near in nearest])


@pytest.mark.parametrize("seed", range(12))
def test_rays_on_a_random_map_end_where_geometry_says(seed: int) -> None:
    random = np.random.default_rng(seed)
    width, height = (int(n) for n in random.integers(3, 40, 2))
    cells = random.random((height, width)) < (0.02, 0.1, 0.3)[seed % 3]
    resolution_m = float(random.choice([0.05, 0.1, 1.0]))
    grid = Grid.of(cells, resolution_m)
    free = np.argwhere(~cells)
    for _ in range(6):
        row, column = free[random.integers(len(free))]
        x, y = column + random.random(), row + random.random()
        yaw = float(random.uniform(-math.pi, math.pi))
        angles = random.uniform(-math.pi, math.pi, 24)
        reach = float(random.uniform(2.0, 60.0))
        pose = Pose(x * resolution_m, y * resolution_m, yaw)
        seen = cast(grid, pose, angles, reach * resolution_m) / resolution_m
        wanted = brute_ranges(cells, x, y, yaw + angles, reach)
        np.testing.assert_allclose(seen, wanted, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_rays_through_corners_and_along_edges_end_where_geometry_says(
    seed: int,
) -> None:
    random = np.random.default_rng(100 + seed)
    cells = random.random((24, 24)) < 0.15
    grid = Grid.of(cells)
    angles = np.arange(8) * math.pi / 4
    for row, column in np.argwhere(~cells)[::7]:
        # A cell's centre shoots its diagonals exactly through corners.
        x, y = column + 0.5, row + 0.5
        seen = cast(grid, Pose(x, y), angles, 50.0)
        wanted = brute_ranges(cells, x, y, angles, 50.0)
        np.testing.assert_allclose(seen, wanted, rtol=0.0, atol=1e-9)


def test_no_ray_slips_between_two_cells_that_touch_at_a_corner() -> None:
    cells = np.zeros((40, 40), np.bool_)
    for i in range(40):
        cells[i, 39 - i] = True
    grid = Grid.of(cells)
    for i in range(2, 18):
        seen = cast(grid, Pose(i + 0.5, i + 0.5), np.array([math.pi / 4]), 100.0)
        assert seen[0] == pytest.approx((19.5 - i) * math.sqrt(2), abs=1e-9)
    random = np.random.default_rng(7)
    poses = np.column_stack([random.uniform(1, 15, (500, 2)), np.zeros(500)])
    fan = np.linspace(0.01, math.pi / 2 - 0.01, 200)
    ranges = cast_many(grid, poses, fan, 100.0)
    x = poses[:, :1] + ranges * np.cos(fan)
    y = poses[:, 1:2] + ranges * np.sin(fan)
    inside = np.isfinite(ranges)
    # Whoever looks at the diagonal fence from below sees it, or looks past its end.
    past = np.minimum(x, y)[inside].min()
    assert past >= -1e-9
    assert (x + y)[inside].max() <= 40.0 + 1e-6
    assert inside.all()


def test_a_ray_along_the_border_of_a_wall_is_stopped_by_it() -> None:
    cells = np.zeros((10, 10), np.bool_)
    cells[5, 6:] = True
    grid = Grid.of(cells)
    for y in (5.0, 6.0):
        assert cast(grid, Pose(2.0, y), np.zeros(1), 20.0)[0] == pytest.approx(4.0)
    assert cast(grid, Pose(2.0, 4.99), np.zeros(1), 20.0)[0] == math.inf


def test_a_turned_and_shifted_map_shows_the_same_as_a_straight_one() -> None:
    random = np.random.default_rng(3)
    cells = random.random((30, 50)) < 0.05
    cells[10:20, 10:20] = False
    straight = Grid.of(cells, 0.1)
    frame = Pose(3.0, -7.0, 0.6)
    turned = Grid.of(cells, 0.1, (frame.x_m, frame.y_m, frame.yaw_rad))
    pose = Pose(1.53, 1.47, 0.3)
    angles = np.linspace(-3.0, 3.0, 200)
    seen = cast(turned, frame.plus(pose), angles, 10.0)
    np.testing.assert_allclose(seen, cast(straight, pose, angles, 10.0), atol=1e-9)


def test_beyond_the_reach_and_beyond_the_map_there_is_nothing() -> None:
    cells = np.zeros((20, 20), np.bool_)
    cells[:, 15] = True
    grid = Grid.of(cells, 0.5)
    ahead = np.array([0.0, math.pi])
    assert cast(grid, Pose(1.0, 1.0), ahead, 6.5).tolist() == [6.5, math.inf]
    assert cast(grid, Pose(1.0, 1.0), ahead, 6.49).tolist() == [math.inf, math.inf]
    assert cast(grid, Pose(7.7, 1.0), ahead, 9.0).tolist() == [0.0, 0.0]


def brute_shapes(
    segments: Any, discs: Any, pose: Pose, angles: Any, reach: float
) -> Any:
    """Lines in normal form and the quadratic of each circle, in another way."""
    result = []
    for angle in angles:
        d = np.array([math.cos(pose.yaw_rad + angle), math.sin(pose.yaw_rad + angle)])
        o = np.array([pose.x_m, pose.y_m])
        nearest = math.inf
        for ax, ay, bx, by in segments:
            a, b = np.array([ax, ay]), np.array([bx, by])
            system = np.column_stack([d, a - b])
            if abs(np.linalg.det(system)) < 1e-12:
                continue
            t, u = np.linalg.solve(system, a - o)
            if t >= 0.0 and 0.0 <= u <= 1.0:
                nearest = min(nearest, float(t))
        for x, y, radius in discs:
            away = o - np.array([x, y])
            if away @ away <= radius * radius:
                nearest = 0.0
                continue
            roots = np.roots([1.0, 2.0 * float(d @ away), away @ away - radius**2])
            real = [r.real for r in roots if abs(r.imag) < 1e-12 and r.real >= 0.0]
            nearest = min([nearest, *real])
        result.append(nearest if nearest <= reach else math.inf)
    return np.array(result)


def random_pose(random: np.random.Generator, most_yaw_rad: float) -> Pose:
    x_m, y_m = random.uniform(-4.0, 4.0, 2)
    return Pose(float(x_m), float(y_m), random.uniform(-most_yaw_rad, most_yaw_rad))


@pytest.mark.parametrize("seed", range(10))
def test_rays_among_segments_and_discs_end_where_geometry_says(seed: int) -> None:
    random = np.random.default_rng(200 + seed)
    segments = random.uniform(-8.0, 8.0, (12, 4))
    discs = np.column_stack(
        [random.uniform(-8.0, 8.0, (6, 2)), random.uniform(0.05, 0.5, 6)]
    )
    pose = random_pose(random, 3.0)
    angles = random.uniform(-math.pi, math.pi, 60)
    seen = cast_segments(segments, discs, pose, angles, 9.0)
    wanted = brute_shapes(segments, discs, pose, angles, 9.0)
    np.testing.assert_allclose(seen, wanted, rtol=0.0, atol=1e-7)


@pytest.mark.parametrize("seed", range(20))
def test_a_scan_among_shapes_misses_no_beam_that_single_rays_find(seed: int) -> None:
    random = np.random.default_rng(300 + seed)
    segments = np.vstack(
        [random.uniform(-6.0, 6.0, (8, 4)), box_segments(1.0, 1.0, 2.0, 1.0, 0.4)]
    )
    discs = np.column_stack(
        [random.uniform(-6.0, 6.0, (5, 2)), random.uniform(0.05, 1.5, 5)]
    )
    pose = random_pose(random, 9.0)
    turn = (math.tau, math.radians(270.0), math.radians(90.0))[seed % 3]
    laser = Laser(Pose(0.3, 0.1, 2.0), 333, turn, 12.0, noise_m=0.0)
    scan = simulate_scan(None, pose, laser, random, segments, discs)
    eye = pose.plus(laser.mount)
    wanted = cast_segments(segments, discs, eye, scan.angles_rad, 12.0)
    np.testing.assert_allclose(scan.ranges_m, wanted, rtol=0.0, atol=1e-9)


def test_walls_that_share_a_corner_leave_no_gap() -> None:
    sides = box_segments(0.0, 0.0, 4.0, 3.0, 0.7)
    random = np.random.default_rng(1)
    for corner in sides[:, :2]:
        eye = random.uniform(-1.0, 1.0, 2)
        angle = math.atan2(corner[1] - eye[1], corner[0] - eye[0])
        near = angle + np.linspace(-1e-8, 1e-8, 41)
        seen = cast_segments(sides, [], Pose(eye[0], eye[1]), near, 10.0)
        assert np.isfinite(seen).all()


def test_a_ray_along_a_segment_ends_at_its_nearer_end() -> None:
    wall = [[2.0, 0.0, 5.0, 0.0]]
    angles = np.array([0.0, math.pi])
    assert cast_segments(wall, [], Pose(0.0, 0.0), angles, 9.0)[0] == 2.0
    assert cast_segments(wall, [], Pose(3.0, 0.0), angles, 9.0).tolist() == [0.0, 0.0]
    assert cast_segments(wall, [], Pose(7.0, 0.0), angles, 9.0)[1] == 2.0
    assert math.isinf(cast_segments(wall, [], Pose(0.0, 1e-3), angles, 9.0)[0])


def walled(width: int = 80, height: int = 60) -> Grid:
    cells = np.zeros((height, width), np.bool_)
    cells[0], cells[-1], cells[:, 0], cells[:, -1] = True, True, True, True
    return Grid.of(cells, 0.1)


def test_a_scan_shows_the_nearer_of_map_and_shapes() -> None:
    grid, pose = walled(), Pose(4.0, 3.0, 0.5)
    laser = Laser(beams=181, noise_m=0.0)
    legs = [[5.0, 3.5, 0.1]]
    both = simulate_scan(grid, pose, laser, np.random.default_rng(0), discs=legs)
    alone = simulate_scan(grid, pose, laser, np.random.default_rng(0))
    shape = cast_segments([], legs, pose, both.angles_rad, 20.0)
    np.testing.assert_allclose(both.ranges_m, np.minimum(alone.ranges_m, shape))
    assert (shape < alone.ranges_m).any()


def test_noise_and_dropouts_are_as_large_as_stated_and_repeat_from_a_seed() -> None:
    grid, pose = walled(), Pose(4.0, 3.0)
    true = simulate_scan(grid, pose, EXACT, np.random.default_rng(0)).ranges_m
    noisy = Laser(noise_m=0.03, dropout_share=0.2)
    random = np.random.default_rng(5)
    scans = np.array(
        [simulate_scan(grid, pose, noisy, random).ranges_m for _ in range(40)]
    )
    again = simulate_scan(grid, pose, noisy, np.random.default_rng(5)).ranges_m
    np.testing.assert_array_equal(scans[0], again)
    lost = np.isinf(scans)
    assert 0.19 < lost.mean() < 0.21
    errors = (scans - true)[~lost]
    assert abs(errors.mean()) < 0.001
    assert 0.029 < errors.std() < 0.031


def test_phantoms_are_nearer_than_what_is_there() -> None:
    grid, pose = walled(), Pose(4.0, 3.0)
    true = simulate_scan(grid, pose, EXACT, np.random.default_rng(0)).ranges_m
    dusty = Laser(noise_m=0.0, phantom_share=0.15)
    seen = simulate_scan(grid, pose, dusty, np.random.default_rng(1)).ranges_m
    assert (seen <= true).all()
    assert 0.1 < (seen < true - 1e-9).mean() < 0.2


@pytest.mark.covers("A21")
def test_front_and_rear_lasers_see_all_around_and_either_alone_does_not() -> None:
    grid, pose = walled(), Pose(4.0, 3.0, 0.4)
    random = np.random.default_rng(2)
    covered = []
    for laser in front_and_rear(noise_m=0.0):
        points = simulate_scan(grid, pose, laser, random).points_m()
        bearings = np.degrees(np.arctan2(points[:, 1], points[:, 0]))
        covered.append(set(np.round(bearings / 3.0).astype(int) % 120))
    front, rear = covered
    assert front | rear == set(range(120))
    assert set(range(120)) - front
    assert set(range(120)) - rear
    assert 60 not in front
    assert 0 not in rear


@pytest.mark.parametrize(
    ("pose", "angles", "reach", "error", "message"),
    [
        (Pose(math.nan, 1.0), [0.0], 5.0, UnusablePose, "finite"),
        (Pose(1.0, 1.0, math.inf), [0.0], 5.0, UnusablePose, "finite"),
        (Pose(-0.1, 1.0), [0.0], 5.0, UnusablePose, "not on the map"),
        (Pose(1.0, 6.0), [0.0], 5.0, UnusablePose, "not on the map"),
        (Pose(1.0, 1.0), [math.nan], 5.0, UnusableScan, "finite"),
        (Pose(1.0, 1.0), [0.0], math.nan, UnusableLaser, "more than 0 m"),
        (Pose(1.0, 1.0), [0.0], 0.0, UnusableLaser, "more than 0 m"),
    ],
)
def test_a_ray_from_nowhere_is_refused_by_name(
    pose: Pose, angles: list[float], reach: float, error: Any, message: str
) -> None:
    with pytest.raises(error, match=message):
        cast(walled(), pose, np.array(angles), reach)


def test_shapes_that_are_none_are_refused_by_name() -> None:
    angles, pose = np.zeros(1), Pose(0.0, 0.0)
    with pytest.raises(UnusableShapes, match="4 numbers"):
        cast_segments([[1.0, 2.0, 3.0]], [], pose, angles, 5.0)
    with pytest.raises(UnusableShapes, match="finite"):
        cast_segments([[1.0, 2.0, 3.0, math.nan]], [], pose, angles, 5.0)
    with pytest.raises(UnusableShapes, match="radius"):
        cast_segments([], [[1.0, 2.0, -0.1]], pose, angles, 5.0)
    with pytest.raises(UnusablePose):
        cast_segments([], [], Pose(math.nan, 0.0), angles, 5.0)


def test_lasers_and_scans_that_cannot_be_are_refused_by_name() -> None:
    for wrong in (
        {"beams": 0},
        {"noise_m": -1.0},
        {"dropout_share": 1.5},
        {"range_max_m": math.inf},
        {"field_of_view_rad": 7.0},
        {"mount": Pose(math.nan, 0.0)},
    ):
        with pytest.raises(UnusableLaser):
            Laser(**wrong)
    scan = simulate_scan(walled(), Pose(4.0, 3.0), EXACT, np.random.default_rng(0))
    check_scan(scan)
    for bad in (math.nan, -0.5, -math.inf):
        scan.ranges_m[7] = bad
        with pytest.raises(UnusableScan):
            check_scan(scan)
