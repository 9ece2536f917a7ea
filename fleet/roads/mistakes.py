"""What is wrong with the roads of a world: places, robots and lanes, each by its noun.

Where a robot can drive is known only when its roadmap is made, so this is found after
everything that can be read from the files alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from fleet.model.world import Lane, Moves, RobotType, World
from fleet.roads.geometry import Walls
from fleet.roads.make import WAITING, make_roadmap, unreached_places
from fleet.roads.roadmap import Roadmap


def road_mistakes(world: World) -> Iterator[tuple[str, str]]:
    """Nouns as in the files, such as ``places.tank``, and what is wrong there."""
    types = _types(world)
    roadmaps = {each.id: make_roadmap(world, each) for each in types}
    for place, why in unreached_places(world, roadmaps).items():
        yield _noun(world, place), f"is reached by no robot ({why})"
    for place in world.waiting:
        reasons = {
            name: r.unreached.get(place + WAITING) for name, r in roadmaps.items()
        }
        if roadmaps and all(reasons.values()):
            why = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
            yield f"waiting.{place}", f"is reached by no robot ({why})"
    yield from _homes(world, roadmaps)
    for lane in world.lanes:
        yield from _lane(world, lane, types)


def road_hints(world: World) -> Iterator[tuple[str, str]]:
    """What may be meant so: lanes that only some robots fit into, or that bind none."""
    types = _types(world)
    drivers = [each for each in types if each.moves is Moves.LANES]
    if world.lanes and not drivers:
        noun = f"lanes.{world.lanes[0].id}"
        yield noun, "binds no robot: no type of robot moves along lanes"
    for lane in world.lanes:
        wide = [each for each in drivers if lane.width_m < 2 * each.radius_m]
        if wide and len(wide) < len(drivers):
            yield f"lanes.{lane.id}", _narrow(lane, wide)


def _types(world: World) -> list[RobotType]:
    used = {robot.type for robot in world.robots.values()}
    return [kind for name, kind in world.robot_types.items() if name in used]


def _homes(world: World, roadmaps: dict[str, Roadmap]) -> Iterator[tuple[str, str]]:
    for robot in world.robots.values():
        roadmap = roadmaps.get(robot.type)
        why = None if roadmap is None else roadmap.unreached.get(robot.home)
        if why:
            yield f"robots.{robot.id}", f"does not reach its rest place: {why}"


def _lane(
    world: World, lane: Lane, types: list[RobotType]
) -> Iterator[tuple[str, str]]:
    drivers = [each for each in types if each.moves is Moves.LANES] or types
    wide = [each for each in drivers if lane.width_m < 2 * each.radius_m]
    if wide and len(wide) == len(drivers):
        yield f"lanes.{lane.id}", _narrow(lane, wide)
    for kind in drivers:
        walls = Walls(world.walls, kind.radius_m)
        pieces = itertools.pairwise(lane.points)
        if kind not in wide and not all(walls.clear(*a, *b) for a, b in pieces):
            needed = f"{kind.radius_m:g} m, which {kind.id} needs"
            yield f"lanes.{lane.id}", f"passes nearer to a wall than {needed}"


def _narrow(lane: Lane, wide: list[RobotType]) -> str:
    needed = ", ".join(f"{each.id} needs {2 * each.radius_m:.2f} m" for each in wide)
    return f"is {lane.width_m:.2f} m wide, too narrow: {needed}"


def _noun(world: World, place: str) -> str:
    sections = ("places", "storage", "inputs", "outputs")
    nouns = [f"{section}.{place}" for section in sections]
    return next((noun for noun in nouns if noun in world.sources), nouns[0])
