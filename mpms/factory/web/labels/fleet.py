"""What the fleet does, in words, and its floor as shapes to draw."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from mpms.factory.services.fleet.show import RobotNow
from mpms.web.texts import t

Chip = tuple[str, str]  # words and tone


def level_words() -> dict[str, str]:
    """What becomes of a robot at each level, the most trusted first."""
    return {
        "used": t("used: it gets tasks"),
        "respected": t("respected: others drive around it"),
        "noticed": t("noticed: it is only shown"),
        "ignored": t("ignored: as if it were not there"),
    }


def robot_chip(robot: RobotNow) -> Chip:
    if robot.level != "used":
        return level_words()[robot.level].partition(":")[0], "warn"
    if robot.failed:
        return t("failed"), "bad"
    if robot.paused:
        return t("paused"), "warn"
    if robot.x_m is None:
        return t("not seen yet"), "warn"
    words = {
        "driving": (t("drives"), "info"),
        "waiting": (t("waits"), "warn"),
        "acting": (t("loads or unloads"), "info"),
        "confirming": (t("waits for the detector"), "info"),
        "charging": (t("charges"), "ok"),
    }
    return words.get(robot.doing, (t("free"), "ok"))


def task_chip(state: str) -> Chip:
    return {
        "held": (t("held"), "warn"),
        "ready": (t("waits for a robot"), "warn"),
        "assigned": (t("in the queue"), "info"),
        "running": (t("under way"), "info"),
        "done": (t("done"), "ok"),
        "failed": (t("failed"), "bad"),
        "withdrawn": (t("withdrawn"), ""),
    }.get(state, (state, ""))


def task_kind(kind: str) -> str:
    return {
        "move": t("Drive"),
        "transport": t("Transport"),
        "store": t("Store"),
        "retrieve": t("Retrieve"),
        "fetch_shelf": t("Shelf"),
        "charge": t("Charge"),
        "park": t("Park"),
    }.get(kind, kind)


def points(way: Iterable[Sequence[float]]) -> str:
    """For polyline and polygon; y of a drawing points down."""
    return " ".join(f"{x:.2f},{-y:.2f}" for x, y in way)


def battery_curve(
    curve: Sequence[tuple[datetime, float]], width: float = 100.0, height: float = 24.0
) -> str:
    """Percent over two hours up to now, as points of a small drawing."""
    if not curve:
        return ""
    end = curve[-1][0].timestamp()
    found = []
    for at, percent in curve:
        x = width * (1.0 - (end - at.timestamp()) / 7200.0)
        found.append(f"{x:.1f},{height * (1.0 - percent / 100.0):.1f}")
    return " ".join(found)
