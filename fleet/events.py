"""What can happen to a fleet. All that it knows of the world comes as one of these."""

from __future__ import annotations

from dataclasses import dataclass

from fleet.model.world import Level, Point
from fleet.tasks.task import Action, Task


@dataclass(frozen=True)
class Submitted:
    task: Task


@dataclass(frozen=True)
class Withdrawn:
    """``now``: the robot stops where it is; else it finishes the leg."""

    task: str
    now: bool = False


@dataclass(frozen=True)
class TaskPaused:
    task: str
    paused: bool = True


@dataclass(frozen=True)
class Reported:
    """Pose and battery of a robot."""

    robot: str
    x_m: float
    y_m: float
    yaw: float
    percent: float


@dataclass(frozen=True)
class Acted:
    """A robot has done what a command asked for, or could not."""

    robot: str
    action: Action
    done: bool = True
    why: str = ""


@dataclass(frozen=True)
class LoadLost:
    """A robot no longer has its package."""

    robot: str


@dataclass(frozen=True)
class Blocked:
    """Something that nobody knew of stands in a robot's way."""

    robot: str
    x_m: float
    y_m: float


@dataclass(frozen=True)
class Failed:
    """A robot does not move or answer any more."""

    robot: str
    why: str


@dataclass(frozen=True)
class Recovered:
    robot: str


@dataclass(frozen=True)
class RobotPaused:
    robot: str
    paused: bool = True


@dataclass(frozen=True)
class LevelSet:
    robot: str
    level: Level


@dataclass(frozen=True)
class Detected:
    """A package detector says that something lies there, or no longer."""

    place: str
    present: bool


@dataclass(frozen=True)
class InputComing:
    """A package is coming to an input."""

    place: str
    package: str
    package_type: str


@dataclass(frozen=True)
class OutputWanted:
    """A package of a type is wanted at an output."""

    place: str
    package_type: str


@dataclass(frozen=True)
class ZoneClosed:
    zone: str
    corners: tuple[Point, ...]


@dataclass(frozen=True)
class ZoneOpened:
    zone: str


@dataclass(frozen=True)
class LaneLocked:
    lane: str
    locked: bool = True


@dataclass(frozen=True)
class DoorShut:
    door: str
    shut: bool = True


@dataclass(frozen=True)
class Seen:
    """A person or a thing on the floor; ``radius_m`` 0: it is gone."""

    id: str
    x_m: float = 0.0
    y_m: float = 0.0
    radius_m: float = 0.3
    level: Level = Level.RESPECTED


@dataclass(frozen=True)
class PulledOver:
    """Emergency: everybody leaves the roads, until ``over`` is False."""

    over: bool = True


@dataclass(frozen=True)
class Stopped:
    """No new demands are taken; what runs is finished."""

    stopped: bool = True


@dataclass(frozen=True)
class Tick:
    """Time has passed."""


Event = (
    Submitted
    | Withdrawn
    | TaskPaused
    | Reported
    | Acted
    | LoadLost
    | Blocked
    | Failed
    | Recovered
    | RobotPaused
    | LevelSet
    | Detected
    | InputComing
    | OutputWanted
    | ZoneClosed
    | ZoneOpened
    | LaneLocked
    | DoorShut
    | Seen
    | PulledOver
    | Stopped
    | Tick
)
