"""From a lot to the products it went into and the customers who have them, and back."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from email.message import EmailMessage

from mpms.factory.ports.records.genealogy import (
    BACKWARDS,
    FORWARDS,
    LotHere,
    LotUse,
)
from mpms.factory.ports.store import UnitOfWork

MOST = 5000
COLUMNS = (
    *("order", "product", "customer", "status", "ended_at"),
    *("material", "lot", "kg", "steps"),
)


@dataclass(frozen=True)
class LotTree:
    """What a lot went into and what it was made of."""

    lot: str
    into: tuple[LotUse, ...]
    made_of: tuple[LotUse, ...]
    cut: bool  # there are more than are shown
    here: tuple[LotHere, ...] = ()  # what is left of it in the plant

    @property
    def customers(self) -> Sequence[str]:
        return sorted({use.customer for use in self.into if use.customer})


def trace_lot(uow: UnitOfWork, lot: str) -> LotTree:
    """Both directions, by one query."""
    with uow() as tx:
        found = tx.genealogy.of_lot(lot, limit=MOST + 1)
        here = tuple(tx.genealogy.in_plant(lot))
    shown = found[:MOST]
    return LotTree(
        lot,
        tuple(use for use in shown if use.direction == FORWARDS),
        tuple(use for use in shown if use.direction == BACKWARDS),
        cut=len(found) > MOST,
        here=here,
    )


def recall_csv(tree: LotTree) -> str:
    """Every order that a lot went into. A cell never begins like a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for use in tree.into:
        ended = "" if use.ended_at is None else use.ended_at.isoformat()
        kg = "" if use.kg is None else f"{use.kg:f}"
        row = (use.order, use.product, use.customer, use.status, ended)
        writer.writerow(
            [_cell(value) for value in (*row, use.material, use.lot, kg, use.depth)]
        )
    return out.getvalue()


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return f"'{text}" if text[:1] in "=+-@\t" else text


def recall_mails(tree: LotTree, *, sender: str) -> list[EmailMessage]:
    """One draft for each customer concerned; nothing is sent."""
    return [
        _mail(tree.lot, customer, _of(tree.into, customer), sender)
        for customer in tree.customers
    ]


def _of(uses: Iterable[LotUse], customer: str) -> dict[str, str]:
    return {use.order: use.product or "" for use in uses if use.customer == customer}


def _mail(lot: str, customer: str, orders: dict[str, str], sender: str) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"] = _line(sender), _line(customer)
    message["Subject"] = _line(f"Recall: lot {lot}")
    message["X-Unsent"] = "1"  # mail programs open it as a draft
    listed = "\n".join(f"- {number}  {name}" for number, name in orders.items())
    message.set_content(
        "Dear customer,\n\n"
        f"the lot {lot} went into what we delivered to you:\n\n{listed}\n\n"
        "Please do not use these products, keep them apart and answer this mail.\n"
    )
    return message


def _line(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
