"""Where robots are, from what they report, and the place that goes with it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fleet.commands import Registered
from fleet.events import Reported
from fleet.model.world import Level
from fleet.vehicles.vehicle import Vehicle

if TYPE_CHECKING:
    from fleet.fleet import Fleet

AT_PLACE_M = 0.3


class Whereabouts:
    """Takes reports in."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet

    def report(self, event: Reported) -> None:
        vehicle = self._fleet.vehicle(event.robot)
        first, traffic = not vehicle.known, self._fleet.traffic
        seen = vehicle.level not in (Level.IGNORED, Level.NOTICED)
        if first:
            self._forget_home(vehicle)
            if seen:
                traffic.add_robot(vehicle.id, vehicle.type.id, event.x_m, event.y_m)
        vehicle.x_m, vehicle.y_m, vehicle.yaw = event.x_m, event.y_m, event.yaw
        vehicle.percent = min(100.0, max(0.0, event.percent))
        if first:
            self._fleet.tell(Registered(vehicle.id, vehicle.type.id))
        if not seen:
            return
        claims = self._fleet.claims
        if first:
            if vehicle.level is Level.RESPECTED:
                traffic.freeze(vehicle.id)
            self.find_place(vehicle)
        traffic.report(vehicle.id, event.x_m, event.y_m, event.yaw)
        claims.left(vehicle.id, event.x_m, event.y_m, but=vehicle.target)
        if vehicle.place and claims.holders.get(vehicle.place) != vehicle.id:
            vehicle.place = ""

    def expect(self, vehicle: Vehicle) -> None:
        """A robot that has never reported is believed to stand at its rest place."""
        if vehicle.known or vehicle.level in (Level.IGNORED, Level.NOTICED):
            self._forget_home(vehicle)
        else:
            spot = self._fleet.claims.spot(vehicle.home)
            name = f"unseen/{vehicle.id}"
            self._fleet.traffic.put_obstacle(name, *spot, vehicle.type.radius_m)

    def _forget_home(self, vehicle: Vehicle) -> None:
        self._fleet.traffic.take_obstacle(f"unseen/{vehicle.id}")

    def find_place(self, vehicle: Vehicle) -> None:
        """Where a robot stands that has just come into view."""
        name = self.nearest_place(vehicle)
        x_m, y_m = self._fleet.claims.spot(name)
        if vehicle.x_m is None or vehicle.y_m is None:
            return
        if math.hypot(vehicle.x_m - x_m, vehicle.y_m - y_m) < AT_PLACE_M:
            vehicle.place = name
            self._fleet.claims.take(vehicle.id, name)

    def nearest_place(self, vehicle: Vehicle) -> str:
        if vehicle.place:
            return vehicle.place
        x_m, y_m = vehicle.x_m or 0.0, vehicle.y_m or 0.0
        unreached = self._fleet.roadmaps[vehicle.type.id].unreached
        return min(
            (name for name in self._fleet.world.places if name not in unreached),
            key=lambda name: math.dist(self._fleet.claims.spot(name), (x_m, y_m)),
        )
