"""The roads of the fleet, for vehicles that are told their way as nodes and edges.

Every crossing of the roads that the way passes is a node, also on a straight stretch:
vehicles of VDA 5050 say which node they have passed, and other fleet controls know a
crossing again by its name.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from fleet.model.world import World
from fleet.roads import Roadmap, make_roadmap

Point = tuple[float, float]
NEAR_M = 0.5
"""A place as near as this to a crossing is there."""


class Roads:
    """``world`` None: there are no roads, and every way is one edge."""

    def __init__(self, world: World | None) -> None:
        self._world = world
        self._roadmaps: dict[str, Roadmap] = {}

    def crossings(self, robot: str, start: Point, end: Point) -> Sequence[Point]:
        """Between two places, without them; empty where the roads do not lead there."""
        roadmap = self._roadmap(robot)
        if roadmap is None:
            return ()
        first, last = _nearest(roadmap, start), _nearest(roadmap, end)
        if first is None or last is None:
            return ()
        points = [roadmap.nodes[n] for n in roadmap.path_of_nodes(first, last)]
        return [
            (x, y)
            for x, y in points
            if min(math.dist((x, y), start), math.dist((x, y), end)) > NEAR_M
        ]

    def _roadmap(self, robot: str) -> Roadmap | None:
        if self._world is None:
            return None
        spec = self._world.robots.get(robot)
        if spec is None:
            return None
        kind = self._world.robot_types[spec.type]
        if kind.id not in self._roadmaps:
            self._roadmaps[kind.id] = make_roadmap(self._world, kind)
        return self._roadmaps[kind.id]


def _nearest(roadmap: Roadmap, at: Point) -> int | None:
    gaps = [(math.dist(node, at), number) for number, node in enumerate(roadmap.nodes)]
    gap_m, number = min(gaps, default=(math.inf, -1))
    return number if gap_m <= NEAR_M else None
