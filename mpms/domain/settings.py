"""What the text of a setting means, for the core and for plug-ins.

Each reader raises ValueError with words that go on from the name of the variable:
``MPMS_POLL_S`` "is a number of seconds above zero".
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from mpms.domain.errors import MpmsError

Value = TypeVar("Value")


class SettingInvalid(MpmsError):
    """A setting cannot be used."""


def value_of(
    variable: str, text: str | None, read: Callable[[str], Value], default: Value
) -> Value:
    """What was set, else the default. SettingInvalid names the variable."""
    if not text:
        return default
    try:
        return read(text)
    except ValueError as refused:
        raise SettingInvalid(f"{variable} {refused}.") from None


def yes_or_no(text: str) -> bool:
    if text.lower() not in ("yes", "no"):
        raise ValueError("is yes or no")
    return text.lower() == "yes"


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1e6:
        raise ValueError("is a number of seconds above zero")
    return value


def whole_number(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError("is a whole number, zero or more")
    return int(text)


def path(text: str) -> Path:
    return Path(text).expanduser().absolute()
