"""Where robots were sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

# Each brings the rows it speaks of, and no process uses them all.
if TYPE_CHECKING:
    from mpms.factory.domain.goals import Goal, GoalReport


class Goals(Protocol):
    """Navigation goals; at most one open goal a robot, by a unique index."""

    def add(self, goal: Goal) -> bool:
        """False if the id is there already (a repeated step)."""
        ...

    def decide_alone(self) -> None:
        """Nobody else finds the same place free until this transaction ends."""
        ...

    def to_send(self, robots: Iterable[str], limit: int = 50) -> Sequence[Goal]:
        """New goals of these robots, locked, oldest first."""
        ...

    def mark_sent(self, goal_id: str) -> None: ...
    def open(self) -> Sequence[Goal]: ...
    def call_off(self, goal_id: str) -> None:
        """An open goal without a task is not needed any more; its robot is told."""
        ...

    def orphans(self, robots: Iterable[str]) -> Sequence[Goal]:
        """Open goals of these robots that no process waits for any more."""
        ...

    def settle(self, report: GoalReport) -> Goal | None:
        """Close an open goal; None if it is unknown or closed already."""
        ...

    def get(self, goal_id: str) -> Goal | None: ...
    def of_instance(self, instance_id: str) -> Sequence[Goal]: ...
    def of_instances(self, instance_ids: Iterable[str]) -> Sequence[Goal]: ...
