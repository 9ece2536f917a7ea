"""An agent: the robot of the warehouse specification, from its laser to its wheels.

It follows a path of the fleet by itself. What its laser sees and the map does not have
is an obstacle, which it drives around and comes back to its path.
"""

from shopfloor.agent.agent import Agent, Blocked, Drove
from shopfloor.agent.body import Body, Hall
from shopfloor.agent.detour import Detour
from shopfloor.agent.motion import Motion, plan_motion
from shopfloor.agent.obstacles import detect_obstacles
from shopfloor.agent.waypoints import Waypoint

__all__ = [
    "Agent",
    "Blocked",
    "Body",
    "Detour",
    "Drove",
    "Hall",
    "Motion",
    "Waypoint",
    "detect_obstacles",
    "plan_motion",
]
