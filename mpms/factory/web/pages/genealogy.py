"""Lots: what they went into, what products were made of, and recalls."""

from __future__ import annotations

from flask import Blueprint, Response, render_template, request

from mpms.domain.errors import NotFound
from mpms.factory.services.records.genealogy import (
    LotTree,
    recall_csv,
    recall_mails,
    trace_lot,
)
from mpms.factory.web.desk import current_desk
from mpms.web.rights import LEADERS, READERS, allowed

pages = Blueprint("genealogy", __name__)
LONGEST = 100
PROPOSED = 20


@pages.get("/orders/trace")
@allowed(READERS)
def page() -> str:
    lot = _lot()
    desk, tree, proposed = current_desk(), None, []
    if lot:
        tree = trace_lot(desk.uow, lot)
        if not tree.into and not tree.made_of:
            with desk.uow() as tx:
                proposed = [
                    (found, material, False)
                    for found, material in tx.genealogy.of_supplier(lot, limit=PROPOSED)
                ]
                proposed += tx.genealogy.lots(lot, limit=PROPOSED)
    mails = [] if tree is None else recall_mails(tree, sender=_sender())
    return render_template(
        "genealogy.html", lot=lot, tree=tree, proposed=proposed, mails=mails
    )


@pages.get("/orders/trace/recall.csv")
@allowed(READERS)
def recall() -> Response:
    lot = _lot()
    answer = Response(recall_csv(_tree(lot)), content_type="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = 'attachment; filename="recall.csv"'
    return answer


@pages.get("/orders/trace/recall/<int:place>.eml")
@allowed(LEADERS)
def draft(place: int) -> Response:
    """One mail as a draft that a mail program opens; nothing is sent from here."""
    mails = recall_mails(_tree(_lot()), sender=_sender())
    if place >= len(mails):
        raise NotFound("There is no such mail.")
    answer = Response(mails[place].as_bytes(), content_type="message/rfc822")
    answer.headers["Content-Disposition"] = 'attachment; filename="recall.eml"'
    answer.headers["X-Content-Type-Options"] = "nosniff"
    return answer


def _lot() -> str:
    text = request.args.get("lot", "")
    return "".join(c if c.isprintable() else " " for c in text).strip()[:LONGEST]


def _tree(lot: str) -> LotTree:
    return trace_lot(current_desk().uow, lot)


def _sender() -> str:
    return current_desk().orders_address or "quality@plant.example"
