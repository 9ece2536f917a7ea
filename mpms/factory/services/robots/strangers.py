"""End drives of robots that the world does not have.

A goal is sent by the worker that speaks with its robot. When a floor without that robot
is put to use, nobody does, and the process would wait for ever without a word.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from mpms.domain.errors import InstanceBusy
from mpms.factory.domain.goals import Goal, GoalReport, GoalState
from mpms.factory.ports.robots.robots import Robots
from mpms.factory.ports.store import UnitOfWork
from mpms.factory.services.robots.settle_goals import settle_goal
from mpms.services.instances.advance import Advance

LOOK_S = 5.0


@dataclass
class EndStrangers:
    """A worker's phase. A robot with which another worker speaks is no stranger: that
    worker may still use the floor before."""

    uow: UnitOfWork
    advance: Advance
    robots: Robots
    monotonic_s: Callable[[], float] = time.monotonic
    _look_at: float = 0.0

    def __call__(self) -> bool:
        now = self.monotonic_s()
        if now < self._look_at:
            return False
        self._look_at = now + LOOK_S
        known = set(self.robots.names())
        with self.uow() as tx:
            lost = [goal for goal in tx.goals.open() if goal.robot not in known]
            owners = tx.robots_out.owners() if lost else {}
        ended = False
        for goal in lost:
            owner, _ = owners.get(goal.robot, (None, None))
            if owner is None:
                ended = self._end(goal) or ended
        return ended

    def _end(self, goal: Goal) -> bool:
        state = GoalState.CANCELLED  # nobody has heard of it
        if goal.state is GoalState.SENT:
            state = GoalState.UNKNOWN
        reason = f"the world has no robot {goal.robot!r}"
        try:
            return settle_goal(
                self.uow, self.advance, GoalReport(goal.id, state, reason)
            )
        except InstanceBusy:
            return False  # the next look comes soon
