"""What a schedule is made from and what it says. Seconds count from its beginning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Leg:
    """One pick: from its place to the tank. ``loaded``: it is on the robot already."""

    pick: int
    material: str
    place: str
    kg: float
    loaded: bool = False


@dataclass(frozen=True)
class Job:
    """One order. ``robot`` and ``begun``: it is being made."""

    order: str
    tank: str
    legs: tuple[Leg, ...]
    mixing_s: float
    urgency: int = 2  # 0 urgent, 3 low
    due_s: float | None = None
    robot: str | None = None
    begun: bool = False
    not_before_s: float = 0.0


@dataclass(frozen=True)
class Robot:
    id: str
    place: str  # where it stands
    home: str
    speed_mps: float
    payload_kg: float
    free_at_s: float = 0.0


@dataclass(frozen=True)
class Times:
    """How long people take, learnt or assumed."""

    load_s: float = 60.0
    unload_s: float = 45.0
    start_mixing_s: float = 60.0
    turn_s: float = 4.0  # of each drive: turning, speeding up, slowing down


@dataclass(frozen=True)
class Resources:
    robots: tuple[Robot, ...]
    people: int
    distance_m: Callable[[str, str], float]
    times: Times = field(default_factory=Times)


@dataclass(frozen=True)
class Bar:
    """One row of a Gantt chart for one resource."""

    resource: str  # robot1, tank_2, person 1
    kind: str  # drive, load, unload, mix, home
    order: str
    from_s: float
    to_s: float
    pick: int | None = None
    material: str = ""
    place: str = ""


@dataclass(frozen=True)
class Schedule:
    bars: tuple[Bar, ...]
    ends_s: dict[str, float]  # order: when its tank is done
    late_s: dict[str, float]  # order: how long after its due time
    unplanned: dict[str, str]  # order: why nobody can make it

    @property
    def makespan_s(self) -> float:
        return max(self.ends_s.values(), default=0.0)
