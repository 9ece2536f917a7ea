"""Pictures as SVG text: a frame, axes with round numbers, lines, words.

A mission report needs three plots and the docs a few floor plans; a plotting library
would be the largest dependency of the product for that.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

LEFT, RIGHT, TOP, BOTTOM = 56.0, 16.0, 34.0, 44.0
FONT = "font-family='sans-serif' font-size='12'"
Point = tuple[float, float]


def round_steps(low: float, high: float, about: int = 6) -> list[float]:
    """Numbers people read easily, evenly between two limits."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [low] if math.isfinite(low) else [0.0]
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * k for k in (1.0, 2.0, 5.0, 10.0) if power * k >= rough)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


class Plot:
    """One pair of axes in a picture; units are the plot's own."""

    def __init__(
        self,
        title: str,
        x_name: str,
        y_name: str,
        x_range: Point,
        y_range: Point,
        *,
        width: float = 640.0,
        height: float = 400.0,
        same_scale: bool = False,
    ) -> None:
        self._low = (x_range[0], y_range[0])
        span_x = max(x_range[1] - x_range[0], 1e-9)
        span_y = max(y_range[1] - y_range[0], 1e-9)
        room_x, room_y = width - LEFT - RIGHT, height - TOP - BOTTOM
        self._scale = (room_x / span_x, room_y / span_y)
        if same_scale:
            both = min(self._scale)
            self._scale = (both, both)
            width = LEFT + RIGHT + both * span_x
            height = TOP + BOTTOM + both * span_y
        self.width, self.height = width, height
        self._parts: list[str] = []
        self._legend: list[tuple[str, str]] = []
        self._axes(title, x_name, y_name, x_range, y_range)

    def _at(self, point: Point) -> Point:
        x = LEFT + (point[0] - self._low[0]) * self._scale[0]
        y = self.height - BOTTOM - (point[1] - self._low[1]) * self._scale[1]
        return x, y

    def _axes(self, title: str, x_name: str, y_name: str, xs: Point, ys: Point) -> None:
        right, top = self._at((xs[1], ys[1]))
        left, bottom = self._at((xs[0], ys[0]))
        put = self._parts.append
        for x in round_steps(*xs):
            at, _ = self._at((x, 0.0))
            put(_line((at, bottom), (at, top), "#e4e4e4", 1.0))
            put(_words(at, bottom + 16.0, f"{x:g}", "middle"))
        for y in round_steps(*ys):
            _, at = self._at((0.0, y))
            put(_line((left, at), (right, at), "#e4e4e4", 1.0))
            put(_words(left - 6.0, at + 4.0, f"{y:g}", "end"))
        put(
            f"<rect x='{left:.1f}' y='{top:.1f}' width='{right - left:.1f}' "
            f"height='{bottom - top:.1f}' fill='none' stroke='#888'/>"
        )
        put(_words(0.5 * (left + right), self.height - 8.0, x_name, "middle"))
        middle = 0.5 * (top + bottom)
        put(
            f"<text {FONT} text-anchor='middle' transform='translate(14 {middle:.1f}) "
            f"rotate(-90)'>{escape(y_name)}</text>"
        )
        put(_words(left, 18.0, title, "start", bold=True))

    def line(
        self,
        points: Iterable[Point],
        colour: str,
        *,
        width: float = 1.5,
        name: str = "",
        dashed: bool = False,
    ) -> None:
        shown = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(self._at, points))
        dash = " stroke-dasharray='5 4'" if dashed else ""
        self._parts.append(
            f"<polyline points='{shown}' fill='none' stroke='{colour}' "
            f"stroke-width='{width:g}'{dash}/>"
        )
        if name:
            self._legend.append((colour, name))

    def shape(self, points: Sequence[Point], colour: str, name: str = "") -> None:
        shown = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(self._at, points))
        self._parts.append(f"<polygon points='{shown}' fill='{colour}'/>")
        if name:
            self._legend.append((colour, name))

    def mark(self, point: Point, colour: str, words: str = "") -> None:
        x, y = self._at(point)
        self._parts.append(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='4' fill='{colour}'/>")
        if words:
            self._parts.append(_words(x + 7.0, y - 6.0, words, "start", bold=True))

    def text(self) -> str:
        legend = []
        x = self.width - RIGHT - 4.0
        for colour, name in reversed(self._legend):
            legend.append(_words(x, 18.0, name, "end"))
            x -= 7.0 * len(name) + 6.0
            legend.append(_line((x - 16.0, 14.0), (x, 14.0), colour, 3.0))
            x -= 26.0
        size = f"width='{self.width:.0f}' height='{self.height:.0f}'"
        box = f"viewBox='0 0 {self.width:.0f} {self.height:.0f}'"
        return "\n".join(
            [
                f"<svg xmlns='http://www.w3.org/2000/svg' {size} {box}>",
                "<rect width='100%' height='100%' fill='white'/>",
                *self._parts,
                *legend,
                "</svg>\n",
            ]
        )


def _line(a: Point, b: Point, colour: str, width: float) -> str:
    return (
        f"<line x1='{a[0]:.1f}' y1='{a[1]:.1f}' x2='{b[0]:.1f}' y2='{b[1]:.1f}' "
        f"stroke='{colour}' stroke-width='{width:g}'/>"
    )


def _words(x: float, y: float, words: str, anchor: str, *, bold: bool = False) -> str:
    weight = " font-weight='bold'" if bold else ""
    return (
        f"<text {FONT}{weight} x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}'>"
        f"{escape(words)}</text>"
    )
