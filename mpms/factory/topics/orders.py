"""Orders: find the next one, start its warehouse process, set its status."""

from __future__ import annotations

from mpms.domain.errors import BusinessError
from mpms.domain.jobs import Answer, Done, Job
from mpms.factory.domain.orders import OrderStatus
from mpms.factory.ports.store import Transaction
from mpms.factory.services.stock.end_picks import end_picks
from mpms.services.instances.advance import Advance
from mpms.services.instances.start import start_instance


def find_order(tx: Transaction, job: Job) -> Answer:
    """``orders.next``: the most urgent order that nobody works on."""
    order = tx.orders.next_new()
    return Done({"order_number": None if order is None else order.number})


class StartWarehouse:
    """``warehouse.start``: exactly one warehouse instance an order."""

    def __init__(self, advance: Advance, process: str = "warehouse") -> None:
        self._advance = advance
        self._process = process

    def __call__(self, tx: Transaction, job: Job) -> Answer:
        number = job.inputs["order_number"]
        order = tx.orders.get(number)
        if order.instance_id is not None:
            return Done()
        process = job.inputs.get("warehouse_process") or self._process
        instance_id = start_instance(
            tx,
            self._advance,
            process,
            variables={"order_number": number},
            business_key=number,
            actor="orders_handling",
        )
        tx.orders.assign(number, instance_id)
        change_status(tx, job, number, OrderStatus.IN_PROCESS)
        return Done()


def set_order_status(tx: Transaction, job: Job) -> Answer:
    """``orders.set_status``: how the order ended."""
    number, text = job.inputs["order_number"], job.inputs["status"]
    try:
        status = OrderStatus(text)
    except ValueError:
        raise BusinessError(
            "StatusUnknown", f"{text!r} is no status of an order"
        ) from None
    change_status(tx, job, number, status)
    if status.ended:
        end_picks(tx, number, status, by=job.topic)
    return Done()


def change_status(tx: Transaction, job: Job, number: str, status: OrderStatus) -> None:
    """Set the status and say so in the history."""
    old = tx.orders.set_status(number, status)
    tx.events.append(
        "order status",
        actor=job.topic,
        instance_id=job.instance_id,
        task_id=job.task_id,
        data={"order": number, "old": str(old), "new": str(status)},
    )
