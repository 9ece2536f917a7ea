"""An order that a program hands over: read by the rules of the mail, stored at once.

The mail and the API are two doors of one house. What the catalogue does not know, a
unit nobody uses or an amount above its limit is refused here in the same words as in a
reply to a mail.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from email.message import EmailMessage
from typing import Any

from mpms.domain.errors import MpmsError
from mpms.factory.domain.errors import OrderNumberTaken
from mpms.factory.domain.order_mail import Catalogue, OrderDraft, Sender
from mpms.factory.domain.order_mail.contents import read_contents
from mpms.factory.domain.order_mail.headers import split_headers
from mpms.factory.domain.order_mail.outcome import Problem, Refused
from mpms.factory.domain.order_mail.reasons import explain
from mpms.factory.domain.orders import Order, OrderLine, OrderStatus
from mpms.factory.ports.store import UnitOfWork
from mpms.factory.services.orders.accept import accept_order
from mpms.ports.engine import Engine


class OrderRefused(MpmsError):
    """The order cannot be made as it is written."""

    def __init__(self, reasons: list[dict[str, str]]) -> None:
        self.reasons = reasons
        super().__init__(" ".join(reason["sentence"] for reason in reasons))


def take_order(
    uow: UnitOfWork,
    engine: Engine,
    catalogue: Catalogue | None,
    stated: Mapping[str, Any],
    *,
    customer: str,
    hold_above_kg: Decimal | None = None,
    by: str,
) -> str:
    """Its number. OrderRefused, OrderNumberTaken."""
    draft = _read(catalogue, stated, customer)
    total_kg = sum((line.kg for line in draft.lines), Decimal(0))
    held = hold_above_kg is not None and total_kg > hold_above_kg
    order = Order(
        number=draft.number,
        product=draft.product or draft.recipe or "",
        lines=tuple(
            OrderLine(line.material, line.name, line.kg, line.lot)
            for line in draft.lines
        ),
        due=draft.due,
        priority=draft.priority,
        customer=customer,
        status=OrderStatus.WAITING if held else OrderStatus.NEW,
    )
    with uow() as tx:
        if tx.orders.taken(order.number):
            raise OrderNumberTaken(f"There is an order {order.number} already.")
        why = f"{total_kg} kg are more than {hold_above_kg} kg"
        accept_order(tx, engine, order, by=by, why=why, draft=draft)
    return order.number


def _read(
    catalogue: Catalogue | None, stated: Mapping[str, Any], customer: str
) -> OrderDraft:
    if catalogue is None:
        raise OrderRefused(
            [{"code": "no_catalogue", "sentence": "The plant has no catalogue."}]
        )
    message = EmailMessage()
    message.set_content("")
    message.add_attachment(
        json.dumps(stated).encode(),
        maintype="application",
        subtype="json",
        filename="order.json",
    )
    raw = bytes(message)
    headers, body_at = split_headers(raw)
    try:
        found = read_contents(raw, headers, body_at, catalogue, Sender(customer))
    except Refused as refused:
        raise OrderRefused(_told(refused.problems)) from None
    if found.order is None:
        raise OrderRefused(_told(found.problems))
    return found.order


def _told(problems: tuple[Problem, ...]) -> list[dict[str, str]]:
    reasons = (explain(problem, "en") for problem in problems)
    return [{"code": r.code, "sentence": r.sentence, "where": r.where} for r in reasons]
