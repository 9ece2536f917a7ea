"""What a terminal status and its payload mean for a command.

A status alone is not believed: ARCO answers "succeeded" with ``finished: false``
when the path is shorter than 0.2 m, and also when it found none. Where the rule of
the profile is not met, the pose decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from robot_bridge.drivers.base import Phase
from robot_bridge.profiles import ResultRule
from robot_bridge.reports import CommandState


@dataclass(frozen=True, slots=True)
class Ending:
    """``pose_decides``: ``state`` holds only if the robot is not at the goal."""

    state: CommandState
    reason: str
    pose_decides: bool = False


def read_ending(
    rule: ResultRule,
    phase: Phase,
    payload: Mapping[str, Any],
    text: str,
    inferred: bool,
) -> Ending:
    """``phase`` is terminal; ``inferred``: read from the list, without a payload."""
    if phase is Phase.SUCCEEDED:
        flag = rule.success_field
        if flag is None or payload.get(flag) is True:
            if inferred:
                text = text or "the robot lists it as succeeded; no result came"
            return Ending(CommandState.SUCCEEDED, text)
        reason = f"the robot ended without saying {flag!r}"
        if rule.impossible_field and payload.get(rule.impossible_field) is True:
            reason = "the robot found no way"
        return Ending(CommandState.ABORTED, reason, pose_decides=True)
    if phase is Phase.ABORTED:
        return Ending(CommandState.ABORTED, text or "the robot gave up")
    if phase is Phase.REJECTED:
        return Ending(CommandState.REJECTED, text or "the robot refused the goal")
    if phase is Phase.RECALLED:
        return Ending(CommandState.CANCELLED, "recalled before it started")
    reason = "preempted by a goal or a cancel that is not ours"
    return Ending(CommandState.CANCELLED, reason)
