"""Where machines were in a test-drive, as squares of a picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PALEST, DEEPEST = 0.08, 0.85


@dataclass(frozen=True)
class Square:
    """In metres; y grows downwards as in a picture."""

    x: float
    y: float
    seconds: float
    opacity: float


@dataclass(frozen=True)
class FloorHeat:
    """Of one version. ``near``: the place nearest to the deepest square."""

    squares: Sequence[Square]
    most_s: float
    near: str | None


def floor_heat(
    report: Mapping[str, Any], which: str, *, logarithm: bool
) -> FloorHeat | None:
    """On one scale for both versions; None where there is nothing to draw."""
    floor, told = report.get("floor"), report.get(which)
    if not floor or not told or not told.get("floor_s"):
        return None
    versions = [report[v] for v in ("new", "present") if report.get(v)]
    most_s = max((s for v in versions for _, _, s in v["floor_s"]), default=0.0)
    side = floor["square_m"]
    squares = [
        Square(
            round(column * side, 3),
            round(-(row + 1) * side, 3),
            seconds,
            _opacity(seconds, most_s, logarithm=logarithm),
        )
        for column, row, seconds in told["floor_s"]
    ]
    deepest = max(squares, key=lambda square: square.seconds)
    middle = (deepest.x + side / 2.0, -deepest.y - side / 2.0)
    near = min(
        floor["places"],
        key=lambda name: math.dist(middle, floor["places"][name]),
        default=None,
    )
    return FloorHeat(squares, deepest.seconds, near)


def _opacity(seconds: float, most_s: float, *, logarithm: bool) -> float:
    share = seconds / most_s
    if logarithm:
        share = math.log1p(seconds) / math.log1p(most_s)
    return round(PALEST + (DEEPEST - PALEST) * share, 3)


def view_box(floor: Mapping[str, Any]) -> str:
    """With a margin for names at the edge."""
    margin = 0.02 * max(floor["width_m"], floor["height_m"])
    left, width = floor["left_m"] - margin, floor["width_m"] + 2 * margin
    top = -floor["bottom_m"] - floor["height_m"] - margin
    return f"{left:g} {top:g} {width:g} {floor['height_m'] + 2 * margin:g}"
