"""What lies beside ``world.yaml`` for a warehouse: places, stock, chargers, batteries.

The fleet checks these files, every mistake at once; here only what the robot side needs
is read, and what is missing is named.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from shopfloor.sim.storage import Kind, StorageSpec
from shopfloor.sim.vehicle import Pose
from shopfloor.sim.world import WorldRefused

SECTIONS = ("inputs", "outputs", "storage")


def read_storage(folder: Path, places: Mapping[str, Pose]) -> StorageSpec | None:
    """None for a world without storage."""
    sections: dict[str, Any] = {}
    for file in sorted(folder.glob("*.yaml")):
        try:
            found = yaml.safe_load(file.read_text(encoding="utf-8"))
        except (OSError, yaml.YAMLError) as broken:
            raise WorldRefused(f"{file} cannot be read: {broken}") from None
        sections |= found if isinstance(found, dict) else {}
    if not any(sections.get(name) for name in (*SECTIONS, "charging")):
        return None
    try:
        return _storage(sections, places)
    except (KeyError, TypeError, ValueError, AttributeError) as wrong:
        raise WorldRefused(f"the storage in {folder} cannot be used: {wrong}") from None


def _storage(sections: Mapping[str, Any], places: Mapping[str, Pose]) -> StorageSpec:
    known = dict(places)
    watched: dict[str, Pose] = {}
    for section in SECTIONS:
        listed = sections.get(section) or {}
        if isinstance(listed, dict):
            found = {name: _pose(each) for name, each in listed.items()}
            known |= found
            watched |= found
        else:
            watched |= {name: known[name] for name in listed}
    chargers = [
        (known[place], float(zone["rate_percent_per_s"]))
        for zone in (sections.get("charging") or {}).values()
        for place in zone["places"]
    ]
    stock = {
        place: str(each["package"])
        for place, each in (sections.get("stock") or {}).items()
    }
    return StorageSpec(watched, stock, tuple(chargers), _kinds(sections))


def _kinds(sections: Mapping[str, Any]) -> dict[str, Kind]:
    return {
        name: Kind(
            float(each.get("load_s", Kind.load_s)),
            float(each.get("discharging_percent_per_s", Kind.driving_pps)),
            float(each.get("idle_discharging_percent_per_s", Kind.idle_pps)),
        )
        for name, each in (sections.get("robot_types") or {}).items()
    }


def _pose(each: Mapping[str, Any]) -> Pose:
    yaw_rad = math.radians(float(each.get("yaw_deg", 0.0)))
    return Pose(float(each["x_m"]), float(each["y_m"]), yaw_rad)
