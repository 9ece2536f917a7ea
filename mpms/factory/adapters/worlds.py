"""Reads a world file: places, materials and robots of a plant."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from mpms.domain.errors import MpmsError
from mpms.factory.domain.goals import Pose
from mpms.factory.domain.worlds import (
    Anchor,
    Ground,
    Obstacle,
    RobotInfo,
    Wall,
    World,
)

WORLD_FILE = "world.yaml"
STREETS_FILE = "streets.yaml"
GROUNDS = ("roads", "sidewalks", "crossings")
"""Later kinds lie on earlier ones."""
# Safe, and ten times as quick where PyYAML has libyaml, as its wheels do.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class WorldInvalid(MpmsError):
    """The world file cannot be used."""


def read_world(directory: Path) -> World:
    """Read ``world.yaml`` of a world's directory. WorldInvalid names the cause."""
    path = directory / WORLD_FILE
    try:
        path.read_bytes()
    except OSError as missing:
        raise WorldInvalid(f"{path}: {missing.strerror}.") from missing
    files = {each.name: each.read_bytes() for each in directory.glob("*.yaml")}
    return world_of(files, f"{directory}/")


def world_of(files: Mapping[str, str | bytes], where: str = "") -> World:
    """A world from its files. WorldInvalid names the cause."""
    path = f"{where}{WORLD_FILE}"
    try:
        data: Any = yaml.load(files[WORLD_FILE], Loader=LOADER)  # noqa: S506
    except KeyError as missing:
        raise WorldInvalid(f"{path}: there is no such file.") from missing
    except yaml.YAMLError as broken:
        raise WorldInvalid(f"{path} is not YAML: {broken}") from broken
    try:
        places = _poses(data["places"]) | _storage_places(files)
        waiting = _poses(data.get("waiting") or {})
        robots = tuple(
            RobotInfo(
                r["id"],
                r["kind"],
                r["home"],
                r["profile"],
                float(r["max_speed_mps"]),
                float(r["max_payload_kg"]),
                _text(r, "namespace"),
                _text(r, "url"),
                _text(r, "vehicle"),
            )
            for r in data["robots"]
        )
        ground, obstacles = _streets(files)
        materials = dict(data.get("materials", {}))
        tanks = {str(k): str(v) for k, v in (data.get("tanks") or {}).items()}
        name = str(data["name"])
        plan = data.get("map") or {}
        walls = tuple(_wall(w) for w in plan.get("walls", ()))
        left_m, bottom_m, *_ = (float(v) for v in plan.get("origin", (0.0, 0.0)))
        size = (float(plan.get("width_m", 0.0)), float(plan.get("height_m", 0.0)))
        anchors = tuple(
            Anchor(str(a.get("id", index + 1)), float(a["x_m"]), float(a["y_m"]))
            for index, a in enumerate(data.get("anchors") or ())
        )
    except KeyError as missing:
        raise WorldInvalid(f"{path} lacks {missing}.") from missing
    except (TypeError, AttributeError, ValueError) as wrong:
        raise WorldInvalid(f"{path} is not laid out as a world: {wrong}.") from wrong
    tank = tanks.pop("default", World.tank)
    unknown = [p for p in materials.values() if p not in places]
    unknown += [place for place in waiting if place not in places]
    unknown += [r.home for r in robots if r.home not in places]
    if data.get("tanks"):
        unknown += [t for t in (tank, *tanks.values()) if t not in places]
    if unknown:
        raise WorldInvalid(f"{path} names a place that it lacks: {unknown[0]!r}.")
    return World(
        name,
        places,
        materials,
        robots,
        tank,
        tanks,
        width_m=size[0],
        height_m=size[1],
        left_m=left_m,
        bottom_m=bottom_m,
        walls=walls,
        anchors=anchors,
        ground=ground,
        obstacles=obstacles,
        waiting=waiting,
    )


def _storage_places(files: Mapping[str, str | bytes]) -> dict[str, Pose]:
    """Inputs, outputs and storage places, which only the fleet reads all about."""
    found: dict[str, Pose] = {}
    for name in sorted(files):
        if name == WORLD_FILE:
            continue
        data: Any = yaml.load(files[name], Loader=LOADER)  # noqa: S506
        for section in ("inputs", "outputs", "storage"):
            listed = data.get(section) if isinstance(data, dict) else None
            if isinstance(listed, dict):
                found |= _poses(listed)
    return found


def _streets(
    files: Mapping[str, str | bytes],
) -> tuple[tuple[Ground, ...], tuple[Obstacle, ...]]:
    """What is drawn of a world out of doors; its vehicles check the file closely."""
    if STREETS_FILE not in files:
        return (), ()
    data: Any = yaml.load(files[STREETS_FILE], Loader=LOADER) or {}  # noqa: S506
    ground = tuple(
        Ground(kind, *_wall(sides))
        for kind in GROUNDS
        for sides in data.get(kind) or ()
    )
    return ground, tuple(_obstacle(each) for each in data.get("obstacles") or ())


def _obstacle(box: Mapping[str, Any]) -> Obstacle:
    yaw = math.radians(float(box.get("yaw_deg", 0.0)))
    cos, sin = math.cos(yaw), math.sin(yaw)
    x_m, y_m = float(box["x_m"]), float(box["y_m"])
    half, side = float(box["length_m"]) / 2.0, float(box["width_m"]) / 2.0
    corners = tuple(
        (round(x_m + cos * u - sin * v, 3), round(y_m + sin * u + cos * v, 3))
        for u, v in ((half, side), (-half, side), (-half, -side), (half, -side))
    )
    return Obstacle(str(box["id"]), corners, not box.get("unknown", False))


def _poses(listed: Any) -> dict[str, Pose]:
    return {
        name: Pose(p["x_m"], p["y_m"], math.radians(p.get("yaw_deg", 0.0)))
        for name, p in listed.items()
    }


def _text(part: Any, key: str) -> str | None:
    value = part.get(key)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"robot {part['id']}: {key} is {value!r}, not a text")
    return value


def _wall(ends: Any) -> Wall:
    x1, y1, x2, y2 = (float(value) for value in ends)
    return x1, y1, x2, y2
