"""Remind of a step that nobody does, then tell whoever leads.

A robot stands and an order waits while a worker is away. After some time the step is
reminded of: its list is shown anew and says so. After twice that time it is an
incident, of which whoever leads is alerted, and the step is taken back from the one who
took it, so that anybody can do it. It is over when somebody has done or taken it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from mpms.domain.errors import InstanceBusy
from mpms.factory.ports.orders.tasks import WaitingTask
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.services.incidents.open import open_incident

KIND = "worker"
ACTOR = "worker"
LOOK_S = 10.0
PATIENCE_S = 900.0


@dataclass
class WatchWorkers:
    """A worker's phase; it never has work for others."""

    uow: UnitOfWork
    patience_s: float = PATIENCE_S
    monotonic_s: Callable[[], float] = time.monotonic
    _look_at: float = 0.0

    def __call__(self) -> bool:
        now = self.monotonic_s()
        if now < self._look_at:
            return False
        self._look_at = now + min(LOOK_S, self.patience_s)
        with self.uow() as tx:
            late = [task for task in self._late(tx) if self._is_new(task)]
        for task in late:
            try:
                self._tell(task)
            except InstanceBusy:
                continue  # the next look comes soon
        return False

    def _late(self, tx: Transaction) -> list[WaitingTask]:
        return list(tx.order_tasks.waiting(self.patience_s))

    def _is_new(self, task: WaitingTask) -> bool:
        return not task.told if self._is_away(task) else not task.reminded

    def _is_away(self, task: WaitingTask) -> bool:
        return task.reminded and task.waited_s >= 2 * self.patience_s

    def _tell(self, seen: WaitingTask) -> None:
        """Looked at once more under the lock: it may be done, or told by another."""
        with self.uow() as tx:
            tx.instances.lock(seen.instance_id)
            still = [each for each in self._late(tx) if each.task_id == seen.task_id]
            for task in filter(self._is_new, still):
                if self._is_away(task):
                    self._escalate(tx, task)
                else:
                    self._remind(tx, task)
                tx.wake()

    def _remind(self, tx: Transaction, task: WaitingTask) -> None:
        tx.events.append(
            "task reminded",
            actor=ACTOR,
            instance_id=task.instance_id,
            element=task.element,
            task_id=task.task_id,
            data={
                "order": task.order_number,
                "task": task.name,
                "minutes": round(task.waited_s / 60),
                "claimed_by": task.claimed_by,
            },
        )

    def _escalate(self, tx: Transaction, task: WaitingTask) -> None:
        tx.claims.give_back(task.task_id)
        open_incident(
            tx,
            KIND,
            words_for(task),
            actor=ACTOR,
            instance_id=task.instance_id,
            task_id=task.task_id,
            element=task.element,
        )


def words_for(task: WaitingTask) -> str:
    whose = (
        f"{task.claimed_by} has taken it and not done it; it is open to others again."
        if task.claimed_by
        else "Nobody has taken it."
    )
    return (
        f"'{task.name}' of {task.order_number} has waited for long. {whose} Send"
        " somebody, or do it yourself."
    )
