"""What the end of an instance means for its order and its robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mpms.domain.incidents.incidents import Incident
from mpms.domain.instances.instances import Instance, InstanceStatus
from mpms.domain.jobs import Job
from mpms.domain.tasks import FormAnswer, FormTask, PastTask
from mpms.factory.domain.errors import OrderUnknown
from mpms.factory.domain.orders import Order, OrderStatus
from mpms.factory.ports.store import Transaction
from mpms.factory.services.records.keep import KeepRecords, note_weighing
from mpms.factory.services.robots.retry_now import require_ready
from mpms.factory.services.stock.check_lot import check_lot
from mpms.factory.services.stock.end_picks import end_picks
from mpms.factory.services.tasks.second_person import check_second
from mpms.services.instances.hooks import InstanceHooks

CANCELLED = "the order was cancelled meanwhile"
BY_HAND = "the order was completed manually meanwhile"


class FactoryHooks(InstanceHooks):
    """Orders and robots follow the instance that works for them."""

    def __init__(self) -> None:
        self._keep_records = KeepRecords()

    def worked(self, tx: Transaction, job: Job, results: Mapping[str, Any]) -> None:
        note_weighing(tx, job, results)

    def answered(
        self, tx: Transaction, instance: Instance, task: FormTask, answer: FormAnswer
    ) -> None:
        check_lot(tx, instance, task, answer)
        check_second(tx, instance, task, answer)

    def noted(self, tx: Transaction, noted: Sequence[object]) -> None:
        self._keep_records(tx, noted)

    def retried(self, tx: Transaction, incident: Incident) -> None:
        require_ready(tx, incident)

    def ended(
        self, tx: Transaction, instance: Instance, status: InstanceStatus, *, by: str
    ) -> None:
        tx.robot_holds.release_at_end(instance.id, by=by)
        if status is not InstanceStatus.CANCELLED:
            return
        order = tx.orders.of_instance(instance.id)
        # Nobody makes the order any more, unless a person said how it ended.
        if order is not None and not order.status.ended:
            _set_status(tx, order, OrderStatus.CANCELLED, instance.id, by)
            end_picks(tx, order.number, OrderStatus.CANCELLED, by=by)

    def completed_manually(
        self, tx: Transaction, instance: Instance, *, by: str
    ) -> None:
        order = tx.orders.of_instance(instance.id)
        if order is not None and not order.status.ended:
            _set_status(tx, order, OrderStatus.COMPLETED_MANUALLY, instance.id, by)
            end_picks(tx, order.number, OrderStatus.COMPLETED_MANUALLY, by=by)

    def restarted(self, tx: Transaction, old_id: str, new_id: str, *, by: str) -> None:
        order = tx.orders.of_instance(old_id)
        if order is None:
            return
        tx.orders.reassign(order.number, new_id)
        if order.status is not OrderStatus.IN_PROCESS:
            _set_status(tx, order, OrderStatus.IN_PROCESS, new_id, by)

    def why_gone(self, tx: Transaction, task: PastTask) -> str | None:
        if task.business_key is None:
            return None
        try:
            status = tx.orders.get(task.business_key).status
        except OrderUnknown:
            return None
        return {
            OrderStatus.COMPLETED_MANUALLY: BY_HAND,
            OrderStatus.CANCELLED: CANCELLED,
        }.get(status)


def _set_status(
    tx: Transaction, order: Order, status: OrderStatus, instance_id: str, by: str
) -> None:
    old = tx.orders.set_status(order.number, status)
    tx.events.append(
        "order status",
        actor=by,
        instance_id=instance_id,
        data={"order": order.number, "old": str(old), "new": str(status)},
    )
