"""From a FEEL value to JSON: what may come out of an expression, and how much of it.

Whole numbers become integers, all others floats; dates and durations become ISO texts.
Ranges and functions have no spelling in JSON and are refused.
"""

from decimal import Decimal
from typing import Any

from ..expressions.bounds import MAX_RESULT, JsonCopy
from ..expressions.faults import Fault
from .numbers import decimal_of
from .temporal import iso_text
from .values import Frame, lift, shown


class _Outward(JsonCopy):
    """What FEEL has and JSON has not gets a spelling, or is refused."""

    def plain(self, value: object) -> object:
        if isinstance(value, Decimal | int | float):
            return json_number(lift(value))
        return self.text(iso(value))


def json_number(value: Decimal) -> int | float:
    if value == value.to_integral_value():
        if abs(value) <= MAX_RESULT:
            return int(value)
        if decimal_of(float(value)) != value:
            raise Fault("gives an integer of more than 64 bits")
    return float(value)


def iso(value: object) -> str:
    text = iso_text(value)
    if text is None:
        raise Fault(f"gives {shown(value)}, which is no JSON value")
    return text


def outward(value: Any, frame: Frame) -> object:
    """The result as JSON; shares nothing with the variables."""
    if value is None or value is True or value is False:
        return value
    return _Outward(frame).value(value)
