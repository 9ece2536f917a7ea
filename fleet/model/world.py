"""The nouns of a plant: floor, robots, packages, storage, charging, lanes and zones.

Plain data that never changes while the plant runs. Metres, seconds, kilograms, degrees
in files and radians here; batteries in percent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

Point = tuple[float, float]
Wall = tuple[float, float, float, float]  # x1, y1, x2, y2


class Moves(StrEnum):
    """How a type of robot may drive."""

    FREE = "free"  # straight lines between corners
    LANES = "lanes"  # only along the lanes of the world
    GRID = "grid"  # from cell to cell


class Level(StrEnum):
    """How much the fleet has to do with a vehicle."""

    IGNORED = "ignored"  # it is not there
    NOTICED = "noticed"  # its position is shown, nobody waits for it
    RESPECTED = "respected"  # the room it stands in is kept free
    USED = "used"  # it gets tasks


class Block(StrEnum):
    """What a zone asks of the robots in it."""

    OPEN = "open"  # nothing
    SINGLE = "single"  # one robot at a time
    SAME_DIRECTION = "same_direction"  # many, none against the others
    FORBIDDEN = "forbidden"  # nobody


@dataclass(frozen=True)
class Place:
    """A named pose where a robot can stop."""

    id: str
    x_m: float
    y_m: float
    yaw: float = 0.0

    @property
    def spot(self) -> Point:
        return self.x_m, self.y_m


@dataclass(frozen=True)
class RobotType:
    """What all robots of a type have in common. They turn on the spot."""

    id: str
    speed_mps: float
    radius_m: float = 0.4
    acceleration_mps2: float = 0.5
    turning_radps: float = 1.0
    payload_kg: float = 0.0
    geometries: frozenset[str] = frozenset()
    moves: Moves = Moves.FREE
    discharging_pps: float = 0.02  # percent per second while driving
    idle_discharging_pps: float = 0.0
    critical_percent: float = 15.0
    good_percent: float = 40.0
    enough_percent: float = 80.0
    full_percent: float = 98.0
    load_s: float = 5.0

    def carries(self, package: PackageType) -> str | None:
        """Why it cannot carry the package; None: it can."""
        if package.weight_kg > self.payload_kg:
            return f"carries {self.payload_kg:g} kg, not {package.weight_kg:g} kg"
        if package.geometry and package.geometry not in self.geometries:
            return f"cannot carry the geometry {package.geometry}"
        return None


@dataclass(frozen=True)
class RobotSpec:
    """One robot: its type, and the rest place that is its own."""

    id: str
    type: str
    home: str
    level: Level = Level.USED
    battery_percent: float = 100.0


@dataclass(frozen=True)
class PackageType:
    id: str
    weight_kg: float
    geometry: str = ""


@dataclass(frozen=True)
class ChargingZone:
    """A rectangle in which robots charge; each stands at one of its places."""

    id: str
    x1_m: float
    y1_m: float
    x2_m: float
    y2_m: float
    rate_pps: float  # percent per second
    capacity: int
    places: tuple[str, ...]

    def contains(self, x_m: float, y_m: float) -> bool:
        return self.x1_m <= x_m <= self.x2_m and self.y1_m <= y_m <= self.y2_m


@dataclass(frozen=True)
class Lane:
    """A road between points, in both directions unless it is one-way."""

    id: str
    points: tuple[Point, ...]
    one_way: bool = False
    speed_mps: float = math.inf
    width_m: float = math.inf


@dataclass(frozen=True)
class Zone:
    """An area with a rule. Zones of one group count as one."""

    id: str
    corners: tuple[Point, ...]
    block: Block = Block.OPEN
    speed_mps: float = math.inf
    group: str = ""


@dataclass(frozen=True)
class Door:
    """An opening, also of a lift, that a robot passes only while it is open."""

    id: str
    x1_m: float
    y1_m: float
    x2_m: float
    y2_m: float


@dataclass(frozen=True)
class World:
    """One plant. ``storage``, ``inputs`` and ``outputs`` name places."""

    name: str
    width_m: float
    height_m: float
    left_m: float = 0.0
    bottom_m: float = 0.0
    walls: tuple[Wall, ...] = ()
    places: Mapping[str, Place] = field(default_factory=dict)
    waiting: Mapping[str, Place] = field(default_factory=dict)
    robot_types: Mapping[str, RobotType] = field(default_factory=dict)
    robots: Mapping[str, RobotSpec] = field(default_factory=dict)
    packages: Mapping[str, PackageType] = field(default_factory=dict)
    storage: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    charging: Mapping[str, ChargingZone] = field(default_factory=dict)
    lanes: tuple[Lane, ...] = ()
    zones: Mapping[str, Zone] = field(default_factory=dict)
    doors: Mapping[str, Door] = field(default_factory=dict)
    cell_m: float = 1.0  # of the floor of grid robots
    stock: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """What lies in the storage at the start: place to package and type."""
    sources: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """File and line of what the files have: ``places.tank`` to ``world.yaml:12``."""

    def type_of(self, robot: str) -> RobotType:
        return self.robot_types[self.robots[robot].type]

    @cached_property
    def rests(self) -> Mapping[str, str]:
        """Rest place to the robot whose it is."""
        return {robot.home: robot.id for robot in self.robots.values()}

    def keeps_out(self, robot: str, place: str) -> str:
        """Why a robot may not stand at a place, however long it waits; else empty."""
        owner = self.rests.get(place, robot)
        return "" if owner == robot else f"{place} is the rest place of {owner}"

    def source_of(self, place: str) -> str:
        """Where a place stands in the files; empty for a world made in memory."""
        for section in ("places", "storage", "inputs", "outputs"):
            if f"{section}.{place}" in self.sources:
                return self.sources[f"{section}.{place}"]
        return ""
