"""The types of inputs and outputs: what they admit, and how a text becomes a date.

JSON has no dates, so where a file says that a value is one, its ISO text is read as
one. Nothing else is converted: a number in a text stays a text, and is refused.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import Any

from ..expressions.faults import Fault
from ..feel.temporal import parse_date, parse_date_time, parse_duration, parse_time
from ..feel.values import Env, kind_of, lift, shown
from .terms import Cell

Convert = Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class ItemType:
    """A type; ``told`` is what people call it."""

    told: str
    kinds: tuple[str, ...] = ()  # none: any
    whole: bool = False
    parse: Convert | None = None
    allowed: Cell | None = None  # of a list: each item
    constraint: Cell | None = None  # of a list: the whole
    base: "ItemType | None" = None
    collection: bool = False
    components: Mapping[str, "ItemType"] = field(default_factory=dict)

    def taken(self, value: Any, env: Env, label: str) -> Any:
        """The value, with texts of dates read; a fault if it does not fit, or, as the
        standard has it, null."""
        try:
            return self.fitted(value, env, label)
        except Fault as fault:
            return env.frame.answer(fault)

    def fitted(self, value: Any, env: Env, label: str) -> Any:
        """As ``taken``, but always a fault if it does not fit."""
        if value is None:
            return None
        if env.frame.standard:
            value = self._coerced(value)
        taken = (self._members if self.collection else self._single)(value, env, label)
        self._expect(self.constraint, taken, env, label)
        return taken

    def _coerced(self, value: Any) -> Any:
        """The standard's conversions: lists of one and their item are the same, a date
        is its midnight."""
        if self.takes_lists:
            return value if isinstance(value, list) else [value]
        if isinstance(value, list) and len(value) == 1 and self.is_known:
            value = lift(value[0])
        is_day = isinstance(value, date) and not isinstance(value, datetime)
        if is_day and self.kinds == ("date and time",):
            return datetime.combine(value, time(), UTC)
        return value

    @property
    def takes_lists(self) -> bool:
        if self.collection or self.kinds == ("list",):
            return True
        return self.base is not None and self.base.takes_lists

    @property
    def is_known(self) -> bool:
        """It says anything at all about its values."""
        says = self.kinds or self.components or self.allowed or self.constraint
        return bool(says) or (self.base is not None and self.base.is_known)

    def _members(self, value: Any, env: Env, label: str) -> list[Any]:
        if not isinstance(value, list):
            raise Fault(
                f"{label} should be a list of {self.told}, but is {shown(value)}"
            )
        env.frame.spend_on_items(len(value))
        return [self._single(lift(item), env, f"an item of {label}") for item in value]

    def _single(self, value: Any, env: Env, label: str) -> Any:
        if value is None:
            return None
        if self.base is not None:
            value = self.base.fitted(value, env, label)
        if self.parse is not None and isinstance(value, str):
            read = self.parse(value.strip()) if len(value) < 100 else None
            if read is None:
                raise self._misfit(value, label)
            value = read
        if self.kinds and kind_of(value) not in self.kinds:
            raise self._misfit(value, label)
        if self.whole and value != value.to_integral_value():
            raise self._misfit(value, label)
        if self.components:
            value = self._parts(value, env, label)
        self._expect(self.allowed, value, env, label)
        return value

    def _expect(self, test: Cell | None, value: Any, env: Env, label: str) -> None:
        if test is not None and not test.holds(env, value, "cellInput"):
            raise Fault(
                f"{label} is {shown(value)}, which is not among {test.text.strip()}"
            )

    def _parts(self, value: dict[str, Any], env: Env, label: str) -> dict[str, Any]:
        taken = dict(value)
        for name, part in self.components.items():
            if name in taken:
                label_of_part = f"'{name}' of {label}"
                taken[name] = part.fitted(lift(taken[name]), env, label_of_part)
            elif env.frame.standard:
                raise Fault(f"{label} has no '{name}'")
        return taken

    def _misfit(self, value: Any, label: str) -> Fault:
        return Fault(f"{label} should be {self.told}, but is {shown(value)}")


def _parsed_as(kind: str) -> Convert:
    def parse(text: str) -> Any:
        found = parse_duration(text)
        return found if found is not None and kind_of(found) == kind else None

    return parse


_DAYS, _MONTHS = "days and time duration", "years and months duration"
ANY = ItemType("anything")
_NUMBER = ItemType("a number", ("number",))
_WHOLE = ItemType("a whole number", ("number",), whole=True)
_DATE_TIME = ItemType("a date and time", ("date and time",), parse=parse_date_time)
_LENGTH = ItemType("a duration", (_DAYS,), parse=_parsed_as(_DAYS))
_MONTH_LENGTH = ItemType("a duration in months", (_MONTHS,), parse=_parsed_as(_MONTHS))

BUILT_IN: dict[str, ItemType] = {
    "Any": ANY,
    "string": ItemType("a text", ("string",)),
    "boolean": ItemType("true or false", ("boolean",)),
    "number": _NUMBER,
    "double": _NUMBER,
    "integer": _WHOLE,
    "long": _WHOLE,
    "date": ItemType("a date", ("date",), parse=parse_date),
    "time": ItemType("a time", ("time",), parse=parse_time),
    "dateTime": _DATE_TIME,
    "date and time": _DATE_TIME,
    "dayTimeDuration": _LENGTH,
    _DAYS: _LENGTH,
    "yearMonthDuration": _MONTH_LENGTH,
    _MONTHS: _MONTH_LENGTH,
    "list": ItemType("a list", ("list",)),
    "context": ItemType("a context", ("context",)),
    "function": ItemType("a function", ("function",)),
}
