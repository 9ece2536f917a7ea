"""Docking places: one robot each, claimed before it drives there.

Places so near to each other that two robots would touch count as one. A rest place
belongs to its robot, so that there always is somewhere to go.
"""

from __future__ import annotations

import math

from fleet.model.world import Block, Point, World
from fleet.roads.geometry import touches
from fleet.roads.make import KEEP_M, WAITING

HELD = (Block.SINGLE, Block.SAME_DIRECTION)


class Claims:
    """Which robot has which place, standing there or on its way."""

    def __init__(self, world: World) -> None:
        radii = [world.type_of(robot).radius_m for robot in world.robots]
        self._apart_m = 2 * (max(radii, default=0.4) + KEEP_M)
        self._spots: dict[str, Point] = {p.id: p.spot for p in world.places.values()}
        self._spots |= {p.id + WAITING: p.spot for p in world.waiting.values()}
        self._homes = {robot.home: robot.id for robot in world.robots.values()}
        self._near: dict[str, tuple[str, ...]] = {}
        blocks = [z for z in world.zones.values() if z.block in HELD]
        reach_m = self._apart_m / 2
        self._in_block = frozenset(
            name
            for name, (x, y) in self._spots.items()
            if any(touches((x, y, x, y), zone.corners, reach_m) for zone in blocks)
        )
        self.holders: dict[str, str] = {}

    def near(self, place: str) -> tuple[str, ...]:
        """Places that count as one with this, itself included."""
        known = self._near.get(place)
        if known is None:
            spot = self._spots[place]
            known = self._near[place] = tuple(
                name
                for name, other in self._spots.items()
                if math.dist(spot, other) < self._apart_m
            )
        return known

    def in_block(self, place: str) -> bool:
        """Does a robot there keep others out of a zone?"""
        return place in self._in_block

    def in_the_way(self, robot: str, place: str) -> str | None:
        """Who has the place; None: the robot may have it."""
        owner = self._homes.get(place)
        if owner is not None and owner != robot:
            return owner
        for name in self.near(place):
            holder = self.holders.get(name)
            if holder is not None and holder != robot:
                return holder
        return None

    def take(self, robot: str, place: str) -> bool:
        if self.in_the_way(robot, place) is not None:
            return False
        self.holders[place] = robot
        return True

    def release(self, robot: str, place: str) -> None:
        if self.holders.get(place) == robot:
            del self.holders[place]

    def release_all(self, robot: str, but: str = "") -> None:
        for place in [p for p, r in self.holders.items() if r == robot and p != but]:
            del self.holders[place]

    def held_by(self, robot: str) -> list[str]:
        return [place for place, holder in self.holders.items() if holder == robot]

    def left(self, robot: str, x_m: float, y_m: float, but: str) -> None:
        """Release places that the robot has left behind."""
        for place in self.held_by(robot):
            away_m = math.dist(self._spots[place], (x_m, y_m))
            if place != but and away_m > self._apart_m:
                del self.holders[place]

    def spot(self, place: str) -> Point:
        return self._spots[place]
