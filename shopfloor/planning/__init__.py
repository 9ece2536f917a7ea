"""Paths across the shop floor."""

from shopfloor.planning.corner_graph import CornerGraph, TooManyCorners
from shopfloor.planning.d_star_lite import DStarLite
from shopfloor.planning.goal_field import GoalField
from shopfloor.planning.paths import Path, Status, TuningRefused, UnknownMethod
from shopfloor.planning.planner import (
    METHODS,
    StationRefused,
    Tuning,
    plan,
    prepare,
)
from shopfloor.planning.validator import Fault, find_faults, touched_cell
from shopfloor.planning.warming import warm_up

__all__ = [
    "METHODS",
    "CornerGraph",
    "DStarLite",
    "Fault",
    "GoalField",
    "Path",
    "StationRefused",
    "Status",
    "TooManyCorners",
    "Tuning",
    "TuningRefused",
    "UnknownMethod",
    "find_faults",
    "plan",
    "prepare",
    "touched_cell",
    "warm_up",
]
