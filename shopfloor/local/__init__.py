"""Around what the map does not know, and around people."""

from shopfloor.local.dwa import DwaTuning, DynamicWindow
from shopfloor.local.errors import LocalRefused, PersonRefused, WindowRefused
from shopfloor.local.people import Courtesy
from shopfloor.local.planner import LocalPath, LocalPlanner, LocalStatus
from shopfloor.local.window import LocalWindow, WindowShape

__all__ = [
    "Courtesy",
    "DwaTuning",
    "DynamicWindow",
    "LocalPath",
    "LocalPlanner",
    "LocalRefused",
    "LocalStatus",
    "LocalWindow",
    "PersonRefused",
    "WindowRefused",
    "WindowShape",
]
