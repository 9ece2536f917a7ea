"""A robot as the fleet knows it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from fleet.model.world import Level, RobotType


class Doing(StrEnum):
    """What a vehicle does for the first task of its queue."""

    NOTHING = "nothing"
    WAITING = "waiting"  # for a place, a charger, or traffic
    DRIVING = "driving"
    ACTING = "acting"
    CONFIRMING = "confirming"  # a detector must say that it worked
    CHARGING = "charging"


@dataclass
class Vehicle:
    """``queue`` holds task ids, the present one first; ``place`` where it stands."""

    id: str
    type: RobotType
    home: str
    level: Level = Level.USED
    percent: float = 100.0
    x_m: float | None = None
    y_m: float | None = None
    yaw: float = 0.0
    place: str = ""
    queue: list[str] = field(default_factory=list)
    doing: Doing = Doing.NOTHING
    since: float = 0.0
    target: str = ""  # the place it drives to
    aside: bool = False  # it drives out of the way of others
    load: str = ""
    load_type: str = ""
    failed: str = ""  # why it does not work
    paused: bool = False
    turn: int = 0
    waits_for: str = ""
    stuck_since: float | None = None

    @property
    def known(self) -> bool:
        return self.x_m is not None

    @property
    def fit(self) -> bool:
        return not self.failed and not self.paused and self.known

    def why_not(self) -> str:
        """Why it gets no tasks."""
        if self.level is not Level.USED:
            return f"is only {self.level}"
        if self.failed:
            return self.failed
        if self.paused:
            return "is paused"
        return "" if self.known else "has not reported yet"

    def to_dict(self) -> dict[str, Any]:
        data = {name: getattr(self, name) for name in _PLAIN}
        data["queue"] = list(self.queue)
        data["doing"] = self.doing.value
        data["level"] = self.level.value
        return data

    def load_dict(self, data: dict[str, Any]) -> None:
        for name in _PLAIN:
            setattr(self, name, data[name])
        self.queue = list(data["queue"])
        self.doing = Doing(data["doing"])
        self.level = Level(data["level"])


_PLAIN = (
    *("percent", "x_m", "y_m", "yaw", "place", "since", "target", "aside", "load"),
    *("load_type", "failed", "paused", "turn", "waits_for", "stuck_since"),
)
