"""What lies on a robot, and a person who says that nothing does."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import DatabaseAway, MpmsError
from mpms.factory.services.robots.empty import (
    WANTED,
    LoadWanted,
    empty_robot,
    loads_on,
)
from mpms.factory.services.robots.take_out import RobotUnknown
from mpms.factory.web.desk import current_desk
from mpms.web.rights import LEADERS, allowed
from mpms.web.site.signed_in import current_person
from mpms.web.texts import t

pages = Blueprint("robot_load", __name__)


@pages.get("/robots/<robot>/load")
@allowed(LEADERS)
def show(robot: str) -> str:
    return _page(robot)


@pages.post("/robots/<robot>/load")
@allowed(LEADERS)
def empty(robot: str) -> Answer | tuple[str, int]:
    desk = current_desk()
    try:
        empty_robot(
            desk.uow,
            desk.world,
            robot,
            by=current_person().login,
            reason=request.form.get("reason", ""),
        )
    except RobotUnknown:
        raise NotFound from None
    except DatabaseAway:
        raise
    except LoadWanted as wanted:
        return _page(robot, problem=t(WANTED, **wanted.values)), 409
    except MpmsError as error:
        return _page(robot, problem=t(str(error))), 422
    flash(t("{robot} is empty and gets work again.", robot=robot), "ok")
    return redirect(url_for("robot_load.show", robot=robot), 303)


def _page(robot: str, *, problem: str = "") -> str:
    desk = current_desk()
    try:
        loads = loads_on(desk.uow, desk.world, robot)
    except RobotUnknown:
        raise NotFound from None
    return render_template(
        "robot_load.html",
        robot=robot,
        loads=loads,
        wanted=any(load.wanted for load in loads),
        problem=problem,
        typed=request.form,
    )
