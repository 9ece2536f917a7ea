"""How long something took, in words; two units at the most."""

from __future__ import annotations

from mpms.web.labels import formats
from mpms.web.texts import current_language, t

_DAY_S = 86_400


def duration(seconds: float | None) -> str:
    if seconds is None:
        return formats.NOTHING
    minutes = int(seconds) // 60
    if 0.00005 <= seconds < 1:
        return t("{n} ms", n=_rounded(1000 * seconds))
    if minutes < 1:
        return t("{n} s", n=_rounded(seconds))
    if minutes < 60:
        return t("{n} min", n=minutes)
    if seconds < _DAY_S:
        return t("{h} h {m} min", h=minutes // 60, m=minutes % 60)
    return t("{d} d {h} h", d=minutes // 1440, h=minutes // 60 % 24)


def _rounded(value: float) -> str:
    """Two digits are enough to tell short times apart."""
    return formats.number(value, current_language(), digits=1 if value < 10 else 0)
