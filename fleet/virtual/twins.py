"""A world with more robots than it has: for trials, and to look before buying them.

Where robots charge at their rest places, a twin does so too: nobody else may stand at a
rest place, and a twin without a charger would strand.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from itertools import cycle

from fleet.model.world import ChargingZone, Moves, Place, Point, World
from fleet.roads.geometry import Walls
from fleet.roads.make import KEEP_M, make_roadmaps

RASTER_M = 0.5
CHARGER_M = 0.5  # from a twin's rest place to each side of its charger
SPARE_M = 0.3
NEAREST = 8
"""Points of roads that a spot should see one of."""


class NoRoom(ValueError):
    """The floor has no free spots for so many robots to rest."""


def with_more_robots(world: World, robots: int) -> World:
    """Twins of its robots in turn, each with a rest place far from all other places."""
    homes = dict(world.places)
    specs, charging = dict(world.robots), dict(world.charging)
    originals = cycle(list(world.robots.values()))
    radius_m = max(world.type_of(robot).radius_m for robot in world.robots)
    free = _free_spots(world, radius_m)
    number = 0
    while len(specs) < robots:
        number += 1
        if f"twin_{number}" in specs:
            continue
        spots = [place.spot for place in homes.values()]
        room_m, spot = max(
            ((min(math.dist(s, other) for other in spots), s) for s in free),
            default=(0.0, (0.0, 0.0)),
        )
        if room_m < 2 * (radius_m + KEEP_M) + SPARE_M:
            raise NoRoom(f"{world.name} has room for {len(specs)} robots, not {robots}")
        home = Place(f"rest of twin_{number}", *spot)
        homes[home.id] = home
        original = next(originals)
        specs[f"twin_{number}"] = replace(original, id=f"twin_{number}", home=home.id)
        for zone in world.charging.values():
            if original.home in zone.places:
                charging[home.id] = _charger(zone, home)
    return replace(world, places=homes, robots=specs, charging=charging)


def _charger(like: ChargingZone, home: Place) -> ChargingZone:
    left_m, bottom_m = home.x_m - CHARGER_M, home.y_m - CHARGER_M
    right_m, top_m = home.x_m + CHARGER_M, home.y_m + CHARGER_M
    corners = left_m, bottom_m, right_m, top_m
    return ChargingZone(home.id, *corners, like.rate_pps, 1, (home.id,))


def _free_spots(world: World, radius_m: float) -> list[Point]:
    """On a raster, clear of walls, where robots that are there can also drive to."""
    on_grid = all(world.type_of(robot).moves is Moves.GRID for robot in world.robots)
    raster_m = world.cell_m if on_grid else RASTER_M
    shift = 0.5 if on_grid else 0.0  # robots of a grid rest in the middle of cells
    walls = Walls(world.walls, radius_m + (0.0 if on_grid else SPARE_M))
    spots = [
        (
            world.left_m + (column + shift) * raster_m,
            world.bottom_m + (row + shift) * raster_m,
        )
        for column in range(0 if on_grid else 1, int(world.width_m / raster_m))
        for row in range(0 if on_grid else 1, int(world.height_m / raster_m))
    ]
    spots = [spot for spot in spots if walls.clear_at(*spot)]
    ways = Walls(world.walls, radius_m)
    nodes = [n for roadmap in make_roadmaps(world).values() for n in roadmap.nodes]
    found = []
    for spot in spots:
        near = sorted(nodes, key=partial(math.dist, spot))[:NEAREST]
        if any(ways.clear(*spot, *node) for node in near):
            found.append(spot)
    return found
