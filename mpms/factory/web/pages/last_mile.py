"""The page of a delivery on the customer's phone: no account, only the link."""

from __future__ import annotations

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import InstanceUnknown, ProcessUnknown
from mpms.factory.services.last_mile import (
    Delivery,
    DeliveryState,
    hand_in_code,
    list_deliveries,
    show_delivery,
    start_delivery,
)
from mpms.factory.web.desk import current_desk
from mpms.web.labels.qr_code import qr_code
from mpms.web.rights import DOERS, LEADERS, READERS, allowed, open_to_all
from mpms.web.site.signed_in import current_person
from mpms.web.texts import t

pages = Blueprint("last_mile", __name__, url_prefix="/last-mile")


@pages.get("")
@allowed(READERS)
def listing() -> str:
    found = list_deliveries(current_desk().uow)
    return render_template(
        "deliveries.html", found=[(link, each, _state(each)) for link, each in found]
    )


@pages.post("")
@allowed(LEADERS)
def start() -> Answer:
    desk = current_desk()
    try:
        task_id = start_delivery(desk.uow, desk.advance, current_person())
    except ProcessUnknown:
        flash(t("Nobody has deployed the model last_mile here."), "bad")
        return redirect(url_for("last_mile.listing"), 303)
    return redirect(url_for("tasks.page", task_id=task_id), 303)


@pages.get("/<link>")
@open_to_all
def page(link: str) -> str:
    return render_template("last_mile.html", **_shown(link))


@pages.get("/<link>/slip")
@allowed(DOERS)
def slip(link: str) -> str:
    """To print and to stick on the goods, or to show to the customer."""
    shown = _shown(link)
    desk = current_desk()
    base = (desk.public_url or request.host_url).rstrip("/")
    address = f"{base}{url_for('last_mile.page', link=link)}"
    return render_template(
        "last_mile_slip.html", **shown, address=address, picture=qr_code(address)
    )


@pages.get("/<link>/now")
@open_to_all
def now(link: str) -> str:
    return render_template("_last_mile_now.html", **_shown(link))


@pages.post("/<link>")
@open_to_all
def confirm(link: str) -> Answer:
    desk = current_desk()
    try:
        taken = hand_in_code(desk.uow, desk.advance, link, request.form.get("code", ""))
    except InstanceUnknown:
        abort(404)
    if not taken:
        flash(t("The robot does not wait for a code at the moment."), "bad")
    return redirect(url_for("last_mile.page", link=link), 303)


def _shown(link: str) -> dict[str, object]:
    try:
        delivery = show_delivery(current_desk().uow, link)
    except InstanceUnknown:
        abort(404)
    return {"link": link, "delivery": delivery, "headline": _headline(delivery)}


def _state(delivery: Delivery) -> tuple[str, str]:
    """In words, and the tone of its chip."""
    return {
        DeliveryState.PREPARED: (t("is being prepared"), ""),
        DeliveryState.ON_THE_WAY: (t("is on its way"), "info"),
        DeliveryState.HERE: (t("waits for the customer"), "warn"),
        DeliveryState.LOCKED: (t("wrong codes"), "bad"),
        DeliveryState.DELIVERED: (t("delivered"), "ok"),
        DeliveryState.ENDED: (t("ended without delivery"), ""),
    }[delivery.state]


def _headline(delivery: Delivery) -> str:
    match delivery.state:
        case DeliveryState.PREPARED:
            return t("Your delivery is being prepared")
        case DeliveryState.ON_THE_WAY:
            return t("Your delivery is on its way")
        case DeliveryState.HERE:
            return t("The robot is here")
        case DeliveryState.LOCKED:
            return t("The code was wrong too often")
        case DeliveryState.DELIVERED:
            return t("Delivered")
        case DeliveryState.ENDED:
            return t("This delivery has ended")
