"""Tables of any format: find the header row, then read rows by their columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from mpms.factory.domain.order_mail.comparing import clean_text, fold, visible
from mpms.factory.domain.order_mail.fields import Field, Origin, field_of, key_of
from mpms.factory.domain.order_mail.materials import MOST_LINES, Line
from mpms.factory.domain.order_mail.numbers import (
    GROUP_SPACES,
    known_unit,
    plain,
    read_number,
)
from mpms.factory.domain.order_mail.outcome import Problem
from mpms.factory.domain.order_mail.table_vocabulary import (
    COLUMNS,
    MORE_COLUMNS,
    PRICES,
    TOTAL_AMOUNTS,
    TOTALS,
)

_NOTHING = {"", "-", "--", "---", "–", "—", "./.", "n/a", "N/A", "k.A.", "y.o.", "."}
_UNIT_IN_HEADER = re.compile(r"(?P<name>[^()\[\]]+)[(\[](?P<unit>[^()\[\]]*)[)\]]\s*")
_UNIT_AFTER_NAME = re.compile(
    r"(?P<name>.+?)(?:\s+(?:in|en)\s+|\s*[/,:]\s*|\s+)(?P<unit>[^\W\d_]+)\.?"
)
_UNIT_IN_CELL = re.compile(r"(?P<number>.*?[0-9.,'\u2019])\s*(?P<unit>[^\W\d_]+)\.?")
_UNIT_FIRST = re.compile(r"(?P<unit>[^\W\d_]+)\.?\s*(?P<number>[-+\u2212]?[0-9].*)")
_ORDERED_SOMEHOW = re.compile(r"RM-?[0-9]|[0-9]\s*(?P<unit>[^\W\d_]+)", re.IGNORECASE)
_SPACES = f" {GROUP_SPACES}"
# What says "as above" in a cell, spaces and dashes around it left away.
_AS_ABOVE = {
    *('"', "''", ",,", "\u201c", "\u201d", "\u201e", "\u2033", "\u3003", "\u00bb", "~"),
    *("do", "do.", "dto", "dto.", "ditto", "id", "id.", "idem", "\u00eddem", "dito"),
    *("as above", "same", "same as above", "wie oben", "igual", "ayn\u0131"),
}

Words = dict[str, tuple[str, str]]  # a folded heading: what it stands for, language
Cell = str | Decimal  # a Decimal is a spreadsheet's own number, exact


@dataclass(frozen=True)
class Row:
    """One row. ``doubtful``: merged or hidden cells, so columns may not fit."""

    cells: tuple[Cell, ...]
    doubtful: bool = False
    merged: frozenset[int] = frozenset()  # columns that a cell above reaches into

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
    units: dict[int, str]  # of quantity columns whose heading names one
    languages: tuple[str, ...]
    width: int
    names: tuple[str, ...] = ()

    def named(self, row: str, column: int) -> str:
        """A cell, for whoever has to correct it."""
        name = self.names[column] if column < len(self.names) else ""
        return f"{row} [{name or column + 1}]"


def as_text(cell: Cell) -> str:
    if isinstance(cell, Decimal):
        return plain(cell)
    return visible(cell).strip()


def find_header(rows: Sequence[Row]) -> Header | None:
    """The first row that names a quantity and a code or material column."""
    for at, row in enumerate(rows):
        header = _header(at, row)
        if header is not None and not _is_a_named_value(header, rows):
            return _with_units_below(header, rows[at + 1 : at + 2])
    return None


def _is_a_named_value(header: Header, rows: Sequence[Row]) -> bool:
    """``Product | G`` among other named values: the product is called like a unit."""
    texts = [as_text(cell) for cell in rows[header.at].cells]
    filled = [text for text in texts if text]
    if len(filled) != 2 or known_unit(filled[1]) is None or not key_of(filled[0]):
        return False
    beside = (*rows[max(header.at - 1, 0) : header.at], *rows[header.at + 1 :][:1])
    return any(row.cells and key_of(as_text(row.cells[0])) for row in beside)


def _with_units_below(header: Header, below: Sequence[Row]) -> Header:
    """A heading of two rows: units stand below a wide ``Quantity``."""
    if not below or len(header.columns["quantity"]) != 1:
        return header
    (row,) = below
    units = {
        index: text
        for index, cell in enumerate(row.cells)
        if index not in row.merged and (text := as_text(cell))
    }
    first = header.columns["quantity"][0]
    if first not in units or not all(map(known_unit, units.values())):
        return header
    if header.columns.get("unit") and len(units) == 1:
        return header
    return replace(
        header,
        at=header.at + 1,
        columns={**header.columns, "quantity": tuple(units)},
        units=units,
    )


def _header(at: int, row: Row) -> Header | None:
    found: dict[str, list[int]] = {}
    languages: list[str] = []
    units: dict[int, str] = {}
    cells = [
        (index, visible(cell))
        for index, cell in enumerate(row.cells)
        if isinstance(cell, str) and len(cell) <= 100
    ]
    for words in (COLUMNS, MORE_COLUMNS):
        taken = {index for indexes in found.values() for index in indexes}
        known = set(found)
        for index, cell in cells:
            named = None if index in taken else _column(cell, words)
            if named is None or named[0] in known:
                continue
            name, language, unit = named
            found.setdefault(name, []).append(index)
            languages.append(language)
            if unit:
                units[index] = unit
    if not found.keys() & {"code", "material"}:
        return None
    if "quantity" not in found:
        in_all = [(i, c[2]) for i, cell in cells if (c := _column(cell, TOTAL_AMOUNTS))]
        only = [(i, unit) for i, unit in in_all if known_unit(unit)]
        only = only or [(i, cell.strip()) for i, cell in cells if known_unit(cell)]
        units |= dict(only)
        found["quantity"] = [index for index, _ in only]
    if not found["quantity"]:
        return None
    found["quantity"] = _of_goods(found["quantity"], cells, units)
    places = {name: tuple(indexes) for name, indexes in found.items()}
    names = tuple(clean_text(as_text(cell), 40) for cell in row.cells)
    return Header(at, places, units, tuple(languages), len(row.cells), names)


def _column(cell: str, words: Words) -> tuple[str, str, str] | None:
    """What a heading stands for, its language, and the unit that it names."""
    if match := _UNIT_IN_HEADER.fullmatch(cell.strip()):
        meaning = words.get(fold(match["name"]))
        if meaning and meaning[0] == "quantity":
            return (*meaning, match["unit"].strip())
    if meaning := words.get(fold(cell)):
        return (*meaning, "")
    match = _UNIT_AFTER_NAME.fullmatch(cell.strip())
    if match and known_unit(match["unit"]):
        meaning = words.get(fold(match["name"]))
        if meaning and meaning[0] == "quantity":
            return (*meaning, match["unit"])
    return None


def _of_goods(
    quantities: list[int], cells: Sequence[tuple[int, str]], units: dict[int, str]
) -> list[int]:
    """``Amount`` beside ``Qty`` and ``Price`` is money, ``Qty (bags)`` beside
    ``Qty (kg)`` counts sacks."""
    counted = [index for index in quantities if index in units]
    weighed = [index for index in counted if known_unit(units[index])]
    if len(counted) == len(quantities) and weighed:
        return weighed
    priced = any(fold(name) in PRICES for _, name in cells)
    if len(quantities) < 2 or not priced:
        return quantities
    named = dict(cells)
    kept = [index for index in quantities if fold(named[index]) != "amount"]
    return kept or quantities


def lines_in_table(
    rows: Sequence[Row], header: Header, decimal_sign: str | None
) -> list[Line | Problem]:
    """The material lines under the header row."""
    for name in ("quantity", "unit", "lot"):
        columns = header.columns.get(name, ())
        own_units = name == "quantity" and len({*columns} & header.units.keys())
        if len(columns) > 1 and own_units != len(columns):
            return [Problem("bad_line", rows[header.at].shown(0), name)]
    found: list[Line | Problem] = []
    above = Row(())
    for row in rows[header.at + 1 :]:
        if row.is_empty or _repeats(row, rows[header.at]):
            continue
        shown = row.shown(len(found) + 1)
        row = above = _with_repeated(row, above, header)
        line = _line(row, header, decimal_sign, shown, found)
        if line is not None:
            found.append(line)
        if len(found) > MOST_LINES:
            break
    return found


def _line(
    row: Row,
    header: Header,
    decimal_sign: str | None,
    where: str,
    before: Sequence[Line | Problem],
) -> Line | Problem | None:
    def texts(name: str) -> Iterable[str]:
        for index in header.columns.get(name, ()):
            if index < len(row.cells) and (text := _said(row.cells[index])):
                yield text

    code = " ".join(texts("code"))
    names = list(dict.fromkeys(texts("material")))
    # A column ``Item`` beside the names holds positions.
    material = " ".join([name for name in names if not name.isdecimal()] or names)
    lot = " ".join(texts("lot"))
    if _is_total(f"{code} {material}"):
        return None
    filled = [
        index
        for index in header.columns["quantity"]
        if index < len(row.cells) and _said(row.cells[index])
    ]
    if not code and not material:
        others = _others(row, header)
        if any(map(_is_total, others)) and not lot:
            return None
        if not filled and not lot:
            odd = next((text for text in others if _orders_something(text)), None)
            return None if odd is None else Problem("bad_line", where, odd[:80])
    at = filled[0] if filled else header.columns["quantity"][0]
    # A merged code or name says that the same is wanted again, as of another lot.
    read = {*header.columns.get("lot", ()), at}
    beyond = any(as_text(cell) for cell in row.cells[header.width :])
    if row.doubtful or beyond or len(filled) > 1 or row.merged & read:
        return Problem("bad_line", where)
    cell = row.cells[at] if at < len(row.cells) else ""
    amount, unit_in_cell = _quantity(cell, decimal_sign)
    beside = [unit for unit in (*texts("unit"), header.units.get(at, "")) if unit]
    if beside and unit_in_cell and known_unit(unit_in_cell) is None:
        amount, unit_in_cell = read_number(as_text(cell), decimal_sign), ""
    units = [unit.removesuffix(".") or unit for unit in (unit_in_cell, *beside) if unit]
    if len({known_unit(unit) or unit for unit in units}) > 1:
        return Problem("bad_line", where, ", ".join(units)[:80])
    line = Line(
        material=material,
        amount=amount,
        unit=units[0] if units else "",
        where=where,
        code=code,
        lot=lot,
        amount_at=header.named(where, at),
        alone=sum(bool(_said(cell)) for cell in row.cells) == 1,
    )
    return None if _adds_up(line, before) else line


def _with_repeated(row: Row, above: Row, header: Header) -> Row:
    """The row with what its ditto marks stand for; a mark below nothing is doubtful."""
    read = {index for indexes in header.columns.values() for index in indexes}
    cells, doubtful = list(row.cells), row.doubtful
    for index in read:
        if index >= len(cells) or not _is_ditto(cells[index]):
            continue
        if index < len(above.cells) and _said(above.cells[index]):
            cells[index] = above.cells[index]
        else:
            doubtful = True
    return replace(row, cells=tuple(cells), doubtful=doubtful)


def _is_ditto(cell: Cell) -> bool:
    text = as_text(cell)
    return bool(text) and text.strip(" -\u2013\u2014").casefold() in _AS_ABOVE


def _repeats(row: Row, heading: Row) -> bool:
    """The heading once more, as on every page of a long list."""
    return [*map(as_text, row.cells)] == [*map(as_text, heading.cells)]


def _said(cell: Cell) -> str:
    """What a cell says; a dash says nothing."""
    text = as_text(cell)
    return "" if text in _NOTHING else text


def _others(row: Row, header: Header) -> list[str]:
    """The texts of a row that stand in none of the columns that are read."""
    read = {index for indexes in header.columns.values() for index in indexes}
    return [
        text
        for index, cell in enumerate(row.cells)
        if index not in read and (text := as_text(cell))
    ]


def _is_total(text: str) -> bool:
    """``Total``, also with what it comes to: ``Total: 670.5 kg``."""
    words = [
        word
        for word in fold(text).split()
        if not word.isdecimal() and word not in {"kg", "kilos", "t", "l", "g"}
    ]
    return " ".join(words) in TOTALS


def _orders_something(text: str) -> bool:
    """Whether a remark beside the columns may be an order: nothing goes in silence."""
    return any(
        found["unit"] is None or known_unit(found["unit"])
        for found in _ORDERED_SOMEHOW.finditer(text)
    )


def _adds_up(line: Line, before: Sequence[Line | Problem]) -> bool:
    """Whether a row without a name is the sum of those above it."""
    if line.code or line.material or line.lot or not before:
        return False
    above = [each for each in before if isinstance(each, Line)]
    units = {known_unit(each.unit) for each in above}
    amounts = [each.amount for each in above if isinstance(each.amount, Decimal)]
    if len(amounts) != len(before) or len(units) != 1 or None in units:
        return False
    return sum(amounts) == line.amount and known_unit(line.unit) in {None, *units}


def _quantity(cell: Cell, decimal_sign: str | None) -> tuple[Decimal | Problem, str]:
    if isinstance(cell, Decimal):
        return cell, ""
    text = as_text(cell)
    if len(text) <= 100 and (match := _UNIT_IN_CELL.fullmatch(text)):
        return read_number(match["number"].rstrip(_SPACES), decimal_sign), match["unit"]
    if len(text) <= 100 and (match := _UNIT_FIRST.fullmatch(text)):
        return read_number(match["number"], decimal_sign), match["unit"]
    return read_number(text, decimal_sign), ""


def fields_in_cells(rows: Sequence[Row], origin: Origin) -> list[Field]:
    """Key and value in the first two cells; an empty value is not stated."""
    found = []
    for row in rows:
        first, second = (*map(as_text, row.cells[:2]), "", "")[:2]
        key, colon, value = first.partition(":")
        if colon and value.strip():
            second = value.strip()
        if second and (stated := field_of(key, second, origin)):
            found.append(stated)
    return found
