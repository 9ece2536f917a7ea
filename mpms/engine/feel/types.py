"""The type names of FEEL: what ``instance of`` asks for."""

from collections.abc import Callable
from typing import Any

from .values import Range, kind_of, lift

Fits = Callable[[Any], bool]

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
        return lambda value: value is not None
    if name == "Null":
        return lambda value: value is None
    if name not in SIMPLE:
        return None
    return lambda value: value is not None and kind_of(value) == name


def list_of(member: Fits) -> Fits:
    return lambda value: (
        isinstance(value, list) and all(member(lift(item)) for item in value)
    )


def range_of(member: Fits) -> Fits:
    return lambda value: (
        isinstance(value, Range)
        and all(end is None or member(end) for end in (value.low, value.high))
    )


def context_of(members: dict[str, Fits]) -> Fits:
    return lambda value: (
        isinstance(value, dict)
        and all(
            key in value and fits(lift(value[key])) for key, fits in members.items()
        )
    )
