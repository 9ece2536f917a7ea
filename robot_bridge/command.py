"""The record of one navigation command while it is open.

It holds what the rules in ``runner`` need to remember between two events, and
nothing that a robot could see beyond its id and its target.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from robot_bridge.drivers.base import Phase, Target
from robot_bridge.progress import ProgressWatch
from robot_bridge.reports import CommandState, Navigate
from robot_bridge.takeover import Fence


@dataclass(slots=True)
class Ending:
    """A terminal phase seen in the list; the result may still come."""

    phase: Phase
    text: str
    since: float
    payload: Mapping[str, Any] = field(default_factory=dict)
    told: bool = False
    """By a result; what waits is whether another goal took its place."""


@dataclass(slots=True)
class PoseCheck:
    """The pose decides; ``otherwise`` is the end if the robot is not there."""

    otherwise: CommandState
    reason: str
    since: float


@dataclass(slots=True)
class Command:
    id: str
    target: Target
    expires_at: float
    progress: ProgressWatch
    state: CommandState = CommandState.NEW
    sends: int = 0
    sent_at: float | None = None
    stamp_s: float = 0.0
    in_doubt: bool = False
    provable_until: float = -math.inf
    proven: bool = False
    by_pose: bool = False
    moved: bool = False
    still_since: float | None = None
    absent_lists: int = 0
    recalling_since: float | None = None
    fence: Fence | None = None
    fenced: bool = False
    doubt_since: float | None = None
    ending: Ending | None = None
    pose_check: PoseCheck | None = None
    cancel_wanted: bool = False
    cancel_sent_at: float | None = None
    cancel_sends: int = 0
    foreign_told: bool = False
    before: frozenset[str] = frozenset()
    """Goals by the robot's own names that were there before ours was sent."""
    handle: str | None = None
    """The robot's own name of ours, as far as that can be told."""
    heard_at: float | None = None


def refusal(order: Navigate) -> str:
    if not order.command_id:
        return "a command needs an id"
    for name in ("x", "y", "yaw"):
        value = getattr(order, name)
        if not math.isfinite(value):
            return f"{name} is {value}"
    return ""
