"""Distances, runs, parts, inflation and sight against brute force."""

from typing import Any

import numpy as np
import pytest

from shopfloor.grid import Grid, MapRefused
from shopfloor.grid.kernels import squared_distances
from shopfloor.grid.sight import cells_see, sees
from tests.support import brute_planning as brute

SEEDS = range(12)


def squares(cells: Any) -> Any:
    rows, columns = np.nonzero(cells)
    ys, xs = np.mgrid[: cells.shape[0], : cells.shape[1]]
    return ((xs[..., None] - columns) ** 2 + (ys[..., None] - rows) ** 2).min(axis=2)


@pytest.mark.parametrize("seed", SEEDS)
def test_distances_equal_those_to_every_blocked_cell(seed: int) -> None:
    random = np.random.default_rng(seed)
    width, height = (int(v) for v in random.integers(1, 40, size=2))
    cells = brute.random_cells(seed, width, height, 0.02 + 0.3 * random.random())
    cells[random.integers(height), random.integers(width)] = True
    found = squared_distances(cells.view(np.uint8))
    assert (found == squares(cells)).all()


def test_a_map_without_obstacles_is_far_from_everything() -> None:
    grid = Grid.of(np.zeros((3, 5), np.bool_), 0.05)
    assert (grid.distance_m > 1000.0).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_runs_count_the_free_cells_ahead(seed: int) -> None:
    cells = brute.random_cells(seed, 17, 11, 0.3)
    grid = Grid.of(cells)
    for row in range(11):
        for column in range(17):
            at = (row + 1) * grid.stride + column + 1
            right = next((i for i in range(17 - column) if cells[row, column + i]), -1)
            up = next((i for i in range(11 - row) if cells[row + i, column]), -1)
            assert grid.run_x[at] == (17 - column if right < 0 else right)
            assert grid.run_y[at] == (11 - row if up < 0 else up)


@pytest.mark.parametrize("seed", SEEDS)
def test_sight_between_centres_is_exact(seed: int) -> None:
    cells = brute.random_cells(seed, 23, 19, 0.04 + 0.02 * seed)
    grid = Grid.of(cells)
    seen = 0
    for a, b in brute.free_pairs(cells, seed, 400):
        expected = brute.centres_see(cells, a, b)
        found = cells_see(
            grid.run_x, grid.run_y, grid.stride, a[0] + 1, a[1] + 1, b[0] + 1, b[1] + 1
        )
        points = (a[0] + 1.5, a[1] + 1.5, b[0] + 1.5, b[1] + 1.5)
        assert found == expected
        assert sees(grid.run_x, grid.run_y, grid.stride, *points) == expected
        seen += expected
    assert 0 < seen < 400


@pytest.mark.parametrize("seed", SEEDS)
def test_sight_between_any_points_is_exact(seed: int) -> None:
    """Points on an eighth of a cell, so many segments just touch a corner."""
    cells = brute.random_cells(seed, 14, 15, 0.1 + 0.01 * seed)
    grid = Grid.of(cells)
    random = np.random.default_rng(seed)
    for a, b in brute.free_pairs(cells, seed, 400):
        (x0, y0), (x1, y1) = (
            (
                8 * p[0] + int(random.integers(1, 8)),
                8 * p[1] + int(random.integers(1, 8)),
            )
            for p in (a, b)
        )
        expected = brute.sees(cells, (x0, y0), (x1, y1), scale=8)
        points = (x0 / 8 + 1, y0 / 8 + 1, x1 / 8 + 1, y1 / 8 + 1)
        assert sees(grid.run_x, grid.run_y, grid.stride, *points) == expected
        back = (*points[2:], *points[:2])
        assert sees(grid.run_x, grid.run_y, grid.stride, *back) == expected


def test_sight_stops_at_a_corner_it_only_touches() -> None:
    cells = np.zeros((4, 4), np.bool_)
    cells[1, 2] = True
    grid = Grid.of(cells)
    assert not cells_see(grid.run_x, grid.run_y, grid.stride, 2, 2, 3, 3)
    assert not cells_see(grid.run_x, grid.run_y, grid.stride, 2, 1, 4, 3)
    assert cells_see(grid.run_x, grid.run_y, grid.stride, 2, 3, 4, 3)


@pytest.mark.covers("A31")
@pytest.mark.parametrize("margin_m", [0.05, 0.1, 0.17, 0.3])
def test_inflation_blocks_exactly_the_cells_nearer_than_the_margin(
    margin_m: float,
) -> None:
    cells = brute.random_cells(5, 31, 27, 0.02)
    grid = Grid.of(cells, 0.05)
    rows, columns = np.nonzero(cells)
    ys, xs = np.mgrid[:27, :31]
    dx = np.maximum(abs(xs[..., None] - columns) - 1, 0)
    dy = np.maximum(abs(ys[..., None] - rows) - 1, 0)
    near = np.sqrt((dx * dx + dy * dy).min(axis=2)) * 0.05 < margin_m - 1e-9
    assert (grid.inflated(margin_m).cells == (near | cells)).all()


def test_inflating_by_nothing_changes_nothing() -> None:
    grid = Grid.of(np.eye(4, dtype=np.bool_))
    assert grid.inflated(0.0) is grid


@pytest.mark.parametrize("margin_m", [-0.1, float("nan"), float("inf")])
def test_a_margin_that_is_no_distance_is_refused(margin_m: float) -> None:
    with pytest.raises(MapRefused, match="a margin is 0 m or more"):
        Grid.of(np.eye(4, dtype=np.bool_)).inflated(margin_m)


def test_a_grid_cannot_be_changed() -> None:
    cells = np.zeros((4, 4), np.bool_)
    grid = Grid.of(cells, 0.5)
    cells[0, 0] = True
    assert grid.cells[0, 0] == 0
    for table in (grid.blocked, grid.cells, grid.run_x, grid.distance_m, grid.part):
        with pytest.raises(ValueError, match="read-only"):
            table[...] = 1


def test_parts_are_what_walks_connect() -> None:
    cells = brute.random_cells(8, 15, 15, 0.4)
    grid = Grid.of(cells)
    part = grid.part.reshape(17, 17)[1:-1, 1:-1]
    assert ((part == 0) == cells).all()
    for a, b in brute.free_pairs(cells, 8, 60):
        connected = brute.shortest_walk(cells, a, b) < float("inf")
        assert (part[a[1], a[0]] == part[b[1], b[0]]) == connected


def test_a_turned_map_leads_to_cells_and_back() -> None:
    grid = Grid.of(np.zeros((6, 8), np.bool_), 0.25, (3.0, -2.0, 0.7))
    point = np.array([[2.5, 4.25], [1.0, 1.0]])
    metres = grid.to_metres(point)
    assert np.allclose([grid.to_cells(*p) for p in metres], point)
    assert np.allclose(metres[1], (3.0, -2.0))


def test_the_nearest_free_place_is_found_or_not() -> None:
    cells = np.ones((9, 9), np.bool_)
    cells[4, 7] = False
    grid = Grid.of(cells, 0.1)
    assert grid.nearest_free(0.75, 0.45, 0.1) == (0.75, 0.45)
    found = grid.nearest_free(0.55, 0.45, 0.3)
    assert found is not None
    assert np.allclose(found, (0.75, 0.45))
    assert grid.nearest_free(0.15, 0.45, 0.3) is None
    assert grid.nearest_free(float("nan"), 0.45, 0.3) is None
    assert grid.nearest_free(50.0, 50.0, 0.3) is None
