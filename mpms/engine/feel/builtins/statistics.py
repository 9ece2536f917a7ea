"""What a list of numbers amounts to."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from ...expressions.faults import Fault
from .. import numbers
from ..calls import builtin
from ..comparing import order
from ..values import Frame, lift, shown
from .lists import sort


def _numbers(frame: Frame, items: list[Any], function: str) -> list[Decimal]:
    frame.spend(len(items))
    found: list[Decimal] = []
    for item in items:
        value = lift(item)
        if type(value) is not Decimal:
            raise Fault(f"needs numbers for {function}(), not {shown(value)}")
        found.append(value)
    return found


def _best(function: str, wanted: int) -> Callable[[Frame, list[Any]], Any]:
    def run(frame: Frame, items: list[Any]) -> Any:
        best: Any = None
        for index, item in enumerate(items):
            frame.spend()
            value = lift(item)
            found = wanted if index == 0 else order(value, best, frame)
            if found is None or value is None:
                raise Fault(f"asks for {function}() of a list with null in it")
            if found == wanted:
                best = value
        return best

    return run


builtin("min(list: list)", "min(c...)")(_best("min", -1))
builtin("max(list: list)", "max(c...)")(_best("max", 1))


def _sum(values: list[Decimal]) -> Decimal:
    total = Decimal(0)
    for value in values:
        total = numbers.add(total, value)
    return total


@builtin("sum(list: list)", "sum(n...)")
def total(frame: Frame, items: list[Any]) -> Decimal | None:
    """Of nothing: null, as the standard says."""
    return _sum(_numbers(frame, items, "sum")) if items else None


@builtin("product(list: list)", "product(n...)")
def product(frame: Frame, items: list[Any]) -> Decimal | None:
    made = Decimal(1)
    for value in _numbers(frame, items, "product"):
        made = numbers.multiply(made, value)
    return made if items else None


def _mean(values: list[Decimal]) -> Decimal:
    return numbers.divide(_sum(values), Decimal(len(values)))


@builtin("mean(list: list)", "mean(n...)")
def mean(frame: Frame, items: list[Any]) -> Decimal | None:
    return _mean(_numbers(frame, items, "mean")) if items else None


@builtin("median(list: list)", "median(n...)")
def median(frame: Frame, items: list[Any]) -> Decimal | None:
    values = sort(frame, list(_numbers(frame, items, "median")))
    if not values:
        return None
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else _mean(values[middle - 1 : middle + 1])


@builtin("stddev(list: list)", "stddev(n...)")
def deviation(frame: Frame, items: list[Any]) -> Decimal | None:
    """Of a sample; it takes two values to differ."""
    values = _numbers(frame, items, "stddev")
    if len(values) < 2:
        return None
    middle = _mean(values)
    squares = [numbers.power(numbers.subtract(v, middle), Decimal(2)) for v in values]
    spread = numbers.divide(_sum(squares), Decimal(len(values) - 1))
    return numbers.computed(lambda: numbers.DECIMALS.sqrt(spread))


@builtin("mode(list: list)", "mode(n...)")
def mode(frame: Frame, items: list[Any]) -> list[Decimal]:
    counts: dict[Decimal, int] = {}
    for value in _numbers(frame, items, "mode"):
        counts[value] = counts.get(value, 0) + 1
    most = max(counts.values(), default=0)
    return sorted(value for value, times in counts.items() if times == most)
