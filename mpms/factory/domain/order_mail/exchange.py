"""Materials as a table: what an export writes, and what an import would change.

Every fault is named by its row and column, all at once. A column that is missing leaves
what is known; a material that is missing stays.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from mpms.factory.domain.order_mail.catalogue import Catalogue, Material
from mpms.factory.domain.order_mail.catalogue_changes import faults_of_material
from mpms.factory.domain.order_mail.numbers import plain

COLUMNS = (
    *("code", "name", "aliases", "max_kg", "density_kg_per_l", "place", "names"),
    *("hazards", "tolerance_class", "picture", "minimum_kg", "reorder_kg", "supplier"),
)
NUMBERS = frozenset({"max_kg", "density_kg_per_l", "minimum_kg", "reorder_kg"})
MOST_ROWS = 10_000
NO_NUMBER = Decimal("NaN")


@dataclass(frozen=True)
class CellFault:
    """``row`` counts as a spreadsheet does: the heading is row 1."""

    row: int
    column: str
    code: str
    detail: str = ""


def written(catalogue: Catalogue) -> str:
    """All materials as CSV, as ``read`` takes it."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for m in catalogue.materials:
        cells = {
            "aliases": "; ".join(m.aliases),
            "names": "; ".join(f"{lang}: {name}" for lang, name in m.names),
            "hazards": "; ".join(m.hazards),
        }
        writer.writerow([cells.get(name, _shown(getattr(m, name))) for name in COLUMNS])
    return out.getvalue()


def read(
    text: str, catalogue: Catalogue, places: frozenset[str]
) -> tuple[Catalogue, list[CellFault]]:
    """The catalogue with these materials, and everything that is wrong."""
    rows = _rows(text)
    heading = [cell.strip().casefold() for cell in rows[0]] if rows else []
    faults = [
        CellFault(1, name or "?", "column_unknown", name)
        for name in heading
        if name not in COLUMNS
    ]
    if "code" not in heading:
        faults.append(CellFault(1, "code", "column_missing", "code"))
        return catalogue, faults
    known = {m.code: m for m in catalogue.materials}
    seen: dict[str, int] = {}
    for number, cells in enumerate(rows[1 : MOST_ROWS + 1], start=2):
        said = dict(zip(heading, (cell.strip() for cell in cells), strict=False))
        if not any(said.values()):
            continue
        code = said.get("code", "").upper()
        if code in seen:
            faults.append(CellFault(number, "code", "row_twice", str(seen[code])))
            continue
        seen[code] = number
        old = known.get(code)
        new = _material(code, said, old)
        around = replace(catalogue, materials=tuple(known.values()))
        found = faults_of_material(around, new, replaces=None if old is None else code)
        faults += [CellFault(number, f.field, f.code, f.detail) for f in found]
        for name in ("minimum_kg", "reorder_kg"):
            value = getattr(new, name)
            if value is not None and not (value.is_finite() and value > 0):
                faults.append(CellFault(number, name, "number", said.get(name, "")))
        if new.place is not None and new.place not in places:
            faults.append(CellFault(number, "place", "place_unknown", new.place))
        known[code] = new
    materials = tuple(sorted(known.values(), key=lambda m: m.code))
    # Faulty rows are not read any further.
    return (catalogue if faults else replace(catalogue, materials=materials)), faults


def _rows(text: str) -> list[list[str]]:
    text = text.lstrip("\ufeff")
    first = text.partition("\n")[0]
    delimiter = max(";,\t", key=first.count)
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def _material(code: str, said: dict[str, str], old: Material | None) -> Material:
    base = old or Material(code, "", (), NO_NUMBER)
    for name in COLUMNS[1:]:
        if name not in said:
            continue
        base = replace(base, **{name: _value(name, said[name])})  # type: ignore[arg-type]
    return base


def _value(name: str, text: str) -> object:
    if name in NUMBERS:
        if not text:
            return NO_NUMBER if name == "max_kg" else None
        try:
            return Decimal(text[:30].replace(",", "."))
        except InvalidOperation:
            return NO_NUMBER
    if name in {"aliases", "hazards"}:
        return tuple(_parts(text))
    if name == "names":
        pairs = (part.partition(":") for part in _parts(text))
        return tuple((lang.strip(), called.strip()) for lang, _, called in pairs)
    return (text or None) if name == "place" else text


def _parts(text: str) -> Sequence[str]:
    return [part.strip() for part in text.split(";") if part.strip()]


def _shown(value: object) -> str:
    if isinstance(value, Decimal):
        return plain(value)
    return "" if value is None else str(value)
