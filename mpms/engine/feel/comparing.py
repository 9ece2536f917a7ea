"""Equality and order, with null as the third answer.

Equal compares values of one kind; of different kinds the answer is null, and only null
equals null. Order of null is null. Order of two kinds is an error: a text from a form
that should be a number must not quietly choose the other way.
"""

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from ..expressions.bounds import MAX_DEPTH
from ..expressions.faults import Fault
from .temporal import alike
from .values import Frame, Function, Months, Range, Unlike, lift, shown

_DAYS = (date, datetime)


def equal(frame: Frame, left: Any, right: Any, depth: int = 0) -> bool | None:
    frame.spend()
    if depth > MAX_DEPTH:
        raise Fault(f"compares values of more than {MAX_DEPTH} levels")
    if left is None or right is None:
        return left is right
    kind = type(left)
    if kind is Decimal:
        return left == right if type(right) is Decimal else None
    if kind is str or kind is bool:
        if kind is str is type(right):
            frame.spend_on_text(min(len(left), len(right)))
        return left == right if type(right) is kind else None
    if isinstance(left, list):
        return _lists(frame, left, right, depth) if isinstance(right, list) else None
    if isinstance(left, dict):
        return _contexts(frame, left, right, depth) if isinstance(right, dict) else None
    if isinstance(left, Range):
        return _ranges(frame, left, right, depth) if isinstance(right, Range) else None
    if isinstance(left, Function):
        raise Fault("compares functions")
    if isinstance(left, datetime) != isinstance(right, datetime):
        return None
    if isinstance(left, date) and isinstance(right, date):
        a, b = left, right
        if isinstance(left, datetime):
            if (left.tzinfo is None) != (right.tzinfo is None):  # type: ignore[attr-defined]
                return False
            a, b = alike(left, right)
        return a == b
    if isinstance(left, time) and isinstance(right, time):
        if (left.tzinfo is None) != (right.tzinfo is None):
            return False
        a, b = alike(left, right)
        return bool(a == b)
    for length in (timedelta, Months):
        if isinstance(left, length) and isinstance(right, length):
            return bool(left == right)
    return None


def _lists(frame: Frame, left: list[Any], right: list[Any], depth: int) -> bool | None:
    if len(left) != len(right):
        return False
    return _all(
        equal(frame, lift(a), lift(b), depth + 1)
        for a, b in zip(left, right, strict=True)
    )


def _contexts(
    frame: Frame, left: dict[str, Any], right: dict[str, Any], depth: int
) -> bool | None:
    if left.keys() != right.keys():
        return False
    return _all(
        equal(frame, lift(left[key]), lift(right[key]), depth + 1) for key in left
    )


def _ranges(frame: Frame, left: Range, right: Range, depth: int) -> bool | None:
    if (left.low_included, left.high_included) != (
        right.low_included,
        right.high_included,
    ):
        return False
    return _all(
        equal(frame, a, b, depth + 1)
        for a, b in ((left.low, right.low), (left.high, right.high))
    )


def _all(answers: Any) -> bool | None:
    """False as soon as one is; a part of another kind makes the whole unequal."""
    return all(answer is True for answer in answers)


def order(left: Any, right: Any, frame: Frame | None = None) -> int | None:
    """-1, 0 or 1; None if one of the two is null. ``frame`` pays for long texts."""
    if left is None or right is None:
        return None
    kind = type(left)
    if (kind is type(right) and isinstance(left, Decimal | str | Months)) or (
        isinstance(left, timedelta) and isinstance(right, timedelta)
    ):
        a, b = left, right
        if frame is not None and isinstance(left, str):
            frame.spend_on_handled(left if len(left) < len(right) else right)
    elif (isinstance(left, date) and isinstance(right, date)) or (
        isinstance(left, time) and isinstance(right, time)
    ):
        a, b = alike(left, right)
    else:
        raise Fault(f"cannot compare {shown(left)} with {shown(right)}")
    return (a > b) - (a < b)


def compared(
    sign: str, left: Any, right: Any, frame: Frame | None = None
) -> bool | None:
    found = order(left, right, frame)
    if found is None:
        return None
    if sign == "<":
        return found < 0
    if sign == "<=":
        return found <= 0
    if sign == ">":
        return found > 0
    return found >= 0


def inside(value: Any, wanted: Range) -> bool | None:
    """Whether a range holds a value."""
    above: bool | None = True
    below: bool | None = True
    if value is None:
        return None
    if wanted.low is not None:
        above = compared(">=" if wanted.low_included else ">", value, wanted.low)
    if wanted.high is not None:
        below = compared("<=" if wanted.high_included else "<", value, wanted.high)
    return above and below


def passes(frame: Frame, value: Any, test: Any) -> bool | None:
    """``value in test``: equal to it, inside it, or passing one of its tests."""
    frame.spend()
    if isinstance(test, Unlike):
        found = equal(frame, value, test.value)
        return None if found is None else not found
    if isinstance(test, Range):
        return inside(value, test)
    if not isinstance(test, list):
        return equal(frame, value, test)
    if isinstance(value, list) and equal(frame, value, test):
        return True
    answer: bool | None = False
    for one in test:
        member = lift(one)
        found = (
            inside(value, member)
            if isinstance(member, Range)
            else equal(frame, value, member)
        )
        if found:
            return True
        if found is None and isinstance(member, Range):
            answer = None
    return answer
