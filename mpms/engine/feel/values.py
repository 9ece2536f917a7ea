"""The values FEEL knows, and the way from JSON to them and back.

Lists and contexts stay the lists and maps they came as: only what is taken out of them
is lifted to a FEEL value, so that a condition on one field of a large order costs one
field. Whoever takes something out of a list or a map must lift it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from ..expressions import faults
from ..expressions.bounds import Frame as _Frame
from ..expressions.faults import Exceeded, Fault
from .numbers import decimal_of, plain

MAX_CALLS = 40  # functions of the model inside each other


class Frame(_Frame):
    """One evaluation: what it may still spend, and what it does about missing names."""

    __slots__ = ("calls", "missing", "standard")

    def __init__(
        self,
        variables: Mapping[str, object],
        now: datetime | None,
        *,
        standard: bool = False,
    ) -> None:
        super().__init__(variables, now)
        self.calls = 0
        self.standard = standard  # errors are null, as the standard has it
        # "null": as null; "tell": raise Missing for entries too
        self.missing = "null" if standard else "fault"

    def forgives(self, fault: Exception) -> bool:
        """Whether an error is only null; what costs too much never is."""
        if isinstance(fault, Exceeded):
            self.steps_left = -1  # nobody further out may forgive it either
        spent = self.steps_left < 0
        return self.standard and not spent and not isinstance(fault, Missing)

    def answer(self, fault: Fault, position: int | None = None) -> Any:
        """What an operation that failed gives: null, or nothing but the fault."""
        if not self.forgives(fault):
            raise fault if position is None else fault.at(position)
        return None

    def enter_call(self) -> None:
        self.calls += 1
        if self.calls > MAX_CALLS:
            raise Exceeded(f"calls functions more than {MAX_CALLS} levels deep")

    def leave_call(self) -> None:
        self.calls -= 1


class Missing(Fault):
    """A variable or an entry is not there."""


class Env:
    """The names in sight: innermost first."""

    __slots__ = ("frame", "rows", "up", "values")

    def __init__(
        self,
        frame: Frame,
        values: Mapping[str, object],
        up: "Env | None" = None,
        rows: list[object] | None = None,
    ) -> None:
        self.frame = frame
        self.values = values
        self.up = up
        self.rows = rows  # in a filter: the list, of which one item is in sight


@dataclass(frozen=True, slots=True, order=True)
class Months:
    """A duration of years and months."""

    count: int


@dataclass(frozen=True, slots=True)
class Range:
    """From low to high; an end that is None is open to infinity."""

    low: Any
    high: Any
    low_included: bool
    high_included: bool


@dataclass(frozen=True, slots=True)
class Unlike:
    """The test ``!= value``; only what stands after ``in`` makes one."""

    value: Any


class Function:
    """A function of the model, or a built-in one that is handed over by its name."""

    __slots__ = ("body", "builtin", "env", "parameters")

    def __init__(
        self,
        parameters: tuple[Any, ...],
        body: Any,
        env: Env,
        builtin: str | None = None,
    ) -> None:
        self.parameters = parameters  # of (name, type)
        self.body = body
        self.env = env
        self.builtin = builtin


def lift(value: Any) -> Any:
    """One value out of JSON as FEEL sees it; lists and maps stay as they are."""
    kind = type(value)
    if kind is int:
        return Decimal(value) if -(10**30) < value < 10**30 else decimal_of(value)
    if kind is float:
        return decimal_of(value)
    return value


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "boolean"),
    ((Decimal, int, float), "number"),
    (str, "string"),
    (list, "list"),
    (dict, "context"),
    (datetime, "date and time"),
    (date, "date"),
    (time, "time"),
    (timedelta, "days and time duration"),
    (Months, "years and months duration"),
    (Range, "range"),
    (Function, "function"),
)


_BY_TYPE: dict[type, str] = {
    type(None): "null",
    **{
        kind: name
        for types, name in _KINDS
        for kind in (types if isinstance(types, tuple) else (types,))
    },
}


def kind_of(value: object) -> str:
    if (known := _BY_TYPE.get(type(value))) is not None:
        return known
    for types, name in _KINDS:
        if isinstance(value, types):
            return name
    raise Fault(f"meets {faults.shown(value)}, which is no value of FEEL")


def shown(value: object) -> str:
    """A value for a message, short."""
    if isinstance(value, Decimal):
        text = plain(value)
        return text if len(text) <= faults.SHOWN_VALUE else "a giant number"
    if isinstance(value, dict):
        return f"a context of {len(value)}"
    if value is None or isinstance(value, bool | str | int | float | list):
        return faults.shown(value)
    return f"a {kind_of(value)}"
