"""The validator sees every contact, and only contacts."""

import numpy as np
import pytest

from shopfloor.grid import Grid
from shopfloor.planning import Path, Status, find_faults, plan, touched_cell
from tests.support import brute_planning as brute


def open_floor() -> Grid:
    cells = np.zeros((20, 30), np.bool_)
    cells[8:12, 10:20] = True
    return Grid.of(cells)


def path_over(*points: tuple[float, float], length_m: float | None = None) -> Path:
    xy = np.array(points, dtype=np.float64)
    length = float(np.hypot(*np.diff(xy, axis=0).T).sum())
    return Path(Status.OK, "drawn", xy, length if length_m is None else length_m)


def causes(path: Path, **ends: tuple[float, float]) -> list[str]:
    return [fault.cause for fault in find_faults(open_floor(), path, **ends)]


def test_a_clear_path_has_no_fault() -> None:
    assert causes(path_over((1, 1), (25, 7.9), (25, 15)), start=(1, 1)) == []


@pytest.mark.parametrize(
    "points",
    [
        ((1.0, 10.0), (29.0, 10.5)),
        ((5.0, 12.0), (25.0, 12.0)),
        ((9.0, 13.0), (11.0, 11.0)),
        ((9.5, 12.5), (10.5, 11.5)),
        ((20.0, 5.0), (20.0, 15.0)),
        ((21.0, 7.0), (19.0, 9.0)),
        ((15.0, 9.0), (15.1, 9.0)),
    ],
)
def test_crossing_sliding_and_corner_cutting_are_contacts(
    points: tuple[tuple[float, float], ...],
) -> None:
    (cause,) = causes(path_over(*points))
    assert "touches the blocked cell" in cause


def test_a_hair_beside_a_corner_is_no_contact() -> None:
    assert causes(path_over((9.0, 13.0 + 1e-7), (11.0, 11.0 + 1e-7))) != []
    assert causes(path_over((9.0, 13.0), (10.0, 12.0 + 1e-7), (20, 12.1))) == []


@pytest.mark.parametrize(
    "outside", [(-0.1, 5.0), (30.1, 5.0), (5.0, -0.1), (5.0, 20.1), (900.0, 900.0)]
)
def test_leaving_the_map_is_a_contact(outside: tuple[float, float]) -> None:
    assert touched_cell(open_floor(), np.array([(5.0, 5.0), outside])) is not None


def test_wrong_ends_lengths_and_shapes_are_named() -> None:
    good = ((1.0, 1.0), (2.0, 1.0))
    assert "misses its start" in causes(path_over(*good), start=(1.0, 1.1))[0]
    assert "misses its goal" in causes(path_over(*good), goal=(2.0, 1.1))[0]
    assert "is 1.0 m long" in causes(path_over(*good, length_m=0.9))[0]
    nowhere = Path(Status.OK, "drawn", np.array([[1.0, np.nan], [2.0, 1.0]]), 1.0)
    assert causes(nowhere) == ["a point is not finite"]
    assert causes(Path(Status.OK, "drawn")) == ["a path has two points or more"]
    failed = Path(Status.UNREACHABLE, "drawn", np.array(good), 1.0)
    assert causes(failed) == ["a failed plan has points"]
    assert causes(Path(Status.UNREACHABLE, "drawn")) == []


@pytest.mark.parametrize("seed", range(8))
def test_it_agrees_with_exact_arithmetic(seed: int) -> None:
    cells = brute.random_cells(seed, 60, 50, 0.01)
    grid = Grid.of(cells)
    random = np.random.default_rng(seed)
    contacts = 0
    for x0, y0, x1, y1 in random.integers(1, (480, 400, 480, 400), size=(300, 4)):
        a, b = (int(x0), int(y0)), (int(x1), int(y1))
        clear = brute.sees(cells, a, b, scale=8)
        # Divided by a power of two, so that nothing is rounded.
        found = touched_cell(grid, np.array([a, b]) / 8.0)
        assert (found is None) == clear
        contacts += not clear
    assert 0 < contacts < 300


@pytest.mark.covers("A24", "A31")
@pytest.mark.parametrize("margin_m", [0.1, 0.25])
def test_no_path_comes_nearer_to_an_obstacle_than_the_margin(margin_m: float) -> None:
    cells = np.zeros((60, 80), np.bool_)
    cells[20:24, 10:60] = True
    cells[40:44, 20:75] = True
    raw = Grid.of(cells, 0.05)
    grid = raw.inflated(margin_m)
    start, goal = (2.0, 0.2), (2.0, 2.8)
    for method in ("auto", "lazy_theta", "goal_field", "a_star", "d_star_lite"):
        path = plan(grid, start, goal, method)
        assert find_faults(grid, path, start, goal) == []
        assert path.ok
        assert brute.least_distance(cells, path.xy / 0.05) * 0.05 >= margin_m - 1e-9
