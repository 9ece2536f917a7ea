"""A vehicle to scale, from the side and from above, with its measures.

Drawn from the same file that simulates it, so that whoever compares it with the real
one sees what the simulation believes.
"""

from __future__ import annotations

import math

from fleet.bodies.model import Vehicle
from fleet.svg import INK, Area, Dot, Mark, Picture, Point, Stroke, Words

SHEET = 560.0
"""Of the vehicle's length, in units of the picture."""
SIDE, TOP, BETWEEN = 90.0, 70.0, 100.0
SHELL, TYRE, LIGHT, MEASURE = "#dfe7ee", "#3a3f45", "#8d99a6", "#5b6672"
SENSORS = {"lidar": "#c0392b", "camera": "#2471a3", "imu": "#7d3c98", "gnss": "#1e8449"}
ROUND = 36


def drawing_of(vehicle: Vehicle, title: str = "") -> Picture:
    size = vehicle.dimensions
    scale = SHEET / size.shell_length_m
    high, wide = size.total_height_m * scale, size.shell_width_m * scale
    top = max(max((s.at[2] for s in vehicle.sensors), default=0.0) * scale, high)
    ground = TOP + top
    axis = ground + BETWEEN + max(wide, 2.0 * vehicle.half_width_m * scale) / 2.0
    height = axis + wide / 2.0 + 110.0
    picture = Picture(SHEET + 2.0 * SIDE + 40.0, height)
    back = SIDE + size.rear_overhang_m * scale
    for mark in (
        Words((20.0, 26.0), title or f"{vehicle.title}, to scale", bold=True),
        *_from_the_side(vehicle, back, ground, scale),
        *_from_above(vehicle, back, axis, scale),
        *_legend(vehicle, height - 22.0),
    ):
        picture.add(mark)
    return picture


def _box(left: float, top: float, right: float, low: float) -> list[Mark]:
    corners = ((left, top), (right, top), (right, low), (left, low))
    return [Area(corners, SHELL), Stroke((*corners, corners[0]), INK, 1.5)]


def _circle(x: float, y: float, radius: float) -> tuple[Point, ...]:
    turns = [math.tau * k / ROUND for k in range(ROUND + 1)]
    return tuple((x + radius * math.cos(t), y + radius * math.sin(t)) for t in turns)


def _from_the_side(
    vehicle: Vehicle, back: float, ground: float, scale: float
) -> list[Mark]:
    size = vehicle.dimensions
    left, right = SIDE, SIDE + size.shell_length_m * scale
    low = ground - size.shell_bottom_m * scale
    roof = ground - size.total_height_m * scale
    marks = _box(left, roof, right, low)
    marks.append(Stroke(((left - 30.0, ground), (right + 30.0, ground)), LIGHT, 1.0))
    radius = size.wheel_radius_m * scale
    front = back + size.wheel_base_m * scale
    for x in (back, front):
        marks.append(Area(_circle(x, ground - radius, radius), TYRE))
        marks.append(Area(_circle(x, ground - radius, 0.45 * radius), LIGHT))
    for sensor in vehicle.sensors:
        at = (back + sensor.at[0] * scale, ground - sensor.at[2] * scale)
        marks.append(Dot(at, SENSORS.get(sensor.kind, INK), 5.0))
    marks += _measure((back, ground + 20.0), (front, ground + 20.0), size.wheel_base_m)
    marks += _measure(
        (left, ground + 48.0), (right, ground + 48.0), size.shell_length_m
    )
    beside = right + 34.0
    marks += _measure((beside, ground), (beside, roof), size.total_height_m)
    return marks


def _from_above(vehicle: Vehicle, back: float, axis: float, scale: float) -> list[Mark]:
    size = vehicle.dimensions
    left, right = SIDE, SIDE + size.shell_length_m * scale
    half = size.shell_width_m / 2.0 * scale
    marks = _box(left, axis - half, right, axis + half)
    for place in vehicle.load_places:
        x, y = back + place.at[0] * scale, axis - place.at[1] * scale
        side = min(0.16 * size.shell_length_m, 0.26 * size.shell_width_m) * scale
        cell = (
            (x - side, y - side / 1.4),
            (x + side, y - side / 1.4),
            (x + side, y + side / 1.4),
            (x - side, y + side / 1.4),
        )
        marks.append(Stroke((*cell, cell[0]), LIGHT, 1.0, dashed=True))
    for link in vehicle.links:
        if link.shape == "wheel":
            x, y = back + link.at[0] * scale, axis - link.at[1] * scale
            reach = size.wheel_radius_m * scale
            thick = size.wheel_width_m / 2.0 * scale
            corners = (
                (x - reach, y - thick),
                (x + reach, y - thick),
                (x + reach, y + thick),
                (x - reach, y + thick),
            )
            marks.append(Area(corners, TYRE))
    marks.append(Stroke(((left - 12.0, axis), (right + 12.0, axis)), LIGHT, 1.0, True))
    for sensor in sorted(vehicle.sensors, key=lambda one: -one.at[2]):
        at = (back + sensor.at[0] * scale, axis - sensor.at[1] * scale)
        # Of two above each other the higher one shows around the lower one.
        lower = [s for s in vehicle.sensors if s.at[2] < sensor.at[2]]
        above = any(other.at[:2] == sensor.at[:2] for other in lower)
        colour = SENSORS.get(sensor.kind, INK)
        marks.append(Dot(at, colour, 9.0 if above else 5.0))
    beside = right + 34.0
    marks += _measure((beside, axis - half), (beside, axis + half), size.shell_width_m)
    return marks


def _measure(start: Point, end: Point, metres: float) -> list[Mark]:
    """A line with ticks and its length."""
    upright = start[0] == end[0]
    across = (5.0, 0.0) if upright else (0.0, 5.0)
    marks: list[Mark] = [Stroke((start, end), MEASURE, 1.0)]
    for x, y in (start, end):
        tick = ((x - across[0], y - across[1]), (x + across[0], y + across[1]))
        marks.append(Stroke(tick, MEASURE, 1.0))
    middle = ((start[0] + end[0]) / 2.0, (start[1] + end[1]) / 2.0)
    text = f"{metres:.3f} m"
    if upright:
        marks.append(Words((middle[0] + 9.0, middle[1] + 4.0), text))
    else:
        marks.append(Words((middle[0], middle[1] + 16.0), text, "middle"))
    return marks


def _legend(vehicle: Vehicle, y: float) -> list[Mark]:
    marks: list[Mark] = []
    x = SIDE
    for sensor in vehicle.sensors:
        marks.append(Dot((x, y - 4.0), SENSORS.get(sensor.kind, INK), 5.0))
        text = sensor.model or sensor.kind
        marks.append(Words((x + 10.0, y), text))
        x += 30.0 + 7.2 * len(text)
    return marks
