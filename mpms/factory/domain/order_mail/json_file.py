"""The JSON form of an order: exact numbers, no key twice."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from mpms.factory.domain.order_mail.comparing import clean_text
from mpms.factory.domain.order_mail.fields import Field
from mpms.factory.domain.order_mail.materials import MOST_LINES, Line
from mpms.factory.domain.order_mail.numbers import read_exact
from mpms.factory.domain.order_mail.outcome import Problem

_KEYS = {
    "order": "number",
    "due": "due",
    "priority": "priority",
    "product": "product",
    "recipe": "recipe",
    "batch": "batch",
}


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
    for key, name in _KEYS.items():
        value = loaded.get(key)
        if isinstance(value, str):
            order.fields.append(Field(name, value.strip(), "attachment"))
        elif value is not None:
            shown = clean_text(str(value), 60)
            code = "bad_order_number" if name == "number" else "bad_field"
            order.problems.append(Problem(code, key, shown))
    lines = loaded.get("lines")
    if isinstance(lines, list):
        for number, entry in enumerate(lines[: MOST_LINES + 1], start=1):
            order.lines.append(_line(number, entry))
    elif lines is not None:
        order.problems.append(Problem("bad_field", "lines", clean_text(str(lines), 60)))
    return order


def _without_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _line(number: int, entry: object) -> Line | Problem:
    if not isinstance(entry, Mapping):
        return Problem("bad_line", f"#{number} {clean_text(str(entry), 100)}")
    material, unit = entry.get("material"), entry.get("unit")
    lot, amount = entry.get("lot"), entry.get("amount")
    shown = " | ".join(str(v) for v in (material, amount, unit) if v is not None)
    where = f"#{number} {clean_text(shown, 100)}"
    if isinstance(lot, Decimal) and abs(lot.adjusted()) < 30:
        lot = f"{lot:f}"
    texts = (material, unit, lot)
    if any(not isinstance(value, str | None) for value in texts):
        return Problem("bad_line", where)
    return Line(
        material=str(material or ""),
        amount=read_exact(amount),
        unit=str(unit or ""),
        where=where,
        lot=str(lot or ""),
    )
