"""Driving along a path without touching anything."""

from shopfloor.control.emergency import EmergencyStop, LiteralStop, literal_stop
from shopfloor.control.errors import (
    ControlRefused,
    LimitsRefused,
    PathRefused,
    PayloadRefused,
    ThresholdsRefused,
)
from shopfloor.control.escape import Escape, EscapeRule
from shopfloor.control.limits import RobotLimits, speed_to_stop_within
from shopfloor.control.ramps import Ramp
from shopfloor.control.tracker import Movement, PathTracker, Tracking, Wish
from shopfloor.control.watching import Near, Surroundings

__all__ = [
    "ControlRefused",
    "EmergencyStop",
    "Escape",
    "EscapeRule",
    "LimitsRefused",
    "LiteralStop",
    "Movement",
    "Near",
    "PathRefused",
    "PathTracker",
    "PayloadRefused",
    "Ramp",
    "RobotLimits",
    "Surroundings",
    "ThresholdsRefused",
    "Tracking",
    "Wish",
    "literal_stop",
    "speed_to_stop_within",
]
