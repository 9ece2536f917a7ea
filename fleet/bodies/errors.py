"""Why a vehicle or its file cannot be used, one class a cause."""

from __future__ import annotations

from collections.abc import Iterable


class VehicleRefused(ValueError):
    """The vehicle stands still; the text is what people read."""


class VehicleUnknown(VehicleRefused):
    """There is no such vehicle, or its file cannot be read."""


class VehicleWrong(VehicleRefused):
    """The file has mistakes; ``lines`` has every one with its line."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))


class OverLoaded(VehicleRefused):
    """More than the vehicle, or one of its places, may carry."""
