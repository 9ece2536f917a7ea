"""FEEL's numbers: decimals of 34 digits, as the standard asks for.

``0.1 + 0.2`` is ``0.3`` here. A number that outgrows the format is an error, never an
infinity, and a power is bounded by the format however large its exponent is.
"""

import math
from collections.abc import Callable
from decimal import (
    ROUND_HALF_EVEN,
    Context,
    Decimal,
    DecimalException,
    DivisionByZero,
    InvalidOperation,
    Overflow,
)

from ..expressions.faults import Fault

DIGITS = 34
MAX_SCALE = 6176  # places after the point that the format can tell apart
MIN_SCALE = -6111  # and before it
DECIMALS = Context(
    prec=DIGITS,
    rounding=ROUND_HALF_EVEN,
    Emin=-6143,
    Emax=6144,
    traps=[InvalidOperation, DivisionByZero, Overflow],
)
ZERO, ONE = Decimal(0), Decimal(1)


def decimal_of(value: int | float | str) -> Decimal:
    """A number of JSON or of a text; a float means what it prints."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise Fault("meets a number that is not finite")
        value = repr(value)
    return computed(lambda: DECIMALS.create_decimal(value))


def computed(compute: Callable[[], Decimal]) -> Decimal:
    try:
        return compute()
    except DivisionByZero:
        raise Fault("divides by zero") from None
    except Overflow:
        raise Fault("makes a number of more than 6144 digits") from None
    except (DecimalException, ValueError):
        raise Fault("asks for a number that does not exist") from None


def add(a: Decimal, b: Decimal) -> Decimal:
    return computed(lambda: DECIMALS.add(a, b))


def subtract(a: Decimal, b: Decimal) -> Decimal:
    return computed(lambda: DECIMALS.subtract(a, b))


def multiply(a: Decimal, b: Decimal) -> Decimal:
    return computed(lambda: DECIMALS.multiply(a, b))


def divide(a: Decimal, b: Decimal) -> Decimal:
    if not b:
        raise Fault("divides by zero")
    return computed(lambda: DECIMALS.divide(a, b))


def power(a: Decimal, b: Decimal) -> Decimal:
    if not a and not b:
        return ONE
    return computed(lambda: DECIMALS.power(a, b))


def modulo(a: Decimal, b: Decimal) -> Decimal:
    """With the sign of the divisor, as the standard defines it."""
    if not b:
        raise Fault("divides by zero")
    rest = computed(lambda: DECIMALS.remainder(a, b))
    return add(rest, b) if rest and (rest < 0) != (b < 0) else rest


def rounded(value: Decimal, scale: int, rounding: str) -> Decimal:
    if not MIN_SCALE <= scale <= MAX_SCALE:
        raise Fault(f"rounds to {scale} places, beyond {MIN_SCALE} and {MAX_SCALE}")
    if value.as_tuple().exponent >= -scale:  # type: ignore[operator]
        return value
    return computed(lambda: value.quantize(ONE.scaleb(-scale), rounding, DECIMALS))


def whole(value: Decimal) -> int | None:
    """As an integer of Python, if it is one and of a size that can count something."""
    if value != value.to_integral_value() or abs(value) > 10**18:
        return None
    return int(value)


def plain(value: Decimal) -> str:
    """Without exponent and without zeros that say nothing."""
    if not value:
        return "0"
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
