"""One worker a robot: a lease in the database says who may speak with it.

The lease is renewed well before it ends. Its end is known from a clock that was read
*before* the database was asked, so it is never later here than there; from that
instant on nothing is sent any more, also if this thread hangs in another call or the
whole process was suspended. So two workers never command one robot.

Whoever takes a robot hands it the goals that an earlier owner may have sent. The same
goes for goals of this worker that are marked as sent but were never handed over,
because the answer to the commit was lost.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from mpms.domain.errors import DatabaseAway
from mpms.factory.domain.goals import Goal, GoalState, Pose
from mpms.factory.ports.robots.robots import Robots, RobotState
from mpms.factory.ports.store import Transaction, UnitOfWork

log = logging.getLogger(__name__)

REPORT_EVERY_S = 1.0
STANDS_FOR_S = 1.0
"""A robot says where it is at least five times a second."""


@dataclass
class OwnRobots:
    """The robots of one worker. No two processes may have the same ``worker`` name."""

    uow: UnitOfWork
    robots: Robots
    worker: str
    lease_s: float = 15.0
    monotonic_s: Callable[[], float] = time.monotonic
    mine: set[str] = field(default_factory=set)
    handed: dict[str, str] = field(default_factory=dict)  # goal id -> robot
    _renew_at: float = 0.0
    _ends_at: float = 0.0
    _report_at: float = 0.0
    _reported: dict[str, RobotState] = field(default_factory=dict)
    _arrived: dict[str, tuple[Pose, float]] = field(default_factory=dict)  # and when

    def __call__(self) -> bool:
        """Take, keep or lose robots, and pass on what they say of themselves."""
        now = self.monotonic_s()
        if now >= self._ends_at:
            self._lose(set(self.mine))
        if now >= self._renew_at:
            self._renew(now)
        self._report(now)
        return False

    def holds(self, tx: Transaction, robot: str) -> bool:
        """Is the robot still ours, by the database, until this transaction ends?"""
        return robot in self.mine and robot in tx.robots.own(
            [robot], worker=self.worker, lease_s=self.lease_s
        )

    def arrived(self, robot: str, pose: Pose) -> None:
        """Where a goal was reached the robot stands, until it says so itself: the
        last it said is from the way there."""
        self._arrived[robot] = pose, self.monotonic_s()

    def release(self) -> None:
        """Before a stop in good order."""
        for robot in sorted(self.mine):
            self.robots.drop(robot)
        self.mine.clear()
        self.handed.clear()
        with self.uow() as tx:
            tx.robots.release(self.worker)

    def _renew(self, now: float) -> None:
        try:
            with self.uow() as tx:
                owned = tx.robots.own(
                    self.robots.names(), worker=self.worker, lease_s=self.lease_s
                )
                sent = [g for g in tx.goals.open() if g.state is GoalState.SENT]
        except DatabaseAway:
            if self.monotonic_s() >= self._ends_at:
                self._lose(set(self.mine))
            raise
        if self.monotonic_s() >= self._ends_at:
            # Somebody else may have owned them between the two leases.
            self._lose(set(self.mine))
        else:
            self._lose(self.mine - owned)
        self._ends_at = now + self.lease_s
        self._renew_at = now + self.lease_s / 3
        for robot in sorted(owned - self.mine):
            self.robots.take(robot)
            self.mine.add(robot)
        self.robots.permit(self._ends_at)
        self._hand_over(sent)

    def _hand_over(self, sent: list[Goal]) -> None:
        open_ids = {goal.id for goal in sent}
        self.handed = {g: r for g, r in self.handed.items() if g in open_ids}
        for goal in sent:
            if goal.robot in self.mine and goal.id not in self.handed:
                self.robots.navigate(goal, maybe_sent=True)
                self.handed[goal.id] = goal.robot

    def _lose(self, robots: set[str]) -> None:
        for robot in sorted(robots):
            log.warning("%s is no longer this worker's", robot)
            self.mine.discard(robot)
            self._reported.pop(robot, None)
            self._arrived.pop(robot, None)
            self.robots.drop(robot)
        self.handed = {g: r for g, r in self.handed.items() if r not in robots}

    def _report(self, now: float) -> None:
        """Write what changed: at once what decides on work, positions once a second."""
        states = [
            self._placed(s, now) for s in self.robots.states() if s.robot in self.mine
        ]
        news = [s for s in states if _condition(s) != self._last_condition(s.robot)]
        if not news and now < self._report_at:
            return
        self._report_at = now + REPORT_EVERY_S
        changed = [s for s in states if self._reported.get(s.robot) != s]
        if not changed:
            return
        with self.uow() as tx:
            tx.robots.report(changed, worker=self.worker)
            if news:
                self._tell(tx, news)
                tx.wake()
        self._reported.update({s.robot: s for s in changed})

    def _placed(self, state: RobotState, now: float) -> RobotState:
        if state.robot not in self._arrived:
            return state
        pose, arrived_at_s = self._arrived[state.robot]
        spoke_before = (
            state.placed_at_s is not None and state.placed_at_s < arrived_at_s
        )
        if now >= arrived_at_s + STANDS_FOR_S and not spoke_before:
            del self._arrived[state.robot]
            return state
        return replace(state, x_m=pose.x_m, y_m=pose.y_m)

    def _tell(self, tx: Transaction, news: list[RobotState]) -> None:
        """In the history of the process that works with the robot."""
        holders = tx.robot_holds.held()
        for state in news:
            if state.robot in holders and state.robot in self._reported:
                tx.events.append(
                    "robot state",
                    actor=state.robot,
                    instance_id=holders[state.robot],
                    data={"link": state.link, "why_not": state.why_not},
                )

    def _last_condition(self, robot: str) -> tuple[bool, str, str | None] | None:
        last = self._reported.get(robot)
        return None if last is None else _condition(last)


def _condition(state: RobotState) -> tuple[bool, str, str | None]:
    return state.ready, state.link, state.why_not
