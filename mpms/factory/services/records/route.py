"""Where robots drove for an order, kept in its record: tracks go with the history."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence

from mpms.factory.domain.records import Entry
from mpms.factory.ports.store import Transaction

MOST_POINTS = 20_000  # of an instance that are read
APART_M = 0.2
MOST_KEPT = 400  # of a robot


def route_of(tx: Transaction, record: str) -> Entry | None:
    """The line that tells it; None if nobody drove, or if it is told already."""
    instances: list[str] = []
    told: set[str] = set()
    for line in tx.records.lines_of(record, ("instance started", "route")):
        content = json.loads(line.content)
        if content["what"] == "route":
            told.update(content["data"]["instances"])
        else:
            instances.append(content["data"]["instance"])
    new = [each for each in instances if each not in told]
    tracks: dict[str, list[tuple[float, float]]] = {}
    places: dict[str, list[float]] = {}
    drives: list[list[str]] = []
    for instance_id in new:
        for point in tx.tracks.of_instance(instance_id, limit=MOST_POINTS):
            tracks.setdefault(point.robot, []).append((point.x_m, point.y_m))
        for goal in tx.goals.of_instance(instance_id):
            drives.append([goal.robot, goal.place])
            places[goal.place] = [round(goal.pose.x_m, 3), round(goal.pose.y_m, 3)]
    if not tracks and not places:
        return None
    data = {
        "instances": new,
        "tracks": {robot: thinned(points) for robot, points in tracks.items()},
        "places": places,
        "drives": drives,
    }
    return Entry(record, "route", "mpms", data=data)


def thinned(points: Iterable[tuple[float, float]]) -> Sequence[list[float]]:
    """Points that lie apart, and not too many."""
    kept: list[list[float]] = []
    last: tuple[float, float] | None = None
    for point in points:
        if last is None or math.dist(last, point) >= APART_M:
            kept.append([round(point[0], 2), round(point[1], 2)])
            last = point
    step = math.ceil(len(kept) / MOST_KEPT) or 1
    return kept[::step] + ([kept[-1]] if kept and (len(kept) - 1) % step else [])
