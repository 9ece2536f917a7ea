"""Say so when a task of a person is overdue: an alarm until it is done.

The incident goes with the task. Whoever gives it a later due date ends it too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from mpms.domain.errors import InstanceBusy, TaskGone
from mpms.domain.incidents.kinds import OVERDUE
from mpms.domain.tasks import OverdueTask
from mpms.ports.clock import Clock
from mpms.ports.store import UnitOfWork
from mpms.services.incidents.open import open_incident

EVERY_S = 5.0
AT_ONCE = 100
ACTOR = "worker"


@dataclass
class WatchDue:
    """A worker's phase."""

    uow: UnitOfWork
    clock: Clock
    every_s: float = EVERY_S
    monotonic_s: Callable[[], float] = time.monotonic
    _look_at: float = 0.0

    def __call__(self) -> bool:
        """True if there is more to tell than was told."""
        now = self.monotonic_s()
        if now < self._look_at:
            return False
        self._look_at = now + self.every_s
        with self.uow() as tx:
            late = tx.tasks.overdue(self.clock.now(), kind=OVERDUE, limit=AT_ONCE)
        told = sum(self._open(task) for task in late)
        if len(late) == AT_ONCE and told:
            self._look_at = now
            return True
        return False

    def _open(self, late: OverdueTask) -> bool:
        try:
            with self.uow() as tx:
                tx.instances.lock(late.instance_id)
                task = tx.tasks.get(late.task_id)
                if task.due_at is None or task.due_at > self.clock.now():
                    return False
                open_incident(
                    tx,
                    OVERDUE,
                    f"'{task.name or task.element}' is overdue: it should have been"
                    f" done by {task.due_at:%Y-%m-%d %H:%M} UTC.",
                    actor=ACTOR,
                    instance_id=task.instance_id,
                    task_id=task.task_id,
                    element=task.element,
                )
                return True
        except (InstanceBusy, TaskGone):
            return False  # it is found again, or done
