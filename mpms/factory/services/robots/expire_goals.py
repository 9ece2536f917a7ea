"""End goals that could not be sent: their robot did not become ready.

A goal waits ten minutes for its robot, then a person decides. One that a person asked
for again waits hardly at all: it is done now or comes back.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from mpms.domain.errors import InstanceBusy
from mpms.factory.domain.goals import Goal, GoalReport, GoalState
from mpms.factory.ports.robots.robots import Robots
from mpms.factory.ports.store import UnitOfWork
from mpms.factory.services.robots.own import OwnRobots
from mpms.factory.services.robots.settle_goals import settle_goal
from mpms.services.instances.advance import Advance

WAIT_S = 600.0
RETRIED_WAIT_S = 10.0


@dataclass
class ExpireGoals:
    """A worker's phase. How long a goal has waited counts since this worker saw it."""

    uow: UnitOfWork
    advance: Advance
    robots: Robots
    owned: OwnRobots
    monotonic_s: Callable[[], float] = time.monotonic
    _since: dict[str, float] = field(default_factory=dict)

    def __call__(self) -> bool:
        now = self.monotonic_s()
        states = {s.robot: s for s in self.robots.states() if not s.ready}
        if not states:
            self._since.clear()
            return False
        with self.uow() as tx:
            waiting = [
                goal
                for goal in tx.goals.open()
                if goal.state is GoalState.NEW
                and goal.robot in self.owned.mine
                and goal.robot in states
            ]
        since = {g.id: self._since.get(g.id, now) for g in waiting}
        self._since = since
        ended = False
        for goal in waiting:
            if now - since[goal.id] < (RETRIED_WAIT_S if was_retried(goal) else WAIT_S):
                continue
            why = states[goal.robot].why_not or "the robot did not become ready"
            reason = f"it was not sent, because the robot was not ready: {why}"
            report = GoalReport(goal.id, GoalState.CANCELLED, reason)
            try:
                ended = settle_goal(self.uow, self.advance, report, self.owned) or ended
            except InstanceBusy:
                continue  # the next round comes soon
        return ended


def was_retried(goal: Goal) -> bool:
    """Its id ends with how often a person has asked for it again."""
    number = goal.id.rpartition(":")[2]
    return number.isdecimal() and int(number) > 0
