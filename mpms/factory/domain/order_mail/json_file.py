"""The JSON form of an order: exact numbers, no key twice."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from mpms.factory.domain.order_mail.comparing import clean_text, fold
from mpms.factory.domain.order_mail.fields import NUMBER, Field, field_of
from mpms.factory.domain.order_mail.materials import MOST_LINES, Line
from mpms.factory.domain.order_mail.numbers import GROUP_SPACES, read_exact
from mpms.factory.domain.order_mail.outcome import Problem
from mpms.factory.domain.order_mail.table_vocabulary import (
    COLUMNS,
    MORE_COLUMNS,
    TOTALS,
)

_KEYS = {
    "order": "number",
    "due": "due",
    "priority": "priority",
    "product": "product",
    "recipe": "recipe",
    "batch": "batch",
}
_LINES = {
    *("lines", "items", "positions", "order lines", "line items", "materials", "rows"),
    *("positionen", "zeilen", "lineas", "articulos", "posiciones", "materiales"),
    *("kalemler", "satirlar", "malzemeler", "rohstoffe", "artikel", "order items"),
}
_NAMES = ("material", "amount", "unit", "lot")
_AS_COLUMN = {"amount": "quantity"}
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_GROUPED = re.compile(rf"[0-9]{{1,3}}(?:[{GROUP_SPACES} '’][0-9]{{3}})+(?:\.[0-9]+)?")
_SPACES_OUT = str.maketrans(dict.fromkeys(f"{GROUP_SPACES} '’", ""))


@dataclass
class JsonOrder:
    """What the file states; ``problems`` are values of the wrong kind."""

    fields: list[Field] = field(default_factory=list)
    lines: list[Line | Problem] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def read_json(text: str) -> JsonOrder:
    """Read the file; ValueError if it is not one JSON object."""
    try:
        loaded = json.loads(
            text.lstrip("\ufeff"),
            parse_float=Decimal,
            parse_int=Decimal,
            parse_constant=str,
            object_pairs_hook=_without_repetition,
        )
    except (RecursionError, InvalidOperation) as cause:
        raise ValueError(str(cause)) from None
    if not isinstance(loaded, dict):
        raise ValueError("not an object")
    order = JsonOrder()
    nested = loaded.get("order")
    if isinstance(nested, dict):
        loaded = {**loaded, **nested, "order": nested.get("order")}
    for key, name in _KEYS.items():
        value = loaded.get(key)
        if isinstance(value, str):
            order.fields.append(Field(name, value.strip(), "attachment"))
        elif value is not None:
            shown = clean_text(str(value), 60)
            code = "bad_order_number" if name == "number" else "bad_field"
            order.problems.append(Problem(code, key, shown))
    for key, value in loaded.items():
        if key not in _KEYS and isinstance(value, str):
            stated = field_of(_spoken(key), value, "attachment")
            own = stated is not None and stated.name == "number"
            if stated is not None and not (own and not NUMBER.fullmatch(value.strip())):
                order.fields.append(stated)  # else a number of the buyer's own
    lines = loaded.get("lines", _other_lines(loaded))
    if isinstance(lines, list):
        for number, entry in enumerate(lines[: MOST_LINES + 1], start=1):
            line = _line(number, entry)
            order.lines += [] if line is None else [line]
    elif lines is not None:
        order.problems.append(Problem("bad_field", "lines", clean_text(str(lines), 60)))
    return order


def _spoken(key: str) -> str:
    """``materialCode`` and ``material_code`` as a heading would say it."""
    return _CAMEL.sub(" ", key)


def _other_lines(loaded: Mapping[str, object]) -> object:
    """The lines under another name than ``lines``; only a list can be meant."""
    for key, value in loaded.items():
        if fold(_spoken(key)) in _LINES and isinstance(value, list):
            return value
    return None


def _without_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _line(number: int, entry: object) -> Line | Problem | None:
    """None: an entry that says nothing, or what all come to."""
    if not isinstance(entry, Mapping):
        return Problem("bad_line", f"#{number} {clean_text(str(entry), 100)}")
    said = {name: entry.get(name) for name in _NAMES}
    code: object = None
    for key, value in entry.items():
        words = fold(_spoken(key))
        meaning = (COLUMNS.get(words) or MORE_COLUMNS.get(words) or ("", ""))[0]
        if meaning == "code":
            code = value if code is None else code
        for name in _NAMES:
            if meaning != _AS_COLUMN.get(name, name) or said[name] is not None:
                continue
            if name != "material" or isinstance(value, str):  # no position
                said[name] = value
    material, amount, unit, lot = (said[name] for name in _NAMES)
    if all(value in (None, "") for value in (material, amount, code, lot)):
        return None
    if isinstance(material, str) and fold(material) in TOTALS and code in (None, ""):
        return None
    shown = " | ".join(
        str(v) for v in (code, material, amount, unit) if v is not None and v != ""
    )
    where = f"#{number} {clean_text(shown, 100)}"
    if isinstance(lot, Decimal) and abs(lot.adjusted()) < 30:
        lot = f"{lot:f}"
    if isinstance(code, Decimal) and material:
        code = None  # the buyer's own number beside a name
    texts = (material, unit, lot, code)
    if any(not isinstance(value, str | None) for value in texts):
        return Problem("bad_line", where)
    if isinstance(amount, str) and _GROUPED.fullmatch(amount.strip()):
        amount = amount.translate(_SPACES_OUT)
    return Line(
        material=str(material or ""),
        amount=read_exact(amount),
        unit=str(unit or ""),
        where=where,
        code=str(code or ""),
        lot=str(lot or ""),
    )
