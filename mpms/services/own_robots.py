"""One worker a robot: a lease in the database says who may speak with it.

The lease is renewed well before it ends. A worker that cannot renew lets go of its
robots when the lease is over by its own clock, so that two workers never command one
robot. Whoever takes a robot is handed the goals that an earlier owner may have sent.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field

from mpms.domain.errors import DatabaseAway
from mpms.domain.goals import GoalState
from mpms.ports.plant import Robots, RobotState
from mpms.ports.store import UnitOfWork

log = logging.getLogger(__name__)

REPORT_EVERY_S = 1.0


@dataclass
class OwnRobots:
    """The robots of one worker."""

    uow: UnitOfWork
    robots: Robots
    worker: str
    lease_s: float = 15.0
    mine: set[str] = field(default_factory=set)
    _renew_at: float = 0.0
    _ends_at: float = 0.0
    _report_at: float = 0.0
    _reported: dict[str, RobotState] = field(default_factory=dict)

    def __call__(self) -> bool:
        """Take, keep or lose robots, and pass on what they say of themselves."""
        now = time.monotonic()
        if now >= self._renew_at:
            try:
                self._renew(now)
            except DatabaseAway:
                if now >= self._ends_at:
                    self._lose(set(self.mine))
                raise
        self._report(now)
        return False

    def release(self) -> None:
        """Before a stop in good order."""
        for robot in sorted(self.mine):
            self.robots.drop(robot)
        self.mine.clear()
        with self.uow() as tx:
            tx.robots.release(self.worker)

    def _renew(self, now: float) -> None:
        with self.uow() as tx:
            owned = tx.robots.own(
                self.robots.names(), worker=self.worker, lease_s=self.lease_s
            )
            sent = [g for g in tx.goals.open() if g.state is GoalState.SENT]
        gained = owned - self.mine
        self._lose(self.mine - owned)
        for robot in sorted(gained):
            self.robots.take(robot)
            self.mine.add(robot)
        for goal in sent:
            if goal.robot in gained:
                self.robots.navigate(goal, maybe_sent=True)
        self._ends_at = now + self.lease_s
        self._renew_at = now + self.lease_s / 3

    def _lose(self, robots: set[str]) -> None:
        for robot in sorted(robots):
            log.warning("%s is no longer this worker's", robot)
            self.robots.drop(robot)
            self.mine.discard(robot)
            self._reported.pop(robot, None)

    def _report(self, now: float) -> None:
        states = {s.robot: s for s in self.robots.states() if s.robot in self.mine}
        urgent = any(
            (old := self._reported.get(name)) is None
            or (old.ready, old.link) != (state.ready, state.link)
            for name, state in states.items()
        )
        if not states or not (urgent or now >= self._report_at):
            return
        changed = [s for name, s in states.items() if self._reported.get(name) != s]
        if changed:
            with self.uow() as tx:
                tx.robots.report(changed, worker=self.worker)
                if urgent:
                    tx.wake()
            self._reported.update({s.robot: s for s in changed})
        self._report_at = now + REPORT_EVERY_S
