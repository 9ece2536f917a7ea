"""Robots, whatever drives them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from mpms.factory.domain.goals import Goal, GoalReport

BLOCKED = "blocked"
"""How ``why_not`` begins when a robot has a goal, may drive and comes no nearer."""


@dataclass(frozen=True)
class RobotState:
    """What is known of a robot right now."""

    robot: str
    ready: bool
    x_m: float | None = None
    y_m: float | None = None
    battery: float | None = None  # 0..1
    link: str = "up"
    why_not: str | None = None
    foreign: str | None = field(default=None, compare=False)
    """Who drives it with a goal that is not ours."""
    placed_at_s: float | None = field(default=None, compare=False)
    """When it last said where it is, by the monotonic clock; None: nobody noted it."""

    @property
    def heard(self) -> bool:
        """It answers, in time or late."""
        return self.link in ("up", "degraded")

    @property
    def blocked(self) -> bool:
        return self.why_not is not None and self.why_not.startswith(BLOCKED)


class Robots(Protocol):
    """The robots of the plant behind one face; goals go to them one by one.

    Only robots that were taken are spoken with: a lease in the database decides
    which worker that is.
    """

    def names(self) -> Sequence[str]: ...
    def take(self, robot: str) -> None: ...
    def drop(self, robot: str) -> None: ...
    def permit(self, until_s: float) -> None:
        """Nothing is sent to any taken robot from this instant of the monotonic
        clock on, unless a later one is permitted first."""
        ...

    def states(self) -> Sequence[RobotState]: ...

    def navigate(self, goal: Goal, *, maybe_sent: bool) -> None:
        """Hand over a goal. ``maybe_sent``: an earlier process may have sent it, so
        it must be reconciled with the robot before anything is published."""
        ...

    def cancel(self, goal: Goal) -> None: ...

    def reports(self) -> Sequence[GoalReport]:
        """How goals ended since the last call; repeated until ``acknowledge``."""
        ...

    def acknowledge(self, goal_id: str) -> None: ...
    def close(self) -> None: ...


class RobotAway(Exception):
    """The robot does not answer; what it carries can be weighed when it is back."""
