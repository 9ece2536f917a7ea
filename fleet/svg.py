"""Pictures as SVG text: a frame, axes with round numbers, lines, words.

A mission report needs three plots and the docs a few floor plans; a plotting library
would be the largest dependency of the product for that. What is drawn is kept as
marks in picture units, so that the same plot can be written as a PNG too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

LEFT, RIGHT, TOP, BOTTOM = 56.0, 16.0, 34.0, 44.0
FONT_SIZE = 12.0
FONT = f"font-family='sans-serif' font-size='{FONT_SIZE:g}'"
GRID, FRAME, INK = "#e4e4e4", "#888888", "#000000"
DASH = (5.0, 4.0)
Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True)
class Stroke:
    points: tuple[Point, ...]
    colour: str
    width: float
    dashed: bool = False


@dataclass(frozen=True)
class Area:
    points: tuple[Point, ...]
    colour: str


@dataclass(frozen=True)
class Dot:
    at: Point
    colour: str
    radius: float = 4.0


@dataclass(frozen=True)
class Words:
    at: Point
    """On the base line."""
    text: str
    anchor: Anchor = "start"
    bold: bool = False
    upwards: bool = False
    halo: bool = False
    """White around it, to be read on lines."""


Mark = Stroke | Area | Dot | Words


def round_steps(low: float, high: float, about: int = 8) -> list[float]:
    """Numbers people read easily, evenly between two limits."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [low] if math.isfinite(low) else [0.0]
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * k for k in (1.0, 2.0, 5.0, 10.0) if power * k >= rough)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


class Picture:
    """Marks on a sheet, in its own units."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self._marks: list[Mark] = []

    def add(self, mark: Mark) -> None:
        self._marks.append(mark)

    def marks(self) -> list[Mark]:
        """Everything in the order it is drawn."""
        return list(self._marks)

    def text(self) -> str:
        size = f"width='{self.width:.0f}' height='{self.height:.0f}'"
        box = f"viewBox='0 0 {self.width:.0f} {self.height:.0f}'"
        return "\n".join(
            [
                f"<svg xmlns='http://www.w3.org/2000/svg' {size} {box}>",
                "<rect width='100%' height='100%' fill='white'/>",
                *map(_element, self.marks()),
                "</svg>\n",
            ]
        )


class Plot(Picture):
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
        super().__init__(width, height)
        self._names: list[Words] = []
        self._legend: list[tuple[str, str, bool]] = []
        self._axes(title, x_name, y_name, x_range, y_range)

    def _at(self, point: Point) -> Point:
        x = LEFT + (point[0] - self._low[0]) * self._scale[0]
        y = self.height - BOTTOM - (point[1] - self._low[1]) * self._scale[1]
        return x, y

    def _axes(self, title: str, x_name: str, y_name: str, xs: Point, ys: Point) -> None:
        right, top = self._at((xs[1], ys[1]))
        left, bottom = self._at((xs[0], ys[0]))
        put = self._marks.append
        for x in round_steps(*xs):
            at, _ = self._at((x, 0.0))
            put(Stroke(((at, bottom), (at, top)), GRID, 1.0))
            put(Words((at, bottom + 16.0), f"{x:g}", "middle"))
        for y in round_steps(*ys):
            _, at = self._at((0.0, y))
            put(Stroke(((left, at), (right, at)), GRID, 1.0))
            put(Words((left - 6.0, at + 4.0), f"{y:g}", "end"))
        frame = ((left, bottom), (right, bottom), (right, top), (left, top))
        put(Stroke((*frame, frame[0]), FRAME, 1.0))
        put(Words((0.5 * (left + right), self.height - 8.0), x_name, "middle"))
        put(Words((14.0, 0.5 * (top + bottom)), y_name, "middle", upwards=True))
        put(Words((left, 18.0), title, bold=True))

    def line(
        self,
        points: Iterable[Point],
        colour: str,
        *,
        width: float = 1.5,
        name: str = "",
        dashed: bool = False,
    ) -> None:
        shown = tuple(map(self._at, points))
        if len(shown) > 1:
            self._marks.append(Stroke(shown, colour, width, dashed))
        self._name(colour, name, dashed)

    def shape(self, points: Sequence[Point], colour: str, name: str = "") -> None:
        self._marks.append(Area(tuple(map(self._at, points)), colour))
        self._name(colour, name)

    def mark(
        self, point: Point, colour: str, words: str = "", *, name: str = ""
    ) -> None:
        x, y = self._at(point)
        self._marks.append(Dot((x, y), colour))
        if words:
            self._names.append(Words((x + 7.0, y - 6.0), words, bold=True, halo=True))
        self._name(colour, name)

    def _name(self, colour: str, name: str, dashed: bool = False) -> None:
        if name and (colour, name, dashed) not in self._legend:
            self._legend.append((colour, name, dashed))

    def marks(self) -> list[Mark]:
        """Everything in the order it is drawn: words and the legend on top."""
        legend: list[Mark] = []
        x = self.width - RIGHT
        for colour, name, dashed in reversed(self._legend):
            x -= sum(9.0 if letter.isupper() else 6.4 for letter in name)
            legend.append(Words((x, 18.0), name))
            swatch = ((x - 24.0, 14.0), (x - 6.0, 14.0))
            legend.append(Stroke(swatch, colour, 3.0, dashed))
            x -= 36.0
        return [*self._marks, *self._names, *legend]


def _element(mark: Mark) -> str:
    match mark:
        case Stroke(points, colour, width, dashed):
            dash = f" stroke-dasharray='{DASH[0]:g} {DASH[1]:g}'" if dashed else ""
            return (
                f"<polyline points='{_listed(points)}' fill='none' stroke='{colour}' "
                f"stroke-width='{width:g}' stroke-linejoin='round'{dash}/>"
            )
        case Area(points, colour):
            return f"<polygon points='{_listed(points)}' fill='{colour}'/>"
        case Dot((x, y), colour, radius):
            return f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{radius:g}' fill='{colour}'/>"
        case Words():
            return _text(mark)


def _listed(points: Sequence[Point]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _text(words: Words) -> str:
    x, y = words.at
    place = f"x='{x:.1f}' y='{y:.1f}'"
    if words.upwards:
        place = f"transform='translate({x:.1f} {y:.1f}) rotate(-90)'"
    weight = " font-weight='bold'" if words.bold else ""
    halo = ""
    if words.halo:
        halo = " stroke='white' stroke-width='3' paint-order='stroke'"
    return (
        f"<text {FONT}{weight} {place} text-anchor='{words.anchor}'{halo}>"
        f"{escape(words.text)}</text>"
    )
