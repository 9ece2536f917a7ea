"""From a FEEL value to JSON: what may come out of an expression, and how much of it.

Whole numbers become integers, all others floats; dates and durations become ISO texts.
Ranges and functions have no spelling in JSON and are refused.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ..expressions.bounds import MAX_DEPTH, MAX_RESULT, MAX_TEXT, MAX_VALUES
from ..expressions.faults import Fault
from .numbers import decimal_of
from .temporal import iso_text
from .values import Frame, lift, shown

_SURROGATE = re.compile("[\ud800-\udfff]")


class _Outward:
    """One walk over a result, counting what it copies."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.values = 0
        self.characters = 0

    def text(self, value: str) -> str:
        self.characters += len(value)
        self.frame.spend_on_text(len(value))
        if self.characters > MAX_TEXT:
            raise Fault(f"makes a value with more than {MAX_TEXT} characters of text")
        if not value.isascii() and _SURROGATE.search(value):
            raise Fault("makes a text with half a character (a lone surrogate)")
        return value

    def value(self, value: Any, depth: int = 0) -> object:
        self.values += 1
        self.frame.spend()
        if self.values > MAX_VALUES + 1:
            raise Fault(f"makes a value with more than {MAX_VALUES} parts")
        if depth > MAX_DEPTH:
            raise Fault(f"makes a value of more than {MAX_DEPTH} levels")
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, Decimal | int | float):
            return json_number(lift(value))
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item, depth + 1) for item in value]
        if isinstance(value, Mapping):
            return {
                self.text(key): self.value(item, depth + 1)
                for key, item in value.items()
            }
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
