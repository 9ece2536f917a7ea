"""What does not fit together in a world, though each field is right by itself."""

from __future__ import annotations

import math
from collections.abc import Iterable

from fleet.model.fields import Entry, Mistakes
from fleet.model.world import World


def check(world: World, lines: dict[str, Entry], mistakes: Mistakes) -> None:
    """Note all that contradicts itself, at the line of the noun that is wrong."""
    for noun, text in _findings(world):
        entry = lines.get(noun)
        if entry is None:
            mistakes.add("world.yaml", 1, f"{noun} {text}", noun)
        else:
            mistakes.add(entry.file, entry.line, f"{entry.path} {text}", entry.path)


def _findings(world: World) -> Iterable[tuple[str, str]]:
    yield from _places(world)
    yield from _robots(world)
    yield from _near_homes(world)
    yield from _packages(world)
    yield from _charging(world)


def _places(world: World) -> Iterable[tuple[str, str]]:
    right_m = world.left_m + world.width_m
    top_m = world.bottom_m + world.height_m
    for section, places in (("places", world.places), ("waiting", world.waiting)):
        for place in places.values():
            inside = world.left_m <= place.x_m <= right_m
            if not inside or not world.bottom_m <= place.y_m <= top_m:
                noun = f"{section}.{place.id}"
                for other in ("storage", "inputs", "outputs"):
                    if place.id in getattr(world, other):
                        noun = f"{other}.{place.id}"
                yield noun, "lies outside the map"
    for place_id in world.waiting:
        if place_id not in world.places:
            yield f"waiting.{place_id}", "waits for a place that is not there"
    sections = ("storage", "inputs", "outputs")
    uses: dict[str, str] = {}
    for section in sections:
        for place_id in getattr(world, section):
            if place_id in uses:
                yield f"{section}.{place_id}", f"is in {uses[place_id]} too"
            uses[place_id] = section


def _robots(world: World) -> Iterable[tuple[str, str]]:
    homes: dict[str, str] = {}
    for robot in world.robots.values():
        noun = f"robots.{robot.id}"
        if robot.home not in world.places:
            yield noun, f"names no place: {robot.home!r}"
        elif robot.home in homes:
            yield noun, f"has the rest place of {homes[robot.home]}: {robot.home!r}"
        homes.setdefault(robot.home, robot.id)


def _near_homes(world: World) -> Iterable[tuple[str, str]]:
    """Robots that would touch where they rest."""
    resting = [
        (robot, world.places[robot.home], world.robot_types[robot.type].radius_m)
        for robot in world.robots.values()
        if robot.home in world.places and robot.type in world.robot_types
    ]
    for n, (robot, home, radius_m) in enumerate(resting):
        for other, there, other_m in resting[:n]:
            apart_m = math.dist(home.spot, there.spot)
            if home is not there and apart_m < radius_m + other_m:
                text = f"would touch {other.id} at rest: {apart_m:.2f} m apart"
                yield f"robots.{robot.id}", text


def _packages(world: World) -> Iterable[tuple[str, str]]:
    types = [world.robot_types.get(robot.type) for robot in world.robots.values()]
    for package in world.packages.values():
        if not any(type_ is not None and not type_.carries(package) for type_ in types):
            yield f"packages.{package.id}", "can be carried by no robot"
    seen: set[str] = set()
    for place, (package_id, package_type) in world.stock.items():
        if place not in world.storage:
            yield f"stock.{place}", "lies in no storage place"
        if package_type not in world.packages:
            yield f"stock.{place}", f"is of no known type: {package_type!r}"
        if package_id in seen:
            yield f"stock.{place}", f"package {package_id!r} is there twice"
        seen.add(package_id)


def _charging(world: World) -> Iterable[tuple[str, str]]:
    chargers = {place for zone in world.charging.values() for place in zone.places}
    for robot in world.robots.values():
        free = [p for p in chargers if not world.keeps_out(robot.id, p)]
        if chargers and not free:
            text = "can charge nowhere: all chargers are rest places of others"
            yield f"robots.{robot.id}", text
    for zone in world.charging.values():
        noun = f"charging.{zone.id}"
        if zone.capacity > len(zone.places):
            yield (
                noun,
                f"is for {zone.capacity} robots and has {len(zone.places)} places",
            )
        for place_id in zone.places:
            place = world.places.get(place_id)
            if place is None:
                yield noun, f"names no place: {place_id!r}"
            elif not zone.contains(place.x_m, place.y_m):
                yield noun, f"has a place outside its area: {place_id!r}"
