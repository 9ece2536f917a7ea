"""The type names of FEEL: what ``instance of`` asks for."""

from collections.abc import Callable
from typing import Any

from .values import Frame, Range, kind_of, lift

Fits = Callable[[Frame, Any], bool]

SIMPLE = frozenset(
    {
        "number",
        "string",
        "boolean",
        "date",
        "time",
        "date and time",
        "days and time duration",
        "years and months duration",
        "list",
        "context",
        "function",
        "range",
    }
)
SPELLINGS = {
    "dateTime": "date and time",
    "dayTimeDuration": "days and time duration",
    "yearMonthDuration": "years and months duration",
}


def simple(name: str) -> Fits | None:
    """A type by its name alone; null is an instance of Null only."""
    name = SPELLINGS.get(name, name)
    if name == "Any":
        return lambda frame, value: value is not None
    if name == "Null":
        return lambda frame, value: value is None
    if name not in SIMPLE:
        return None
    return lambda frame, value: value is not None and kind_of(value) == name


def list_of(member: Fits) -> Fits:
    def fits(frame: Frame, value: Any) -> bool:
        if not isinstance(value, list):
            return False
        for item in value:
            frame.spend()
            if not member(frame, lift(item)):
                return False
        return True

    return fits


def range_of(member: Fits) -> Fits:
    return lambda frame, value: (
        isinstance(value, Range)
        and all(end is None or member(frame, end) for end in (value.low, value.high))
    )


def context_of(members: dict[str, Fits]) -> Fits:
    def fits(frame: Frame, value: Any) -> bool:
        if not isinstance(value, dict):
            return False
        for key, member in members.items():
            frame.spend()
            if key not in value or not member(frame, lift(value[key])):
                return False
        return True

    return fits
