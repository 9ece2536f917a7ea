"""Numbers as they come in JSON."""

from __future__ import annotations

import math


class NumberTooLarge(ValueError):
    """A number that no float can hold."""


def finite(text: str) -> float:
    """A number with a fraction; ``1e999`` would become infinite. NumberTooLarge."""
    number = float(text)
    if not math.isfinite(number):
        raise NumberTooLarge(f"{text[:20]} is too large for a number")
    return number
