"""Allen's relations between points and ranges."""

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid

from ...expressions.faults import Fault
from ..calls import builtin
from ..comparing import order
from ..values import Env, Frame, Range, shown

MAX_RANGE = 200  # characters
_WRITTEN = re.compile(
    r"(?P<open>[\[(\]])\s*(?P<low>.*?)\s*\.\.\s*(?P<high>.*?)\s*(?P<close>[\])\[])",
    re.DOTALL,
)
_CONSTANT = re.compile(
    r'-?\s*\.?[0-9][0-9.eE]*|@?"[^"]*"|[a-z][a-z ]*\(.*\)', re.DOTALL
)
_NO_ENDS = (bool, list, dict, Range)
Relation = Callable[[Range, Range], bool]


def _range(value: Any) -> Range:
    if not isinstance(value, Range):
        return Range(value, value, True, True)
    if value.low is None or value.high is None:
        raise Fault("compares a range that has no end")
    return value


def _both(function: str, relation: Relation, points: str) -> None:
    """``points``: which of the two arguments may be points instead of ranges."""

    def run(frame: Frame, first: Any, second: Any) -> bool:
        for value, place in ((first, "1"), (second, "2")):
            if not isinstance(value, Range) and place not in points:
                raise Fault(f"needs a range for {function}(), not {shown(value)}")
        return relation(_range(first), _range(second))

    builtin(f"{function}(range1, range2)", *_NAMED.get(function, ()))(run)


_NAMED = {
    "before": (
        "before(point1, point2)",
        "before(point, range)",
        "before(range, point)",
    ),
    "after": ("after(point1, point2)", "after(point, range)", "after(range, point)"),
    "includes": ("includes(range, point)",),
    "during": ("during(point, range)",),
    "starts": ("starts(point, range)",),
    "started by": ("started by(range, point)",),
    "finishes": ("finishes(point, range)",),
    "finished by": ("finished by(range, point)",),
}


def _end_first(end: Any, included: bool, start: Any, start_included: bool) -> bool:
    """Whether an end lies before a start, sharing no point with it."""
    found = order(end, start)
    return found == -1 or (found == 0 and not (included and start_included))


def _before(a: Range, b: Range) -> bool:
    return _end_first(a.high, a.high_included, b.low, b.low_included)


def _meets(a: Range, b: Range) -> bool:
    return a.high_included and b.low_included and order(a.high, b.low) == 0


def _overlaps(a: Range, b: Range) -> bool:
    return not _before(a, b) and not _before(b, a)


def _low_not_after(a: Range, b: Range) -> bool:
    found = order(a.low, b.low)
    return found == -1 or (found == 0 and (a.low_included or not b.low_included))


def _high_not_before(a: Range, b: Range) -> bool:
    found = order(a.high, b.high)
    return found == 1 or (found == 0 and (a.high_included or not b.high_included))


def _includes(a: Range, b: Range) -> bool:
    return _low_not_after(a, b) and _high_not_before(a, b)


def _same_low(a: Range, b: Range) -> bool:
    return order(a.low, b.low) == 0 and a.low_included == b.low_included


def _same_high(a: Range, b: Range) -> bool:
    return order(a.high, b.high) == 0 and a.high_included == b.high_included


def _overlaps_before(a: Range, b: Range) -> bool:
    return (
        _overlaps(a, b)
        and not _low_not_after(b, a)
        and (_high_not_before(b, a))
        and not _before(a, b)
    )


def _starts(a: Range, b: Range) -> bool:
    return _same_low(a, b) and _high_not_before(b, a)


def _finishes(a: Range, b: Range) -> bool:
    return _same_high(a, b) and _low_not_after(b, a)


def _flipped(relation: Relation) -> Relation:
    return lambda a, b: relation(b, a)


def _coincides(a: Range, b: Range) -> bool:
    return _same_low(a, b) and _same_high(a, b)


_both("before", _before, "12")
_both("after", _flipped(_before), "12")
_both("meets", _meets, "")
_both("met by", _flipped(_meets), "")
_both("overlaps", _overlaps, "")
_both("overlaps before", _overlaps_before, "")
_both("overlaps after", _flipped(_overlaps_before), "")
_both("finishes", _finishes, "1")
_both("finished by", _flipped(_finishes), "2")
_both("includes", _includes, "2")
_both("during", _flipped(_includes), "1")
_both("starts", _starts, "1")
_both("started by", _flipped(_starts), "2")
builtin("coincides(range1, range2)", "coincides(point1, point2)")(
    lambda frame, first, second: _coincides(_range(first), _range(second))
)


@builtin("range(from: string)")
def range_from(frame: Frame, text: str) -> Range | None:
    """A range of constants: ``range("[1..5)")``, ``range("[1..)")``; null for any other
    text."""
    found = _WRITTEN.fullmatch(text.strip()) if len(text) <= MAX_RANGE else None
    if found is None:
        return None
    opening, closing = found["open"], found["close"]
    low, high = _constant(frame, found["low"]), _constant(frame, found["high"])
    known = [
        end for end, given in ((low, found["low"]), (high, found["high"])) if given
    ]
    if not known or any(end is None or isinstance(end, _NO_ENDS) for end in known):
        return None
    open_low, open_high = not found["low"], not found["high"]
    if (open_low and opening == "[") or (open_high and closing == "]"):
        return None  # there is no end that could belong to it
    made = Range(low, high, opening == "[", closing == "]")
    return None if not (open_low or open_high) and _descends(made) else made


def _constant(frame: Frame, text: str) -> Any:
    if not _CONSTANT.fullmatch(text):
        return None
    compile_feel = import_module("mpms.engine.feel.expression").compile_feel
    try:
        found = compile_feel(text)
        return None if found.names else found.value_in(Env(frame, {}))
    except (ExpressionInvalid, ExpressionFailed):
        return None


def _descends(value: Range) -> bool:
    """Whether it ends before it begins, or its ends are of two kinds."""
    try:
        return order(value.low, value.high) == 1
    except Fault:
        return True
