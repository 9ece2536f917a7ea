"""The fleet: robots, tasks, who got them and why, traffic, closed zones."""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from typing import Any

from flask import Blueprint, Flask, flash, redirect, render_template, request
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as Answer

from fleet.model import Level, World
from mpms.domain.errors import DatabaseAway, MpmsError
from mpms.factory.services.fleet.say import tell_fleet
from mpms.factory.services.fleet.show import show_fleet, show_task
from mpms.factory.web.desk import FactoryDesk, current_desk
from mpms.factory.web.labels import fleet as words
from mpms.web.rights import EVERYBODY, LEADERS, allowed
from mpms.web.site.signed_in import current_person
from mpms.web.texts import t

pages = Blueprint("fleet", __name__)
RADIUS_M, LEAST_M, MOST_M = 0.4, 0.1, 5.0


@pages.record_once
def _install(state: Any) -> None:
    app: Flask = state.app
    app.jinja_env.globals["fleet_words"] = words
    app.jinja_env.globals["has_fleet"] = lambda: has_fleet(current_desk())


def has_fleet(desk: FactoryDesk) -> bool:
    return desk.fleet is not None


def current_fleet() -> World:
    fleet = current_desk().fleet
    if fleet is None:
        raise NotFound(t("This world has no fleet: its robots are driven one by one."))
    return fleet


@pages.get("/fleet")
@allowed(EVERYBODY)
def page() -> str:
    world = current_fleet()
    return render_template("fleet.html", world=world, fleet=_fleet(world))


@pages.get("/fleet/now")
@allowed(EVERYBODY)
def now() -> str:
    world = current_fleet()
    return render_template("_fleet_now.html", world=world, fleet=_fleet(world))


@pages.get("/fleet/floor")
@allowed(EVERYBODY)
def floor() -> str:
    world = current_fleet()
    return render_template("_fleet_floor.html", world=world, fleet=_fleet(world))


@pages.get("/fleet/tasks/<path:task_id>")
@allowed(EVERYBODY)
def task(task_id: str) -> str:
    current_fleet()
    found = show_task(current_desk().uow, task_id)
    if found is None:
        raise NotFound
    return render_template("fleet_task.html", task=found[0], decisions=found[1])


@pages.post("/fleet/zones")
@allowed(LEADERS)
def close_zone() -> Answer:
    """What was drawn with the finger; it holds from the fleet's next round on."""
    name = request.form.get("zone", "").strip()[:40]
    try:
        corners = json.loads(request.form.get("corners", ""))
    except ValueError:
        corners = None
    if not name or not isinstance(corners, list) or len(corners) < 3:
        flash(t("A zone needs a name and at least three corners."), "bad")
        return redirect("/fleet", 303)
    return _tell("zone closed", {"zone": name, "corners": corners[:60]})


@pages.post("/fleet/things")
@allowed(LEADERS)
def put_thing() -> Answer:
    """A person or a thing that somebody saw, put on the plan with a finger."""
    world, form = current_fleet(), request.form
    kind = "person" if form.get("kind") == "person" else "obstacle"
    try:
        x_m, y_m = float(form.get("x_m", "")), float(form.get("y_m", ""))
        radius_m = float(form.get("radius_m", "") or RADIUS_M)
    except ValueError:
        x_m = y_m = radius_m = math.nan
    across = world.left_m <= x_m <= world.left_m + world.width_m
    along = world.bottom_m <= y_m <= world.bottom_m + world.height_m
    if not across or not along or not LEAST_M <= radius_m <= MOST_M:
        flash(t("Tap a spot on the plan; a radius is 0.1 to 5 m."), "bad")
        return redirect("/fleet", 303)
    known = _fleet(world).things
    name = form.get("name", "").strip()[:40] or _fresh(_called(kind), known)
    level = "noticed" if form.get("level") == "noticed" else "respected"
    spot = {"x_m": round(x_m, 2), "y_m": round(y_m, 2), "radius_m": radius_m}
    return _tell("seen", {"id": name, **spot, "level": level})


def _called(kind: str) -> str:
    return t("person") if kind == "person" else t("obstacle")


def _fresh(begin: str, known: Collection[str]) -> str:
    number = 1
    while f"{begin} {number}" in known:
        number += 1
    return f"{begin} {number}"


@pages.post("/fleet/levels")
@allowed(LEADERS)
def set_level() -> Answer:
    """How the fleet uses a robot."""
    robot, level = request.form.get("robot", ""), request.form.get("level", "")
    if robot not in current_fleet().robots or level not in set(Level):
        raise NotFound
    return _tell("robot level", {"robot": robot, "level": level})


@pages.post("/fleet/tell")
@allowed(LEADERS)
def tell() -> Answer:
    """The buttons of the page: what they say is written on them."""
    kind, about = request.form.get("kind", ""), request.form.get("about", "")
    data: dict[str, dict[str, object]] = {
        "zone opened": {"zone": about},
        "robot paused": {"robot": about, "paused": True},
        "robot goes on": {"robot": about, "paused": False},
        "robot recovered": {"robot": about},
        "task withdrawn": {"task": about},
        "thing gone": {"id": about, "radius_m": 0.0},
        "pulled over": {"over": True},
        "roads free": {"over": False},
        "stopped": {"stopped": True},
        "started": {"stopped": False},
    }
    if kind not in data:
        raise NotFound
    same = {
        "robot goes on": "robot paused",
        "roads free": "pulled over",
        "started": "stopped",
        "thing gone": "seen",
    }
    return _tell(same.get(kind, kind), data[kind])


def _tell(kind: str, data: dict[str, object]) -> Answer:
    current_fleet()
    try:
        tell_fleet(current_desk().uow, kind, data, by=current_person().login)
    except DatabaseAway:
        raise
    except MpmsError as refused:
        flash(t(str(refused)), "bad")
    else:
        flash(t("The fleet has received it."), "ok")
    return redirect("/fleet", 303)


def _fleet(world: World) -> Any:
    desk = current_desk()
    return show_fleet(desk.uow, desk.clock, world)
