"""Tables of any format: find the header row, then read rows by their columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from mpms.factory.domain.order_mail.comparing import clean_text, fold
from mpms.factory.domain.order_mail.fields import Field, Origin, by_folded_word, key_of
from mpms.factory.domain.order_mail.materials import MOST_LINES, Line
from mpms.factory.domain.order_mail.numbers import known_unit, plain, read_number
from mpms.factory.domain.order_mail.outcome import Problem

_WORDS: dict[str, dict[str, str]] = {
    "code": {
        "en": "Code",
        "es": "Código",
        "de": "Artikel, Artikelnummer",
        "tr": "Kod, Malzeme kodu",
    },
    "material": {
        "en": "Material, Name, Description",
        "es": "Materia prima, Descripción",
        "de": "Rohstoff, Bezeichnung",
        "tr": "Malzeme, Hammadde",
    },
    "quantity": {
        "en": "Quantity, Qty, Amount",
        "es": "Cantidad",
        "de": "Menge",
        "tr": "Miktar",
    },
    "unit": {"en": "Unit, UoM", "es": "Unidad", "de": "Einheit", "tr": "Birim"},
    "lot": {"en": "Lot", "es": "Lote", "de": "Charge", "tr": "Parti"},
}
_COLUMNS = by_folded_word(_WORDS)
_TOTALS = {"total", "suma", "summe", "gesamt", "toplam"}
_UNIT_IN_HEADER = re.compile(r"(?P<name>[^()\[\]]+)[(\[](?P<unit>[^()\[\]]*)[)\]]\s*")
_UNIT_IN_CELL = re.compile(r"(?P<number>.*?[0-9.,'\u2019])\s*(?P<unit>[^\W\d_]+)")
_SPACES = "\u00a0\u2009\u202f"

Cell = str | Decimal  # a Decimal is a spreadsheet's own number, exact


@dataclass(frozen=True)
class Row:
    """One row. ``doubtful``: merged or hidden cells, so columns may not fit."""

    cells: tuple[Cell, ...]
    doubtful: bool = False

    @property
    def is_empty(self) -> bool:
        return all(not as_text(cell) for cell in self.cells)

    def shown(self, number: int) -> str:
        filled = [text for cell in self.cells if (text := as_text(cell))]
        return f"#{number} {clean_text(' | '.join(filled), 120)}"


# The rows of a workbook's first sheet; ValueError if it cannot be read.
ReadWorkbook = Callable[[bytes], list[Row]]


def no_workbook(data: bytes) -> list[Row]:
    """For where no workbook can be expected."""
    raise ValueError("workbooks are not read here")


@dataclass(frozen=True)
class Header:
    """Where the columns stand; ``at`` is the header row's index."""

    at: int
    columns: dict[str, tuple[int, ...]]
    unit: str
    languages: tuple[str, ...]
    width: int


def as_text(cell: Cell) -> str:
    if isinstance(cell, Decimal):
        return plain(cell)
    return cell.strip()


def find_header(rows: Sequence[Row]) -> Header | None:
    """The first row that names a quantity and a code or material column."""
    for at, row in enumerate(rows):
        columns: dict[str, list[int]] = {}
        languages: list[str] = []
        unit = ""
        for index, cell in enumerate(row.cells):
            if not isinstance(cell, str) or len(cell) > 100:
                continue
            name, bracketed = cell, ""
            if match := _UNIT_IN_HEADER.fullmatch(cell.strip()):
                name, bracketed = match["name"], match["unit"].strip()
            found = _COLUMNS.get(fold(name))
            if found is None or (bracketed and found[0] != "quantity"):
                found = _COLUMNS.get(fold(cell))
                bracketed = ""
            if found:
                columns.setdefault(found[0], []).append(index)
                languages.append(found[1])
                unit = bracketed or unit
        if "quantity" in columns and ("code" in columns or "material" in columns):
            places = {name: tuple(indexes) for name, indexes in columns.items()}
            return Header(at, places, unit, tuple(languages), len(row.cells))
    return None


def lines_in_table(
    rows: Sequence[Row], header: Header, decimal_sign: str | None
) -> list[Line | Problem]:
    """The material lines under the header row."""
    for name in ("quantity", "unit", "lot"):
        if len(header.columns.get(name, ())) > 1:
            return [Problem("bad_line", rows[header.at].shown(0), name)]
    found: list[Line | Problem] = []
    for row in rows[header.at + 1 :]:
        if row.is_empty:
            continue
        line = _line(row, header, decimal_sign, row.shown(len(found) + 1))
        if line is not None:
            found.append(line)
        if len(found) > MOST_LINES:
            break
    return found


def _line(
    row: Row, header: Header, decimal_sign: str | None, where: str
) -> Line | Problem | None:
    def texts(name: str) -> Iterable[str]:
        for index in header.columns.get(name, ()):
            if index < len(row.cells) and (text := as_text(row.cells[index])):
                yield text

    code = " ".join(texts("code"))
    material = " ".join(dict.fromkeys(texts("material")))
    if fold(f"{code} {material}") in _TOTALS:
        return None
    beyond = any(as_text(cell) for cell in row.cells[header.width :])
    if row.doubtful or beyond:
        return Problem("bad_line", where)
    index = header.columns["quantity"][0]
    cell = row.cells[index] if index < len(row.cells) else ""
    amount, unit_in_cell = _quantity(cell, decimal_sign)
    units = [u for u in (unit_in_cell, *texts("unit"), header.unit) if u]
    if len({known_unit(unit) or unit for unit in units}) > 1:
        return Problem("bad_line", where, ", ".join(units)[:80])
    return Line(
        material=material,
        amount=amount,
        unit=units[0] if units else "",
        where=where,
        code=code,
        lot=" ".join(texts("lot")),
    )


def _quantity(cell: Cell, decimal_sign: str | None) -> tuple[Decimal | Problem, str]:
    if isinstance(cell, Decimal):
        return cell, ""
    text = cell.strip()
    if len(text) <= 100 and (match := _UNIT_IN_CELL.fullmatch(text)):
        return read_number(match["number"].rstrip(_SPACES), decimal_sign), match["unit"]
    return read_number(text, decimal_sign), ""


def fields_in_cells(rows: Sequence[Row], origin: Origin) -> list[Field]:
    """Key and value in the first two cells; an empty value is not stated."""
    found = []
    for row in rows:
        first, second = (*map(as_text, row.cells[:2]), "", "")[:2]
        key, colon, value = first.partition(":")
        if colon and value.strip():
            second = value.strip()
        if second and (meaning := key_of(key)):
            found.append(Field(meaning[0], second, origin, meaning[1]))
    return found
