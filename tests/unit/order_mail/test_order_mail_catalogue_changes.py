"""Faults are named by their field, and two catalogues are compared entry by entry."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from mpms.factory.domain.order_mail import Catalogue, Material, Recipe, RecipeLine
from mpms.factory.domain.order_mail.catalogue_changes import (
    FieldChange,
    differences,
    faults_of_material,
    faults_of_recipe,
    recipes_with,
)

WATER = Material("RM-001", "Water", ("Wasser",), Decimal(3000), Decimal(1))
CHALK = Material("RM-003", "Calcium carbonate", ("Chalk",), Decimal(1500))
WHITE = Recipe(
    "Matt white",
    ("Mattweiß",),
    Decimal(100),
    "l",
    (RecipeLine("RM-001", Decimal(40)), RecipeLine("RM-003", Decimal("12.5"))),
)
KNOWN = Catalogue((WATER, CHALK), (WHITE,))


def told(faults: object) -> set[tuple[str, str]]:
    assert isinstance(faults, list)
    return {(fault.field, fault.code) for fault in faults}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, set()),
        ({"code": "RM 1"}, {("code", "code_form")}),
        ({"code": "RM-001"}, {("code", "code_taken")}),
        ({"name": " - "}, {("name", "missing")}),
        ({"name": "x" * 201}, {("name", "too_long")}),
        ({"name": "WASSER!"}, {("name", "name_taken")}),
        ({"aliases": ("Zn", "chalk")}, {("aliases", "alias_taken")}),
        ({"aliases": ("…",)}, {("aliases", "missing")}),
        ({"aliases": tuple(f"a{n}" for n in range(51))}, {("aliases", "too_many")}),
        ({"max_kg": Decimal(0)}, {("max_kg", "number")}),
        ({"max_kg": Decimal("NaN")}, {("max_kg", "number")}),
        ({"max_kg": Decimal("Infinity")}, {("max_kg", "number")}),
        ({"max_kg": Decimal(1_000_001)}, {("max_kg", "number")}),
        ({"density_kg_per_l": Decimal(-1)}, {("density_kg_per_l", "number")}),
        (
            {"code": "", "name": "", "max_kg": Decimal("NaN")},
            {("code", "code_form"), ("name", "missing"), ("max_kg", "number")},
        ),
    ],
)
def test_every_fault_of_a_material_is_named_by_its_field(
    change: dict[str, object], expected: set[tuple[str, str]]
) -> None:
    new = Material("RM-021", "Zinc phosphate", (), Decimal(400))
    wanted = replace(new, **change)  # type: ignore[arg-type]
    assert told(faults_of_material(KNOWN, wanted, replaces=None)) == expected


def test_what_an_entry_is_called_now_is_no_fault_when_it_is_changed() -> None:
    heavier = replace(WATER, max_kg=Decimal(4000), aliases=("Wasser", "Agua"))
    assert faults_of_material(KNOWN, heavier, replaces="RM-001") == []
    assert faults_of_recipe(KNOWN, WHITE, replaces="Matt white") == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, set()),
        ({"name": "mattweiss"}, {("name", "name_taken")}),
        ({"unit": "gal"}, {("unit", "unit")}),
        ({"batch": Decimal(0)}, {("batch", "number")}),
        ({"lines": ()}, {("lines", "no_lines")}),
        (
            {
                "lines": (
                    RecipeLine("RM-001", Decimal(1)),
                    RecipeLine("RM-9", Decimal(0)),
                )
            },
            {("line-2", "unknown_material"), ("line-2", "number")},
        ),
    ],
)
def test_every_fault_of_a_recipe_is_named_by_its_field(
    change: dict[str, object], expected: set[tuple[str, str]]
) -> None:
    lines = (RecipeLine("RM-001", Decimal(3)),)
    new = Recipe("Primer", (), Decimal(50), "kg", lines)
    wanted = replace(new, **change)  # type: ignore[arg-type]
    assert told(faults_of_recipe(KNOWN, wanted, replaces=None)) == expected


def test_what_has_no_fault_makes_a_catalogue_that_can_be_read_again() -> None:
    place = Material("RM-021", "Zinc", (), Decimal("0.5"), Decimal("7.1"), "B")
    grown = replace(KNOWN, materials=(*KNOWN.materials, place))
    again = Catalogue.from_json(grown.to_json())
    assert again == grown
    found = again.by_code("RM-021")
    assert found is not None
    assert found.place == "B"


def test_differences_are_told_material_by_material_and_field_by_field() -> None:
    new = Material("RM-021", "Zinc phosphate", (), Decimal(400))
    moved = replace(CHALK, max_kg=Decimal(1000), place="C")
    bigger = replace(WHITE, batch=Decimal(200))
    found = differences(KNOWN, Catalogue((moved, new, WATER), (bigger,)))
    assert [(d.kind, d.key, d.change) for d in found] == [
        ("material", "RM-003", "changed"),
        ("material", "RM-021", "added"),
        ("recipe", "Matt white", "changed"),
    ]
    assert found[0].fields == (
        FieldChange("max_kg", "1500", "1000"),
        FieldChange("place", "", "C"),
    )
    assert found[2].fields == (FieldChange("batch", "100 l", "200 l"),)
    assert differences(KNOWN, Catalogue((CHALK, WATER), (WHITE,))) == []
    gone = differences(KNOWN, Catalogue((WATER, CHALK)))
    assert [(d.key, d.change) for d in gone] == [("Matt white", "removed")]


def test_the_recipes_of_a_material_are_known() -> None:
    assert recipes_with(KNOWN, "RM-003") == ["Matt white"]
    assert recipes_with(KNOWN, "RM-021") == []
