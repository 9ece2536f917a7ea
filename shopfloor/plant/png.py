"""The same plots as PNG, for whoever puts a picture into a document.

Drawn several times too large and shrunk, because Pillow draws lines with steps.
"""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Iterator, Sequence

from PIL import Image, ImageDraw, ImageFont

from fleet.svg import DASH, FONT_SIZE, INK, Area, Dot, Picture, Point, Stroke
from fleet.svg import Words as Text

SHARPNESS = 2
"""Pixels of the picture for one unit of the plot."""
FINER = 2
"""How much larger it is drawn."""
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


def png_of(plot: Picture) -> bytes:
    scale = SHARPNESS * FINER
    width, height = round(plot.width), round(plot.height)
    picture = Image.new("RGB", (width * scale, height * scale), "white")
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(FONT_SIZE * scale)
    for mark in plot.marks():
        match mark:
            case Stroke():
                _stroke(draw, mark, scale)
            case Area(points, colour):
                draw.polygon(_scaled(points, scale), fill=colour)
            case Dot((x, y), colour, radius):
                draw.circle((x * scale, y * scale), radius * scale, fill=colour)
            case Text():
                _words(picture, draw, mark, font, scale)
    small = picture.resize(
        (width * SHARPNESS, height * SHARPNESS), Image.Resampling.BOX
    )
    out = io.BytesIO()
    small.save(out, "PNG", optimize=True)
    return out.getvalue()


def _scaled(points: Sequence[Point], scale: int) -> list[Point]:
    return [(x * scale, y * scale) for x, y in points]


def _stroke(draw: ImageDraw.ImageDraw, mark: Stroke, scale: int) -> None:
    width = max(1, round(mark.width * scale))
    pieces = _dashes(mark.points) if mark.dashed else iter([list(mark.points)])
    for piece in pieces:
        draw.line(_scaled(piece, scale), fill=mark.colour, width=width, joint="curve")


def _dashes(points: Sequence[Point]) -> Iterator[list[Point]]:
    """A line cut into dashes that go around its corners."""
    on, left = True, DASH[0]
    piece = [points[0]]
    for (x1, y1), (x2, y2) in itertools.pairwise(points):
        length = math.hypot(x2 - x1, y2 - y1)
        done = 0.0
        while length - done > left:
            done += left
            share = done / length
            cut = (x1 + share * (x2 - x1), y1 + share * (y2 - y1))
            if on:
                yield [*piece, cut]
            on = not on
            piece, left = [cut], DASH[0] if on else DASH[1]
        left -= length - done
        piece.append((x2, y2))
    if on and len(piece) > 1:
        yield piece


def _words(
    picture: Image.Image,
    draw: ImageDraw.ImageDraw,
    mark: Text,
    font: Font,
    scale: int,
) -> None:
    x, y = mark.at[0] * scale, mark.at[1] * scale
    if mark.upwards:
        left, top, right, bottom = draw.textbbox((0, 0), mark.text, font, anchor="ls")
        room = (math.ceil(right - left), math.ceil(bottom - top))
        label = Image.new("RGB", room, "white")
        ImageDraw.Draw(label).text((-left, -top), mark.text, INK, font, anchor="ls")
        turned = label.rotate(90, expand=True)
        picture.paste(turned, (round(x + top), round(y - 0.5 * turned.height)))
        return
    bold = 0.03 * FONT_SIZE * scale if mark.bold else 0.0
    if mark.halo:
        draw.text(
            (x, y),
            mark.text,
            "white",
            font,
            anchor=ANCHORS[mark.anchor],
            stroke_width=1.5 * scale,
            stroke_fill="white",
        )
    draw.text(
        (x, y), mark.text, INK, font, anchor=ANCHORS[mark.anchor], stroke_width=bold
    )
