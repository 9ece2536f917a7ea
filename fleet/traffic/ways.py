"""A way for one robot between the ways of all others, as things are now."""

from __future__ import annotations

import math
from collections.abc import Mapping

from fleet.traffic.bodies import Floor
from fleet.traffic.closures import Closures
from fleet.traffic.plans import LONG_AGO, Body
from fleet.traffic.search import Step, Taken, find_way
from fleet.traffic.tracks import Move

KEPT_IN_S = 10.0
"""How long robots that keep each other in a zone wait for it to change."""


class Ways:
    """``planned`` False: others are not looked at."""

    def __init__(
        self,
        floor: Floor,
        closures: Closures,
        bodies: Mapping[str, Body],
        *,
        planned: bool,
    ) -> None:
        self._floor = floor
        self._closures = closures
        self._bodies = bodies
        self._planned = planned

    def free_places(self, body: Body) -> set[int]:
        """Places where it disturbs nobody: no robot is there or on its way there."""
        taken = [
            b.tracks.standing(n)
            for b in self._bodies.values()
            if b is not body
            for n in {b.last_node, b.planned_node, *((b.goal_node,) if b.goal else ())}
        ]
        tracks = body.tracks
        return {
            node
            for node in tracks.roadmap.place_nodes.values()
            if not any(self._floor.conflict(tracks.standing(node), p) for p in taken)
        }

    def search(
        self, body: Body, now: float, goals: set[int], hints: list[float] | None
    ) -> list[Step] | None:
        tracks = body.tracks
        taken = Taken(self._floor, blocks=not self._is_kept_in(body, now))
        if self._planned:
            for other in self._bodies.values():
                if other is not body:
                    other.add_to(taken, self._floor)
        for piece in self._closures.pieces():
            taken.add(piece, LONG_AGO, math.inf)
        last = body.plan[body.granted - 1] if body.granted else None
        if hints is not None and not self._may_stay(body, taken):
            return None

        def allowed(move: Move) -> bool:
            return self._closures.allows(tracks, move)

        return find_way(
            tracks,
            taken,
            start=body.last_node,
            came=body.last_move,
            heading=body.yaw if last is None else last.move.heading,
            at=now if last is None else max(now, last.end_at),
            goals=goals,
            hints=(lambda node: 0.0) if hints is None else hints.__getitem__,
            allowed=allowed,
        )

    def _is_kept_in(self, body: Body, now: float) -> bool:
        """It waits in a zone, and so does another; neither would ever get out.

        Zones let nobody in beside or against another one. But robots stand in them
        whose way out is the way in, and a robot that was stopped at the edge, or
        carried, can turn out to stand inside. Bodies are still kept apart.
        """
        since = body.failed_since
        if since is None or now - since < KEPT_IN_S:
            return False
        mine = {group for group, _ in body.standing(self._floor).tokens}
        if not mine:
            return False
        return any(
            group in mine
            for other in self._bodies.values()
            if other is not body and not other.plan
            for group, _ in other.standing(self._floor).tokens
        )

    def _may_stay(self, body: Body, taken: Taken) -> bool:
        """Is the goal free in the end, and not in a closed zone?"""
        tracks, goal = body.tracks, body.goal_node
        spans = taken.spans(tracks.standing(goal))
        if spans and spans[-1][1] == math.inf:
            return False
        zone = self._closures.contains(tracks, goal)
        return zone is None or self._closures.contains(tracks, body.last_node) == zone
