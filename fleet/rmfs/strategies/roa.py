"""Replenishment order assignment: to which station a bundle goes."""

from __future__ import annotations

from fleet.rmfs.orders import Bundle, Station
from fleet.rmfs.strategies.base import Strategy
from fleet.rmfs.warehouse import Warehouse


def _with_room(warehouse: Warehouse, bundle: Bundle) -> list[Station]:
    return [
        station
        for station in warehouse.replenishment_stations
        if station.open and station.bundle_space + bundle.space <= station.capacity
    ]


class RandomStation(Strategy):
    """Any station with room."""

    problem, name = "roa", "Random"

    def station_for(self, warehouse: Warehouse, bundle: Bundle) -> Station | None:
        stations = _with_room(warehouse, bundle)
        return self.chance.choice(stations) if stations else None


class SamePod(Strategy):
    """The station that the bundle's pod goes to anyway, else the nearest to the pod.

    One on the pod's floor, if there is one with room.
    """

    problem, name = "roa", "SamePod"

    def station_for(self, warehouse: Warehouse, bundle: Bundle) -> Station | None:
        for station in warehouse.replenishment_stations:
            if bundle.pod in station.bundles or bundle.pod in station.inbound:
                room = station.bundle_space + bundle.space <= station.capacity
                return station if station.open and room else None
        stations = _with_room(warehouse, bundle)
        if not stations:
            return None
        place = int(warehouse.stock.place[bundle.pod])
        if place >= 0:
            tier = warehouse.tier(place)
            here = [s for s in stations if warehouse.tier(s.cell) == tier]
            stations = here or stations
        least = min(len(station.bundles) for station in stations)
        stations = [s for s in stations if len(s.bundles) <= least + 1]
        if place < 0:
            return stations[0]
        spots = warehouse.floor.spots

        def away(station: Station) -> int:
            found = abs(spots[station.cell] - spots[place])
            return int(found[1] + found[2] + 50 * found[0])

        return min(stations, key=away)


STRATEGIES = (RandomStation, SamePod)
