"""What waits for somebody's decision: one list and one count, the same on every page.

A process that asks what becomes of it, an answer that came too late, what a plug-in
lets people decide, and each cause of open incidents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from mpms.domain.tasks import Decision, FormTask
from mpms.ports.incidents.inbox import AlarmCounts, CauseFilter, CauseRow
from mpms.ports.store import Transaction, UnitOfWork

SHOWN_CAUSES = 8


@dataclass(frozen=True)
class Stopped:
    """A process that goes on only when somebody has decided about it."""

    task_id: str
    number: str | None  # its business key
    message: str  # why it stopped; empty where the model does not keep it
    since_at: datetime
    decision: Decision


@dataclass(frozen=True)
class Alarms:
    """All of them; the causes of incidents have an inbox of their own."""

    counts: AlarmCounts
    stopped: Sequence[Stopped]  # the oldest first
    causes: Sequence[CauseRow]  # what has been stuck longest, not all of it

    def of(self, number: str) -> Sequence[Stopped]:
        """What those with one business key ask."""
        return [each for each in self.stopped if each.number == number]


def count_alarms(uow: UnitOfWork) -> int:
    with uow() as tx:
        return tx.inbox.alarm_counts().total


def list_alarms(uow: UnitOfWork) -> Alarms:
    with uow() as tx:
        return alarms_in(tx)


def alarms_in(tx: Transaction, open_tasks: Sequence[FormTask] | None = None) -> Alarms:
    """The same within a transaction that shows more."""
    counts = tx.inbox.alarm_counts()
    tasks = tx.tasks.open() if open_tasks is None and counts.stopped else open_tasks
    asking = [(t, d) for t in tasks or () if (d := tx.kinds.decision(t.form))]
    variables = tx.tasks.variables([task.instance_id for task, _ in asking])
    return Alarms(
        counts,
        [
            Stopped(
                task.task_id,
                task.business_key,
                str(variables.get(task.instance_id, {}).get(decision.message) or ""),
                task.created_at,
                decision,
            )
            for task, decision in asking
        ],
        tx.inbox.causes(CauseFilter(), limit=SHOWN_CAUSES) if counts.causes else (),
    )
