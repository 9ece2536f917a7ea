"""The three plots of a mission: where it drove, what tags said, how far they were off.

Drawn from the frames of a recording, so that an old run can be drawn again.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fleet.svg import Plot, Point
from shopfloor.lasers import box_segments
from shopfloor.plant.png import png_of
from shopfloor.sim.world import World

WALL, BOX, PLACE, DOOR = "#444444", "#c98b2b", "#1b7837", "#0f8b8d"
AMCL, UWB, PERSON = "#1f5fbf", "#c0392b", "#8e44ad"
ANCHOR, LIMIT = "#e67e22", "#999999"
Frame = Mapping[str, Any]
APART_M = 0.04
MARGIN_M = 0.7
"""Around what stands in a floor plan."""
SAID_M = 0.2
"""The error that the position tags are said to keep on average."""


def floor_plan(world: World, title: str, boxes: Sequence[Mapping[str, float]]) -> Plot:
    plot = Plot(
        title,
        "x (m)",
        "y (m)",
        *_extent(world),
        width=760.0,
        height=760.0,
        same_scale=True,
    )
    for x1, y1, x2, y2 in world.map.walls:
        plot.line([(x1, y1), (x2, y2)], WALL, width=2.5)
    for door in world.doors:
        leaf = [(door.x1_m, door.y1_m), (door.x2_m, door.y2_m)]
        plot.line(leaf, DOOR, width=3.0, dashed=True, name="door")
    for box in boxes:
        sides = box_segments(
            box["x_m"], box["y_m"], box["length_m"], box["width_m"], box["yaw_rad"]
        )
        plot.shape([(float(s[0]), float(s[1])) for s in sides], BOX, "unknown box")
    for name, pose in world.places.items():
        plot.mark((pose.x_m, pose.y_m), PLACE, name)
    return plot


def _extent(world: World) -> tuple[Point, Point]:
    """Where something stands, or the whole map if nothing does."""
    plan = world.map
    xs = [x for x1, _, x2, _ in plan.walls for x in (x1, x2)]
    ys = [y for _, y1, _, y2 in plan.walls for y in (y1, y2)]
    if not xs:
        left, low = plan.origin.x_m, plan.origin.y_m
        return (left, left + plan.width_m), (low, low + plan.height_m)
    return (
        (min(xs) - MARGIN_M, max(xs) + MARGIN_M),
        (min(ys) - MARGIN_M, max(ys) + MARGIN_M),
    )


def trajectory(world: World, frames: Sequence[Frame], robot: str, head: Frame) -> Plot:
    """The way driven, as localisation saw it, and the ways of people."""
    way = _ways(frames, robot, "amcl")
    length_m = sum(math.dist(a, b) for a, b in itertools.pairwise(way))
    title = f"Trajectory, {length_m:.1f} m"
    plot = floor_plan(world, title, head.get("boxes", ()))
    for name in frames[0]["people"] if frames else ():
        walked = [_point(frame["people"][name]) for frame in frames]
        plot.line(_thinned(walked), PERSON, width=0.8, dashed=True, name="people")
    plot.line(way, AMCL, name="robot (AMCL)")
    return plot


def uwb_against_amcl(world: World, frames: Sequence[Frame], robot: str) -> Plot:
    plot = floor_plan(world, "UWB against AMCL", ())
    for anchor in world.anchors:
        plot.mark((anchor.x_m, anchor.y_m), ANCHOR, name="anchor")
    plot.line(_ways(frames, robot, "amcl"), AMCL, name="AMCL")
    plot.line(_ways(frames, robot, "uwb"), UWB, name="UWB", width=1.0)
    return plot


def relative_error(frames: Sequence[Frame], robot: str) -> Plot:
    """Of UWB with respect to AMCL, x and y apart, over time, with the means."""
    rows = []
    for frame in frames:
        facts = frame["robots"][robot]
        if facts["uwb"] is not None and facts["amcl"] is not None:
            dx = abs(facts["uwb"][0] - facts["amcl"][0])
            dy = abs(facts["uwb"][1] - facts["amcl"][1])
            rows.append((float(frame["t"]), dx, dy))
    end_s = rows[-1][0] if rows else 1.0
    worst = max((max(dx, dy) for _, dx, dy in rows), default=0.1)
    count = max(len(rows), 1)
    mean_x = sum(dx for _, dx, _ in rows) / count
    mean_y = sum(dy for _, _, dy in rows) / count
    both = sum(math.hypot(dx, dy) for _, dx, dy in rows) / count
    plot = Plot(
        f"Relative error of UWB to AMCL, mean {both:.3f} m",
        "time (s)",
        "error (m)",
        (0.0, end_s),
        (0.0, max(1.1 * worst, 0.25)),
        width=820.0,
    )
    plot.line([(t, dx) for t, dx, _ in rows], AMCL, name=f"x, mean {mean_x:.3f} m")
    plot.line([(t, dy) for t, _, dy in rows], UWB, name=f"y, mean {mean_y:.3f} m")
    plot.line([(0.0, SAID_M), (end_s, SAID_M)], LIMIT, dashed=True, name="0.2 m")
    return plot


def write_plots(
    folder: Path, world: World, frames: Sequence[Frame], robot: str, head: Frame
) -> list[Path]:
    """Each as SVG and as PNG; the files."""
    drawn = {
        "trajectory": trajectory(world, frames, robot, head),
        "uwb_against_amcl": uwb_against_amcl(world, frames, robot),
        "relative_error": relative_error(frames, robot),
    }
    written = []
    for name, plot in drawn.items():
        picture, pixels = folder / f"{name}.svg", folder / f"{name}.png"
        picture.write_text(plot.text(), encoding="utf-8")
        pixels.write_bytes(png_of(plot))
        written += [picture, pixels]
    return written


def _ways(frames: Sequence[Frame], robot: str, key: str) -> list[Point]:
    found = (frame["robots"][robot][key] for frame in frames)
    return _thinned([_point(place) for place in found if place is not None])


def _thinned(points: Sequence[Point]) -> list[Point]:
    """Without those that nobody could tell apart: who stands draws one point."""
    kept: list[Point] = []
    for point in points:
        if not kept or math.dist(kept[-1], point) > APART_M:
            kept.append(point)
    return kept


def _point(place: Sequence[float]) -> Point:
    return float(place[0]), float(place[1])
