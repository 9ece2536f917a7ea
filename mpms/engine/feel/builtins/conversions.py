"""Functions that make a value of one kind from another.

A text that does not read as what it should become gives null: models test for it with
``number(x) != null``. The result cannot do harm, because null is refused by arithmetic
and by conditions.
"""

import re
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from ...expressions.bounds import MAX_DEPTH
from ...expressions.faults import Fault
from .. import far
from ..calls import builtin
from ..far import joined
from ..nodes import whole_number
from ..numbers import decimal_of, plain
from ..temporal import (
    feel_text,
    offset_zone,
    parse_date,
    parse_date_time,
    parse_duration,
    parse_time,
    shown_in,
    zone_named,
)
from ..values import Frame, Months, Range, lift, shown

_NUMBER = re.compile(r"-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")


def _short(text: str) -> str:
    if len(text) > 1000:
        raise Fault("converts a text of more than 1000 characters")
    return text


@builtin("date(from: string|date|date and time)")
def date_from(frame: Frame, value: Any) -> date | None:
    if isinstance(value, str):
        return parse_date(_short(value))
    return value.date() if isinstance(value, datetime) else value


@builtin("date(year: number, month: number, day: number)")
def date_of(frame: Frame, year: Any, month: Any, day: Any) -> date | None:
    parts = [whole_number(part, frame) or 0 for part in (year, month, day)]
    try:
        return far.day(*parts)
    except (ValueError, OverflowError):
        return None


@builtin("date and time(from: string|date|date and time)")
def date_and_time_from(frame: Frame, value: Any) -> datetime | None:
    if isinstance(value, str):
        return parse_date_time(_short(value))
    return value if isinstance(value, datetime) else joined(value, time())


@builtin(
    "date and time(date: date|date and time, time: time|string)",
    "date and time(date: date|date and time, timezone: string)",
)
def date_and_time_of(frame: Frame, day: date, at: Any) -> datetime | None:
    if isinstance(at, time):
        return joined(day.date() if isinstance(day, datetime) else day, at)
    zone = zone_named(at)
    if zone is None:
        return None
    instant = date_and_time_from(frame, day)
    return None if instant is None else shown_in(instant, zone)


@builtin("time(from: string|time|date|date and time)")
def time_from(frame: Frame, value: Any) -> time | None:
    if isinstance(value, str):
        return parse_time(_short(value))
    if isinstance(value, datetime):
        return value.timetz()
    return value if isinstance(value, time) else time(tzinfo=UTC)


@builtin(
    "time(hour: number, minute: number, second: number, "
    "offset?!: days and time duration)"
)
def time_of(
    frame: Frame, hour: Any, minute: Any, second: Decimal, offset: Any = None
) -> time | None:
    if not 0 <= second < 60:
        return None
    whole_seconds = second // 1
    nanos = (second - whole_seconds) * 1_000_000_000 // 1
    clock = [whole_number(part) or 0 for part in (hour, minute, whole_seconds, nanos)]
    try:
        zone = None if offset is None else offset_zone(offset)
        return far.clock(clock[0], clock[1], clock[2], clock[3], zone)
    except (ValueError, OverflowError):
        return None


@builtin("duration(from: string|days and time duration|years and months duration)")
def duration(frame: Frame, value: Any) -> timedelta | Months | None:
    return parse_duration(_short(value)) if isinstance(value, str) else value


@builtin(
    "number(from: string|number)",
    "number(from: string|number, grouping separator!: string, "
    "decimal separator!: string)",
)
def number(
    frame: Frame,
    value: Any,
    grouping: str | None = None,
    point: str | None = None,
) -> Decimal | None:
    if not isinstance(value, str):
        return value
    if grouping not in (None, " ", ",", ".") or point not in (None, ",", "."):
        raise Fault("separates groups by ' ', ',' or '.' and decimals by ',' or '.'")
    if grouping is not None and grouping == point:
        raise Fault("separates groups and decimals by the same sign")
    text = _short(value)
    if grouping is not None:
        text = text.replace(grouping, "")
    if point == ",":
        text = text.replace(",", ".") if "." not in text else ""
    return decimal_of(text) if _NUMBER.fullmatch(text) else None


@builtin("string(from: any)")
def string(frame: Frame, value: Any) -> str:
    return _Spelling(frame).of(value, 0) if not isinstance(value, str) else value


class _Spelling:
    """A value as FEEL would write it."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.characters = 0

    def of(self, value: Any, depth: int) -> str:
        text = self._of(value, depth)
        self.frame.spend_on_text(len(text))
        return text

    def _of(self, value: Any, depth: int) -> str:
        if depth > MAX_DEPTH:
            raise Fault(f"spells a value of more than {MAX_DEPTH} levels")
        self.frame.spend()
        value = lift(value)
        if value is None or isinstance(value, bool):
            return {None: "null", True: "true", False: "false"}[value]
        if isinstance(value, Decimal):
            return plain(value)
        if isinstance(value, str):
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            return f'"{escaped}"'
        if isinstance(value, list):
            return "[" + self.joined(value, depth) + "]"
        if isinstance(value, dict):
            parts = [
                f"{key}: {self.of(item, depth + 1)}" for key, item in value.items()
            ]
            return "{" + ", ".join(parts) + "}"
        if isinstance(value, Range):
            return self.range(value, depth)
        text = feel_text(value)
        if text is None:
            raise Fault(f"makes a text of {shown(value)}")
        return text if depth == 0 else f'@"{text}"'

    def joined(self, values: list[Any], depth: int) -> str:
        return ", ".join([self.of(value, depth + 1) for value in values])

    def range(self, value: Range, depth: int) -> str:
        if value.low is None or value.high is None:
            above = value.high is None
            sign = (">" if above else "<") + (
                "=" if (value.low_included or value.high_included) else ""
            )
            return f"{sign} {self.of(value.low if above else value.high, depth + 1)}"
        opening = "[" if value.low_included else "("
        closing = "]" if value.high_included else ")"
        low, high = (self.of(end, depth + 1) for end in (value.low, value.high))
        return f"{opening}{low}..{high}{closing}"
