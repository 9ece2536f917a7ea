"""Functions on numbers."""

from collections.abc import Callable
from datetime import timedelta
from decimal import (
    ROUND_CEILING,
    ROUND_DOWN,
    ROUND_FLOOR,
    ROUND_HALF_DOWN,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    ROUND_UP,
    Decimal,
)

from ...expressions.faults import Fault
from .. import numbers
from ..calls import builtin
from ..nodes import whole_number
from ..values import Frame, Months, shown

ZERO = Decimal(0)


def _rounding(rounding: str) -> Callable[..., Decimal]:
    def run(frame: Frame, n: Decimal, scale: Decimal | None = None) -> Decimal:
        places = whole_number(ZERO if scale is None else scale, frame)
        return numbers.rounded(n, places or 0, rounding)

    return run


builtin("decimal(n: number, scale: number)")(_rounding(ROUND_HALF_EVEN))
builtin("floor(n: number, scale?: number)")(_rounding(ROUND_FLOOR))
builtin("ceiling(n: number, scale?: number)")(_rounding(ROUND_CEILING))
builtin("round up(n: number, scale?: number)")(_rounding(ROUND_UP))
builtin("round down(n: number, scale?: number)")(_rounding(ROUND_DOWN))
builtin("round half up(n: number, scale?: number)")(_rounding(ROUND_HALF_UP))
builtin("round half down(n: number, scale?: number)")(_rounding(ROUND_HALF_DOWN))


@builtin("abs(n: number|days and time duration|years and months duration)")
def absolute(
    frame: Frame, n: Decimal | timedelta | Months
) -> Decimal | timedelta | Months:
    if isinstance(n, Months):
        return Months(abs(n.count))
    return n.copy_abs() if isinstance(n, Decimal) else abs(n)


@builtin("modulo(dividend: number, divisor: number)")
def modulo(frame: Frame, dividend: Decimal, divisor: Decimal) -> Decimal:
    return numbers.modulo(dividend, divisor)


@builtin("sqrt(number: number)")
def square_root(frame: Frame, number: Decimal) -> Decimal:
    if number < 0:
        raise Fault(f"asks for the square root of {shown(number)}")
    return numbers.computed(lambda: numbers.DECIMALS.sqrt(number))


@builtin("log(number: number)")
def logarithm(frame: Frame, number: Decimal) -> Decimal:
    if number <= 0:
        raise Fault(f"asks for the logarithm of {shown(number)}")
    return numbers.computed(lambda: numbers.DECIMALS.ln(number))


@builtin("exp(number: number)")
def exponential(frame: Frame, number: Decimal) -> Decimal:
    return numbers.computed(lambda: numbers.DECIMALS.exp(number))


def _is_even(number: Decimal) -> bool:
    return number.to_integral_value() == number and not numbers.modulo(
        number, Decimal(2)
    )


@builtin("even(number: number)")
def even(frame: Frame, number: Decimal) -> bool:
    return _is_even(number)


@builtin("odd(number: number)")
def odd(frame: Frame, number: Decimal) -> bool:
    return number.to_integral_value() == number and not _is_even(number)
