"""What differs between makes of vehicles, as data; read as strictly as the other
profiles."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, cast

from robot_bridge.profiles import BadProfile, Limits, build, read_profile
from robot_bridge.vda5050.dialect import Dialect, dialect_of


@dataclass(frozen=True, slots=True)
class VehicleProfile:
    name: str
    version: str = "2.1.0"
    """Written into every message; 2.0.0 for vehicles that insist on it."""
    description: str = ""
    root: str | None = None
    """Of the topics, where a plant has chosen another one."""
    map_id: str = "map"
    frame: str = "map"
    base_nodes: int = 0
    """So many nodes ahead are released, the rest is horizon; 0: all at once."""
    actions: dict[str, str] = field(default_factory=dict)
    instant_actions_field: str = "actions"
    """Vehicles of early versions want ``instantActions``."""
    quiet_s: float = 5.0
    """After so long without a word its state is asked for."""
    limits: Limits = field(default_factory=Limits)
    allow_plain_mqtt: list[str] = field(default_factory=list)

    @property
    def dialect(self) -> Dialect:
        found = dialect_of(self.version)
        if found is None:
            raise BadProfile(f"{self.name}: version {self.version} is neither 2 nor 3")
        return found


def shipped_vehicle_profiles() -> list[str]:
    folder = resources.files("robot_bridge") / "vda5050" / "profiles"
    names = (each.name for each in folder.iterdir())
    return sorted(n.removesuffix(".yaml") for n in names if n.endswith(".yaml"))


def load_vehicle_profile(name_or_path: str | Path) -> VehicleProfile:
    """A shipped profile by name, or a file of one's own by path (``*.yaml``)."""
    folder = resources.files("robot_bridge") / "vda5050" / "profiles"
    text = str(name_or_path)
    return parse_vehicle_profile(
        read_profile(name_or_path, folder, shipped_vehicle_profiles()), text
    )


def parse_vehicle_profile(data: Any, where: str = "profile") -> VehicleProfile:
    profile = cast(VehicleProfile, build(VehicleProfile, data, where))
    if profile.base_nodes < 0 or profile.base_nodes == 1:
        raise BadProfile(f"{where}: base_nodes is 0 (all at once) or at least 2")
    _ = profile.dialect
    return profile
