"""A*, Dijkstra, the corner graph and goal fields against exact answers."""

import math
from typing import Any

import numpy as np
import pytest

from shopfloor.grid import Grid
from shopfloor.grid.drawn import draw_clutter, draw_hall, draw_maze
from shopfloor.planning import (
    CornerGraph,
    GoalField,
    Path,
    Status,
    Tuning,
    corner_graph,
    find_faults,
    plan,
    prepare,
)
from shopfloor.planning.strings import OFFSET_CELLS
from tests.support import brute_planning as brute

TINY = 1e-6


def centre(cell: tuple[int, int]) -> tuple[float, float]:
    return cell[0] + 0.5, cell[1] + 0.5


def planned(grid: Grid, a: Any, b: Any, method: str) -> Path:
    path = plan(grid, a, b, method)
    assert find_faults(grid, path, a, b) == []
    return path


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("method", ["a_star", "dijkstra"])
def test_walks_are_as_short_as_walks_can_be(method: str, seed: int) -> None:
    cells = brute.random_cells(seed, 20, 16, 0.04 * seed)
    grid = Grid.of(cells)
    for a, b in brute.free_pairs(cells, seed, 8):
        path = planned(grid, centre(a), centre(b), method)
        shortest = brute.shortest_walk(cells, a, b)
        assert path.ok == (shortest < math.inf)
        if path.ok:
            assert path.length_m == pytest.approx(shortest, abs=1e-9)


@pytest.mark.covers("A26")
@pytest.mark.parametrize("seed", range(14))
def test_the_corner_graph_finds_the_true_optimum(seed: int) -> None:
    """Drawn close to the corners it is the optimum; as used it is a little longer."""
    cells = brute.random_cells(seed, 12, 11, 0.03 + 0.03 * seed)
    grid = Grid.of(cells)
    close = CornerGraph.of(grid, TINY)
    for a, b in brute.free_pairs(cells, seed, 8):
        optimum = brute.shortest_string(cells, a, b)
        path = planned(grid, centre(a), centre(b), "corner_graph")
        assert path.ok == (optimum < math.inf)
        if not path.ok:
            continue
        assert path.method == "corner_graph"
        length = close.search(a[0] + 1.5, a[1] + 1.5, b[0] + 1.5, b[1] + 1.5)[1]
        assert length == pytest.approx(optimum, abs=1e-4)
        assert path.length_m >= optimum - 1e-9
        most = 2.0 * math.sqrt(2.0) * OFFSET_CELLS * (len(path.xy) - 2)
        assert path.length_m <= optimum + most + 1e-9


@pytest.mark.parametrize("seed", range(8))
def test_any_point_of_a_free_cell_is_a_start_and_a_goal(seed: int) -> None:
    """On the sides and in the corners of cells too, where rounding lives."""
    cells = brute.random_cells(seed, 14, 14, 0.3)
    grid = Grid.of(cells, 0.05)
    random = np.random.default_rng(seed)
    for a, b in brute.free_pairs(cells, seed, 20):
        offsets = random.choice([0.0, 1e-12, 0.01, 0.5, 0.99, 1 - 1e-9], size=4)
        start = ((a[0] + offsets[0]) * 0.05, (a[1] + offsets[1]) * 0.05)
        goal = ((b[0] + offsets[2]) * 0.05, (b[1] + offsets[3]) * 0.05)
        if not (grid.is_free(*start) and grid.is_free(*goal)):
            continue
        lengths = {
            method: planned(grid, start, goal, method).length_m
            for method in ("corner_graph", "lazy_theta", "goal_field", "a_star")
        }
        for method, length in lengths.items():
            assert lengths["corner_graph"] <= length + 0.05, method


@pytest.mark.parametrize("seed", range(6))
def test_a_goal_field_leads_from_everywhere_to_its_station(seed: int) -> None:
    cells = brute.random_cells(seed, 24, 20, 0.25)
    grid = Grid.of(cells)
    (_, station), *rest = brute.free_pairs(cells, seed, 20)
    prepare(grid, [centre(station)])
    for a, _ in rest:
        path = planned(grid, centre(a), centre(station), "auto")
        walk = brute.shortest_walk(cells, a, station)
        assert path.ok == (walk < math.inf)
        if path.ok:
            assert path.method == "goal_field"
            assert path.length_m <= walk + 1e-9


def test_a_field_knows_where_no_way_leads() -> None:
    cells = np.zeros((5, 9), np.bool_)
    cells[:, 4] = True
    grid = Grid.of(cells)
    field = GoalField.of(grid, 1 * grid.stride + 1)
    assert field.follow(3 * grid.stride + 7, 7.5, 3.5, 1.5, 1.5) is None
    assert field.follow(3 * grid.stride + 2, 2.5, 3.5, 1.5, 1.5) is not None


@pytest.mark.covers("A24", "A26")
@pytest.mark.parametrize("seed", range(3))
def test_halls_are_crossed_within_one_percent_of_the_optimum(seed: int) -> None:
    grid = draw_hall(240, 200, seed).inflated(0.3)
    bound = CornerGraph.of(grid, TINY)
    random = np.random.default_rng(seed)
    ratios: dict[str, list[float]] = {}
    while len(ratios.get("auto", [])) < 12:
        x0, x1 = random.uniform(0.3, 11.7, size=2)
        y0, y1 = random.uniform(0.3, 9.7, size=2)
        if not (grid.is_free(x0, y0) and grid.is_free(x1, y1)):
            continue
        points = (*grid.to_cells(x0, y0), *grid.to_cells(x1, y1))
        optimum = bound.search(*points)[1] * grid.resolution_m
        if optimum < 1.0:
            continue
        for method in ("auto", "lazy_theta", "goal_field"):
            path = planned(grid, (x0, y0), (x1, y1), method)
            assert path.ok
            ratios.setdefault(method, []).append(path.length_m / optimum)
    for found in ratios.values():
        assert min(found) > 1.0 - 1e-6
        assert max(found) < 1.01
        assert np.mean(found) < 1.005


@pytest.mark.covers("A27")
@pytest.mark.parametrize("method", ["auto", "lazy_theta", "a_star", "goal_field"])
def test_a_maze_of_dead_ends_is_solved(method: str) -> None:
    grid = draw_maze(24, 6, 4)
    ends = (1.5, 1.5), (grid.width - 1.5, grid.height - 1.5)
    path = planned(grid, *ends, method)
    assert path.ok
    assert path.length_m > 2.0 * grid.width


def test_clutter_with_too_many_corners_is_left_to_lazy_theta() -> None:
    grid = draw_clutter(140, 140, 0.2, 3)
    random = np.random.default_rng(3)
    methods = set()
    for x0, y0, x1, y1 in random.integers(0, 140, size=(30, 4)) + 0.5:
        if grid.is_free(x0, y0) and grid.is_free(x1, y1):
            path = planned(grid, (x0, y0), (x1, y1), "auto")
            if path.ok:
                methods.add(path.method)
    assert methods == {"lazy_theta"}
    with pytest.raises(corner_graph.TooManyCorners, match="more than 6000"):
        plan(grid, *_two_connected(grid), "corner_graph")


def _two_connected(grid: Grid) -> tuple[tuple[float, float], tuple[float, float]]:
    part = grid.part.reshape(-1, grid.stride)
    rows, columns = np.nonzero(part == np.bincount(part[part > 0]).argmax())
    return (
        (float(columns[0]) - 0.5, float(rows[0]) - 0.5),
        (float(columns[-1]) - 0.5, float(rows[-1]) - 0.5),
    )


def test_a_map_without_corners_needs_no_graph() -> None:
    grid = Grid.of(np.zeros((6, 6), np.bool_))
    path = planned(grid, (0.2, 0.3), (5.9, 5.1), "auto")
    assert path.status is Status.OK
    assert len(path.xy) == 2


def test_published_lengths_stay_near_those_of_the_tightened() -> None:
    grid = draw_hall(240, 200, 1).inflated(0.3)
    ends = (0.6, 0.6), (11.4, 9.4)
    raw = plan(grid, *ends, "lazy_theta", Tuning(tighten=False))
    assert 1.0 <= raw.length_m / plan(grid, *ends, "lazy_theta").length_m < 1.02


def test_in_clutter_the_chosen_planner_opens_few_cells_and_stays_short() -> None:
    grid = draw_clutter(400, 400, 0.1, 5)
    grid = Grid.of(grid.cells, 0.05)
    start, goal = (0.7, 0.6), (18.6, 17.9)
    chosen, plain = plan(grid, start, goal), plan(grid, start, goal, "lazy_theta")
    assert chosen.method == "lazy_theta"
    assert find_faults(grid, chosen, start, goal) == []
    assert chosen.length_m <= 1.01 * plain.length_m
    assert chosen.expansions * 4 < plain.expansions
