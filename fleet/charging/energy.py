"""What a drive costs the battery, and which charger is worth the detour."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from fleet.charging.stations import Stations
from fleet.model.world import ChargingZone, RobotType, World
from fleet.roads.roadmap import Roadmap

SPARE = 1.3
"""Traffic makes drives longer than planned; a battery must last for that too."""


@dataclass(frozen=True)
class Stop:
    """A visit to a charger before a task."""

    zone: str
    place: str
    takes_s: float  # above driving to the task at once, without the drive from there
    percent: float  # of the battery afterwards


class Energy:
    """Batteries of one plant: how far they last, and where they are filled."""

    def __init__(
        self, world: World, roadmaps: Mapping[str, Roadmap], stations: Stations
    ) -> None:
        self._world = world
        self._roadmaps = roadmaps
        self._stations = stations
        self._nearest: dict[tuple[str, str], list[tuple[ChargingZone, float, str]]] = {}
        self._to_charger: dict[str, dict[str, float]] = {}
        for name, roadmap in roadmaps.items():
            places = [
                place
                for zone in world.charging.values()
                for place in zone.places
                if place not in roadmap.unreached
            ]
            times = roadmap.times_to(places)
            self._to_charger[name] = {
                place: times[node] for place, node in roadmap.place_nodes.items()
            }

    def to_charger_s(self, type_: str, place: str) -> float:
        """Time to the nearest charger; 0 in a plant without any."""
        if not self._world.charging:
            return 0.0
        return self._to_charger[type_][place]

    def lasts(self, robot: RobotType, percent: float, drive_s: float, end: str) -> bool:
        """Is there enough to drive so long and to a charger, above critical?"""
        if not self._world.charging:
            return True
        needed_s = (drive_s + self.to_charger_s(robot.id, end)) * SPARE
        left = percent - needed_s * robot.discharging_pps
        return left >= robot.critical_percent

    def range_s(self, robot: RobotType, percent: float) -> float:
        """How long it can drive, the way to a charger included."""
        if not self._world.charging or robot.discharging_pps == 0.0:
            return math.inf
        return (percent - robot.critical_percent) / robot.discharging_pps / SPARE

    def best_stop(
        self, who: str, robot: RobotType, start: str, percent: float, then: str
    ) -> Stop | None:
        """The charger that costs the least time on the way to a place."""
        roadmap = self._roadmaps[robot.id]
        best: tuple[float, Stop] | None = None
        for zone, there_s, place in self._zones_from(robot.id, start):
            if not self._stations.places_for(who, zone.id):
                continue
            left = max(0.0, percent - there_s * robot.discharging_pps)
            full = max(robot.enough_percent, left)
            charge_s = (full - left) / zone.rate_pps
            queue_s = self._stations.crowd(zone.id) * charge_s / zone.capacity
            takes_s = there_s + queue_s + charge_s
            total_s = takes_s + roadmap.time_s(place, then)
            if best is None or total_s < best[0]:
                best = (total_s, Stop(zone.id, place, takes_s, full))
        return None if best is None else best[1]

    def _zones_from(
        self, type_: str, start: str
    ) -> list[tuple[ChargingZone, float, str]]:
        """Each zone with the time to its nearest place."""
        known = self._nearest.get((type_, start))
        if known is None:
            roadmap = self._roadmaps[type_]
            row = roadmap.times_from(start)
            known = self._nearest[type_, start] = []
            for zone in self._world.charging.values():
                there_s, place = min((row[roadmap.index[p]], p) for p in zone.places)
                if there_s < math.inf:
                    known.append((zone, there_s, place))
        return known

    def places_for(self, who: str, zone: str) -> list[str]:
        return self._stations.places_for(who, zone)

    def nearest_zone(self, who: str, robot: RobotType, start: str) -> str | None:
        """Where to charge when nothing else is to be done: time and queue count."""
        stop = self.best_stop(who, robot, start, 0.0, start)
        return None if stop is None else stop.zone
