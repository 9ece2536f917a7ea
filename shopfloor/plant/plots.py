"""The three plots of a mission: where it drove, what tags said, how far they were off.

Drawn from the frames of a recording, so that an old run can be drawn again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shopfloor.lasers import box_segments
from shopfloor.plant.svg import Plot, Point
from shopfloor.sim.world import Map, World

WALL, BOX, PLACE = "#444444", "#c98b2b", "#1b7837"
TRUTH, AMCL, UWB, PERSON = "#999999", "#1f5fbf", "#c0392b", "#8e44ad"
Frame = Mapping[str, Any]
APART_M = 0.04


def floor_plan(world: World, title: str, boxes: Sequence[Mapping[str, float]]) -> Plot:
    plan: Map = world.map
    left, low = plan.origin.x_m, plan.origin.y_m
    plot = Plot(
        title,
        "x (m)",
        "y (m)",
        (left, left + plan.width_m),
        (low, low + plan.height_m),
        width=720.0,
        height=720.0,
        same_scale=True,
    )
    for x1, y1, x2, y2 in plan.walls:
        plot.line([(x1, y1), (x2, y2)], WALL, width=2.5)
    for box in boxes:
        sides = box_segments(
            box["x_m"], box["y_m"], box["length_m"], box["width_m"], box["yaw_rad"]
        )
        plot.shape([(float(s[0]), float(s[1])) for s in sides], BOX)
    for name, pose in world.places.items():
        plot.mark((pose.x_m, pose.y_m), PLACE, name)
    return plot


def trajectory(world: World, frames: Sequence[Frame], robot: str, head: Frame) -> str:
    """The way driven, as localisation saw it, and the ways of people."""
    plot = floor_plan(world, "Trajectory", head.get("boxes", ()))
    for name in frames[0]["people"] if frames else ():
        way = [_point(frame["people"][name]) for frame in frames]
        plot.line(_thinned(way), PERSON, width=0.6, dashed=True)
    plot.line(_ways(frames, robot, "amcl"), AMCL, name="AMCL")
    return plot.text()


def uwb_against_amcl(world: World, frames: Sequence[Frame], robot: str) -> str:
    plot = floor_plan(world, "UWB against AMCL", ())
    for anchor in world.anchors:
        plot.mark((anchor.x_m, anchor.y_m), "#e67e22")
    plot.line(_ways(frames, robot, "amcl"), AMCL, name="AMCL")
    plot.line(_ways(frames, robot, "uwb"), UWB, name="UWB", width=1.0)
    return plot.text()


def relative_error(frames: Sequence[Frame], robot: str) -> str:
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
        f"UWB error against AMCL, mean {both:.3f} m",
        "time (s)",
        "error (m)",
        (0.0, end_s),
        (0.0, max(1.1 * worst, 0.25)),
        width=820.0,
    )
    plot.line([(t, dx) for t, dx, _ in rows], AMCL, name=f"x {mean_x:.3f} m")
    plot.line([(t, dy) for t, _, dy in rows], UWB, name=f"y {mean_y:.3f} m")
    plot.line([(0.0, 0.2), (end_s, 0.2)], TRUTH, dashed=True, name="0.2 m")
    return plot.text()


def write_plots(
    folder: Path, world: World, frames: Sequence[Frame], robot: str, head: Frame
) -> list[Path]:
    drawn = {
        "trajectory.svg": trajectory(world, frames, robot, head),
        "uwb_against_amcl.svg": uwb_against_amcl(world, frames, robot),
        "relative_error.svg": relative_error(frames, robot),
    }
    written = []
    for name, text in drawn.items():
        path = folder / name
        path.write_text(text, encoding="utf-8")
        written.append(path)
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
