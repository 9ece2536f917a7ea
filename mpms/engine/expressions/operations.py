"""What the operators do.

Where JUEL and Python disagree about mixed types, nothing is guessed: text is not
turned into numbers, numbers not into truth. Only ``==`` and ``!=`` convert, as JUEL
does, because a comparison that is silently false sends a token another way: ``1 ==
"1"`` is true, and what cannot be converted is an error. Inside lists and maps
different kinds are unequal, as in Java.
"""

import operator
import re
from collections.abc import Callable
from typing import Any

from .bounds import MAX_DEPTH, Frame, number
from .faults import Fault, shown

Operation = Callable[[Frame, object, object], object]

_WHOLE = re.compile(r"[+-]?[0-9]{1,300}")
_DECIMAL = re.compile(
    r"[+-]?([0-9]{1,300}(\.[0-9]{0,300})?|\.[0-9]{1,300})([eE][+-]?[0-9]{1,3})?"
)


def truth(value: object, purpose: str) -> bool:
    if not isinstance(value, bool):
        raise Fault(f"needs true or false {purpose}, not {shown(value)}")
    return value


def _arithmetic(
    sign: str, compute: Callable[[int | float, int | float], int | float]
) -> Operation:
    purpose = f"for '{sign}'"

    def run(frame: Frame, left: object, right: object) -> object:
        a, b = number(left, purpose), number(right, purpose)
        try:
            return number(compute(a, b), purpose)
        except ZeroDivisionError:
            raise Fault("divides by zero") from None
        except OverflowError:
            raise Fault("meets a number that is not finite") from None

    return run


def _add(frame: Frame, left: object, right: object) -> object:
    if isinstance(left, str) and isinstance(right, str):
        frame.spend_on_text(len(left) + len(right))
        return left + right
    if isinstance(left, list) and isinstance(right, list):
        frame.spend_on_items(len(left) + len(right))
        return left + right
    if isinstance(left, str) or isinstance(right, str):
        raise Fault(
            f"cannot add {shown(left)} and {shown(right)}; str(...) makes text of both"
        )
    return _plus(frame, left, right)


def _ordered(sign: str, compare: Callable[[Any, Any], bool]) -> Operation:
    def run(frame: Frame, left: object, right: object) -> object:
        if not (isinstance(left, str) and isinstance(right, str)):
            both_numbers = all(
                isinstance(side, int | float) and not isinstance(side, bool)
                for side in (left, right)
            )
            if not both_numbers:
                raise Fault(f"cannot compare {shown(left)} {sign} {shown(right)}")
        frame.spend_on_handled(left)
        return compare(left, right)

    return run


def equal(frame: Frame, left: object, right: object, depth: int = 0) -> bool:
    frame.spend()
    if depth > MAX_DEPTH:
        raise Fault(f"compares values of more than {MAX_DEPTH} levels")
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(
            equal(frame, a, b, depth + 1) for a, b in zip(left, right, strict=True)
        )
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(
            equal(frame, left[key], right[key], depth + 1) for key in left
        )
    frame.spend_on_handled(left)
    return type(left) is type(right) and left == right


def alike(frame: Frame, left: object, right: object) -> bool:
    """``==``: a text beside a number or a truth is read as one."""
    if left is None or right is None or type(left) is type(right):
        return equal(frame, left, right)
    if isinstance(left, bool) or isinstance(right, bool):
        return _as_truth(left, right) is _as_truth(right, left)
    if isinstance(left, str):
        left, right = right, left
    if isinstance(right, str):
        if not isinstance(left, int | float):
            raise Fault(f"cannot compare {shown(left)} == {shown(right)}")
        return equal(frame, left, _as_number(right, left))
    return equal(frame, left, right)


def _as_truth(value: object, other: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value.lower() == "true"
    raise Fault(f"cannot compare {shown(value)} == {shown(other)}")


def _as_number(text: str, beside: int | float) -> int | float:
    """As JUEL reads it: whole beside a whole number, nothing is zero."""
    pattern = _WHOLE if isinstance(beside, int) else _DECIMAL
    if text and not pattern.fullmatch(text):
        raise Fault(f"cannot compare {shown(beside)} == {shown(text)}")
    return type(beside)(text or 0)


def _unequal(frame: Frame, left: object, right: object) -> object:
    return not alike(frame, left, right)


def within(frame: Frame, item: object, container: object) -> bool:
    if isinstance(container, list):
        return any(equal(frame, item, other) for other in container)
    if isinstance(container, dict | str):
        if not isinstance(item, str):
            raise Fault(f"looks for {shown(item)} where only a text can be")
        frame.spend_on_handled(container)
        return item in container
    raise Fault(f"cannot look into {shown(container)}")


def _not_within(frame: Frame, item: object, container: object) -> object:
    return not within(frame, item, container)


def negative(value: object) -> object:
    return -number(value, "after '-'")


def is_empty(value: object) -> bool:
    return value is None or (isinstance(value, str | list | dict) and not value)


def looked_up(value: object, key: object) -> object:
    if isinstance(value, dict):
        if not isinstance(key, str):
            raise Fault(f"needs a text as key of a map, not {shown(key)}")
        if key not in value:
            raise Fault(f"finds no key {shown(key)}")
        return value[key]
    if isinstance(value, list | str):
        if isinstance(key, bool) or not isinstance(key, int):
            raise Fault(f"needs a whole number as index, not {shown(key)}")
        if not -len(value) <= key < len(value):
            raise Fault(f"finds no item {shown(key)} among {len(value)}")
        return value[key]
    raise Fault(f"cannot look up {shown(key)} in {shown(value)}")


def attribute(value: object, name: str) -> object:
    if not isinstance(value, dict):
        raise Fault(f"cannot look up {shown(name)} in {shown(value)}")
    return looked_up(value, name)


def as_text(value: object) -> str:
    """The text of a single value; null is nothing, as in JUEL templates."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list | dict):
        raise Fault(f"cannot put {shown(value)} into a text")
    if isinstance(value, bool):
        return shown(value)
    return str(number(value, "to make text of"))


_plus = _arithmetic("+", operator.add)

ARITHMETIC: dict[str, Operation] = {
    "+": _add,
    "-": _arithmetic("-", operator.sub),
    "*": _arithmetic("*", operator.mul),
    "/": _arithmetic("/", operator.truediv),
    "//": _arithmetic("//", operator.floordiv),
    "%": _arithmetic("%", operator.mod),
}
COMPARISONS: dict[str, Operation] = {
    "==": alike,
    "!=": _unequal,
    "<": _ordered("<", operator.lt),
    "<=": _ordered("<=", operator.le),
    ">": _ordered(">", operator.gt),
    ">=": _ordered(">=", operator.ge),
    "in": within,
    "not in": _not_within,
}
