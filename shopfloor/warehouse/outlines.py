"""The edges of what never moves, as walls of a map."""

from __future__ import annotations

from collections.abc import Iterator

from shopfloor.warehouse.things import Floor


def outlines(floor: Floor) -> Iterator[tuple[float, float, float, float]]:
    half = floor.cell_m / 2.0
    for cell in floor.solid:
        x_m, y_m = floor.spot(cell)
        left, right, low, high = x_m - half, x_m + half, y_m - half, y_m + half
        yield left, low, right, low
        yield right, low, right, high
        yield right, high, left, high
        yield left, high, left, low
