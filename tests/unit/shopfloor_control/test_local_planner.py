"""The rolling local map and the paths on it."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shopfloor.control import RobotLimits, Surroundings
from shopfloor.geometry import Pose, TagSeen
from shopfloor.grid import Grid
from shopfloor.lasers import box_segments, front_and_rear, simulate_scan
from shopfloor.local import (
    Courtesy,
    LocalPlanner,
    LocalStatus,
    LocalWindow,
    PersonRefused,
    WindowRefused,
    WindowShape,
)
from shopfloor.pilot import Pilot, PilotSettings, PilotStatus
from tests.support.driving import Track

RADIUS_M = 0.3
HERE = Pose(4.0, 2.5, 0.0)
PATH = np.array([[2.0, 2.5], [14.0, 2.5]])
BOX = box_segments(5.6, 2.5, 0.5, 0.5)
NO_BOXES: NDArray[np.float64] = np.empty((0, 4))


class Bench:
    """One planner, fed with exact scans."""

    def __init__(self, grid: Grid, **settings: Any) -> None:
        self.grid = grid
        self.planner = LocalPlanner(grid, RADIUS_M, **settings)
        self.around = Surroundings(grid, RADIUS_M)
        self.random = np.random.default_rng(5)
        self.lasers = front_and_rear(ahead_m=0.25, beams=361, noise_m=0.005)

    def step(
        self,
        now_s: float,
        pose: Pose,
        boxes: NDArray[np.float64] = NO_BOXES,
        people: tuple[TagSeen, ...] = (),
        path: NDArray[np.float64] = PATH,
    ) -> Any:
        scans = [
            simulate_scan(self.grid, pose, laser, self.random, boxes)
            for laser in self.lasers
        ]
        self.around.look(pose, scans)
        return self.planner.step(now_s, pose, scans, self.around, people, path)


def gap_to(xy: NDArray[np.float64], points: NDArray[np.float64]) -> float:
    """From a polyline, looked at every centimetre, to the nearest point."""
    best = math.inf
    for a, b in itertools.pairwise(xy):
        count = max(int(math.dist(a, b) / 0.01), 1)
        for k in range(count + 1):
            gaps = np.hypot(*(points - (a + (b - a) * k / count)).T)
            best = min(best, float(gaps.min()))
    return best


@pytest.mark.covers("A28")
def test_an_unknown_box_is_planned_around_and_the_path_rejoined(corridor: Grid) -> None:
    found = Bench(corridor).step(0.0, HERE, BOX)
    assert found.status is LocalStatus.AROUND
    assert tuple(found.xy[0]) == (HERE.x_m, HERE.y_m)
    assert found.xy[-1][1] == pytest.approx(2.5, abs=0.03)
    assert found.xy[-1][0] > 5.6 + 0.25 + RADIUS_M
    assert np.abs(found.xy[:, 1] - 2.5).max() > 0.4


@pytest.mark.covers("A31")
@pytest.mark.parametrize("margin_m", [0.24, 0.4])
def test_no_path_comes_nearer_to_an_obstacle_than_the_margin(
    corridor: Grid, margin_m: float
) -> None:
    for y_m in (2.2, 2.5, 2.7):
        bench = Bench(corridor, unknown_margin_m=margin_m)
        boxes = box_segments(5.6, y_m, 0.5, 0.4, 0.3)
        found = bench.step(0.0, HERE, boxes)
        assert found.ok
        seen = bench.planner.window.marked_points_m()
        assert gap_to(found.xy, seen) >= RADIUS_M + margin_m


@pytest.mark.covers("A30")
def test_the_window_has_the_size_asked_for_and_follows_the_robot(
    corridor: Grid,
) -> None:
    for size_m, cells in ((3.0, 60), (6.0, 120)):
        bench = Bench(corridor, shape=WindowShape(size_m), always_plan=True)
        for x_m in (4.0, 5.0, 7.5):
            bench.step(x_m, Pose(x_m, 2.5))
            window = bench.planner.window
            assert bench.planner.blocked is not None
            assert bench.planner.blocked.shape == (cells, cells)
            centre_m = (window.left + cells / 2) * 0.05
            assert centre_m == pytest.approx(x_m, abs=0.06)


def test_marks_stay_where_they_are_while_the_window_rolls(corridor: Grid) -> None:
    bench = Bench(corridor)
    bench.step(0.0, HERE, BOX)
    before = bench.planner.window.marked_points_m()
    bench.step(0.1, Pose(4.43, 2.61, 0.2), BOX)
    after = bench.planner.window.marked_points_m()
    for point in before:
        assert np.hypot(*(after - point).T).min() < 1e-6


def test_what_is_gone_is_forgotten_when_a_beam_passes_through(corridor: Grid) -> None:
    bench = Bench(corridor)
    bench.step(0.0, HERE, BOX)
    assert bench.planner.window.marked > 0
    found = bench.step(0.05, HERE)
    assert found.status is LocalStatus.FOLLOWING
    assert bench.planner.window.marked == 0


def test_what_is_unseen_is_forgotten_after_a_while(corridor: Grid) -> None:
    bench = Bench(corridor, shape=WindowShape(keep_s=2.0))
    bench.step(0.0, HERE, BOX)
    window = bench.planner.window
    scans: list[Any] = [
        simulate_scan(corridor, HERE, laser, bench.random, BOX)
        for laser in bench.lasers
    ]
    # A screen right before the lasers hides the box.
    for scan in scans:
        scan.ranges_m[:] = np.minimum(scan.ranges_m, 0.3)
    bench.around.look(HERE, scans)
    hidden = window.marked_points_m()
    window.update(1.0, HERE, scans, bench.around)
    assert len(window.marked_points_m()) >= len(hidden)
    window.update(5.0, HERE, scans, bench.around)
    left = window.marked_points_m()
    assert not any(np.hypot(*(left - point).T).min() < 1e-6 for point in hidden)


def test_without_anything_unknown_the_global_path_is_followed(corridor: Grid) -> None:
    found = Bench(corridor).step(0.0, HERE)
    assert found.status is LocalStatus.FOLLOWING
    assert np.array_equal(found.xy, PATH)
    assert found.progress_m == pytest.approx(2.0)


def test_a_closed_corridor_is_blocked_and_says_by_whom(corridor: Grid) -> None:
    wall = np.array([[5.5, 0.0, 5.5, 5.0]])
    blocked = Bench(corridor).step(0.0, Pose(4.8, 2.5), wall)
    assert blocked.status in (LocalStatus.AROUND, LocalStatus.BLOCKED)
    nearer = Bench(corridor).step(0.0, Pose(4.86, 2.5), wall)
    assert nearer.status is LocalStatus.BLOCKED
    crowd = tuple(TagSeen(str(i), 5.95, 0.5 + i, 0.0) for i in range(5))
    stopped = Bench(corridor).step(0.0, Pose(4.75, 2.5), people=crowd)
    assert stopped.status is LocalStatus.BLOCKED_BY_PERSON


def test_people_are_passed_on_the_right(corridor: Grid) -> None:
    """Heading +x the right is less y; heading -x it is more y."""
    ahead = Bench(corridor).step(
        0.0, HERE, people=(TagSeen("1", 6.3, 2.5, 0.0, -0.5, 0.0),)
    )
    assert ahead.ok
    assert ahead.xy[:, 1].min() < 2.5 - 0.8
    back = Bench(corridor).step(
        0.0,
        Pose(8.0, 2.5, math.pi),
        people=(TagSeen("1", 5.7, 2.5, 0.0, 0.5, 0.0),),
        path=PATH[::-1].copy(),
    )
    assert back.ok
    assert back.xy[:, 1].max() > 2.5 + 0.8


def test_no_path_enters_the_distance_kept_to_a_person(corridor: Grid) -> None:
    for y_m in (2.0, 2.3, 2.9):
        found = Bench(corridor).step(0.0, HERE, people=(TagSeen("1", 6.0, y_m, 0.0),))
        assert found.ok
        assert gap_to(found.xy, np.array([[6.0, y_m]])) >= RADIUS_M + 0.8


def test_a_turned_map_is_planned_on_as_well() -> None:
    cells = np.zeros((100, 320), np.bool_)
    cells[:2], cells[-2:], cells[:, :2], cells[:, -2:] = True, True, True, True
    yaw = 0.5
    grid = Grid.of(cells, 0.05, (3.0, -2.0, yaw))
    frame = Pose(3.0, -2.0, yaw)
    bench = Bench(grid)
    ends = [frame.plus(Pose(x, 2.5)) for x in (2.0, 14.0)]
    path = np.array([[end.x_m, end.y_m] for end in ends])
    middle = frame.plus(Pose(5.6, 2.5))
    boxes = box_segments(middle.x_m, middle.y_m, 0.5, 0.5, yaw)
    here = frame.plus(HERE)
    found = bench.step(0.0, here, boxes, path=path)
    assert found.status is LocalStatus.AROUND
    seen = bench.planner.window.marked_points_m()
    assert len(seen) > 5
    assert gap_to(found.xy, seen) >= RADIUS_M + 0.24


@pytest.mark.parametrize("drive", ["differential", "holonomic"])
def test_the_dynamic_window_drives_around_a_box_too(corridor: Grid, drive: str) -> None:
    pilot = Pilot(
        corridor,
        RobotLimits(drive=drive),  # type: ignore[arg-type]
        settings=PilotSettings(controller="dwa"),
    )
    track = Track(corridor, pilot, Pose(2.0, 2.5, 0.0), BOX)
    driven = track.drive_to(9.0, 2.5, 0.0)
    assert driven.last.status is PilotStatus.ARRIVED
    assert driven.to_boxes_m > 0.15
    assert track.floor.pose.distance_to(Pose(9.0, 2.5)) < 0.13


@pytest.mark.parametrize("size_m", [0.0, -1.0, math.nan, math.inf, 0.1, 1000.0])
def test_a_window_that_cannot_be_is_refused(corridor: Grid, size_m: float) -> None:
    with pytest.raises(WindowRefused):
        LocalWindow(corridor, WindowShape(size_m))


def test_memory_and_margins_that_cannot_be_are_refused(corridor: Grid) -> None:
    with pytest.raises(WindowRefused):
        WindowShape(6.0, keep_s=0.0)
    with pytest.raises(WindowRefused):
        LocalPlanner(corridor, -0.3)
    with pytest.raises(PersonRefused):
        Courtesy(distance_m=-1.0)
    with pytest.raises(PersonRefused):
        Courtesy(distance_m=4.0)
