"""Places and materials together: where each one stands, and what does not fit.

The catalogue says what can be ordered, the world where it is picked up. An order of a
material without a place is accepted and stops in the warehouse, so the gap is shown
beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass

from mpms.factory.domain.order_mail import Catalogue
from mpms.factory.domain.order_mail.catalogue import Material
from mpms.factory.domain.worlds import World


@dataclass(frozen=True)
class MaterialShown:
    """One material; ``problem`` is a word that the pages explain."""

    code: str
    name: str = ""
    aliases: tuple[str, ...] = ()
    max_kg: float | None = None
    density_kg_per_l: float | None = None
    place: str | None = None
    recipes: tuple[str, ...] = ()
    problem: str = ""  # no_place, unknown_place, not_in_catalogue


@dataclass(frozen=True)
class PlaceShown:
    """One place and what is found there."""

    name: str
    x_m: float
    y_m: float
    yaw_rad: float
    kind: str  # tank, home, rack, other
    materials: tuple[str, ...] = ()
    robots: tuple[str, ...] = ()


def list_materials(world: World, catalogue: Catalogue | None) -> list[MaterialShown]:
    """Those with a problem first, then by code."""
    shown = []
    if catalogue is not None:
        shown = [_known(world, catalogue, each) for each in catalogue.materials]
    codes = {material.code for material in shown}
    shown += [
        MaterialShown(code, place=place, problem="not_in_catalogue")
        for code, place in world.material_places.items()
        if code not in codes
    ]
    return sorted(shown, key=lambda m: (not m.problem, m.code))


def list_places(world: World) -> list[PlaceShown]:
    homes: dict[str, list[str]] = {}
    for robot in world.robots:
        homes.setdefault(robot.home, []).append(robot.id)
    stored: dict[str, list[str]] = {}
    for code, place in world.material_places.items():
        stored.setdefault(place, []).append(code)
    return [
        PlaceShown(
            name,
            pose.x_m,
            pose.y_m,
            pose.yaw_rad,
            _kind(world, name, homes),
            tuple(sorted(stored.get(name, ()))),
            tuple(homes.get(name, ())),
        )
        for name, pose in sorted(world.places.items())
    ]


def _known(world: World, catalogue: Catalogue, found: Material) -> MaterialShown:
    place = world.material_places.get(found.code)
    problem = ""
    if place is None:
        problem = "no_place"
    elif place not in world.places:
        problem = "unknown_place"
    recipes = [
        recipe.name
        for recipe in catalogue.recipes
        if any(line.material == found.code for line in recipe.lines)
    ]
    density = found.density_kg_per_l
    return MaterialShown(
        found.code,
        found.name,
        found.aliases,
        float(found.max_kg),
        None if density is None else float(density),
        place,
        tuple(recipes),
        problem,
    )


def _kind(world: World, name: str, homes: dict[str, list[str]]) -> str:
    if name in world.tanks:
        return "tank"
    if name in homes:
        return "home"
    return "rack" if name in world.material_places.values() else "other"
