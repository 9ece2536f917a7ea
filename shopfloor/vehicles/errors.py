"""Why a vehicle cannot be used or does not drive, one class a cause."""

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


class CommandWrong(VehicleRefused):
    """A command that is no number."""


class OverLoaded(VehicleRefused):
    """More than the vehicle, or one of its places, may carry."""


class SceneWrong(VehicleRefused):
    """A pose, a speed, a way or an obstacle that is no number."""


class GoalUnreachable(VehicleRefused):
    """No way leads there, or the vehicle does not fit where it ends."""


class PlannerUnknown(VehicleRefused):
    """There is no planner of that name."""
