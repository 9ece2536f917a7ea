"""The libraries that speak with scales and tanks, and how to get them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from mpms.domain.errors import MpmsError


class InstrumentsMissing(MpmsError):
    """A library is not installed."""


def library(name: str) -> Any:
    """InstrumentsMissing names the command that installs it."""
    try:
        return import_module(name)
    except ImportError as missing:
        raise InstrumentsMissing(
            f"{name.partition('.')[0]} is not installed; install with:"
            " pip install 'mpms[instruments]'"
        ) from missing
