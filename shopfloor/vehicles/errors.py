"""Why a vehicle does not drive, one class a cause; ``fleet.bodies`` has the others."""

from __future__ import annotations

from fleet.bodies.errors import OverLoaded, VehicleRefused, VehicleUnknown, VehicleWrong

__all__ = [
    "CommandWrong",
    "GoalUnreachable",
    "OverLoaded",
    "PlannerUnknown",
    "SceneWrong",
    "VehicleRefused",
    "VehicleUnknown",
    "VehicleWrong",
]


class CommandWrong(VehicleRefused):
    """A command that is no number."""


class SceneWrong(VehicleRefused):
    """A pose, a speed, a way or an obstacle that is no number."""


class GoalUnreachable(VehicleRefused):
    """No way leads there, or the vehicle does not fit where it ends."""


class PlannerUnknown(VehicleRefused):
    """There is no planner of that name."""
