"""What waits for somebody's decision: one list and one count, the same on every page.

An order whose process asks what becomes of it, an answer that came too late, an order
that nobody has released, and each cause of open incidents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from mpms.domain.tasks import DECISION_FORM, FormTask, asks_for_decision
from mpms.ports.incidents.inbox import AlarmCounts, CauseFilter, CauseRow
from mpms.ports.store import Transaction, UnitOfWork

SHOWN_CAUSES = 8
MESSAGE = "error_message"  # the variable in which the shipped models keep the cause


@dataclass(frozen=True)
class StoppedOrder:
    """An order that goes on only when somebody has decided about it."""

    task_id: str
    number: str | None
    message: str  # why it stopped; empty where the model does not keep it
    since_at: datetime


@dataclass(frozen=True)
class Alarms:
    """All of them; the causes of incidents have an inbox of their own."""

    counts: AlarmCounts
    stopped: Sequence[StoppedOrder]  # the oldest first
    causes: Sequence[CauseRow]  # what has been stuck longest, not all of it

    def of(self, number: str) -> Sequence[StoppedOrder]:
        """What one order asks."""
        return [each for each in self.stopped if each.number == number]


def count_alarms(uow: UnitOfWork) -> int:
    with uow() as tx:
        return tx.inbox.alarm_counts(DECISION_FORM).total


def list_alarms(uow: UnitOfWork) -> Alarms:
    with uow() as tx:
        return alarms_in(tx)


def alarms_in(tx: Transaction, open_tasks: Sequence[FormTask] | None = None) -> Alarms:
    """The same within a transaction that shows more."""
    counts = tx.inbox.alarm_counts(DECISION_FORM)
    tasks = tx.tasks.open() if open_tasks is None and counts.stopped else open_tasks
    decisions = [task for task in tasks or () if asks_for_decision(task.form)]
    variables = tx.tasks.variables([task.instance_id for task in decisions])
    return Alarms(
        counts,
        [
            StoppedOrder(
                task.task_id,
                task.business_key,
                str(variables.get(task.instance_id, {}).get(MESSAGE) or ""),
                task.created_at,
            )
            for task in decisions
        ],
        tx.inbox.causes(CauseFilter(), limit=SHOWN_CAUSES) if counts.causes else (),
    )
