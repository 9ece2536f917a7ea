"""What goes into a robot session and what comes out of it.

A session is a function of events and time. Everything it can be told and
everything it can say is listed here, so the state machine is read without
reading any I/O.

All instants are seconds of one clock that never jumps and whose origin is the
Unix epoch; the client supplies it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from robot_bridge.messages import Frame


class CommandState(StrEnum):
    NEW = "NEW"
    SENT = "SENT"
    ACKED = "ACKED"
    ACTIVE = "ACTIVE"
    SUCCEEDED = "SUCCEEDED"
    ABORTED = "ABORTED"
    CANCELLED = "CANCELLED"
    REJECTED = "REJECTED"
    EXPIRED = "EXPIRED"
    UNKNOWN = "UNKNOWN"

    @property
    def is_terminal(self) -> bool:
        return self not in _OPEN


_OPEN = frozenset(
    {
        CommandState.NEW,
        CommandState.SENT,
        CommandState.ACKED,
        CommandState.ACTIVE,
    }
)


class LinkState(StrEnum):
    """UP: may drive. DEGRADED: late. STALE: silent. DOWN: no connection."""

    UP = "UP"
    DEGRADED = "DEGRADED"
    STALE = "STALE"
    DOWN = "DOWN"


# --- events -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LinkOpened:
    pass


@dataclass(frozen=True, slots=True)
class LinkClosed:
    reason: str = ""


@dataclass(frozen=True, slots=True)
class GoalLine:
    """Goals of this robot have a connection of their own, and it is open or not.
    Not told at all: they go over the one connection."""

    open: bool


@dataclass(frozen=True, slots=True)
class FrameIn:
    frame: Frame


@dataclass(frozen=True, slots=True)
class Tick:
    pass


@dataclass(frozen=True, slots=True)
class Navigate:
    """``maybe_sent_at``: no copy of this command was sent before this instant, but
    one may have been sent after it by a process that is gone. None: certainly
    never sent."""

    command_id: str
    x: float
    y: float
    yaw: float
    expires_at: float
    frame: str | None = None
    maybe_sent_at: float | None = None
    via: tuple[tuple[float, float], ...] = ()
    """Where roads meet on the way, for robots that are told their way."""


@dataclass(frozen=True, slots=True)
class Cancel:
    command_id: str


@dataclass(frozen=True, slots=True)
class Pause:
    pass


@dataclass(frozen=True, slots=True)
class Resume:
    pass


@dataclass(frozen=True, slots=True)
class Action:
    command_id: str
    name: str
    expires_at: float
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Permit:
    """Nothing is sent to the robot from ``until`` on: another owner may have it."""

    until: float


Event = (
    LinkOpened
    | LinkClosed
    | GoalLine
    | FrameIn
    | Tick
    | Navigate
    | Cancel
    | Pause
    | Resume
    | Action
    | Permit
)


# --- outputs ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Send:
    frame: Frame


@dataclass(frozen=True, slots=True)
class Pose:
    at: float
    x: float
    y: float
    yaw: float
    frame: str


@dataclass(frozen=True, slots=True)
class Progress:
    """A change of state, or the distance left about once a second.

    ``blocked`` is a report, not an end: the command stays open.
    """

    at: float
    command_id: str
    state: CommandState
    distance_left_m: float | None
    blocked: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """``inferred``: concluded from the pose or the status list, not told by a
    result."""

    at: float
    command_id: str
    state: CommandState
    inferred: bool
    reason: str
    distance_left_m: float | None


@dataclass(frozen=True, slots=True)
class Link:
    at: float
    state: LinkState
    reconciled: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Safety:
    at: float
    stopped: bool


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What the robot says is broken in it: pairs of a part and words, or none."""

    at: float
    broken: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Battery:
    at: float
    fraction: float | None
    voltage_v: float | None
    charging: bool


@dataclass(frozen=True, slots=True)
class Foreign:
    """Goals that others gave and that the robot drives now; none: no longer.
    ``client``: who, where the goal's name tells."""

    at: float
    goals: tuple[str, ...]
    client: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something a person should know; ``name`` is the topic, service or id."""

    at: float
    kind: str
    name: str
    text: str


Report = (
    Pose | Progress | Ended | Link | Safety | Diagnosis | Battery | Foreign | Problem
)
Output = Send | Report


@dataclass(frozen=True, slots=True)
class Snapshot:
    robot_id: str
    at: float
    link: LinkState
    reconciled: bool
    pose: Pose | None
    pose_age_s: float | None
    standing: bool
    battery: Battery | None
    stopped: bool
    command_id: str | None
    command_state: CommandState | None
    distance_left_m: float | None
    blocked: bool
    foreign_goals: tuple[str, ...]
    round_trip_s: float | None
    clock_offset_s: float | None
