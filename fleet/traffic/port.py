"""What the fleet needs from traffic, whether robots drive freely or on a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from fleet.model.world import Point


@dataclass(frozen=True)
class Waypoint:
    x_m: float
    y_m: float
    speed_mps: float


@dataclass(frozen=True)
class Go:
    """Drive along the path and stop at its end; replaces the path before.

    ``yaw`` is set when the path ends at the goal.
    """

    robot: str
    path: tuple[Waypoint, ...]
    yaw: float | None = None


@dataclass(frozen=True)
class Arrived:
    robot: str
    place: str


@dataclass(frozen=True)
class Stuck:
    """A robot has a goal and no way to it now."""

    robot: str
    place: str
    why: str


Outcome = Go | Arrived | Stuck


class Traffic(Protocol):
    """Robots with goals in, drives out. Time comes with ``advance``."""

    @property
    def deadlocks(self) -> int:
        """Circles of robots that wait for each other, found so far."""

    def add_robot(self, robot: str, type_: str, x_m: float, y_m: float) -> None: ...

    def remove_robot(self, robot: str) -> None: ...

    def set_goal(self, robot: str, place: str) -> None: ...

    def drop_goal(self, robot: str) -> None: ...

    def freeze(self, robot: str) -> None: ...

    def thaw(self, robot: str) -> None: ...

    def close_zone(self, zone: str, corners: Sequence[Point]) -> None: ...

    def open_zone(self, zone: str) -> None: ...

    def put_obstacle(self, id_: str, x_m: float, y_m: float, radius_m: float) -> None:
        """A person or a thing; moves it if it is known."""

    def take_obstacle(self, id_: str) -> None: ...

    def report(self, robot: str, x_m: float, y_m: float, yaw: float) -> None: ...

    def advance(self, now: float) -> list[Outcome]: ...

    def to_dict(self) -> dict[str, Any]: ...

    def load(self, data: dict[str, Any]) -> None: ...
