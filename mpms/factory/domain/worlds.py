"""The plant's floor: named places, where each material stands, which robots drive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from mpms.factory.domain.goals import Pose


@dataclass(frozen=True)
class RobotInfo:
    """A robot as the world file describes it."""

    id: str
    kind: str
    home: str
    profile: str
    max_speed_mps: float
    max_payload_kg: float
    namespace: str | None = None
    """Where its topics live; below its id unless said otherwise, "" for the root."""
    url: str | None = None
    """Of a robot that is not behind the common server."""
    vehicle: str | None = None
    """Of a car-like robot: the name or the path of its vehicle file."""

    @property
    def vehicle_name(self) -> str | None:
        return None if self.vehicle is None else PurePath(self.vehicle).stem


@dataclass(frozen=True)
class Anchor:
    """Where a receiver of the people's tags hangs."""

    id: str
    x_m: float
    y_m: float


Wall = tuple[float, float, float, float]  # x1, y1, x2, y2 in metres
Corners = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Ground:
    """A piece of ground out of doors: a road, a sidewalk or a crossing."""

    kind: str
    x1_m: float
    y1_m: float
    x2_m: float
    y2_m: float


@dataclass(frozen=True)
class Obstacle:
    """What stands beside walls; ``on_map`` False: only those know it who see it."""

    id: str
    corners: Corners
    on_map: bool


@dataclass(frozen=True)
class World:
    """Everything the processes need to know about the floor."""

    name: str
    places: dict[str, Pose]
    material_places: dict[str, str]
    robots: tuple[RobotInfo, ...]
    tank: str = "tank"
    """Where a product is mixed that has no tank of its own."""
    product_tanks: dict[str, str] = field(default_factory=dict)
    width_m: float = 0.0
    height_m: float = 0.0
    left_m: float = 0.0  # of the map's lower left corner
    bottom_m: float = 0.0
    walls: tuple[Wall, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    ground: tuple[Ground, ...] = ()
    """Later ones lie on earlier ones."""
    obstacles: tuple[Obstacle, ...] = ()
    waiting: dict[str, Pose] = field(default_factory=dict)
    """Beside a place, for a robot that waits until the place is free."""

    def pose_for(self, robot_id: str, place: str) -> Pose | None:
        """Where a place is for this robot: each has a home of its own."""
        robot = self.robot(robot_id)
        if place == "home" and robot is not None:
            place = robot.home
        return self.places.get(place)

    def tank_for(self, product: str) -> str:
        """The place of its mixing tank; case and spaces of the name do not count."""
        wanted = _plain(product)
        for name, place in self.product_tanks.items():
            if _plain(name) == wanted:
                return place
        return self.tank

    @property
    def tanks(self) -> frozenset[str]:
        return frozenset((self.tank, *self.product_tanks.values()))

    def with_materials_at(self, places: Mapping[str, str]) -> World:
        """The same floor after somebody has put materials elsewhere."""
        return replace(self, material_places={**self.material_places, **places})

    def robot(self, robot_id: str) -> RobotInfo | None:
        return next((r for r in self.robots if r.id == robot_id), None)


def _plain(product: str) -> str:
    return " ".join(product.split()).casefold()
