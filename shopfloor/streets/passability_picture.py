"""The table of who gets through, as a picture: a block for each vehicle."""

from __future__ import annotations

from collections.abc import Sequence

from shopfloor.plant.svg import Area, Mark, Picture, Stroke, Words
from shopfloor.streets.passability import Trial, short_reason, title_of

LEFT, TOP, BESIDE = 150.0, 66.0, 20.0
CELL = (84.0, 40.0)
BLOCK = 66.0
ALL, SOME, NONE = "#bfe5c3", "#f6e3a8", "#f3c1bd"
EDGE = "#ffffff"


def picture_of(found: Sequence[Trial], names: dict[str, str]) -> Picture:
    """``names`` are the titles of vehicles."""
    widths = sorted({t.alley_width_m for t in found})
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
                cell = [
                    t
                    for t in found
                    if (t.vehicle, t.planner) == (vehicle, planner)
                    and t.alley_width_m == width_m
                ]
                for mark in _cell(cell, LEFT + column * CELL[0], y):
                    put(mark)
    return picture


def _cell(found: Sequence[Trial], x: float, y: float) -> list[Mark]:
    if not found:
        return []
    passed = [t for t in found if t.passed]
    colour = ALL if len(passed) == len(found) else SOME if passed else NONE
    right, low = x + CELL[0], y + CELL[1]
    corners = ((x, y), (right, y), (right, low), (x, low))
    lines = []
    if passed:
        by_gap = sum(t.through == "gap" for t in passed) * 2 > len(passed)
        words = "by the gap" if by_gap else "passed"
        if len(found) > 1 and len(passed) < len(found):
            words = f"{len(passed)} of {len(found)}"
        lines.append(words)
        seconds = sum(t.seconds for t in passed) / len(passed)
        if len(passed) == len(found):
            lines.append(f"{seconds:.0f} s")
    if len(passed) < len(found):
        lines.append(short_reason(found))
    middle, first = x + CELL[0] / 2.0, y + CELL[1] / 2.0 + 4.0 - 7.5 * (len(lines) - 1)
    return [
        Area(corners, colour),
        Stroke((*corners, corners[0]), EDGE, 1.5),
        *(
            Words((middle, first + 15.0 * i), words, "middle")
            for i, words in enumerate(lines)
        ),
    ]
