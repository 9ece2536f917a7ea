"""Materials, recipes, suppliers and tanks of a catalogue as tables.

Every fault is named by its row and column, all at once. What a table does not name
stays as it is; a recipe that it names has the lines of the table and no others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from mpms.factory.domain.order_mail import exchange
from mpms.factory.domain.order_mail.catalogue import (
    Catalogue,
    MixingProgramme,
    Recipe,
    RecipeLine,
    Supplier,
    Tank,
)
from mpms.factory.domain.order_mail.catalogue_changes import Fault, faults_of_recipe
from mpms.factory.domain.order_mail.exchange import MOST_ROWS, CellFault
from mpms.factory.domain.order_mail.numbers import plain
from mpms.factory.domain.tables.rows import rows_of

NO_NUMBER = Decimal("NaN")
Places = frozenset[str]
Found = tuple[Catalogue, list[CellFault]]


@dataclass(frozen=True)
class Said:
    """One row of a table, by the names of its columns."""

    row: int
    cells: dict[str, str]

    def get(self, column: str) -> str:
        return self.cells.get(column, "")


@dataclass(frozen=True)
class Kind:
    """A table: its columns, how a catalogue is written and what a table means."""

    name: str
    columns: Sequence[str]
    key: Sequence[str]  # columns that must be there
    written: Callable[[Catalogue], Iterable[Sequence[str]]]
    read: Callable[[list[Said], Catalogue, Places], Found] | None = None

    def table(self, catalogue: Catalogue) -> list[Sequence[str]]:
        return [self.columns, *self.written(catalogue)]


def read_kind(kind: Kind, text: str, catalogue: Catalogue, places: Places) -> Found:
    """The catalogue with what the table says, and everything that is wrong."""
    if kind.read is None:
        return exchange.read(text, catalogue, places)
    rows, faults = said_in(text, kind.columns, kind.key)
    if faults:
        return catalogue, faults
    found, faults = kind.read(rows, catalogue, places)
    return (catalogue if faults else found), faults


def said_in(
    text: str, columns: Sequence[str], needed: Sequence[str]
) -> tuple[list[Said], list[CellFault]]:
    """Rows that say something; faults of the heading."""
    rows = rows_of(text)
    heading = [cell.strip().casefold() for cell in rows[0]] if rows else []
    faults = [
        CellFault(1, name or "?", "column_unknown", name)
        for name in heading
        if name not in columns
    ]
    faults += [
        CellFault(1, name, "column_missing", name)
        for name in needed
        if name not in heading
    ]
    if len(rows) > MOST_ROWS + 1:
        faults.append(CellFault(MOST_ROWS + 2, "?", "too_many", str(MOST_ROWS)))
    said = [
        Said(
            number,
            dict(zip(heading, (cell.strip() for cell in cells), strict=False)),
        )
        for number, cells in enumerate(rows[1 : MOST_ROWS + 1], start=2)
    ]
    return [each for each in said if any(each.cells.values())], faults


def number_in(text: str) -> Decimal:
    """NaN for what is none."""
    try:
        return Decimal(text[:30].replace(",", "."))
    except InvalidOperation:
        return NO_NUMBER


def above_zero(value: Decimal) -> bool:
    return value.is_finite() and 0 < value <= 1_000_000


def _materials(catalogue: Catalogue) -> Iterable[Sequence[str]]:
    return rows_of(exchange.written(catalogue))[1:]


# -- suppliers -------------------------------------------------------------------------


def _suppliers(catalogue: Catalogue) -> Iterable[Sequence[str]]:
    return [(each.code, each.name, each.email) for each in catalogue.suppliers]


def _read_suppliers(said: list[Said], catalogue: Catalogue, _: Places) -> Found:
    known = {each.code: each for each in catalogue.suppliers}
    faults: list[CellFault] = []
    seen: dict[str, int] = {}
    for each in said:
        code, email = each.get("code"), each.get("email")
        if not _once(each, "code", code, seen, faults):
            continue
        old = known.get(code)
        name = each.get("name") or ("" if old is None else old.name)
        if not name:
            faults.append(CellFault(each.row, "name", "missing"))
        if email and ("@" not in email or " " in email or len(email) > 200):
            faults.append(CellFault(each.row, "email", "mail", email[:40]))
        if "email" not in each.cells and old is not None:
            email = old.email
        known[code] = Supplier(code, name[:200], email)
    suppliers = tuple(sorted(known.values(), key=lambda s: s.code))
    return replace(catalogue, suppliers=suppliers), faults


# -- tanks -----------------------------------------------------------------------------


def _tanks(catalogue: Catalogue) -> Iterable[Sequence[str]]:
    return [
        (
            tank.place,
            plain(tank.volume_l),
            "; ".join(f"{p.name}: {plain(p.minutes)}" for p in tank.programmes),
        )
        for tank in catalogue.tanks
    ]


def _read_tanks(said: list[Said], catalogue: Catalogue, places: Places) -> Found:
    known = {each.place: each for each in catalogue.tanks}
    faults: list[CellFault] = []
    seen: dict[str, int] = {}
    for each in said:
        place = each.get("place")
        if not _once(each, "place", place, seen, faults):
            continue
        if place not in places:
            faults.append(CellFault(each.row, "place", "place_unknown", place))
        volume_l = number_in(each.get("volume_l"))
        if not above_zero(volume_l):
            faults.append(CellFault(each.row, "volume_l", "number"))
        old = known.get(place)
        programmes = () if old is None else old.programmes
        if "programmes" in each.cells:
            programmes = tuple(_programmes(each, faults))
        known[place] = Tank(place, volume_l, programmes)
    tanks = tuple(sorted(known.values(), key=lambda tank: tank.place))
    return replace(catalogue, tanks=tanks), faults


def _programmes(each: Said, faults: list[CellFault]) -> Iterable[MixingProgramme]:
    for part in each.get("programmes").split(";"):
        name, _, minutes = (word.strip() for word in part.partition(":"))
        if not name and not minutes:
            continue
        lasts = number_in(minutes)
        if not name or not above_zero(lasts):
            faults.append(CellFault(each.row, "programmes", "programme", part.strip()))
        else:
            yield MixingProgramme(name, lasts)


# -- recipes ---------------------------------------------------------------------------


def _recipes(catalogue: Catalogue) -> Iterable[Sequence[str]]:
    return [
        (
            recipe.name,
            "; ".join(recipe.aliases),
            plain(recipe.batch),
            recipe.unit,
            _or_empty(recipe.density_kg_per_l),
            recipe.programme,
            _or_empty(recipe.mixing_minutes),
            line.material,
            plain(line.kg),
            "" if line.step is None else str(line.step),
        )
        for recipe in catalogue.recipes
        for line in recipe.lines
    ]


def _read_recipes(said: list[Said], catalogue: Catalogue, _: Places) -> Found:
    """The first row of a recipe says what holds for all of it."""
    known = {each.name: each for each in catalogue.recipes}
    faults: list[CellFault] = []
    by_name: dict[str, list[Said]] = {}
    for each in said:
        if name := each.get("recipe"):
            by_name.setdefault(name, []).append(each)
        else:
            faults.append(CellFault(each.row, "recipe", "missing"))
    for name, rows in by_name.items():
        old = known.get(name)
        new = _recipe(name, rows, old, faults)
        around = replace(catalogue, recipes=tuple(known.values()))
        found = faults_of_recipe(around, new, replaces=None if old is None else name)
        faults += [_cell_of(each, rows) for each in found]
        if not found:
            known[name] = new
    recipes = tuple(sorted(known.values(), key=lambda recipe: recipe.name))
    return replace(catalogue, recipes=recipes), faults


def _recipe(
    name: str, rows: list[Said], old: Recipe | None, faults: list[CellFault]
) -> Recipe:
    head = rows[0]
    lines = []
    for each in rows:
        step = each.get("step")
        if step and not (step.isascii() and step.isdigit() and len(step) < 4):
            faults.append(CellFault(each.row, "step", "whole"))
            step = ""
        lines.append(
            RecipeLine(
                each.get("material").upper(),
                number_in(each.get("kg")),
                int(step) if step else None,
            )
        )
    density, minutes = (
        None if not head.get(column) else number_in(head.get(column))
        for column in ("density_kg_per_l", "mixing_minutes")
    )
    if minutes is not None and not above_zero(minutes):
        faults.append(CellFault(head.row, "mixing_minutes", "number"))
    new = Recipe(
        name=name,
        aliases=tuple(p.strip() for p in head.get("aliases").split(";") if p.strip()),
        batch=number_in(head.get("batch")),
        unit=head.get("unit"),
        lines=tuple(lines),
        density_kg_per_l=density,
        version=1 if old is None else old.version,
        programme=head.get("programme"),
        mixing_minutes=minutes,
    )
    if old is not None and new != old:
        new = replace(new, version=old.version + 1)
    return new


def _cell_of(fault: Fault, rows: list[Said]) -> CellFault:
    """Faults of ``line-2`` stand in the second row of the recipe."""
    row, column = rows[0].row, fault.field
    if column.startswith("line-"):
        row = rows[int(column.removeprefix("line-")) - 1].row
        column = "material" if fault.code == "unknown_material" else "kg"
    column = {"name": "recipe", "lines": "material"}.get(column, column)
    return CellFault(row, column, fault.code, fault.detail)


# -- all -------------------------------------------------------------------------------


def _once(
    each: Said, column: str, key: str, seen: dict[str, int], faults: list[CellFault]
) -> bool:
    if not key:
        faults.append(CellFault(each.row, column, "missing"))
        return False
    if key in seen:
        faults.append(CellFault(each.row, column, "row_twice", str(seen[key])))
        return False
    seen[key] = each.row
    return True


def _or_empty(value: Decimal | None) -> str:
    return "" if value is None else plain(value)


KINDS = (
    Kind("materials", exchange.COLUMNS, ("code",), _materials),
    Kind(
        "recipes",
        (
            *("recipe", "aliases", "batch", "unit", "density_kg_per_l", "programme"),
            *("mixing_minutes", "material", "kg", "step"),
        ),
        ("recipe", "batch", "unit", "material", "kg"),
        _recipes,
        _read_recipes,
    ),
    Kind(
        "suppliers", ("code", "name", "email"), ("code",), _suppliers, _read_suppliers
    ),
    Kind(
        "tanks",
        ("place", "volume_l", "programmes"),
        ("place", "volume_l"),
        _tanks,
        _read_tanks,
    ),
)


def kind_named(name: str) -> Kind | None:
    return next((kind for kind in KINDS if kind.name == name), None)
