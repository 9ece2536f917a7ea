"""The plant at a glance; every number opens the orders behind it and their replay."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from flask import Blueprint, abort, render_template, request

from mpms.factory.services.dashboard import Plant, show_plant
from mpms.factory.web.desk import current_desk
from mpms.web.labels import formats
from mpms.web.rights import READERS, allowed
from mpms.web.texts import current_language, t

pages = Blueprint("dashboard", __name__)

WINDOWS_H = {"shift": 8, "day": 24, "week": 7 * 24, "month": 30 * 24}
LONGEST_WHAT = 300


@pages.get("/dashboard")
@allowed(READERS)
def page() -> str:
    window = _window()
    plant = _plant(window)
    return render_template(
        "dashboard.html",
        plant=plant,
        window=window,
        windows=_windows(),
        shifts=_by_shift(plant),
        hour_words=_hour_words,
        currency=current_desk().currency,
        costs=current_desk().cost_per_hour is not None,
    )


@pages.get("/dashboard/orders")
@allowed(READERS)
def behind() -> str:
    """The orders of one number."""
    what, window = request.args.get("what", "")[:LONGEST_WHAT], _window()
    plant = _plant(window)
    numbers = plant.behind(what)
    title = _title(what)
    if title is None:
        abort(404)
    orders = [plant.orders[number] for number in numbers]
    return render_template(
        "dashboard_orders.html", orders=orders, title=title, window=window
    )


def _window() -> str:
    asked = request.args.get("window", "")
    return asked if asked in WINDOWS_H else "day"


def _windows() -> dict[str, str]:
    return {
        "shift": t("Last 8 hours"),
        "day": t("Last 24 hours"),
        "week": t("Last 7 days"),
        "month": t("Last 30 days"),
    }


def _plant(window: str) -> Plant:
    desk = current_desk()
    until = desk.clock.now()
    return show_plant(
        desk.uow,
        desk.engine,
        since=until - timedelta(hours=WINDOWS_H[window]),
        until=until,
        shifts=desk.shifts,
        cost_per_hour=desk.cost_per_hour,
    )


def _by_shift(plant: Plant) -> list[tuple[datetime, list[Any]]]:
    found: dict[datetime, list[Any]] = {}
    for each in plant.made:
        found.setdefault(each.shift_at, []).append(each)
    return list(found.items())


def _hour_words(at: datetime) -> str:
    return formats.time(at, current_language(), formats.now())


def _title(what: str) -> str | None:
    kind, _, about = what.partition(":")
    titles = {
        "done": t("Orders done"),
        "in-time": t("Done in time"),
        "late": t("Done late"),
        "again": t("Weighed again"),
        "cancelled": t("Orders cancelled"),
        "wait": t("Waited at {step}", step=about),
        "shift": about.partition("|")[2] or t("Orders of the shift"),
        "hour": t("Orders of the hour"),
    }
    return titles.get(kind)
