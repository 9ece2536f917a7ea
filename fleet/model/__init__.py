"""What a plant consists of. ``fleet.model.reading`` reads it from YAML."""

from fleet.model.world import (
    Block,
    ChargingZone,
    Door,
    Lane,
    Level,
    Moves,
    PackageType,
    Place,
    RobotSpec,
    RobotType,
    World,
    Zone,
)

__all__ = [
    "Block",
    "ChargingZone",
    "Door",
    "Lane",
    "Level",
    "Moves",
    "PackageType",
    "Place",
    "RobotSpec",
    "RobotType",
    "World",
    "Zone",
]
