"""A world: its map, its places, its robots and its people.

Plain values, so that a test builds the world it needs in one expression.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from shopfloor.sim.vehicle import Limits, Pose
from shopfloor.sim.walls import gap_m

if TYPE_CHECKING:
    from shopfloor.sim.storage import StorageSpec

PARKING_M = 0.9
"""Between the middles of robots at home."""
PARKING_WALL_M = 0.2


class WorldRefused(ValueError):
    """A world that cannot be simulated, and why."""


@dataclass(frozen=True)
class Map:
    resolution_m: float = 0.05
    width_m: float = 20.0
    height_m: float = 10.0
    walls: tuple[tuple[float, float, float, float], ...] = ()
    image: Path | None = None
    origin: Pose = field(default_factory=lambda: Pose(0.0, 0.0))
    """The lower left corner."""

    def contains(self, x_m: float, y_m: float) -> bool:
        right, up = x_m - self.origin.x_m, y_m - self.origin.y_m
        return 0.0 <= right <= self.width_m and 0.0 <= up <= self.height_m

    def spots_around(self, robot: RobotSpec) -> Iterator[Pose]:
        """Where more robots of its size may stand, nearest first: a straight line
        from its home keeps clear of walls."""
        home, keep_m = robot.home, robot.radius_m + PARKING_WALL_M
        across, along = int(self.width_m), int(self.height_m)
        steps = itertools.product(range(-across, across + 1), range(-along, along + 1))
        for right, up in sorted(steps, key=lambda at: (math.hypot(*at), at)):
            x_m, y_m = home.x_m + right, home.y_m + up
            line = (home.x_m, home.y_m, x_m, y_m)
            if self.contains(x_m, y_m) and all(
                gap_m(line, wall) > keep_m for wall in self.walls
            ):
                yield Pose(x_m, y_m, home.yaw_rad)


@dataclass(frozen=True)
class RobotSpec:
    id: str
    home: Pose = field(default_factory=lambda: Pose(1.0, 1.0))
    kind: str = "differential"
    profile: str = "move_base"
    namespace: str | None = None
    """Where its topics live; its id unless said otherwise, "" for the root."""
    limits: Limits = field(default_factory=Limits)
    max_payload_kg: float = 0.0
    radius_m: float = 0.3
    battery: float = 1.0
    tag: int = 0
    drive: str | None = None
    """What the wheels can do; unless said, what the kind implies."""
    cell_m: float = 1.0
    """Of the floor's grid, for robots that drive from cell to cell."""
    local_map_m: float = 7.0
    """How wide the map around the robot is that its lasers fill."""
    planner: str = "auto"
    """Of the whole way: auto or lazy_theta."""
    tracking: str | None = None
    """How it follows a path: straight, or holonomic with its heading as it is; unless
    said, what the wheels can do."""
    vehicle: str | None = None
    """The vehicle file that describes it, for worlds with streets."""

    @property
    def prefix(self) -> str:
        name = self.id if self.namespace is None else self.namespace.strip("/")
        return f"/{name}" if name else ""


@dataclass(frozen=True)
class Anchor:
    id: str
    number: int
    """How range messages name it."""
    x_m: float
    y_m: float
    z_m: float = 2.5


@dataclass(frozen=True)
class Person:
    id: str
    path: tuple[Pose, ...]
    speed_mps: float = 1.0
    tag: int = 0


@dataclass(frozen=True)
class DoorSpec:
    """An opening in a wall with a leaf that the map does not know."""

    id: str
    x1_m: float
    y1_m: float
    x2_m: float
    y2_m: float
    opens_s: float | None = None
    """When it opens first; unless said, the seed says when."""
    open_for_s: float | None = None
    """Unless said, it stays open once it has opened."""
    closed_every_s: float | None = None
    """From one opening to the next."""

    def __post_init__(self) -> None:
        if (self.x1_m, self.y1_m) == (self.x2_m, self.y2_m):
            raise WorldRefused(f"door {self.id!r} has no width")
        every_s, open_s = self.closed_every_s, self.open_for_s
        if every_s is not None and (open_s is None or open_s >= every_s):
            raise WorldRefused(
                f"door {self.id!r} closes every {every_s:g} s, "
                "so it needs an open_for_s below that"
            )
        if open_s is not None and every_s is None and self.opens_s is None:
            raise WorldRefused(
                f"door {self.id!r} has an open_for_s, "
                "but neither opens_s nor closed_every_s says when it opens"
            )


@dataclass(frozen=True)
class World:
    name: str = "empty"
    map: Map = field(default_factory=Map)
    places: Mapping[str, Pose] = field(default_factory=dict)
    robots: tuple[RobotSpec, ...] = (RobotSpec("robot1", tag=1),)
    anchors: tuple[Anchor, ...] = ()
    people: tuple[Person, ...] = ()
    doors: tuple[DoorSpec, ...] = ()
    storage: StorageSpec | None = None

    def with_robots(self, count: int) -> World:
        """The first so many robots, or more of the same kinds beside them. When
        there is no more room they stand in each other."""
        if count < 1:
            raise WorldRefused(f"a world needs at least one robot, not {count}")
        robots = list(self.robots[:count])
        if len(robots) < count and not robots:
            raise WorldRefused(f"world {self.name} has no robot to take as a pattern")
        taken = {robot.id for robot in robots}
        spots: dict[str, Iterator[Pose]] = {}
        number = 0
        while len(robots) < count:
            number += 1
            if f"robot{number}" in taken:
                continue
            pattern = self.robots[len(robots) % len(self.robots)]
            homes = spots.setdefault(pattern.id, self.map.spots_around(pattern))
            taken_by = [robot.home for robot in robots]
            home = next((h for h in homes if _has_room(h, taken_by)), pattern.home)
            robots.append(
                replace(
                    pattern,
                    id=f"robot{number}",
                    namespace=None,
                    home=home,
                    tag=1000 + number,
                )
            )
        return replace(self, robots=tuple(robots))


def _has_room(home: Pose, others: list[Pose]) -> bool:
    return all(home.distance_to(other) >= PARKING_M for other in others)
