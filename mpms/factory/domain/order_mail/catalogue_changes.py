"""What is wrong with an entry that somebody wants in the catalogue, and what two
catalogues differ in.

``Catalogue`` itself refuses what cannot be used. Here every fault is named by its
field, so that a form can say all of them at once, each where it belongs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from mpms.factory.domain.order_mail.catalogue import (
    OWN_CODE,
    Catalogue,
    Material,
    Recipe,
    Supplier,
    Tank,
)
from mpms.factory.domain.order_mail.comparing import fold
from mpms.factory.domain.order_mail.numbers import plain

LONGEST_NAME = 200
MOST_ALIASES = 50
MOST_RECIPE_LINES = 100
LARGEST_NUMBER = Decimal(1_000_000)
UNITS = ("l", "kg")


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong; ``code`` is a word that pages and the API explain."""

    field: str  # code, name, aliases, max_kg, ... line-1, line-2
    code: str
    detail: str = ""


@dataclass(frozen=True)
class FieldChange:
    field: str
    old: str
    new: str


@dataclass(frozen=True)
class Difference:
    """One material or recipe that is not the same in both."""

    kind: str  # material, recipe, supplier, tank, lot
    key: str  # the code of a material, the name of a recipe
    name: str
    change: str  # added, removed, changed
    fields: tuple[FieldChange, ...] = ()


def faults_of_material(
    catalogue: Catalogue, material: Material, *, replaces: str | None
) -> list[Fault]:
    """``replaces`` is the code of the entry that this one takes the place of."""
    others = [m for m in catalogue.materials if m.code != replaces]
    found = []
    if OWN_CODE.fullmatch(material.code) is None:
        found.append(Fault("code", "code_form", material.code))
    elif taken := next((m for m in others if m.code == material.code), None):
        found.append(Fault("code", "code_taken", taken.name))
    known = {
        fold(name): f"{other.code} {other.name}"
        for other in others
        for name in other.all_names
    }
    found += _faults_of_names(material.name, material.aliases, known)
    found += _faults_of_number("max_kg", material.max_kg)
    if material.density_kg_per_l is not None:
        found += _faults_of_number("density_kg_per_l", material.density_kg_per_l)
    return found


def faults_of_recipe(
    catalogue: Catalogue, recipe: Recipe, *, replaces: str | None
) -> list[Fault]:
    """``replaces`` is the name of the entry that this one takes the place of."""
    others = [r for r in catalogue.recipes if r.name != replaces]
    known = {
        fold(name): other.name
        for other in others
        for name in (other.name, *other.aliases)
    }
    found = [*_faults_of_names(recipe.name, recipe.aliases, known)]
    found += _faults_of_number("batch", recipe.batch)
    if recipe.unit not in UNITS:
        found.append(Fault("unit", "unit", recipe.unit))
    if recipe.density_kg_per_l is not None:
        found += _faults_of_number("density_kg_per_l", recipe.density_kg_per_l)
    if not recipe.lines:
        found.append(Fault("lines", "no_lines"))
    if len(recipe.lines) > MOST_RECIPE_LINES:
        found.append(Fault("lines", "too_many", str(MOST_RECIPE_LINES)))
    for number, line in enumerate(recipe.lines, start=1):
        if catalogue.by_code(line.material) is None:
            found.append(Fault(f"line-{number}", "unknown_material", line.material))
        found += _faults_of_number(f"line-{number}", line.kg)
    return found


def recipes_with(catalogue: Catalogue, code: str) -> list[str]:
    """The names of the recipes that need a material."""
    return [
        recipe.name
        for recipe in catalogue.recipes
        if any(line.material == code for line in recipe.lines)
    ]


def differences(old: Catalogue, new: Catalogue) -> list[Difference]:
    """Materials, recipes, suppliers and tanks, each in the order of their keys."""
    materials = _compared(
        "material",
        {m.code: (m.name, told_material(m)) for m in old.materials},
        {m.code: (m.name, told_material(m)) for m in new.materials},
    )
    recipes = _compared(
        "recipe",
        {r.name: (r.name, told_recipe(r)) for r in old.recipes},
        {r.name: (r.name, told_recipe(r)) for r in new.recipes},
    )
    suppliers = _compared(
        "supplier",
        {s.code: (s.name, told_supplier(s)) for s in old.suppliers},
        {s.code: (s.name, told_supplier(s)) for s in new.suppliers},
    )
    tanks = _compared(
        "tank",
        {tank.place: (tank.place, told_tank(tank)) for tank in old.tanks},
        {tank.place: (tank.place, told_tank(tank)) for tank in new.tanks},
    )
    return [*materials, *recipes, *suppliers, *tanks]


def told_supplier(supplier: Supplier) -> dict[str, str]:
    return {"name": supplier.name, "email": supplier.email}


def told_tank(tank: Tank) -> dict[str, str]:
    programmes = (f"{p.name}: {plain(p.minutes)} min" for p in tank.programmes)
    return {"volume_l": plain(tank.volume_l), "programmes": ", ".join(programmes)}


def told_material(material: Material) -> dict[str, str]:
    """Its fields in words, for comparing and for the history."""
    return {
        "name": material.name,
        "aliases": ", ".join(material.aliases),
        "max_kg": plain(material.max_kg),
        "density_kg_per_l": _plain_or_nothing(material.density_kg_per_l),
        "place": material.place or "",
    } | {
        key: value
        for key, value in {
            "names": ", ".join(f"{lang}: {name}" for lang, name in material.names),
            "hazards": ", ".join(material.hazards),
            "tolerance_class": material.tolerance_class,
            "picture": material.picture,
            "minimum_kg": _plain_or_nothing(material.minimum_kg),
            "reorder_kg": _plain_or_nothing(material.reorder_kg),
            "supplier": material.supplier,
        }.items()
        if value
    }


def told_recipe(recipe: Recipe) -> dict[str, str]:
    lines = [
        f"{line.material} {plain(line.kg)} kg"
        + ("" if line.step is None else f" ({line.step})")
        for line in recipe.lines
    ]
    return {
        "name": recipe.name,
        "aliases": ", ".join(recipe.aliases),
        "batch": f"{plain(recipe.batch)} {recipe.unit}",
        "density_kg_per_l": _plain_or_nothing(recipe.density_kg_per_l),
        "lines": ", ".join(lines),
    } | {
        key: value
        for key, value in {
            "programme": recipe.programme,
            "mixing_minutes": _plain_or_nothing(recipe.mixing_minutes),
        }.items()
        if value
    }


def changed_fields(old: dict[str, str], new: dict[str, str]) -> tuple[FieldChange, ...]:
    return tuple(
        FieldChange(field, old.get(field, ""), new.get(field, ""))
        for field in dict.fromkeys((*new, *old))
        if old.get(field, "") != new.get(field, "")
    )


_Entries = dict[str, tuple[str, dict[str, str]]]


def _compared(kind: str, old: _Entries, new: _Entries) -> Iterator[Difference]:
    for key in sorted(old.keys() | new.keys()):
        if key not in old:
            name, told = new[key]
            yield Difference(kind, key, name, "added", changed_fields({}, told))
        elif key not in new:
            yield Difference(kind, key, old[key][0], "removed")
        elif changed := changed_fields(old[key][1], new[key][1]):
            yield Difference(kind, key, new[key][0], "changed", changed)


def _faults_of_names(
    name: str, aliases: Sequence[str], known: dict[str, str]
) -> Iterable[Fault]:
    if not fold(name):
        yield Fault("name", "missing")
    elif len(name) > LONGEST_NAME:
        yield Fault("name", "too_long", str(LONGEST_NAME))
    elif other := known.get(fold(name)):
        yield Fault("name", "name_taken", other)
    if len(aliases) > MOST_ALIASES:
        yield Fault("aliases", "too_many", str(MOST_ALIASES))
    for alias in aliases:
        if not fold(alias):
            yield Fault("aliases", "missing", alias)
        elif len(alias) > LONGEST_NAME:
            yield Fault("aliases", "too_long", str(LONGEST_NAME))
        elif other := known.get(fold(alias)):
            yield Fault("aliases", "alias_taken", f"{alias}: {other}")


def _faults_of_number(field: str, value: Decimal) -> Iterable[Fault]:
    if not (value.is_finite() and 0 < value <= LARGEST_NUMBER):
        yield Fault(field, "number")


def _plain_or_nothing(value: Decimal | None) -> str:
    return "" if value is None else plain(value)
