"""The warehouse: what lies where, stock by type, and robots that a person sends."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import DatabaseAway, MpmsError
from mpms.factory.services.fleet.say import send_robot
from mpms.factory.services.fleet.show import show_fleet
from mpms.factory.services.fleet.stock import show_warehouse
from mpms.factory.web.desk import current_desk
from mpms.factory.web.pages.fleet import current_fleet
from mpms.web.rights import EVERYBODY, LEADERS, allowed
from mpms.web.site.signed_in import current_person
from mpms.web.texts import t

pages = Blueprint("storage", __name__)


@pages.get("/warehouse")
@allowed(EVERYBODY)
def page() -> str:
    return _rendered("warehouse.html")


@pages.get("/warehouse/now")
@allowed(EVERYBODY)
def now() -> str:
    return _rendered("_warehouse_now.html")


@pages.post("/warehouse/send")
@allowed(LEADERS)
def send() -> Answer:
    """A person sends a robot to a place; the fleet brings it there among the others."""
    current_fleet()
    desk, form = current_desk(), request.form
    try:
        send_robot(
            desk.uow,
            desk.world,
            form.get("robot", ""),
            form.get("place", ""),
            by=current_person().login,
        )
    except DatabaseAway:
        raise
    except MpmsError as refused:
        flash(t(str(refused)), "bad")
    else:
        flash(t("The robot drives there when the traffic allows it."), "ok")
    return redirect("/warehouse", 303)


def _rendered(template: str) -> str:
    desk, world = current_desk(), current_fleet()
    return render_template(
        template,
        world=world,
        warehouse=show_warehouse(desk.uow, world),
        fleet=show_fleet(desk.uow, desk.clock, world),
    )
