"""An order on its customer's screen: no account, only the link from the mail."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, abort, make_response, render_template
from werkzeug.wrappers import Response as Answer

from mpms.factory.domain.customer_links import LinkExpired, LinkInvalid
from mpms.factory.domain.errors import OrderUnknown
from mpms.factory.domain.orders import OrderStatus
from mpms.factory.services.orders.follow import certificate_of, follow_order
from mpms.factory.web.desk import current_desk
from mpms.web.labels import formats
from mpms.web.rights import open_to_all
from mpms.web.texts import current_language, t

pages = Blueprint("follow", __name__, url_prefix="/follow")


@pages.get("/<link>")
@open_to_all
def page(link: str) -> Answer:
    return _closed(render_template("follow.html", **_shown(link), link=link))


@pages.get("/<link>/now")
@open_to_all
def now(link: str) -> Answer:
    return _closed(render_template("_follow_now.html", **_shown(link), link=link))


@pages.get("/<link>/certificate.pdf")
@open_to_all
def certificate(link: str) -> Response:
    desk, found = current_desk(), _shown(link)["order"]
    if not found.certificate:
        abort(404)
    content = certificate_of(
        desk.uow,
        desk.documents,
        found.number,
        texts=_words(),
        made_on=formats.time(found.ended_at, current_language(), formats.now()),
    )
    answer = Response(content, content_type="application/pdf")
    name = "".join(c for c in found.number if c.isascii() and (c.isalnum() or c == "-"))
    answer.headers["Content-Disposition"] = f'inline; filename="{name}.pdf"'
    answer.headers["Cache-Control"] = "private, no-store"
    return answer


def _shown(link: str) -> dict[str, Any]:
    desk = current_desk()
    try:
        found = follow_order(
            desk.uow, desk.world, desk.materials, link, now=desk.clock.now()
        )
    except LinkExpired:
        abort(410)
    except (LinkInvalid, OrderUnknown):
        abort(404)
    return {"order": found, "headline": _headline(found.status)}


def _closed(page: str) -> Answer:
    """No copies, no search engine, and no other site learns the address."""
    answer = make_response(page)
    answer.headers["Cache-Control"] = "private, no-store"
    answer.headers["X-Robots-Tag"] = "noindex"
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer


def _headline(status: OrderStatus) -> str:
    return {
        OrderStatus.WAITING: t("We are checking your order"),
        OrderStatus.NEW: t("Your order is planned"),
        OrderStatus.IN_PROCESS: t("Your order is being made"),
        OrderStatus.DONE: t("Your order is ready"),
        OrderStatus.COMPLETED_MANUALLY: t("Your order is ready"),
        OrderStatus.CANCELLED: t("Your order was cancelled"),
    }[status]


def _words() -> dict[str, str]:
    return {
        "title": t("Certificate"),
        "order": t("Order"),
        "product": t("Product"),
        "customer": t("Customer"),
        "made_on": t("Made"),
        "material": t("Material"),
        "required": t("Ordered (kg)"),
        "weighed": t("Weighed (kg)"),
        "lot": t("Lot"),
        "digest": t("Digest of the batch record"),
    }
