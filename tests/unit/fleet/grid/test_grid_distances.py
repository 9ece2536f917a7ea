"""Distance tables are right, small, made once, and know closed cells."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from fleet.grid.distances import DistanceTables
from fleet.grid.drawn import draw_warehouse
from fleet.grid.errors import CellUnknown, GridRefused
from fleet.grid.floor import Floor


def walked(floor: Floor, goal: int) -> list[int | None]:
    steps: dict[int, int] = {goal: 0}
    waiting = deque([goal])
    while waiting:
        cell = waiting.popleft()
        for beside in floor.neighbours[cell].tolist():
            if beside >= 0 and beside not in steps:
                steps[beside] = steps[cell] + 1
                waiting.append(beside)
    return [steps.get(cell) for cell in range(floor.count)]


def test_tables_agree_with_a_plain_walk() -> None:
    floor = Floor.of(np.random.default_rng(2).random((12, 15)) < 0.3)
    tables = DistanceTables(floor)
    for goal in range(0, floor.count, 7):
        told = [tables.steps(cell, goal) for cell in range(floor.count)]
        assert told == walked(floor, goal)


def test_nobody_enters_a_closed_cell_and_who_is_in_one_may_leave() -> None:
    floor = Floor.drawn(".....")
    tables = DistanceTables(floor)
    tables.close([1, 2])
    assert [tables.steps(cell, 4) for cell in range(5)] == [None, None, 2, 1, 0]
    assert [tables.steps(cell, 2) for cell in range(5)] == [None, None, 0, None, None]
    tables.close([])
    assert tables.steps(0, 4) == 4


def test_goals_nobody_uses_are_forgotten_when_the_table_is_full() -> None:
    floor = Floor.drawn("......")
    tables = DistanceTables(floor, most_bytes=3 * 2 * 6)
    for goal in range(6):
        assert tables.steps(0, goal) == goal
    assert len(tables.table) <= 3
    with pytest.raises(GridRefused, match="6 goals do not fit"):
        tables.rows_of(np.arange(6, dtype=np.int32))


def test_a_floor_refuses_cells_that_are_none() -> None:
    floor = Floor.drawn(".@", "..")
    assert [floor.cell_of(n) for n in range(floor.count)] == [(0, 0), (0, 1), (1, 1)]
    with pytest.raises(CellUnknown, match=r"\(1, 0\) is a wall"):
        floor.number_of((1, 0))
    with pytest.raises(CellUnknown, match=r"\(-1, 0\) is outside"):
        floor.number_of((-1, 0))
    with pytest.raises(GridRefused, match="no free cell"):
        Floor.drawn("@@")


def test_the_drawn_warehouse_has_the_cells_of_the_benchmark_map() -> None:
    blocked = draw_warehouse()
    assert blocked.shape == (63, 161)
    assert (~blocked).sum() == 5699
    small = draw_warehouse(2, 3, shelf_length=4, shelf_depth=1, margin=2)
    assert Floor.of(small).degree.min() >= 2
