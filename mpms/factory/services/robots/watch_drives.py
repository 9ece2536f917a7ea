"""Say so when a robot that has a goal does not drive: silent, stopped or blocked.

Neither a frozen robot nor an emergency stop ends a goal: it stays open, because nobody
may drive it a second time, and the process waits. So the waiting gets an incident of
its own. It closes by itself when the robot goes on; if the goal ends otherwise, what
is said then takes its place. Only the worker that speaks with a robot knows how it is,
so that one tells.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from mpms.domain.errors import InstanceBusy
from mpms.factory.domain.goals import Goal, GoalState
from mpms.factory.domain.incident_kinds import STANDS
from mpms.factory.ports.robots.robots import Robots, RobotState
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.services.robots.own import OwnRobots
from mpms.services.incidents.open import open_incident

PATIENCE_S = 60.0  # a robot that changes its access point or waits for a person is fine
LATE = "degraded"


@dataclass
class WatchDrives:
    """A worker's phase; it never has work for others."""

    uow: UnitOfWork
    robots: Robots
    owned: OwnRobots
    patience_s: float = PATIENCE_S
    monotonic_s: Callable[[], float] = time.monotonic
    _tell_at: dict[str, float] = field(default_factory=dict)  # of those that stand
    _fine: set[str] = field(default_factory=set)  # nothing is open about their drives

    def __call__(self) -> bool:
        now = self.monotonic_s()
        mine = {s.robot: s for s in self.robots.states() if s.robot in self.owned.mine}
        self._tell_at = {r: at for r, at in self._tell_at.items() if r in mine}
        self._fine &= mine.keys()
        for robot, state in mine.items():
            if state.ready:
                self._tell_at.pop(robot, None)
                if robot not in self._fine:
                    self._goes_on(robot)
                    self._fine.add(robot)
            elif state.link == LATE:
                continue  # it is heard, and drives as far as anybody knows
            elif now >= self._tell_at.setdefault(
                robot, now + (0.0 if state.foreign else self.patience_s)
            ):
                self._fine.discard(robot)
                try:
                    self._stands(state)
                except InstanceBusy:
                    continue  # the next round comes soon
                self._tell_at[robot] = now + self.patience_s
        return False

    def _stands(self, state: RobotState) -> None:
        """Again and again while it lasts, so that it is not put aside for good."""
        with self.uow() as tx:
            for goal in _under_way(tx, state.robot):
                if goal.instance_id is None or goal.task_id is None:
                    continue
                instance = tx.instances.lock(goal.instance_id)
                if goal.task_id in tx.waits.known(instance.id):
                    open_incident(
                        tx,
                        STANDS,
                        words_for(goal.place, state, sent=goal.state is GoalState.SENT),
                        actor=state.robot,
                        instance_id=instance.id,
                        task_id=goal.task_id,
                    )

    def _goes_on(self, robot: str) -> None:
        with self.uow() as tx:
            for goal in _under_way(tx, robot):
                if goal.task_id is not None:
                    _over(tx, goal)


def _over(tx: Transaction, goal: Goal) -> None:
    if tx.incidents.resolve(by=goal.robot, task_id=goal.task_id, kind=STANDS):
        tx.events.append(
            "robot goes on",
            actor=goal.robot,
            instance_id=goal.instance_id,
            task_id=goal.task_id,
            data={"robot": goal.robot, "place": goal.place},
        )


def words_for(place: str, state: RobotState, *, sent: bool = True) -> str:
    """What a person has to know; particulars of the wire are on the robot's page."""
    where = f"on its way to {place}" if place else "on its way"
    there = f" to {place}" if place else ""
    if state.foreign is not None:
        return (
            f"{state.robot} is driven by {state.foreign}, so it does not go{there}."
            " End what it does there, or wait."
        )
    if not sent:
        why = state.why_not or "it is not ready"
        return (
            f"{state.robot} has not been sent{there} yet: {why}. It is sent as soon as"
            " it is ready."
        )
    if state.link != "up":
        return (
            f"{state.robot} does not answer {where}. The order goes on when the robot"
            " answers again; look at the robot and its network."
        )
    why = state.why_not or "no reason is known"
    return f"{state.robot} stands {where}: {why}. Look at the robot."


def _under_way(tx: Transaction, robot: str) -> list[Goal]:
    """Also those that wait to be sent until the robot is ready."""
    return [goal for goal in tx.goals.open() if goal.robot == robot]
