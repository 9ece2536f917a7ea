"""The functions a model may call: all there are, none with an effect."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC

from .bounds import Frame, number
from .faults import Fault, shown
from .operations import ARITHMETIC, COMPARISONS, as_text, within

_INTEGER = re.compile(r"[+-]?[0-9]{1,31}")
_DECIMAL = re.compile(r"[+-]?[0-9]{1,31}(\.[0-9]{1,31})?([eE][+-]?[0-9]{1,3})?")
_MAX_ROUNDING = 15


@dataclass(frozen=True, slots=True)
class Function:
    call: Callable[[Frame, list[object]], object]
    fewest: int
    most: int | None

    def accepts(self, count: int) -> bool:
        return self.fewest <= count and (self.most is None or count <= self.most)


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise Fault(f"needs a text for {name}(), not {shown(value)}")
    return value


def _items(value: object, name: str) -> list[object]:
    if not isinstance(value, list):
        raise Fault(f"needs a list for {name}(), not {shown(value)}")
    return value


def _len(frame: Frame, args: list[object]) -> object:
    if not isinstance(args[0], str | list | dict):
        raise Fault(f"cannot measure {shown(args[0])} with len()")
    return len(args[0])


def _best(name: str, comparison: str) -> Callable[[Frame, list[object]], object]:
    better = COMPARISONS[comparison]

    def run(frame: Frame, args: list[object]) -> object:
        items = _items(args[0], name) if len(args) == 1 else args
        if not items:
            raise Fault(f"asks for {name}() of an empty list")
        best = items[0]
        for item in items:
            frame.spend()
            if better(frame, item, best):
                best = item
        return best

    return run


def _sum(frame: Frame, args: list[object]) -> object:
    total: object = 0
    for item in _items(args[0], "sum"):
        frame.spend()
        total = ARITHMETIC["+"](frame, total, number(item, "for sum()"))
    return total


def _abs(frame: Frame, args: list[object]) -> object:
    return abs(number(args[0], "for abs()"))


def _round(frame: Frame, args: list[object]) -> object:
    value = number(args[0], "for round()")
    if len(args) == 1:
        return round(value)
    places = args[1]
    if isinstance(places, bool) or not isinstance(places, int):
        raise Fault(f"needs a whole number of places for round(), not {shown(places)}")
    if not 0 <= places <= _MAX_ROUNDING:
        raise Fault(f"can round to 0 to {_MAX_ROUNDING} places, not {shown(places)}")
    return round(value, places)


def _int(frame: Frame, args: list[object]) -> object:
    if isinstance(args[0], str):
        if not _INTEGER.fullmatch(args[0].strip()):
            raise Fault(f"cannot make a whole number of {shown(args[0])}")
        return int(args[0])
    return int(number(args[0], "for int()"))


def _float(frame: Frame, args: list[object]) -> object:
    if isinstance(args[0], str):
        if not _DECIMAL.fullmatch(args[0].strip()):
            raise Fault(f"cannot make a number of {shown(args[0])}")
        return number(float(args[0]), "for float()")
    return float(number(args[0], "for float()"))


def _str(frame: Frame, args: list[object]) -> object:
    return as_text(args[0])


def _of_text(
    name: str, convert: Callable[[str], object]
) -> Callable[[Frame, list[object]], object]:
    def run(frame: Frame, args: list[object]) -> object:
        text = _text(args[0], name)
        frame.spend_on_text(len(text))
        return convert(text)

    return run


def _contains(frame: Frame, args: list[object]) -> object:
    return within(frame, args[1], args[0])


def _startswith(frame: Frame, args: list[object]) -> object:
    return _text(args[0], "startswith").startswith(_text(args[1], "startswith"))


def _endswith(frame: Frame, args: list[object]) -> object:
    return _text(args[0], "endswith").endswith(_text(args[1], "endswith"))


def _get(frame: Frame, args: list[object]) -> object:
    mapping, key = args[0], _text(args[1], "get")
    if not isinstance(mapping, dict):
        raise Fault(f"needs a map for get(), not {shown(mapping)}")
    return mapping.get(key, args[2] if len(args) == 3 else None)


def _append(frame: Frame, args: list[object]) -> object:
    items = _items(args[0], "append")
    frame.spend_on_items(len(items) + 1)
    return [*items, args[1]]


def _now(frame: Frame, args: list[object]) -> object:
    if frame.now is None:
        raise Fault("asks for now() where no clock is given")
    if frame.now.tzinfo is None:
        raise Fault("asks for now() but the clock has no time zone")
    return frame.now.astimezone(UTC).isoformat().replace("+00:00", "Z")


FUNCTIONS: dict[str, Function] = {
    "abs": Function(_abs, 1, 1),
    "append": Function(_append, 2, 2),
    "contains": Function(_contains, 2, 2),
    "endswith": Function(_endswith, 2, 2),
    "float": Function(_float, 1, 1),
    "get": Function(_get, 2, 3),
    "int": Function(_int, 1, 1),
    "len": Function(_len, 1, 1),
    "lower": Function(_of_text("lower", str.lower), 1, 1),
    "max": Function(_best("max", ">"), 1, None),
    "min": Function(_best("min", "<"), 1, None),
    "now": Function(_now, 0, 0),
    "round": Function(_round, 1, 2),
    "startswith": Function(_startswith, 2, 2),
    "str": Function(_str, 1, 1),
    "sum": Function(_sum, 1, 1),
    "upper": Function(_of_text("upper", str.upper), 1, 1),
}
