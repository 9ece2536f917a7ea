"""The one call for all planners: causes, repetition, threads, bad input."""

import math
import threading

import numpy as np
import pytest

from shopfloor.grid import Grid
from shopfloor.grid.drawn import draw_hall
from shopfloor.planning import (
    METHODS,
    StationRefused,
    Status,
    Tuning,
    TuningRefused,
    UnknownMethod,
    find_faults,
    plan,
    prepare,
)

INFINITE = float("inf")
NAN = float("nan")


def two_rooms() -> Grid:
    """Metres 0 to 2 by 0 to 1; a wall from 0.9 to 1.1 that nothing passes."""
    cells = np.zeros((10, 20), np.bool_)
    cells[:, 9:11] = True
    return Grid.of(cells, 0.1)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("start", "goal", "status"),
    [
        ((0.5, 0.5), (0.1, 0.9), Status.OK),
        ((0.5, 0.5), (0.5, 0.5), Status.OK),
        ((0.5, 0.5), (1.5, 0.5), Status.UNREACHABLE),
        ((1.0, 0.5), (1.5, 0.5), Status.START_BLOCKED),
        ((0.5, 0.5), (1.0, 0.5), Status.GOAL_BLOCKED),
        ((-0.1, 0.5), (0.5, 0.5), Status.START_OUTSIDE),
        ((0.5, 0.5), (0.5, 1.0), Status.GOAL_OUTSIDE),
        ((0.5, 0.5), (1e300, 0.5), Status.GOAL_OUTSIDE),
        ((NAN, 0.5), (0.5, 0.5), Status.START_NOT_FINITE),
        ((0.5, INFINITE), (0.5, 0.5), Status.START_NOT_FINITE),
        ((0.5, 0.5), (0.5, NAN), Status.GOAL_NOT_FINITE),
        ((0.5, 0.5), (-INFINITE, 0.5), Status.GOAL_NOT_FINITE),
    ],
)
def test_every_planner_names_the_cause(
    method: str,
    start: tuple[float, float],
    goal: tuple[float, float],
    status: Status,
) -> None:
    grid = two_rooms()
    path = plan(grid, start, goal, method)
    assert path.status is status
    assert find_faults(grid, path, start, goal) == []
    assert (len(path.xy) > 1) == path.ok


def test_a_turned_map_is_planned_on_in_its_own_frame() -> None:
    cells = np.zeros((40, 40), np.bool_)
    cells[10:30, 18:22] = True
    straight = plan(Grid.of(cells, 0.1), (0.5, 2.0), (3.5, 2.0))
    yaw = 0.6
    turned = Grid.of(cells, 0.1, (5.0, -1.0, yaw))

    def there(x: float, y: float) -> tuple[float, float]:
        cos, sin = math.cos(yaw), math.sin(yaw)
        return 5.0 + cos * x - sin * y, -1.0 + sin * x + cos * y

    ends = there(0.5, 2.0), there(3.5, 2.0)
    path = plan(turned, *ends)
    assert find_faults(turned, path, *ends) == []
    assert path.length_m == pytest.approx(straight.length_m)


@pytest.mark.covers("A26")
@pytest.mark.parametrize("method", METHODS)
def test_a_hundred_calls_give_one_path(method: str) -> None:
    grid = draw_hall(120, 100, 7).inflated(0.2)
    first = plan(grid, (0.5, 0.4), (5.5, 4.6), method)
    assert first.ok
    for _ in range(99):
        again = plan(grid, (0.5, 0.4), (5.5, 4.6), method)
        assert again.length_m == first.length_m
        assert (again.xy == first.xy).all()


def test_an_equal_map_gives_an_equal_path() -> None:
    a, b = (draw_hall(120, 100, 7).inflated(0.2) for _ in range(2))
    one = plan(a, (0.5, 0.4), (5.5, 4.6))
    two = plan(b, (0.5, 0.4), (5.5, 4.6))
    assert (one.xy == two.xy).all()


def test_threads_share_a_map_without_disturbing_each_other() -> None:
    grid = draw_hall(160, 120, 9).inflated(0.2)
    random = np.random.default_rng(9)
    pairs = [
        ((x0, y0), (x1, y1))
        for x0, y0, x1, y1 in random.uniform(0.2, (7.8, 5.8, 7.8, 5.8), size=(40, 4))
    ]
    alone = {m: [plan(grid, *p, m).xy for p in pairs] for m in METHODS}
    wrong: list[str] = []

    def check(method: str) -> None:
        fresh = Grid.of(grid.cells, grid.resolution_m, grid.origin)
        for where in (grid, fresh):
            for pair, expected in zip(pairs, alone[method], strict=True):
                found = plan(where, *pair, method).xy
                if found.shape != expected.shape or (found != expected).any():
                    wrong.append(method)

    threads = [threading.Thread(target=check, args=(m,)) for m in METHODS for _ in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_an_unknown_planner_is_refused() -> None:
    with pytest.raises(UnknownMethod, match="no planner 'magic'; there are auto"):
        plan(two_rooms(), (0.5, 0.5), (0.6, 0.5), "magic")


@pytest.mark.parametrize("station", [(1.0, 0.5), (9.0, 0.5), (NAN, 0.0)])
def test_a_station_nobody_reaches_is_refused(station: tuple[float, float]) -> None:
    with pytest.raises(StationRefused, match=r"is no goal: goal_"):
        prepare(two_rooms(), [station])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"cost_weight": -1.0}, "cost weight is 0 or more"),
        ({"cost_weight": NAN}, "cost weight is 0 or more"),
        ({"goal_weight": 0.5}, "goal weight is 1 or more"),
        ({"goal_weight": INFINITE}, "goal weight is 1 or more"),
        ({"sight_limit_m": 0.0}, "sight limit is above 0 m"),
        ({"sight_limit_m": NAN}, "sight limit is above 0 m"),
        ({"cost_falloff_m": -1.0}, "cost falloff is above 0 m"),
        ({"cost_falloff_m": INFINITE}, "cost falloff is a finite distance"),
    ],
)
def test_a_weight_out_of_range_is_refused(wrong: dict[str, float], words: str) -> None:
    with pytest.raises(TuningRefused, match=words):
        Tuning(**wrong)  # type: ignore[arg-type]


def test_a_hurried_search_expands_less_and_still_keeps_clear() -> None:
    grid = draw_hall(240, 200, 2).inflated(0.3)
    ends = (0.6, 0.6), (11.4, 9.4)
    calm = plan(grid, *ends, "lazy_theta")
    hurried = plan(grid, *ends, "lazy_theta", Tuning(goal_weight=1.5))
    assert find_faults(grid, hurried, *ends) == []
    assert hurried.expansions < calm.expansions
