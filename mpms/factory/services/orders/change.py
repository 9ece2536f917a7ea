"""What a supervisor changes about an order: urgency, due date, parts, notes, its end.

Each is one transaction with a line in the history, and is refused for an order that has
ended.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

from mpms.domain.errors import Conflict, MpmsError
from mpms.domain.instances.steps import Cancel
from mpms.factory.domain.orders import Order, OrderLine, OrderStatus
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.services.orders.accept import accept_order
from mpms.factory.services.stock.end_picks import end_picks
from mpms.ports.engine import Engine
from mpms.services.instances.advance import Advance
from mpms.services.instances.apply_repair import required

PRIORITIES = ("low", "normal", "high", "urgent")
QUESTION = "question"
GRAM = Decimal("0.001")
LONGEST_TEXT = 500


class OrderEnded(Conflict):
    """Nothing was changed: the order has ended."""


class OrderBegun(Conflict):
    """Nothing was changed: work on the order has begun."""


class PriorityUnknown(MpmsError):
    """Choose low, normal, high or urgent."""


class ShareInvalid(MpmsError):
    """Choose a share between 1 and 99 per cent."""


def change_order(
    uow: UnitOfWork, number: str, *, by: str, priority: str, due: date | None
) -> Order:
    """The order as it is now. OrderUnknown, OrderEnded, PriorityUnknown."""
    if priority not in PRIORITIES:
        raise PriorityUnknown
    with uow() as tx:
        old = _open(tx, number)
        new = replace(old, priority=priority, due=due)
        if new == old:
            return old
        tx.orders.change(number, priority=priority, due=due)
        tx.events.append(
            "order changed",
            actor=by,
            data={
                "order": number,
                "old": {"priority": old.priority, "due": _day(old.due)},
                "new": {"priority": priority, "due": _day(due)},
            },
        )
        tx.wake()
        return new


def cancel_order(
    uow: UnitOfWork, advance: Advance, number: str, *, by: str, reason: str
) -> None:
    """End it and the process that makes it; what lies on its robot is brought back.

    OrderUnknown, OrderEnded, ReasonMissing, InstanceBusy.
    """
    with uow() as tx:
        why = required(reason)
        order = _open(tx, number)
        if order.instance_id is not None:
            instance = tx.instances.lock(order.instance_id)
            if not instance.status.ended:
                tx.events.append(
                    "cancel", actor=by, instance_id=instance.id, data={"reason": why}
                )
                advance(tx, instance, Cancel(why), actor=by)
                return
        tx.orders.set_status(number, OrderStatus.CANCELLED)
        tx.events.append(
            "order status",
            actor=by,
            data={
                "order": number,
                "old": str(order.status),
                "new": str(OrderStatus.CANCELLED),
                "reason": why,
            },
        )
        end_picks(tx, number, OrderStatus.CANCELLED, by=by)
        tx.wake()


def note_order(uow: UnitOfWork, number: str, *, by: str, text: str) -> None:
    """Also about an order that has ended. OrderUnknown, ReasonMissing."""
    with uow() as tx:
        tx.orders.get(number)
        tx.events.append(
            "order note",
            actor=by,
            data={"order": number, "text": required(text)[:LONGEST_TEXT]},
        )
        tx.wake()


def ask_decision(uow: UnitOfWork, number: str, *, by: str, question: str) -> None:
    """Everybody who may decide sees it with what is stuck, until it is put aside.

    OrderUnknown, OrderEnded, ReasonMissing.
    """
    with uow() as tx:
        asked = required(question)[:LONGEST_TEXT]
        order = _open(tx, number)
        person = tx.people.get(by)
        tx.incidents.open(
            QUESTION,
            f'"{number}": {by if person is None else person.name} asks: {asked}',
            instance_id=order.instance_id,
        )
        tx.events.append(
            "order question", actor=by, data={"order": number, "text": asked}
        )
        tx.wake()


def split_order(
    uow: UnitOfWork, engine: Engine, number: str, *, by: str, share_percent: int
) -> str:
    """Make a share of it an order of its own; return that one's number.

    OrderUnknown, OrderEnded, OrderBegun, ShareInvalid.
    """
    if not 1 <= share_percent <= 99:
        raise ShareInvalid
    with uow() as tx:
        order = _open(tx, number)
        if order.status is OrderStatus.IN_PROCESS or order.instance_id is not None:
            raise OrderBegun
        parts = tuple(_part(line, share_percent) for line in order.lines)
        if any(
            not 0 < part.required_kg < line.required_kg
            for part, line in zip(parts, order.lines, strict=True)
        ):
            raise ShareInvalid
        new = _free_number(tx, number)
        tx.orders.take_off(number, [part.required_kg for part in parts])
        accept_order(
            tx,
            engine,
            Order(
                new,
                order.product,
                parts,
                due=order.due,
                priority=order.priority,
                customer=order.customer,
                status=order.status,
            ),
            by=by,
            why=f"It is a part of {number}.",
        )
        tx.events.append(
            "order split",
            actor=by,
            data={"order": number, "into": new, "share": share_percent},
        )
        return new


def _part(line: OrderLine, share_percent: int) -> OrderLine:
    kg = line.required_kg * share_percent / 100
    return replace(line, required_kg=kg.quantize(GRAM))


def _free_number(tx: Transaction, number: str) -> str:
    part = 2
    while tx.orders.taken(f"{number}-{part}"):
        part += 1
    return f"{number}-{part}"


def _open(tx: Transaction, number: str) -> Order:
    """The order, locked. OrderUnknown, OrderEnded."""
    tx.orders.lock(number)
    order = tx.orders.get(number)
    if order.status.ended:
        raise OrderEnded
    return order


def _day(due: date | None) -> str | None:
    return None if due is None else due.isoformat()
