"""Reads what is heard for the map only: plans, scans, people, costmaps.

Nothing here moves a robot, so a message is read as far as it makes sense: a ray
without an echo or a person without a place is left out, the rest counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from robot_bridge.messages import BadMessage, yaw_from_quaternion

Point = tuple[float, float]

OCCUPIED = 99
"""From here on a cell is an obstacle or too close to one for the robot's centre."""
CELL_M = 0.1
"""The raster that costmaps of any resolution are brought to."""
UNKNOWN_SIGMA_M = 0.3
CIRCLE = 2.45
"""Standard deviations within which 95 of 100 positions in the plane lie."""
MAX_POINTS = 4000


@dataclass(frozen=True, slots=True)
class Placed:
    """Points in the frame that the message names."""

    frame: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class PersonReading:
    tag: str
    x: float
    y: float
    uncertainty_m: float


def read_path(message: Any) -> Placed:
    """nav_msgs/Path, or the trajectory that some planners publish instead."""
    listed = _list(message, "poses" if "poses" in _mapping(message) else "points")
    points = []
    for each in listed:
        at = _path_point(each)
        if at is not None:
            points.append(at)
    return Placed(_frame(message), tuple(points))


def _path_point(entry: Any) -> Point | None:
    if not isinstance(entry, Mapping):
        return None
    transforms = entry.get("transforms")
    if isinstance(transforms, list):
        first = transforms[0] if transforms else None
        return _xy(first.get("translation")) if isinstance(first, Mapping) else None
    pose = entry.get("pose")
    return _xy(pose.get("position")) if isinstance(pose, Mapping) else None


def read_scan(message: Any) -> tuple[Point, ...]:
    """sensor_msgs/LaserScan: what was hit, as seen from the laser."""
    scan = _mapping(message)
    first, step = _finite(scan.get("angle_min")), _finite(scan.get("angle_increment"))
    if first is None or step is None:
        raise BadMessage("the scan does not say its angles")
    nearest = _finite(scan.get("range_min")) or 0.0
    farthest = _finite(scan.get("range_max")) or math.inf
    points = []
    ranges = _list(scan, "ranges")
    skip = math.ceil(len(ranges) / MAX_POINTS) or 1
    for index in range(0, len(ranges), skip):
        distance = _finite(ranges[index])
        if distance is not None and nearest <= distance < farthest:
            angle = first + index * step
            points.append((distance * math.cos(angle), distance * math.sin(angle)))
    return tuple(points)


def read_joint(message: Any, joint: str) -> float | None:
    """sensor_msgs/JointState: the position of one joint, None where it is not told."""
    listed = _mapping(message)
    names, positions = _list(listed, "name"), _list(listed, "position")
    for name, position in zip(names, positions, strict=False):
        if name == joint:
            return _finite(position)
    return None


def read_people(message: Any) -> tuple[PersonReading, ...]:
    """people_msgs/People. The type has no covariance: who knows it says it in the
    tags, as ``covariance`` with the text "xx xy yy"."""
    found = []
    for each in _list(message, "people"):
        if not isinstance(each, Mapping):
            continue
        at = _xy(each.get("position"))
        if at is None:
            continue
        names, values = each.get("tagnames"), each.get("tags")
        said = {}
        if isinstance(names, list) and isinstance(values, list):
            said = dict(zip(map(str, names), map(str, values), strict=False))
        name = str(each.get("name") or said.get("tag") or "")
        spread_m = _spread(said.get("covariance"), each.get("reliability"))
        found.append(PersonReading(name, *at, spread_m))
    return tuple(found)


def _spread(covariance: str | None, reliability: Any) -> float:
    if covariance is not None:
        try:
            xx, xy, yy = (float(part) for part in covariance.split())
        except ValueError:
            xx = xy = yy = math.nan
        largest = (xx + yy) / 2 + math.hypot((xx - yy) / 2, xy)
        if math.isfinite(largest) and largest >= 0:
            return CIRCLE * math.sqrt(largest)
    trust = _finite(reliability)
    return CIRCLE * UNKNOWN_SIGMA_M / min(1.0, max(0.2, trust or 0.2))


def read_costmap(message: Any, most: int = MAX_POINTS) -> Placed:
    """nav_msgs/OccupancyGrid: centres of the cells that are kept clear of."""
    grid = _mapping(message)
    info = _mapping(grid.get("info"))
    resolution, width = _finite(info.get("resolution")), info.get("width")
    origin = _mapping(info.get("origin"))
    corner = _xy(origin.get("position"))
    if not resolution or resolution <= 0 or not isinstance(width, int) or width <= 0:
        raise BadMessage("the grid has no size")
    if corner is None:
        raise BadMessage("the grid has no origin")
    yaw = yaw_from_quaternion(origin.get("orientation"))
    cos, sin = math.cos(yaw), math.sin(yaw)
    parts = max(1, round(resolution / CELL_M))
    marked: dict[tuple[int, int], None] = {}
    for index, cost in enumerate(_list(grid, "data")):
        if not isinstance(cost, int) or cost < OCCUPIED:
            continue
        row, column = divmod(index, width)
        for part in range(parts * parts):
            along = (column + (part % parts + 0.5) / parts) * resolution
            up = (row + (part // parts + 0.5) / parts) * resolution
            x = corner[0] + cos * along - sin * up
            y = corner[1] + sin * along + cos * up
            marked[(math.floor(x / CELL_M), math.floor(y / CELL_M))] = None
    points = [
        (round((x + 0.5) * CELL_M, 3), round((y + 0.5) * CELL_M, 3)) for x, y in marked
    ]
    return Placed(_frame(message), tuple(points[:most]))


def _frame(message: Mapping[str, Any]) -> str:
    header = message.get("header")
    return str(header.get("frame_id", "")) if isinstance(header, Mapping) else ""


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise BadMessage("an object is needed")
    return value


def _list(message: Any, name: str) -> list[Any]:
    value = _mapping(message).get(name)
    if not isinstance(value, list):
        raise BadMessage(f"field {name!r} is not a list")
    return value


def _finite(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def _xy(value: Any) -> Point | None:
    if not isinstance(value, Mapping):
        return None
    x, y = _finite(value.get("x")), _finite(value.get("y"))
    return None if x is None or y is None else (x, y)
