"""Car-like vehicles: what their files say, to scale; who gets through alleys; how one
learned to."""

from __future__ import annotations

from flask import Blueprint, Response, render_template

from fleet.bodies.errors import VehicleRefused
from fleet.bodies.model import Vehicle
from fleet.bodies.passability import (
    Cell,
    TableWrong,
    Trial,
    as_csv,
    cell_of,
    title_of,
    widths_of,
)
from mpms.domain.errors import NotFound
from mpms.factory.web.desk import current_desk
from mpms.factory.web.labels import vehicles as words
from mpms.web.rights import EVERYBODY, allowed
from mpms.web.texts import t

pages = Blueprint("vehicles", __name__, url_prefix="/vehicles")
LINE = tuple[str, str, list[Cell | None]]
"""A planner, its title, and a cell for every width."""


@pages.get("")
@allowed(EVERYBODY)
def listing() -> str:
    desk = current_desk()
    found: list[tuple[str, Vehicle | None, str]] = []
    for name in desk.vehicles.names():
        try:
            found.append((name, desk.vehicles.vehicle(name), ""))
        except VehicleRefused as wrong:
            found.append((name, None, str(wrong)))
    return render_template(
        "vehicles.html", found=found, robots={n: _robots(n) for n, _, _ in found}
    )


@pages.get("/<vehicle>")
@allowed(EVERYBODY)
def page(vehicle: str) -> str:
    try:
        found = _vehicle(vehicle)
    except VehicleRefused as wrong:
        return render_template("vehicle.html", name=vehicle, wrong=str(wrong))
    return render_template(
        "vehicle.html",
        name=vehicle,
        vehicle=found,
        robots=_robots(vehicle),
        words=words,
    )


@pages.get("/<vehicle>/drawing.svg")
@allowed(EVERYBODY)
def drawing(vehicle: str) -> Response:
    title = t("{name}, to scale", name=_vehicle(vehicle).title)
    drawn = current_desk().vehicles.drawing(vehicle, title)
    return Response(drawn, mimetype="image/svg+xml")


@pages.get("/<vehicle>/model.urdf")
@allowed(EVERYBODY)
def urdf(vehicle: str) -> Response:
    _vehicle(vehicle)
    return _file(current_desk().vehicles.urdf(vehicle), f"{vehicle}.urdf", "xml")


@pages.get("/alleys")
@allowed(EVERYBODY)
def alleys() -> str:
    trials, wrong = _trials()
    desk, widths = current_desk(), widths_of(trials)
    titles = {name: name for name in dict.fromkeys(each.vehicle for each in trials)}
    for name in desk.vehicles.names():
        if name in titles:
            titles[name] = _title(name)
    tables: dict[str, list[LINE]] = {}
    for name in titles:
        mine = [each for each in trials if each.vehicle == name]
        tables[name] = [
            (
                planner,
                words.planner(title_of(planner)),
                [cell_of(mine, name, planner, width_m) for width_m in widths],
            )
            for planner in dict.fromkeys(each.planner for each in mine)
        ]
    return render_template(
        "vehicle_alleys.html",
        tables=tables,
        titles=titles,
        widths=widths,
        seeds=len({each.seed for each in trials}),
        trials=trials,
        wrong=wrong,
        words=words,
        title_of=title_of,
    )


@pages.get("/alleys.csv")
@allowed(EVERYBODY)
def alleys_csv() -> Response:
    trials, wrong = _trials()
    if wrong:
        raise NotFound(wrong)
    return _file(as_csv(trials), "passability.csv", "csv")


@pages.get("/training")
@allowed(EVERYBODY)
def training() -> str:
    points, drives, wrong = [], [], ""
    try:
        points = list(current_desk().vehicles.training())
        drives = list(current_desk().vehicles.unseen())
    except TableWrong as error:
        wrong = str(error)
    return render_template(
        "vehicle_training.html",
        curve=words.curve(points),
        compared=words.compared(drives),
        wrong=wrong,
    )


def _vehicle(name: str) -> Vehicle:
    """NotFound, or VehicleRefused with every mistake of the file."""
    desk = current_desk()
    if name not in desk.vehicles.names():
        raise NotFound(t("There is no vehicle {name}.", name=name))
    return desk.vehicles.vehicle(name)


def _title(name: str) -> str:
    try:
        return current_desk().vehicles.vehicle(name).title
    except VehicleRefused:
        return name


def _robots(name: str) -> list[str]:
    """Who drives here as this vehicle."""
    world = current_desk().world
    return [each.id for each in world.robots if each.vehicle_name == name]


def _trials() -> tuple[list[Trial], str]:
    """The drives, or what is wrong with their table."""
    try:
        return list(current_desk().vehicles.passability()), ""
    except TableWrong as wrong:
        return [], str(wrong)


def _file(text: str, name: str, kind: str) -> Response:
    answer = Response(
        text, mimetype=f"application/{kind}" if kind == "xml" else "text/csv"
    )
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
