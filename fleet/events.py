"""What can happen to a fleet. All that it knows of the world comes as one of these."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from fleet.model.world import Level, Point
from fleet.tasks.task import Action, Task


@dataclass(frozen=True)
class OfTask:
    task: str


@dataclass(frozen=True)
class OfRobot:
    robot: str


@dataclass(frozen=True)
class OfPlace:
    place: str


@dataclass(frozen=True)
class Submitted:
    task: Task


@dataclass(frozen=True)
class Withdrawn(OfTask):
    """``now``: the robot stops where it is; else it finishes the leg."""

    now: bool = False


class Redispatched(OfTask):
    """All robots are asked again; the one that has it may win again."""


@dataclass(frozen=True)
class TaskPaused(OfTask):
    paused: bool = True


@dataclass(frozen=True)
class Reported(OfRobot):
    """Pose and battery of a robot."""

    x_m: float
    y_m: float
    yaw: float
    percent: float


@dataclass(frozen=True)
class Acted(OfRobot):
    """A robot has done what a command asked for, or could not."""

    action: Action
    done: bool = True
    why: str = ""


class LoadLost(OfRobot):
    """A robot no longer has its package."""


@dataclass(frozen=True)
class Blocked(OfRobot):
    """Something that nobody knew of stands in a robot's way."""

    x_m: float
    y_m: float


@dataclass(frozen=True)
class Failed(OfRobot):
    """A robot does not move or answer any more."""

    why: str


class Recovered(OfRobot):
    """It drives and answers again."""


@dataclass(frozen=True)
class RobotPaused(OfRobot):
    paused: bool = True


@dataclass(frozen=True)
class LevelSet(OfRobot):
    level: Level


@dataclass(frozen=True)
class Detected(OfPlace):
    """A package detector says that something lies there, or no longer."""

    present: bool


@dataclass(frozen=True)
class InputComing(OfPlace):
    """A package is coming to an input."""

    package: str
    package_type: str


@dataclass(frozen=True)
class OutputWanted(OfPlace):
    """A package of a type is wanted at an output."""

    package_type: str


@dataclass(frozen=True)
class OfZone:
    zone: str


@dataclass(frozen=True)
class ZoneClosed(OfZone):
    """Nobody drives into it; who is inside may leave."""

    corners: tuple[Point, ...]


class ZoneOpened(OfZone):
    """It is a floor like any other again."""


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


class Part(StrEnum):
    """Components that a plant starts one after the other."""

    STORAGE = "storage management"
    PLANNER = "task planner"
    CHARGING = "charging station management"


@dataclass(frozen=True)
class Started:
    """A component that was not running yet answers from now on."""

    part: Part


@dataclass(frozen=True)
class Tick:
    """Time has passed."""


Event = (
    Submitted
    | Withdrawn
    | Redispatched
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
    | Started
    | Tick
)
