"""The floor as it is this moment: seen over the wire, never stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

Point = tuple[float, float]


@dataclass(frozen=True)
class RobotSeen:
    """A robot, as last heard; ages tell how far to trust it."""

    robot: str
    x_m: float | None = None
    y_m: float | None = None
    yaw_rad: float | None = None
    pose_age_s: float | None = None
    heard_age_s: float | None = None  # of anything from it
    speed_mps: float | None = None
    battery: float | None = None  # 0..1
    stopped: bool = False
    plan: tuple[Point, ...] = ()  # where it means to drive
    scan: tuple[Point, ...] = ()  # what its laser hits, in the map
    driven: tuple[Point, ...] = ()  # where it came from
    local_plan: tuple[Point, ...] = ()  # around what its lasers see, the next metres
    steering_rad: float | None = None  # of a robot that steers like a car


@dataclass(frozen=True)
class PersonSeen:
    """A tag on the floor."""

    tag: str
    x_m: float
    y_m: float
    uncertainty_m: float
    age_s: float


@dataclass(frozen=True)
class FloorSeen:
    """One frame."""

    robots: tuple[RobotSeen, ...] = ()
    people: tuple[PersonSeen, ...] = ()


class Floor(Protocol):
    """Listens to the robots; gives no orders."""

    def seen(self) -> FloorSeen: ...
    def costmap(self, robot: str) -> Sequence[Point]:
        """Cells that the robot keeps clear of, in the map; empty if unknown."""
        ...

    def global_costmap(self, robot: str) -> Sequence[Point]:
        """The same for the whole map, as the robot plans long ways."""
        ...

    def close(self) -> None: ...
