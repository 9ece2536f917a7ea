"""The ways of robots as points, for those who look at the traffic."""

from __future__ import annotations

from typing import Any

from fleet.fleet import Fleet
from fleet.traffic import FreeTraffic


def ways_of(fleet: Fleet) -> dict[str, dict[str, Any]]:
    """By robot: what it may drive now, and what it plans to drive after it."""
    traffic = fleet.traffic
    if not isinstance(traffic, FreeTraffic):
        return {}
    ways: dict[str, dict[str, Any]] = {}
    for robot, body in traffic.bodies.items():
        if body.done >= len(body.plan):
            continue
        nodes = body.tracks.nodes
        granted = [nodes[s.move.end] for s in body.plan[body.done : body.granted]]
        planned = [nodes[s.move.end] for s in body.plan[body.granted :]]
        ways[robot] = {
            "granted": [_rounded(point) for point in granted],
            "planned": [_rounded(point) for point in planned],
        }
    return ways


def _rounded(point: tuple[float, float]) -> tuple[float, float]:
    return round(point[0], 2), round(point[1], 2)
