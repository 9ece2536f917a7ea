"""Charging station management as the warehouse specification has it.

A robot reserves a zone before it drives there; when all places are reserved it waits in
a queue. Shortly before it charges it asks again: a zone with a robot inside that has no
reservation is not safe to enter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fleet.model.world import Point, World


class Stations:
    """Reservations of charging zones, first come, first served."""

    def __init__(self, world: World) -> None:
        self._zones = dict(world.charging)
        self._granted: dict[str, dict[str, str]] = {zone: {} for zone in self._zones}
        self._queues: dict[str, list[str]] = {zone: [] for zone in self._zones}
        self._homes = {robot.home: robot.id for robot in world.robots.values()}
        self.running = True

    def reserve(self, robot: str, zone: str) -> bool:
        """True: the robot has a place; False: it waits, or there is no such zone."""
        if zone not in self._zones or not self.running:
            return False
        if robot in self._granted[zone]:
            return True
        if robot not in self._queues[zone]:
            self._queues[zone].append(robot)
        self._move_up(zone)
        return robot in self._granted[zone]

    def place_of(self, robot: str, zone: str) -> str | None:
        """Where in the zone the robot is to stand; None: it has no reservation."""
        return self._granted.get(zone, {}).get(robot)

    def charge_request(self, robot: str, zone: str, inside: Iterable[str]) -> bool:
        """May it charge now? Only with a reservation, and with none inside without."""
        if robot not in self._granted.get(zone, {}):
            return False
        others = {each for each in inside if each != robot}
        granted = self._granted[zone]
        return others <= set(granted) and len(others) < self._zones[zone].capacity

    def end_reservation(self, robot: str, zone: str) -> bool:
        """Give the place back, or leave the queue; the next one moves up."""
        if zone not in self._zones:
            return False
        had = self._granted[zone].pop(robot, None) is not None
        if robot in self._queues[zone]:
            self._queues[zone].remove(robot)
            had = True
        self._move_up(zone)
        return had

    def end_all(self, robot: str) -> None:
        for zone in self._zones:
            self.end_reservation(robot, zone)

    def _move_up(self, zone: str) -> None:
        """Whose turn it is; who has no free place that it may use lets others pass."""
        spec = self._zones[zone]
        granted, queue = self._granted[zone], self._queues[zone]
        for robot in list(queue):
            if len(granted) >= spec.capacity:
                return
            free = [
                p for p in self.places_for(robot, zone) if p not in granted.values()
            ]
            if free:
                queue.remove(robot)
                granted[robot] = free[0]

    def places_for(self, robot: str, zone: str) -> list[str]:
        """Its own rest place first; never that of another robot."""
        mine = [p for p in self._zones[zone].places if self._homes.get(p) == robot]
        return mine + [p for p in self._zones[zone].places if p not in self._homes]

    def waiting(self, zone: str) -> tuple[str, ...]:
        return tuple(self._queues[zone])

    def reserved(self, zone: str) -> tuple[str, ...]:
        return tuple(self._granted[zone])

    def crowd(self, zone: str) -> int:
        """How many have to leave before the next one gets a place."""
        spec = self._zones[zone]
        taken = len(self._granted[zone]) + len(self._queues[zone])
        return max(0, taken - spec.capacity + 1)

    def inside(self, zone: str, positions: Mapping[str, Point]) -> list[str]:
        """The proximity sensor: robots in the zone."""
        spec = self._zones[zone]
        return [robot for robot, spot in positions.items() if spec.contains(*spot)]

    def to_dict(self) -> dict[str, Any]:
        return {
            "granted": {zone: dict(pairs) for zone, pairs in self._granted.items()},
            "queues": {zone: list(queue) for zone, queue in self._queues.items()},
        }

    def load(self, data: dict[str, Any]) -> None:
        for zone in self._zones:
            self._granted[zone] = dict(data["granted"].get(zone, {}))
            self._queues[zone] = list(data["queues"].get(zone, []))
