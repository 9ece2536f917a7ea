"""Lists of the corners a tile may see: never one too few, and short enough to help."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray

from shopfloor.grid import Grid
from shopfloor.grid.drawn import draw_clutter, draw_hall, draw_maze
from shopfloor.grid.sight import sees
from shopfloor.planning import corner_views
from shopfloor.planning.corner_kernels import find_corners, turns
from shopfloor.planning.corner_views import list_views, tile_bits

MAPS = {
    "hall": lambda: draw_hall(240, 200, 3).inflated(0.3),
    "maze": lambda: draw_maze(12, 5, 3),
    "clutter": lambda: draw_clutter(60, 44, 0.15, 3),
    "posts": lambda: draw_clutter(90, 70, 0.01, 3),
}


def views_of(grid: Grid, offset: float) -> SimpleNamespace:
    at, out = find_corners(grid.blocked, grid.stride)
    node = at + offset * out
    bits = tile_bits(grid)
    begins, view = list_views(grid.run_x, grid.run_y, grid.stride, node, out, bits)
    across = (grid.stride >> bits) + 1

    def listed(x: float, y: float) -> NDArray[np.int32]:
        tile = (int(y) >> bits) * across + (int(x) >> bits)
        return view[begins[tile] : begins[tile + 1]]

    return SimpleNamespace(node=node, out=out, listed=listed)


def points_in_free_cells(grid: Grid, seed: int, count: int) -> NDArray[np.float64]:
    """Close to the sides and corners of their cells too, where rounding lives."""
    random = np.random.default_rng(seed)
    rows, columns = np.nonzero(grid.cells == 0)
    chosen = random.integers(len(rows), size=count)
    within = random.choice([1e-6, 0.2, 0.5, 0.77, 1 - 1e-6], size=(count, 2))
    corners = np.stack([columns[chosen], rows[chosen]], axis=1).astype(np.float64)
    return np.asarray(corners + 1.0 + within, np.float64)


@pytest.mark.parametrize("offset", [0.125, 1e-6])
@pytest.mark.parametrize("name", MAPS)
def test_every_corner_that_is_seen_is_listed(name: str, offset: float) -> None:
    grid = MAPS[name]()
    views = views_of(grid, offset)
    seen_at_all = 0
    for x, y in points_in_free_cells(grid, 3, 60):
        listed = set(views.listed(x, y).tolist())
        for v in range(views.node.shape[1]):
            at_x, at_y = views.node[:, v]
            if not turns(x - at_x, y - at_y, *views.out[:, v]):
                continue
            if sees(grid.run_x, grid.run_y, grid.stride, x, y, at_x, at_y):
                seen_at_all += 1
                assert v in listed, (x, y, v)
    assert seen_at_all > 100


def test_lists_rise_and_leave_most_of_a_hall_out() -> None:
    grid = MAPS["hall"]()
    views = views_of(grid, 0.125)
    sizes = []
    for x, y in points_in_free_cells(grid, 4, 200):
        listed = views.listed(x, y)
        assert (np.diff(listed) > 0).all()
        sizes.append(len(listed))
    assert np.mean(sizes) < 0.5 * views.node.shape[1]


@pytest.mark.long
def test_a_corner_whose_light_goes_too_far_is_listed_everywhere() -> None:
    """So many posts on so wide a floor that following every beam would not pay."""
    cells = np.zeros((420, 420), np.bool_)
    cells[5::14, 5::14] = True
    grid = Grid.of(cells)
    views = views_of(grid, 0.125)
    corners = views.node.shape[1]
    far_apart = [views.listed(x, y) for x, y in ((1.5, 1.5), (419.5, 419.5))]
    assert all(len(listed) > corners / 2 for listed in far_apart)


@pytest.mark.parametrize("side", [1, 15, 600, 1000, 6000])
def test_the_number_of_tiles_is_bounded(side: int) -> None:
    bits = tile_bits(Grid.of(np.zeros((side, side), np.bool_)))
    assert bits >= corner_views.LEAST_BITS
    assert ((side >> bits) + 1) ** 2 <= corner_views.MAX_TILES
