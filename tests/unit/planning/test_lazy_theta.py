"""Lazy Theta* is the published algorithm, vertex by vertex."""

import math
from typing import Any

import numpy as np
import pytest

from shopfloor.grid import Grid
from shopfloor.planning import Path, Status, Tuning, find_faults, plan
from tests.support import brute_planning as brute

RAW = Tuning(tighten=False)


def centre(cell: tuple[int, int]) -> tuple[float, float]:
    return cell[0] + 0.5, cell[1] + 0.5


def lazily(cells: Any, a: Any, b: Any, tuning: Tuning = RAW) -> Path:
    grid = Grid.of(cells)
    path = plan(grid, centre(a), centre(b), "lazy_theta", tuning)
    assert find_faults(grid, path, centre(a), centre(b)) == []
    return path


def corners_of(path: Path) -> list[tuple[int, int]]:
    return [(int(x), int(y)) for x, y in path.xy]


@pytest.mark.covers("A25")
@pytest.mark.parametrize("seed", range(16))
def test_it_finds_the_path_of_algorithm_1_with_as_many_sight_checks(seed: int) -> None:
    cells = brute.random_cells(seed, 18, 14, 0.08 + 0.02 * seed)
    for a, b in brute.free_pairs(cells, seed, 6):
        if a == b:
            continue
        way, checks = brute.algorithm_1(cells, a, b)
        path = lazily(cells, a, b)
        if not way:
            assert path.status is Status.UNREACHABLE
            continue
        assert corners_of(path) == way
        assert path.sight_checks == checks


@pytest.mark.covers("A25")
@pytest.mark.parametrize(
    ("cost_weight", "goal_weight", "limit"),
    [(2.0, 1.0, 3.0), (0.5, 1.0, math.inf), (0.0, 1.5, 4.0), (4.0, 1.5, 2.0)],
)
def test_it_follows_algorithm_1_with_a_cost_term_too(
    cost_weight: float, goal_weight: float, limit: float
) -> None:
    tuning = Tuning(cost_weight, 4.0, goal_weight, limit, tighten=False)
    for seed in range(6):
        cells = brute.random_cells(seed, 16, 16, 0.12)
        layer = Grid.of(cells).nearness(4.0).reshape(18, 18)[1:-1, 1:-1]
        for a, b in brute.free_pairs(cells, seed, 4):
            way, checks = brute.algorithm_1(
                cells, a, b, layer, cost_weight, goal_weight, limit
            )
            path = lazily(cells, a, b, tuning)
            if a == b or not way:
                continue
            assert path.sight_checks == checks
            # The ends may leave out a centre that the exact points need not.
            assert corners_of(path)[1:-1] in (way[1:-1], way[2:-1], way[1:-2])


@pytest.mark.covers("A25")
@pytest.mark.parametrize("seed", range(8))
def test_it_looks_less_often_than_theta_star(seed: int) -> None:
    cells = brute.random_cells(seed, 18, 14, 0.15)
    for a, b in brute.free_pairs(cells, seed, 4):
        way, eager_checks = brute.algorithm_1(cells, a, b, eager=True)
        if len(way) > 2:
            assert lazily(cells, a, b).sight_checks < eager_checks


@pytest.mark.covers("A25")
@pytest.mark.parametrize("seed", range(10))
def test_it_is_never_longer_than_a_star_on_these_maps(seed: int) -> None:
    cells = brute.random_cells(seed, 40, 30, 0.05 + 0.02 * seed)
    grid = Grid.of(cells)
    for a, b in brute.free_pairs(cells, seed, 10):
        walked = plan(grid, centre(a), centre(b), "a_star")
        path = plan(grid, centre(a), centre(b), "lazy_theta", RAW)
        assert path.status == walked.status
        assert path.length_m <= walked.length_m + 1e-9


def test_costs_keep_the_path_away_from_obstacles() -> None:
    cells = np.zeros((40, 60), np.bool_)
    cells[18:22, 20:40] = True
    shortest = lazily(cells, (5, 20), (55, 20))
    careful = lazily(cells, (5, 20), (55, 20), Tuning(3.0, 8.0, sight_limit_m=4.0))
    assert careful.length_m > shortest.length_m
    assert brute.least_distance(cells, careful.xy) > 2.0
    assert brute.least_distance(cells, shortest.xy) < 1.0


def test_no_piece_is_longer_than_the_sight_limit_allows() -> None:
    path = lazily(np.zeros((30, 30), np.bool_), (1, 2), (27, 20), Tuning(0, 1, 1, 5.0))
    pieces = np.hypot(*np.diff(path.xy, axis=0).T)
    assert pieces.max() <= 5.0 + math.sqrt(2.0)
    assert len(pieces) >= 6


@pytest.mark.parametrize("seed", range(6))
def test_tightening_shortens_and_never_touches(seed: int) -> None:
    cells = brute.random_cells(seed, 30, 30, 0.15)
    for a, b in brute.free_pairs(cells, seed, 10):
        raw = lazily(cells, a, b)
        tight = lazily(cells, a, b, Tuning())
        assert tight.status == raw.status
        assert tight.length_m <= raw.length_m + 1e-9
