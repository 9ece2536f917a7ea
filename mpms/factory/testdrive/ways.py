"""Along which way a robot drives that nobody leads in a test-drive, to be drawn.

Its time is learnt or estimated; where the world says how its fleet would drive, the
picture of the floor shows that way, and the straight line elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from fleet.model.world import World
from fleet.roads import Roadmap, make_roadmaps

NEAR_M = 1.0
"""So near to a node of the roadmap a drive begins and ends there."""

Spot = tuple[float, float]
Between = Callable[[Spot, Spot], Sequence[Spot]]


def straight(start: Spot, end: Spot) -> Sequence[Spot]:
    return [start, end]


class Ways:
    """Of the first type of robot that the world has."""

    def __init__(self, world: World) -> None:
        maps = make_roadmaps(world)
        self._roadmap: Roadmap | None = next(iter(maps.values()), None)
        self._known: dict[tuple[Spot, Spot], Sequence[Spot]] = {}

    def __call__(self, start: Spot, end: Spot) -> Sequence[Spot]:
        found = self._known.get((start, end))
        if found is None:
            found = straight(start, end)
            if self._roadmap is not None:
                found = _along(self._roadmap, start, end)
            self._known[start, end] = found
        return found


def _along(roadmap: Roadmap, start: Spot, end: Spot) -> Sequence[Spot]:
    first, last = _near(roadmap, start), _near(roadmap, end)
    if first is None or last is None:
        return straight(start, end)
    nodes = roadmap.path_of_nodes(first, last)
    return [start, *(roadmap.nodes[node] for node in nodes[1:-1]), end]


def _near(roadmap: Roadmap, spot: Spot) -> int | None:
    """The node of the place at a spot."""

    def away_m(node: int) -> float:
        return math.dist(spot, roadmap.nodes[node])

    nearest = min(roadmap.place_nodes.values(), key=away_m, default=None)
    return None if nearest is None or away_m(nearest) > NEAR_M else nearest
