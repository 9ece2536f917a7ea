"""Labels to print: PDF for any printer, ZPL for label printers."""

from __future__ import annotations

from flask import Blueprint, Response, request

from mpms.factory.domain.labels import zpl
from mpms.factory.services.labels import MOST, labels_of, labels_pdf
from mpms.factory.web.desk import current_desk
from mpms.web.rights import EVERYBODY, allowed

pages = Blueprint("labels", __name__)


def _codes() -> list[str]:
    codes = request.args.getlist("code")[: MOST + 1]
    return ["".join(c if c.isprintable() else " " for c in code) for code in codes]


@pages.get("/orders/labels/<kind>.pdf")
@allowed(EVERYBODY)
def pdf(kind: str) -> Response:
    desk = current_desk()
    labels = labels_of(desk.uow, desk.placed_world, kind, _codes())
    content = labels_pdf(desk.documents, labels)
    answer = Response(content, content_type="application/pdf")
    answer.headers["Content-Disposition"] = 'inline; filename="labels.pdf"'
    return answer


@pages.get("/orders/labels/<kind>.zpl")
@allowed(EVERYBODY)
def for_label_printer(kind: str) -> Response:
    desk = current_desk()
    labels = labels_of(desk.uow, desk.placed_world, kind, _codes())
    answer = Response(zpl(labels), content_type="text/plain; charset=utf-8")
    answer.headers["Content-Disposition"] = 'attachment; filename="labels.zpl"'
    return answer
