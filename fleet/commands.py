"""What a fleet answers: commands for robots, and records for the history."""

from __future__ import annotations

from dataclasses import dataclass, field

from fleet.dispatch.round import Decision
from fleet.storage.storage import StorageInformation
from fleet.tasks.task import Action
from fleet.traffic.port import Waypoint


@dataclass(frozen=True)
class Drive:
    """Along the path, stop at its end; replaces the drive before."""

    robot: str
    path: tuple[Waypoint, ...]
    yaw: float | None = None


@dataclass(frozen=True)
class Act:
    """Load, unload, lift or drop what is in front of the robot."""

    robot: str
    action: Action
    package: str = ""


@dataclass(frozen=True)
class Charge:
    robot: str
    on: bool


@dataclass(frozen=True)
class Stop:
    robot: str


Command = Drive | Act | Charge | Stop


@dataclass(frozen=True)
class Decided:
    decision: Decision


@dataclass(frozen=True)
class TaskChanged:
    task: str
    state: str
    robot: str = ""
    why: str = ""


@dataclass(frozen=True)
class StorageChanged:
    information: StorageInformation


@dataclass(frozen=True)
class Alert:
    """A person should look at this. ``about`` names robot, place, task or package."""

    kind: str
    about: str
    text: str


@dataclass(frozen=True)
class Registered:
    """A robot has reported for the first time and is asked from now on."""

    robot: str
    type: str


@dataclass(frozen=True)
class Refused:
    """An event that could not be taken, and why; nothing has changed."""

    what: str
    why: str


Record = Decided | TaskChanged | StorageChanged | Alert | Registered | Refused


@dataclass
class Answer:
    commands: list[Command] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
