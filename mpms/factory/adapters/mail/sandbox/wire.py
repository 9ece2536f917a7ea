"""What goes between the reader's child process and its parent, as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import date
from decimal import Decimal
from typing import Any

from mpms.factory.domain.order_mail import DraftLine, OrderDraft, Outcome, Reason
from mpms.factory.domain.order_mail.showing import MailFile, MailText

LARGEST_ANSWER = 4 << 20


def encode_outcome(outcome: Outcome) -> bytes:
    order = outcome.order
    return json.dumps(
        {
            "outcome": outcome.outcome,
            "reply": outcome.reply,
            "reasons": [[r.code, r.sentence, r.where] for r in outcome.reasons],
            "order": None if order is None else _order_fields(order),
            "sender": outcome.sender,
            "message_id": outcome.message_id,
            "language": outcome.language,
            "trusted": outcome.trusted,
            "number": outcome.number,
        }
    ).encode()


def decode_outcome(answer: bytes) -> Outcome:
    """Read the child's answer; ValueError or KeyError if it is none."""
    fields: dict[str, Any] = json.loads(answer)
    order = fields.pop("order")
    reasons = tuple(Reason(*reason) for reason in fields.pop("reasons"))
    return Outcome(
        reasons=reasons, order=None if order is None else _order(order), **fields
    )


def encode_text(shown: MailText) -> bytes:
    return json.dumps(asdict(shown)).encode()


def decode_text(answer: bytes) -> MailText:
    """Read the child's answer; ValueError, KeyError or TypeError if it is none."""
    fields: dict[str, Any] = json.loads(answer)
    files = tuple(MailFile(**file) for file in fields.pop("files"))
    return MailText(files=files, **fields)


def _order_fields(order: OrderDraft) -> dict[str, object]:
    return {
        "number": order.number,
        "lines": [
            [line.material, line.name, str(line.kg), line.lot] for line in order.lines
        ],
        "sender": order.sender,
        "product": order.product,
        "due": None if order.due is None else order.due.isoformat(),
        "priority": order.priority,
        "recipe": order.recipe,
        "batch": order.batch,
        "recipe_version": order.recipe_version,
        "recipe_digest": order.recipe_digest,
    }


def _order(fields: dict[str, Any]) -> OrderDraft:
    due = fields.pop("due")
    lines = tuple(
        DraftLine(material, name, Decimal(kg), lot)
        for material, name, kg, lot in fields.pop("lines")
    )
    return OrderDraft(
        lines=lines, due=None if due is None else date.fromisoformat(due), **fields
    )
