"""The forms for a material and a recipe: what was typed, and what is wrong with it.

A number that cannot be read is handed on as no number, so that one rule says of all
that it must be above zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import ClassVar

from werkzeug.datastructures import MultiDict

from mpms.factory.domain.order_mail import Material, Recipe, RecipeLine
from mpms.factory.domain.order_mail.catalogue_changes import (
    LONGEST_NAME,
    MOST_RECIPE_LINES,
    Fault,
)
from mpms.factory.domain.order_mail.numbers import plain
from mpms.factory.web.fields.typed_lines import TypedLine, TypedLines, one_line
from mpms.factory.web.labels.catalogue import fault_words

EMPTY_LINES = 3
LONGEST_NUMBER = 30
NO_NUMBER = Decimal("NaN")


@dataclass
class MaterialForm:
    """Everything as it was typed; ``errors`` by field."""

    code: str = ""
    name: str = ""
    aliases: str = ""  # one a line
    max_kg: str = ""
    density_kg_per_l: str = ""
    place: str = ""
    reason: str = ""
    seen: int | None = None
    errors: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, form: Mapping[str, str]) -> MaterialForm:
        return cls(
            code=_line(form.get("code", "")).upper(),
            name=_line(form.get("name", "")),
            aliases="\n".join(_lines(form.get("aliases", ""))),
            max_kg=_line(form.get("max_kg", "")),
            density_kg_per_l=_line(form.get("density_kg_per_l", "")),
            place=_line(form.get("place", "")),
            reason=form.get("reason", ""),
            seen=_number(form.get("seen", "")),
        )

    @classmethod
    def of(cls, material: Material, seen: int) -> MaterialForm:
        density = material.density_kg_per_l
        return cls(
            code=material.code,
            name=material.name,
            aliases="\n".join(material.aliases),
            max_kg=plain(material.max_kg),
            density_kg_per_l="" if density is None else plain(density),
            place=material.place or "",
            seen=seen,
        )

    def material(self) -> Material:
        return Material(
            code=self.code,
            name=self.name,
            aliases=tuple(_lines(self.aliases)),
            max_kg=_decimal(self.max_kg),
            density_kg_per_l=_decimal_or_none(self.density_kg_per_l),
            place=self.place or None,
        )

    def blame(self, faults: Iterable[Fault]) -> None:
        for fault in faults:
            self.errors.setdefault(fault.field, fault_words(fault))


@dataclass
class RecipeForm(TypedLines):
    """Everything as it was typed; ``errors`` by field."""

    most_lines: ClassVar[int] = MOST_RECIPE_LINES

    name: str = ""
    aliases: str = ""
    batch: str = ""
    unit: str = "l"
    density_kg_per_l: str = ""
    reason: str = ""
    seen: int | None = None
    lines: list[TypedLine] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, form: MultiDict[str, str]) -> RecipeForm:
        pairs = zip(form.getlist("material"), form.getlist("kg"), strict=False)
        return cls(
            name=_line(form.get("name", "")),
            aliases="\n".join(_lines(form.get("aliases", ""))),
            batch=_line(form.get("batch", "")),
            unit=_line(form.get("unit", "")),
            density_kg_per_l=_line(form.get("density_kg_per_l", "")),
            reason=form.get("reason", ""),
            seen=_number(form.get("seen", "")),
            lines=[
                TypedLine(_line(material).partition(" ")[0].upper(), _line(kg))
                for material, kg in list(pairs)[: MOST_RECIPE_LINES + EMPTY_LINES]
            ],
        )

    @classmethod
    def of(cls, recipe: Recipe, seen: int) -> RecipeForm:
        density = recipe.density_kg_per_l
        return cls(
            name=recipe.name,
            aliases="\n".join(recipe.aliases),
            batch=plain(recipe.batch),
            unit=recipe.unit,
            density_kg_per_l="" if density is None else plain(density),
            seen=seen,
            lines=[TypedLine(line.material, plain(line.kg)) for line in recipe.lines],
        )

    def recipe(self) -> Recipe:
        return Recipe(
            name=self.name,
            aliases=tuple(_lines(self.aliases)),
            batch=_decimal(self.batch),
            unit=self.unit,
            lines=tuple(RecipeLine(x.material, _decimal(x.kg)) for x in self._filled),
            density_kg_per_l=_decimal_or_none(self.density_kg_per_l),
        )

    def blame(self, faults: Iterable[Fault]) -> None:
        for fault in faults:
            name, _, number = fault.field.partition("-")
            if name == "line":
                line = self._filled[int(number) - 1]
                line.error = line.error or fault_words(fault)
            else:
                self.errors.setdefault(fault.field, fault_words(fault))

    @property
    def _filled(self) -> list[TypedLine]:
        return [line for line in self.lines if not line.is_empty]


def _decimal(text: str) -> Decimal:
    """12.5 or 12,5."""
    try:
        return Decimal(text[:LONGEST_NUMBER].replace(",", "."))
    except InvalidOperation:
        return NO_NUMBER


def _decimal_or_none(text: str) -> Decimal | None:
    return _decimal(text) if text else None


def _number(text: str) -> int | None:
    known = text.isascii() and text.isdigit() and len(text) < 10
    return int(text) if known else None


def _lines(text: str) -> list[str]:
    return [line for each in text.splitlines() if (line := _line(each))]


def _line(text: str) -> str:
    return one_line(text, LONGEST_NAME)
