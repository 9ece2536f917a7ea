"""Version 2: a recipe by name and a batch size, expanded into material lines."""

from __future__ import annotations

import re
from decimal import Decimal, localcontext

from mpms.factory.domain.order_mail.catalogue import Catalogue, Recipe
from mpms.factory.domain.order_mail.comparing import clean_text
from mpms.factory.domain.order_mail.fields import Fields
from mpms.factory.domain.order_mail.materials import outside_limits
from mpms.factory.domain.order_mail.numbers import (
    KG_PER_UNIT,
    LARGEST_EXPONENT,
    LITRES_PER_UNIT,
    known_unit,
    plain,
    read_exact,
    read_number,
    round_to_gram,
)
from mpms.factory.domain.order_mail.outcome import DraftLine, Problem

_BATCH = re.compile(r"(?P<number>.*\S)\s+(?P<unit>[^\W\d_]+)")


def expand_recipe(
    fields: Fields,
    catalogue: Catalogue,
    decimal_sign: str | None,
    problems: list[Problem],
    *,
    exact: bool = False,
) -> tuple[Recipe | None, tuple[DraftLine, ...]]:
    """The lines of a recipe for one batch. ``exact``: the batch stands in JSON."""
    for name, values in (("recipe", fields.recipes), ("batch", fields.batches)):
        if len(values) > 1:
            shown = " / ".join(clean_text(value, 60) for value in values)
            problems.append(Problem("conflicting_field", name, shown))
            return None, ()
    written = fields.batches[0] if fields.batches else ""
    recipe = catalogue.recipe(fields.recipes[0])
    if recipe is None:
        name = clean_text(fields.recipes[0], 80)
        problems.append(Problem("unknown_recipe", detail=name))
    batch = _batch(written, None if exact else decimal_sign, exact)
    if isinstance(batch, Problem):
        problems.append(batch)
    if recipe is None or isinstance(batch, Problem):
        return None, ()
    factor = _batches(recipe, *batch)
    if isinstance(factor, Problem):
        problems.append(factor)
        return None, ()
    return recipe, _lines(recipe, factor, catalogue, problems)


def _batch(
    written: str, decimal_sign: str | None, exact: bool
) -> tuple[Decimal, str] | Problem:
    where = clean_text(written, 60)
    match = _BATCH.fullmatch(written) if len(written) <= 100 else None
    if match is None:
        return Problem("bad_batch", "batch", where)
    number = (
        read_exact(match["number"])
        if exact
        else read_number(match["number"], decimal_sign)
    )
    if isinstance(number, Problem):
        return Problem(number.code, "batch", where)
    unit = known_unit(match["unit"])
    if unit is None:
        return Problem("unknown_unit", "batch", match["unit"])
    if number <= 0:
        return Problem("non_positive_amount", "batch", where)
    if number.adjusted() > LARGEST_EXPONENT:
        return Problem("amount_out_of_range", "batch", where)
    return number, unit


def _batches(recipe: Recipe, amount: Decimal, unit: str) -> Decimal | Problem:
    """How many base batches an amount is."""
    with localcontext(prec=60):
        return _divided(recipe, amount, unit)


def _divided(recipe: Recipe, amount: Decimal, unit: str) -> Decimal | Problem:
    volume = unit in LITRES_PER_UNIT
    size = amount * (LITRES_PER_UNIT if volume else KG_PER_UNIT)[unit]
    if volume != (recipe.unit == "l"):
        density = recipe.density_kg_per_l
        if density is None:
            return Problem("no_density", "batch", recipe.name)
        size = size * density if volume else size / density
    return size / recipe.batch


def _lines(
    recipe: Recipe, factor: Decimal, catalogue: Catalogue, problems: list[Problem]
) -> tuple[DraftLine, ...]:
    lines = []
    for needed in recipe.lines:
        material = catalogue.by_code(needed.material)
        if material is None:
            continue  # a catalogue with such a recipe cannot be made
        kg = round_to_gram(needed.kg, factor)
        if problem := outside_limits(kg, material):
            where = f"{material.code} {material.name} {plain(kg)} kg"
            problems.append(Problem(problem.code, where, problem.detail))
        lines.append(DraftLine(material.code, material.name, kg))
    return tuple(lines)
