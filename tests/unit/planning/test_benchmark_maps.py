"""Whole scenarios: drawn worlds always, the public benchmark maps where present.

Scenario lengths are those of the shortest walk that cuts no corner, so A* must hit
them and any-angle paths must not exceed them.
"""

from pathlib import Path

import numpy as np
import pytest

from shopfloor.grid import Grid, read_map, read_scenario
from shopfloor.grid.drawn import draw_clutter, draw_hall, draw_maze
from shopfloor.planning import find_faults, plan

MAPS = Path(__file__).resolve().parents[4] / "shared" / "data" / "maps"
DRAWN = {
    "hall": lambda: draw_hall(200, 160, 5, 1.0).inflated(6.0),
    "maze": lambda: draw_maze(12, 7, 5),
    "clutter": lambda: draw_clutter(60, 60, 0.25, 5),
}
PRESENT = sorted(MAPS.glob("*.map")) if MAPS.is_dir() else []


def load(world: str) -> Grid:
    return DRAWN[world]() if world in DRAWN else read_map(MAPS / world)


@pytest.mark.covers("A24", "A25", "A27")
@pytest.mark.parametrize("world", [*DRAWN, *(file.name for file in PRESENT)])
def test_every_planner_agrees_on_what_is_reachable_and_keeps_clear(world: str) -> None:
    grid = load(world)
    random = np.random.default_rng(11)
    rows, columns = np.nonzero(grid.cells == 0)
    for a, b in random.integers(len(rows), size=(12, 2)):
        centres = np.array(
            [[columns[a] + 1.5, rows[a] + 1.5], [columns[b] + 1.5, rows[b] + 1.5]]
        )
        start, goal = (tuple(p) for p in grid.to_metres(centres).tolist())
        walked = plan(grid, start, goal, "a_star")
        for method in ("auto", "lazy_theta"):
            path = plan(grid, start, goal, method)
            assert path.status is walked.status
            assert find_faults(grid, path, start, goal) == []
            assert path.length_m <= walked.length_m + 1e-9


def scenarios() -> list[tuple[str, str]]:
    found = [
        (file.name, scen.name)
        for file in PRESENT
        for scen in sorted(MAPS.glob(f"{file.stem}*.scen"))
    ]
    return found or [("ours.map", "ours.scen")]


@pytest.mark.long
@pytest.mark.parametrize(("name", "scenario"), scenarios())
def test_walks_have_the_published_lengths(
    name: str, scenario: str, tmp_path: Path
) -> None:
    folder = MAPS
    if not PRESENT:
        folder = tmp_path
        (folder / name).write_text(
            "type octile\nheight 3\nwidth 4\nmap\n....\n.@@.\n....\n"
        )
        (folder / scenario).write_text("version 1\n0 ours.map 4 3 0 1 3 1 5.0\n")
    grid = read_map(folder / name)
    rows = read_scenario(folder / scenario, grid)
    step = max(1, len(rows) // 40)
    for row in rows[::step]:
        path = plan(grid, row.start, row.goal, "a_star")
        assert path.length_m == pytest.approx(row.octile_length, abs=0.006)
