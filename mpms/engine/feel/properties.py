"""What stands after a dot: entries of contexts, and the parts of dates and ranges.

A missing entry is null, as is anything of null: models ask ``order.customer.name``
before all of it is known. A dot after a number or a text is an error.
"""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from ..expressions.faults import Fault
from .far import nanos_of
from .temporal import seconds_of
from .values import Frame, Missing, Months, Range, lift, shown

Part = Callable[[Any], Any]


def _seconds(value: datetime | time) -> Decimal:
    return Decimal(value.second) + Decimal(nanos_of(value)).scaleb(-9)


def _zone_name(value: datetime | time) -> str | None:
    return value.tzinfo.key if isinstance(value.tzinfo, ZoneInfo) else None


_CLOCK: dict[str, Part] = {
    "hour": lambda value: Decimal(value.hour),
    "minute": lambda value: Decimal(value.minute),
    "second": _seconds,
    "time offset": lambda value: value.utcoffset(),
    "timezone": _zone_name,
}
_DAY: dict[str, Part] = {
    "year": lambda value: Decimal(value.year),
    "month": lambda value: Decimal(value.month),
    "day": lambda value: Decimal(value.day),
    "weekday": lambda value: Decimal(value.isoweekday()),
}


def _signed(value: timedelta, unit_s: int, within: int | None) -> Decimal:
    """A part of a duration; all parts have its sign."""
    seconds = seconds_of(abs(value))
    part = seconds // unit_s if unit_s > 1 else seconds
    part = part if within is None else part % within
    return part.copy_negate() if value < timedelta() and part else part


def _of_months(value: Months, part: int) -> Decimal:
    return Decimal(-part if value.count < 0 else part)


_LENGTH: dict[str, Part] = {
    "days": lambda value: _signed(value, 86_400, None),
    "hours": lambda value: _signed(value, 3600, 24),
    "minutes": lambda value: _signed(value, 60, 60),
    "seconds": lambda value: _signed(value, 1, 60),
}
_MONTHS: dict[str, Part] = {
    "years": lambda value: _of_months(value, abs(value.count) // 12),
    "months": lambda value: _of_months(value, abs(value.count) % 12),
}
_RANGE: dict[str, Part] = {
    "start": lambda value: value.low,
    "end": lambda value: value.high,
    "start included": lambda value: value.low_included,
    "end included": lambda value: value.high_included,
}
_PARTS: tuple[tuple[type, dict[str, Part]], ...] = (
    (datetime, {**_DAY, **_CLOCK}),
    (date, _DAY),
    (time, _CLOCK),
    (timedelta, _LENGTH),
    (Months, _MONTHS),
    (Range, _RANGE),
)


def entry_of(frame: Frame, value: Any, name: str) -> Any:
    if isinstance(value, dict):
        if name not in value and frame.missing == "tell":
            raise Missing(f"finds no entry '{name}'")
        return lift(value.get(name))
    if value is None:
        if frame.missing == "tell":
            raise Missing(f"finds no entry '{name}'")
        return None
    if isinstance(value, list):
        frame.spend_on_items(len(value))
        before, frame.missing = frame.missing, "null"
        try:
            return [entry_of(frame, lift(item), name) for item in value]
        finally:
            frame.missing = before
    for kind, parts in _PARTS:
        if isinstance(value, kind):
            if name not in parts:
                raise Fault(f"finds no '{name}' in {shown(value)}")
            return parts[name](value)
    raise Fault(f"cannot look up '{name}' in {shown(value)}")
