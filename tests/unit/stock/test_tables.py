"""Master data as tables: out, changed by a person, and in again."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from mpms.factory.adapters.mail.sandbox.workbook import workbook_texts
from mpms.factory.domain.order_mail.catalogue import (
    Catalogue,
    Material,
    MixingProgramme,
    Recipe,
    RecipeLine,
    Supplier,
    Tank,
)
from mpms.factory.domain.order_mail.catalogue_changes import differences
from mpms.factory.domain.tables import KINDS, csv_of, kind_named, read_kind, xlsx_of

PLACES = frozenset({"A", "B", "tank"})
KNOWN = Catalogue(
    materials=(
        Material("RM-001", "Water", ("aqua",), Decimal(900), Decimal(1), "A"),
        Material("RM-002", "Größe <&> “x”", (), Decimal("7.5"), place="B"),
    ),
    recipes=(
        Recipe(
            "White",
            ("blanc",),
            Decimal(100),
            "kg",
            (RecipeLine("RM-001", Decimal(60), 1), RecipeLine("RM-002", Decimal("7"))),
            programme="slow",
        ),
    ),
    suppliers=(Supplier("S-1", "Works", "works@example.com"),),
    tanks=(Tank("tank", Decimal(800), (MixingProgramme("slow", Decimal("12.5")),)),),
)


def table(kind: str, catalogue: Catalogue = KNOWN) -> list[list[str]]:
    found = kind_named(kind)
    assert found is not None
    return [list(row) for row in found.table(catalogue)]


def taken(kind: str, rows: list[list[str]]) -> tuple[list[str], list[str]]:
    """What changes, and what is wrong and where."""
    found = kind_named(kind)
    assert found is not None
    new, faults = read_kind(found, csv_of(rows), KNOWN, PLACES)
    told = [f"{d.key} {d.change}" for d in differences(KNOWN, new)]
    return told, [f"{f.row} {f.column} {f.code}" for f in faults]


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_what_goes_out_comes_in_again_and_changes_nothing(kind: str) -> None:
    rows = table(kind)
    assert taken(kind, rows) == ([], [])
    assert workbook_texts(xlsx_of(rows, kind)) == [
        row + [""] * (len(rows[0]) - len(row)) for row in rows
    ]
    assert len(rows) > 1


def test_each_table_says_what_it_would_change() -> None:
    suppliers = [["code", "name"], ["S-1", "Works Ltd"], ["S-2", "Other"]]
    assert taken("suppliers", suppliers) == (["S-1 changed", "S-2 added"], [])
    tanks = [["place", "volume_l"], ["tank", "900"], ["B", "50,5"]]
    assert taken("tanks", tanks) == (["B added", "tank changed"], [])
    recipes = table("recipes")[:2]  # a recipe has the lines of the table and no others
    assert taken("recipes", recipes) == (["White changed"], [])
    found = kind_named("recipes")
    assert found is not None
    new, _ = read_kind(found, csv_of(recipes), KNOWN, PLACES)
    assert [(r.version, len(r.lines)) for r in new.recipes] == [(2, 1)]
    old_email = [["code", "name"], ["S-1", "Works"]]  # a missing column leaves it
    assert taken("suppliers", old_email) == ([], [])


def test_every_fault_is_named_by_row_and_column_and_nothing_is_taken() -> None:
    bad = [
        ["recipe", "batch", "unit", "material", "kg", "step"],
        ["White", "100", "kg", "RM-001", "5", "x"],
        ["White", "", "", "RM-999", "-1", ""],
        ["Grey", "none", "stone", "RM-001", "5", ""],
        ["", "1", "kg", "RM-001", "5", ""],
    ]
    changes, faults = taken("recipes", bad)
    assert changes == []
    assert faults == [
        "5 recipe missing",
        "2 step whole",
        "3 material unknown_material",
        "3 kg number",
        "4 batch number",
        "4 unit unit",
    ]
    tanks = [["place", "volume_l", "programmes"], ["moon", "0", "slow; fast: 3"]]
    assert taken("tanks", tanks)[1] == [
        "2 place place_unknown",
        "2 volume_l number",
        "2 programmes programme",
    ]
    suppliers = [["code", "name", "email"], ["S-3", "", "x"], ["S-3", "a", ""]]
    assert taken("suppliers", suppliers)[1] == [
        "2 name missing",
        "2 email mail",
        "3 code row_twice",
    ]
    assert taken("suppliers", [["code", "colour"]])[1] == ["1 colour column_unknown"]
    assert taken("tanks", [["place"]])[1] == ["1 volume_l column_missing"]


def test_a_workbook_keeps_texts_as_they_are() -> None:
    rows = [["a", "b"], ["007", "1e5"], ["", "<&>\"'"], ["2026-01-02", "=1+1"]]
    assert workbook_texts(xlsx_of(rows, "t")) == rows
    many = [[str(n) for n in range(30)]]
    assert workbook_texts(xlsx_of(many, "t")) == many
    assert xlsx_of(rows, "t") == xlsx_of(rows, "t")
    bare = replace(KNOWN, recipes=(), suppliers=(), tanks=())
    assert table("tanks", bare) == [["place", "volume_l", "programmes"]]
