"""The whole on-board loop without input or output: from what is sensed to velocities.

Called some 40 times a second. Every call watches the lasers; the local planner runs
at its own, lower rate. The same calls give the same answers, always. Whatever is
wrong with what the pilot is given, it says so by name and the robot stands still.
"""

from shopfloor.control.commands import Cause, Command, PilotStatus
from shopfloor.pilot.driver import Pilot
from shopfloor.pilot.settings import PilotSettings

__all__ = ["Cause", "Command", "Pilot", "PilotSettings", "PilotStatus"]
