"""Robots: what they do, how the plant speaks with them, and whether they rest."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import DatabaseAway, MpmsError
from mpms.factory.ports.checks import CheckStep
from mpms.factory.services.robots.board import RobotCard, robot_board
from mpms.factory.services.robots.empty import loads_on
from mpms.factory.services.robots.take_out import bring_robot_back, take_robot_out
from mpms.factory.web.bounded import TestRuns, bounded
from mpms.factory.web.desk import current_desk
from mpms.web.pages.admin_people import ADMINS
from mpms.web.rights import allowed
from mpms.web.site.signed_in import current_person
from mpms.web.texts import t

pages = Blueprint("robots", __name__)


@pages.get("/admin/robots")
@allowed(ADMINS)
def listing() -> str:
    return render_template("admin_robots.html", cards=_cards())


@pages.get("/admin/robots-now")
@allowed(ADMINS)
def now() -> str:
    return render_template("_admin_robots.html", cards=_cards())


@pages.get("/admin/robots/<robot>")
@allowed(ADMINS)
def one(robot: str) -> str:
    return _page(robot)


@pages.post("/admin/robots/<robot>/test")
@allowed(ADMINS)
def test(robot: str) -> str:
    """Only robots of the world at the address of the settings: nothing is typed."""
    _card(robot)
    desk = current_desk()
    checks = desk.robot_check
    if checks is None:
        steps = [CheckStep("configured", None, "in_memory")]
    else:
        try:
            steps = bounded(f"robot {robot}", lambda tell: checks.check(robot, tell))
        except TestRuns as runs:
            steps = [CheckStep("limit", None, detail=str(runs))]
    with desk.uow() as tx:
        tx.events.append(
            "connection tested",
            actor=current_person().login,
            data={"robot": robot, "worked": all(s.ok is not False for s in steps)},
        )
    if "HX-Request" in request.headers:
        return render_template("_admin_steps.html", steps=steps)
    return _page(robot, steps=steps)


@pages.post("/admin/robots/<robot>/out")
@allowed(ADMINS)
def out(robot: str) -> Answer | tuple[str, int]:
    desk = current_desk()
    _card(robot)
    try:
        take_robot_out(
            desk.uow,
            desk.world,
            robot,
            by=current_person().login,
            reason=request.form.get("reason", ""),
        )
    except DatabaseAway:
        raise
    except MpmsError as error:
        return _page(robot, problem=t(str(error))), 422
    flash(t("The robot is out of service: it gets no new orders."), "ok")
    return redirect(f"/admin/robots/{robot}", 303)


@pages.post("/admin/robots/<robot>/back")
@allowed(ADMINS)
def back(robot: str) -> Answer | tuple[str, int]:
    _card(robot)
    try:
        bring_robot_back(
            current_desk().uow,
            robot,
            by=current_person().login,
            reason=request.form.get("reason", ""),
        )
    except DatabaseAway:
        raise
    except MpmsError as error:
        return _page(robot, problem=t(str(error))), 422
    flash(t("The robot is back in service."), "ok")
    return redirect(f"/admin/robots/{robot}", 303)


def _page(
    robot: str, *, problem: str = "", steps: list[CheckStep] | None = None
) -> str:
    checks = current_desk().robot_check
    return render_template(
        "admin_robot.html",
        card=_card(robot),
        profile=None if checks is None else checks.profile(robot),
        steps=steps,
        loads=loads_on(current_desk().uow, current_desk().world, robot),
        problem=problem,
        typed=request.form,
    )


def _cards() -> list[RobotCard]:
    desk = current_desk()
    return robot_board(desk.uow, desk.world)


def _card(robot: str) -> RobotCard:
    for card in _cards():
        if card.info.id == robot:
            return card
    raise NotFound
