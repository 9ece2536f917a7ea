"""The operators ``+ - * / **`` on numbers, texts, dates and durations.

The standard gives null for operands that do not fit. A plant needs to know, so here it
is an error that names them.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from ..expressions.faults import Fault
from . import numbers
from .far import joined, nanos_in
from .temporal import MAX_MONTHS, difference, later, scaled
from .values import Frame, Months, shown

Operation = Callable[[Frame, Any, Any], Any]
_POINTS = (date, datetime, time)
_LENGTHS = (timedelta, Months)


def _unfit(sign: str, left: Any, right: Any) -> Fault:
    hint = ""
    if sign == "+" and (isinstance(left, str) or isinstance(right, str)):
        hint = "; string(...) makes text of both"
    if sign == "+" and isinstance(left, list) and isinstance(right, list):
        hint = "; concatenate(...) joins lists"
    return Fault(f"cannot compute {shown(left)} {sign} {shown(right)}{hint}")


def _months(count: int) -> Months:
    if abs(count) > MAX_MONTHS:
        raise Fault("makes a duration of more than 999999999999 years")
    return Months(count)


def _exactly(compute: Callable[[], timedelta]) -> timedelta:
    try:
        return compute()
    except OverflowError:
        raise Fault("makes a duration of more than 999999999 days") from None


def add(frame: Frame, left: Any, right: Any) -> Any:
    if type(left) is Decimal and type(right) is Decimal:
        return numbers.add(left, right)
    if type(left) is str and type(right) is str:
        frame.spend_on_text(len(left) + len(right))
        return left + right
    if isinstance(left, timedelta) and isinstance(right, timedelta):
        return _exactly(lambda: left + right)
    if isinstance(left, Months) and isinstance(right, Months):
        return _months(left.count + right.count)
    if isinstance(right, _POINTS):
        left, right = right, left
    if _movable(left, right):
        return later(left, right)
    raise _unfit("+", left, right)


def subtract(frame: Frame, left: Any, right: Any) -> Any:
    if type(left) is Decimal and type(right) is Decimal:
        return numbers.subtract(left, right)
    if isinstance(left, timedelta) and isinstance(right, timedelta):
        return _exactly(lambda: left - right)
    if isinstance(left, Months) and isinstance(right, Months):
        return _months(left.count - right.count)
    if _movable(left, right):
        return later(left, negative(frame, right))
    if frame.standard:
        left, right = _instant_beside(left, right), _instant_beside(right, left)
    if (isinstance(left, date) and isinstance(right, date)) or (
        isinstance(left, time) and isinstance(right, time)
    ):
        return difference(left, right)
    raise _unfit("-", left, right)


def _instant_beside(value: Any, other: Any) -> Any:
    """A date beside an instant is its midnight in UTC."""
    is_day = isinstance(value, date) and not isinstance(value, datetime)
    if isinstance(other, datetime) and is_day:
        return joined(value, time(tzinfo=UTC))
    return value


def _movable(point: Any, length: Any) -> bool:
    if isinstance(point, time):
        return isinstance(length, timedelta)
    return isinstance(point, date) and isinstance(length, _LENGTHS)


def multiply(frame: Frame, left: Any, right: Any) -> Any:
    if type(left) is Decimal and type(right) is Decimal:
        return numbers.multiply(left, right)
    if isinstance(left, _LENGTHS) and type(right) is Decimal:
        return scaled(left, right)
    if isinstance(right, _LENGTHS) and type(left) is Decimal:
        return scaled(right, left)
    raise _unfit("*", left, right)


def divide(frame: Frame, left: Any, right: Any) -> Any:
    if type(left) is Decimal and type(right) is Decimal:
        return numbers.divide(left, right)
    if isinstance(left, timedelta) and isinstance(right, timedelta):
        return numbers.divide(Decimal(nanos_in(left)), Decimal(nanos_in(right)))
    if isinstance(left, Months) and isinstance(right, Months):
        return numbers.divide(Decimal(left.count), Decimal(right.count))
    if isinstance(left, _LENGTHS) and type(right) is Decimal:
        return scaled(left, right, into=True)
    raise _unfit("/", left, right)


def power(frame: Frame, left: Any, right: Any) -> Any:
    if type(left) is Decimal and type(right) is Decimal:
        return numbers.power(left, right)
    raise _unfit("**", left, right)


def negative(frame: Frame, value: Any) -> Any:
    if type(value) is Decimal:
        return value.copy_negate() if value else value
    if isinstance(value, timedelta):
        return _exactly(lambda: -value)
    if isinstance(value, Months):
        return Months(-value.count)
    raise Fault(f"cannot negate {shown(value)}")


OPERATIONS: dict[str, Operation] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "**": power,
}
