"""Add, change or remove a material or a recipe, each as a new version.

Two people may work on different entries at once; whoever would overwrite what another
has changed since is told who it was. Orders keep their own lines, so a material may go
while orders of it are open; it may not while a recipe needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mpms.domain.errors import Conflict, MpmsError, NotFound
from mpms.factory.domain.order_mail import Catalogue, Material, Recipe
from mpms.factory.domain.order_mail.catalogue_changes import (
    Fault,
    changed_fields,
    faults_of_material,
    faults_of_recipe,
    recipes_with,
    told_material,
    told_recipe,
)
from mpms.factory.domain.worlds import World
from mpms.factory.ports.catalogue import CatalogueVersion
from mpms.factory.ports.store import UnitOfWork
from mpms.factory.services.catalogue.current import CurrentCatalogue
from mpms.factory.services.catalogue.write import (
    add_version,
    lock_catalogue,
    refuse_if_changed,
)
from mpms.services.instances.apply_repair import required

SENTENCES = {
    "code_form": (
        "A code has capitals, digits and . _ - without spaces, and at least one"
        " digit: RM-001."
    ),
    "code_taken": "This code belongs to another material: {detail}.",
    "missing": "A name needs at least one letter or digit.",
    "too_long": "At most {detail} characters.",
    "too_many": "At most {detail}.",
    "name_taken": "This name stands for another one: {detail}.",
    "alias_taken": "One of these names stands for another one: {detail}.",
    "number": "A number above zero, at most 1000000.",
    "unit": "The unit is l or kg.",
    "no_lines": "A recipe needs at least one material.",
    "unknown_material": "There is no material {detail}.",
    "place_unknown": "The floor has no place {detail}.",
    "column_unknown": "There is no column {detail}.",
    "column_missing": "The column {detail} is missing.",
    "row_twice": "This code stands in row {detail} already.",
    "lot_state": "This is no state of a lot: {detail}.",
    "lot_material": "This lot is of {detail}.",
    "lot_material_unknown": "There is no material {detail}.",
    "lot_lot_form": "A lot has letters, digits and . / _ # -, at most 60: {detail}.",
    "lot_place_unknown": "The floor has no place {detail}.",
    "lot_weight": "The weight is a number of kg, at most a million.",
    "lot_date": "{detail} is no date; write it as 2027-03-31.",
    "lot_expired": "This lot has expired already: {detail}.",
    "date": "{detail} is no date; write it as 2027-03-31.",
    "mail": "This is no mail address: {detail}.",
    "programme": "Write a programme as name: minutes; this is none: {detail}.",
    "whole": "A whole number above zero.",
}


class CatalogueRefused(MpmsError):
    """The entry cannot be kept as it is; each fault names its field."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = list(faults)
        self.errors = [
            {"in": "body", "at": each.field, "code": each.code, "reason": _told(each)}
            for each in faults
        ]
        told = (f"{each['at']}: {each['reason']}" for each in self.errors[:5])
        super().__init__(" ".join(told))


class MaterialUnknown(NotFound):
    """There is no such material."""


class RecipeUnknown(NotFound):
    """There is no such recipe."""


class MaterialNeeded(Conflict):
    """Recipes need this material; change or remove them first."""

    def __init__(self, recipes: Sequence[str]) -> None:
        self.recipes = list(recipes)
        super().__init__(
            f"Recipes need this material: {', '.join(recipes)}."
            " Change or remove them first."
        )


@dataclass(frozen=True)
class Removed:
    """A material is gone; these open orders still bring it to the tank."""

    version: CatalogueVersion
    open_orders: Sequence[str]


def save_material(
    uow: UnitOfWork,
    materials: CurrentCatalogue,
    world: World,
    material: Material,
    *,
    replaces: str | None = None,
    seen: int | None = None,
    by: str,
    reason: str,
) -> CatalogueVersion | None:
    """``replaces`` is the code of the entry to change, ``seen`` the version that was
    looked at. None if nothing differs.

    ReasonMissing, MaterialUnknown, CatalogueRefused, CatalogueChanged.
    """
    with uow() as tx:
        now = lock_catalogue(tx, materials)
        refuse_if_changed(
            tx, materials, seen, material.code, lambda c: c.by_code(material.code)
        )
        old = None if replaces is None else _material(now, replaces)
        faults = faults_of_material(now, material, replaces=replaces)
        if material.place is not None and material.place not in world.places:
            faults.append(Fault("place", "place_unknown", material.place))
        if faults:
            raise CatalogueRefused(faults)
        why = required(reason)
        material = kept_material(old, material)
        if material == old:
            return None
        others = [m for m in now.materials if m.code != replaces]
        kept = sorted([*others, material], key=lambda m: m.code)
        was, told = {} if old is None else told_material(old), told_material(material)
        changed = changed_fields(was, told)
        return add_version(
            tx,
            materials,
            replace(now, materials=tuple(kept)),
            did="material added" if old is None else "material changed",
            thing=material.code,
            by=by,
            reason=why,
            data={
                "material": material.code,
                "old": {each.field: each.old for each in changed},
                "new": {each.field: each.new for each in changed},
            },
        )


def remove_material(
    uow: UnitOfWork,
    materials: CurrentCatalogue,
    code: str,
    *,
    seen: int | None = None,
    by: str,
    reason: str,
) -> Removed:
    """ReasonMissing, MaterialUnknown, MaterialNeeded, CatalogueChanged."""
    why = required(reason)
    with uow() as tx:
        now = lock_catalogue(tx, materials)
        refuse_if_changed(tx, materials, seen, code, lambda c: c.by_code(code))
        old = _material(now, code)
        if needing := recipes_with(now, code):
            raise MaterialNeeded(needing)
        left = tuple(m for m in now.materials if m.code != code)
        made = add_version(
            tx,
            materials,
            replace(now, materials=left),
            did="material removed",
            thing=code,
            by=by,
            reason=why,
            data={"material": code, "name": old.name},
        )
        return Removed(made, tx.orders.open_with(code))


def save_recipe(
    uow: UnitOfWork,
    materials: CurrentCatalogue,
    recipe: Recipe,
    *,
    replaces: str | None = None,
    seen: int | None = None,
    by: str,
    reason: str,
) -> CatalogueVersion | None:
    """``replaces`` is the name of the entry to change, which may get another.

    ReasonMissing, RecipeUnknown, CatalogueRefused, CatalogueChanged.
    """
    with uow() as tx:
        now = lock_catalogue(tx, materials)
        key = recipe.name if replaces is None else replaces
        refuse_if_changed(tx, materials, seen, key, lambda c: c.recipe(key))
        old = None if replaces is None else _recipe(now, replaces)
        name = recipe.name if old is None else old.name
        faults = faults_of_recipe(
            now, recipe, replaces=None if old is None else old.name
        )
        if faults:
            raise CatalogueRefused(faults)
        why = required(reason)
        recipe = kept_recipe(old, recipe)
        if recipe == old:
            return None
        others = [r for r in now.recipes if r is not old]
        kept = sorted([*others, recipe], key=lambda r: r.name.casefold())
        was, told = {} if old is None else told_recipe(old), told_recipe(recipe)
        changed = changed_fields(was, told)
        return add_version(
            tx,
            materials,
            replace(now, recipes=tuple(kept)),
            did="recipe added" if old is None else "recipe changed",
            thing=name,
            by=by,
            reason=why,
            data={
                "recipe": name,
                "old": {each.field: each.old for each in changed},
                "new": {each.field: each.new for each in changed},
            },
        )


def remove_recipe(
    uow: UnitOfWork,
    materials: CurrentCatalogue,
    name: str,
    *,
    seen: int | None = None,
    by: str,
    reason: str,
) -> CatalogueVersion:
    """ReasonMissing, RecipeUnknown, CatalogueChanged."""
    why = required(reason)
    with uow() as tx:
        now = lock_catalogue(tx, materials)
        refuse_if_changed(tx, materials, seen, name, lambda c: c.recipe(name))
        old = _recipe(now, name)
        return add_version(
            tx,
            materials,
            replace(now, recipes=tuple(r for r in now.recipes if r is not old)),
            did="recipe removed",
            thing=old.name,
            by=by,
            reason=why,
            data={"recipe": old.name},
        )


def kept_material(old: Material | None, new: Material) -> Material:
    """With what a form without these fields leaves as it was."""
    if old is None:
        return new
    return replace(
        new,
        names=new.names or old.names,
        hazards=new.hazards or old.hazards,
        tolerance_class=new.tolerance_class or old.tolerance_class,
        picture=new.picture or old.picture,
        minimum_kg=new.minimum_kg or old.minimum_kg,
        reorder_kg=new.reorder_kg or old.reorder_kg,
        supplier=new.supplier or old.supplier,
    )


def kept_recipe(old: Recipe | None, new: Recipe) -> Recipe:
    """The same for a recipe; a change makes its next version."""
    if old is None:
        return new
    steps = {line.material: line.step for line in old.lines}
    lines = tuple(
        line if line.step is not None else replace(line, step=steps.get(line.material))
        for line in new.lines
    )
    made = replace(
        new,
        lines=lines,
        version=old.version,
        programme=new.programme or old.programme,
        mixing_minutes=new.mixing_minutes or old.mixing_minutes,
    )
    return made if made == old else replace(made, version=old.version + 1)


def _material(catalogue: Catalogue, code: str) -> Material:
    found = catalogue.by_code(code)
    if found is None:
        raise MaterialUnknown(f"There is no material {code}.")
    return found


def _recipe(catalogue: Catalogue, name: str) -> Recipe:
    found = catalogue.recipe(name)
    if found is None:
        raise RecipeUnknown(f"There is no recipe {name}.")
    return found


def _told(fault: Fault) -> str:
    return SENTENCES[fault.code].format(detail=fault.detail)
