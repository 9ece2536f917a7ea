"""Which alerts one gets: by mail, on this device, of which processes."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, flash, jsonify, redirect, render_template, request
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response as Answer

from mpms.domain.alerts.push_endpoints import EndpointRefused
from mpms.domain.alerts.rules import AlertWish
from mpms.domain.errors import MpmsError
from mpms.ports.alerts import Subscription
from mpms.services.alerts.send import push_key
from mpms.services.alerts.subscribe import (
    AddressInvalid,
    AddressMissing,
    TooManyDevices,
    alerts_of,
    set_mail,
    set_wish,
    subscribe,
    unsubscribe,
)
from mpms.web.rights import LEADERS, allowed
from mpms.web.site.signed_in import current_desk, current_person
from mpms.web.texts import t

pages = Blueprint("alerts", __name__)


@pages.get("/incidents/alerts")
@allowed(LEADERS)
def show() -> str:
    return _page()


@pages.post("/incidents/alerts")
@allowed(LEADERS)
def change() -> Answer | tuple[str, int]:
    desk, person, form = current_desk(), current_person(), request.form
    chosen = tuple(form.getlist("process")) if form.get("which") == "some" else None
    wish = AlertWish("by_mail" in form, "when_over" in form, chosen)
    address = form.get("mail", "")
    try:
        if wish.by_mail:
            set_mail(desk.uow, person.login, address, by=person.login)
            set_wish(desk.uow, person.login, wish)
        else:
            set_wish(desk.uow, person.login, wish)
            set_mail(desk.uow, person.login, address, by=person.login)
    except (AddressInvalid, AddressMissing) as error:
        return _page(error, wish, address), 422
    flash(t("Your alerts are changed."), "ok")
    return redirect("/incidents/alerts", 303)


@pages.post("/incidents/alerts/device")
@allowed(LEADERS)
def add_device() -> Answer | tuple[Answer, int]:
    """The browser's subscription, as the browser writes it."""
    told = _told()
    keys = told.get("keys")
    keys = keys if isinstance(keys, dict) else {}
    to = Subscription(
        str(told.get("endpoint", "")),
        str(keys.get("p256dh", "")),
        str(keys.get("auth", "")),
    )
    try:
        subscribe(current_desk().uow, current_person().login, to)
    except (EndpointRefused, TooManyDevices) as error:
        return jsonify(error=t(str(error))), 422
    return jsonify(on=True)


@pages.post("/incidents/alerts/device/remove")
@allowed(LEADERS)
def remove_device() -> Answer:
    endpoint = str(_told().get("endpoint", ""))
    unsubscribe(current_desk().uow, current_person().login, endpoint)
    return jsonify(on=False)


def _told() -> dict[str, Any]:
    told = request.get_json(silent=True)
    if not isinstance(told, dict):
        raise BadRequest
    return told


def _page(
    error: MpmsError | None = None, wish: AlertWish | None = None, address: str = ""
) -> str:
    desk = current_desk()
    asked = alerts_of(desk.uow, current_person().login)
    with desk.uow() as tx:
        processes = tx.definitions.listing()
    key = None
    if desk.pusher is not None:
        key = desk.pusher.public_key(push_key(desk.uow, desk.pusher))
    return render_template(
        "alerts.html",
        asked=asked,
        wish=wish or asked.wish,
        address=address if error else asked.mail or "",
        processes=processes,
        push_key=key,
        problem=None if error is None else t(str(error)),
    )
