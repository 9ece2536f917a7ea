"""The floor: robots, people and places, drawn live, and as a list that says the same.

Everything that moves comes in frames: over the event stream, or asked for where no
stream is open. The plan under it is fetched once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from flask import Blueprint, Response, current_app, render_template, request

from fleet.bodies.errors import VehicleRefused
from mpms.domain.errors import NotFound
from mpms.factory.services.floor.plan import FloorPlan, Shape, floor_plan
from mpms.factory.services.floor.view import FloorViewer, RobotView
from mpms.factory.web.desk import FactoryDesk, current_desk
from mpms.web.rights import EVERYBODY, allowed
from mpms.web.texts import t

pages = Blueprint("map", __name__)
CELL_M = 0.1
"""The raster of costmaps."""


@dataclass(frozen=True)
class Words:
    """What a robot is doing, as its chip says it; words.ts says the same."""

    text: str
    tone: str  # ok, info, warn, bad, or nothing
    icon: str


def words_of(robot: RobotView) -> Words:
    if robot.age_s is None:
        return Words(t("not seen yet"), "warn", "offline")
    if robot.age_s > 5.0:
        return Words(t("last heard {ago}", ago=ago(robot.age_s)), "warn", "offline")
    if robot.link == "degraded":
        return Words(t("slow link"), "warn", "warn")
    if robot.link != "up":
        return Words(t("no link"), "warn", "offline")
    if robot.stopped:
        return Words(t("emergency stop"), "bad", "stop")
    if robot.place is not None:
        return Words(t("drives to {place}", place=shown(robot.place)), "info", "send")
    if robot.doing == "waits":
        return Words(t("waits until its place is free"), "warn", "clock")
    if robot.doing == "serves":
        return Words(t("waits for loading or the tank"), "info", "clock")
    if robot.why_not:
        return Words(t("not ready"), "warn", "warn")
    return Words(t("free"), "ok", "done")


def ago(age_s: float) -> str:
    if age_s < 120.0:
        return t("{n} s ago", n=round(age_s))
    return t("{n} min ago", n=round(age_s / 60.0))


def shown(place: str) -> str:
    return place.replace("_", " ")


def viewer() -> FloorViewer:
    """One a site, so that its readers share what it asks the database."""
    made = current_app.extensions.get("floor_viewer")
    if made is None:
        desk = current_desk()
        made = FloorViewer(desk.uow, desk.floor, desk.world)
        made = current_app.extensions.setdefault("floor_viewer", made)
    return cast(FloorViewer, made)


def known_plan() -> FloorPlan:
    """Made once a version of the catalogue, which says what stands where."""
    desk = current_desk()
    now = desk.in_force
    version, made = current_app.extensions.get("floor_plan", (None, None))
    if version != now.version:
        made = floor_plan(now.placed(desk.world), _shapes(desk))
        current_app.extensions["floor_plan"] = (now.version, made)
    return cast(FloorPlan, made)


def _shapes(desk: FactoryDesk) -> dict[str, Shape]:
    """Who steers like a car is drawn as large as it is."""
    found = {}
    for robot in desk.world.robots:
        if robot.vehicle_name is None:
            continue
        try:
            body = desk.vehicles.vehicle(robot.vehicle_name)
        except VehicleRefused:
            continue  # round, then; the page of the vehicle says what is wrong
        size = body.dimensions
        found[robot.id] = Shape(
            robot.vehicle_name,
            body.back_m,
            body.front_m,
            body.half_width_m,
            size.wheel_base_m,
            size.track_m,
            size.wheel_radius_m,
            size.wheel_width_m,
        )
    return found


def list_of_everything() -> dict[str, Any]:
    view = viewer().view()
    return {
        "robots": [(robot, words_of(robot)) for robot in view.robots],
        "people": view.people,
        "stands": [p for p in known_plan().places if p.kind != "home"],
        "place_name": shown,
    }


@pages.get("/map")
@allowed(EVERYBODY)
def page() -> str:
    return render_template("map.html", plan=known_plan(), **list_of_everything())


@pages.get("/map/list")
@allowed(EVERYBODY)
def listing() -> str:
    return render_template("_map_list.html", **list_of_everything())


@pages.get("/map/plan.json")
@allowed(EVERYBODY)
def plan_json() -> dict[str, Any]:
    return known_plan().as_json()


@pages.get("/map/plan.svg")
@allowed(EVERYBODY)
def plan_svg() -> Response:
    """For where no script draws."""
    drawn = render_template("map_plan.svg", plan=known_plan(), place_name=shown)
    return Response(drawn, mimetype="image/svg+xml")


@pages.get("/map/frame.json")
@allowed(EVERYBODY)
def frame() -> Response:
    """``?paths=1``: with the planned and the driven way of each robot."""
    view = viewer().view(paths=request.args.get("paths") == "1")
    return _fresh(view.as_json())


@pages.get("/map/layers/<robot>.json")
@allowed(EVERYBODY)
def layers(robot: str) -> Response:
    """What the robot's laser hits, what it keeps clear of and how it drives around it.
    ``?whole=1``: what it keeps clear of on the whole map, in place of that. The first
    answers may be empty: the robot is asked for it only while somebody looks."""
    desk = current_desk()
    if desk.world.robot(robot) is None:
        raise NotFound(t("There is no robot {robot}.", robot=robot))
    if request.args.get("whole") == "1":
        rows = rows_of(desk.floor.global_costmap(robot))
        return _fresh({"whole": [number for row in rows for number in row]})
    cells = desk.floor.costmap(robot)
    seen = next(
        (each for each in desk.floor.seen().robots if each.robot == robot), None
    )
    hits, way = ((), ()) if seen is None else (seen.scan, seen.local_plan)
    return _fresh(
        {"scan": _flat(hits), "costmap": _flat(cells), "local_plan": _flat(way)}
    )


def _flat(points: Any) -> list[float]:
    """x, y, x, y …: half the bytes of a list of pairs."""
    return [round(value, 2) for point in points for value in point]


def rows_of(cells: Iterable[tuple[float, float]]) -> list[tuple[float, float, int]]:
    """x, y of the first and the number of cells in a row: a hall has tens of thousands
    of cells in a few hundred rows."""
    columns: dict[int, list[int]] = {}
    for x_m, y_m in cells:
        columns.setdefault(round(y_m / CELL_M - 0.5), []).append(
            round(x_m / CELL_M - 0.5)
        )
    found: list[tuple[float, float, int]] = []
    for row, taken in sorted(columns.items()):
        taken.sort()
        first = 0
        for index, column in enumerate(taken):
            if index + 1 < len(taken) and taken[index + 1] <= column + 1:
                continue
            left, low = (round(n * CELL_M, 2) for n in (taken[first], row))
            found.append((left, low, column - taken[first] + 1))
            first = index + 1
    return found


def _fresh(content: dict[str, Any]) -> Response:
    answer = cast(Response, current_app.json.response(content))
    answer.headers["Cache-Control"] = "no-store"
    return answer
