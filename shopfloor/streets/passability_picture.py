"""The table of who gets through, as a picture: a block for each vehicle."""

from __future__ import annotations

from collections.abc import Sequence

from fleet.bodies.passability import Cell, Trial, cell_of, title_of, widths_of
from fleet.svg import Area, Mark, Picture, Stroke, Words

LEFT, TOP, BESIDE = 150.0, 66.0, 20.0
CELL = (84.0, 40.0)
BLOCK = 66.0
GRADES = {"all": "#bfe5c3", "some": "#f6e3a8", "none": "#f3c1bd"}
EDGE = "#ffffff"


def picture_of(found: Sequence[Trial], names: dict[str, str]) -> Picture:
    """``names`` are the titles of vehicles."""
    widths = widths_of(found)
    planners = list(dict.fromkeys(t.planner for t in found))
    vehicles = list(dict.fromkeys(t.vehicle for t in found))
    seeds = len({t.seed for t in found})
    width = LEFT + BESIDE + max(len(widths), 5) * CELL[0]
    block = BLOCK + len(planners) * CELL[1]
    picture = Picture(width, TOP + len(vehicles) * block + 24.0)
    put = picture.add
    put(Words((20.0, 26.0), "Who gets through the alley", bold=True))
    drives = "one drive" if seeds == 1 else f"{seeds} drives"
    note = f"Width of the alley in metres; {drives} in each cell"
    put(Words((20.0, 46.0), note))
    for number, vehicle in enumerate(vehicles):
        top = TOP + number * block
        put(Words((20.0, top + 22.0), names.get(vehicle, vehicle), bold=True))
        for column, width_m in enumerate(widths):
            at = (LEFT + (column + 0.5) * CELL[0], top + 44.0)
            put(Words(at, f"{width_m:g}", "middle", bold=True))
        for line, planner in enumerate(planners):
            y = top + 52.0 + line * CELL[1]
            put(Words((20.0, y + CELL[1] / 2.0 + 4.0), title_of(planner)))
            for column, width_m in enumerate(widths):
                cell = cell_of(found, vehicle, planner, width_m)
                for mark in _cell(cell, LEFT + column * CELL[0], y):
                    put(mark)
    return picture


def _cell(cell: Cell | None, x: float, y: float) -> list[Mark]:
    if cell is None:
        return []
    right, low = x + CELL[0], y + CELL[1]
    corners = ((x, y), (right, y), (right, low), (x, low))
    lines = []
    if cell.grade == "some":
        lines.append(f"{cell.passed} of {len(cell.drives)}")
    elif cell.passed:
        lines.append("by the gap" if cell.by_gap else "passed")
        lines.append(f"{cell.seconds:.0f} s")
    if cell.grade != "all":
        lines.append(cell.reason)
    middle, first = x + CELL[0] / 2.0, y + CELL[1] / 2.0 + 4.0 - 7.5 * (len(lines) - 1)
    return [
        Area(corners, GRADES[cell.grade]),
        Stroke((*corners, corners[0]), EDGE, 1.5),
        *(
            Words((middle, first + 15.0 * i), words, "middle")
            for i, words in enumerate(lines)
        ),
    ]
