"""One tick of a person who walks a round between the robots.

People stand for whoever is in the warehouse beside robots. Simulated ones are polite:
they enter no cell that a robot holds, and turn round when the way stays closed.
"""

from __future__ import annotations

from dataclasses import replace

from shopfloor.warehouse.driving import TICK_S, step_towards
from shopfloor.warehouse.scene import Scene
from shopfloor.warehouse.things import Person

PATIENCE_S = 2.0


def tick_person(scene: Scene, person: Person) -> Person:
    if len(person.route) < 2:
        return person
    if person.entering is None:
        person = _start(scene, person)
    return _walk(scene, person) if person.entering is not None else person


def _start(scene: Scene, person: Person) -> Person:
    if person.cell == person.route[person.goal]:
        person = replace(person, goal=_after(person))
    goal = person.route[person.goal]
    dx, dy = step_towards(person.cell, goal)
    step = (dx, 0) if dx else (0, dy)
    cell = person.cell[0] + step[0], person.cell[1] + step[1]
    if scene.in_the_way(cell, person.id, loaded=True) is None:
        return replace(person, entering=cell, waited_s=0.0)
    waited_s = person.waited_s + TICK_S
    if waited_s < PATIENCE_S:
        return replace(person, waited_s=waited_s)
    turned = replace(person, waited_s=0.0, backwards=not person.backwards)
    return replace(turned, goal=_after(turned))


def _after(person: Person) -> int:
    return (person.goal + (-1 if person.backwards else 1)) % len(person.route)


def _walk(scene: Scene, person: Person) -> Person:
    if person.entering is None:
        return person
    x_m, y_m = scene.floor.spot(person.entering)
    reach_m = person.speed_mps * TICK_S
    dx, dy = x_m - person.x_m, y_m - person.y_m
    left_m = abs(dx) + abs(dy)
    if left_m <= reach_m + 1e-9:
        cell = person.entering
        return replace(person, cell=cell, entering=None, x_m=x_m, y_m=y_m)
    share = reach_m / left_m
    return replace(person, x_m=person.x_m + share * dx, y_m=person.y_m + share * dy)
