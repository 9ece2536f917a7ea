"""The robot that a model names, or a named error: nothing waits for one that is not."""

from __future__ import annotations

from mpms.domain.errors import BusinessError
from mpms.factory.domain.worlds import RobotInfo, World

UNKNOWN = "RobotUnknown"


def robot_of(world: World, robot: object) -> RobotInfo:
    """BusinessError names the robot and those that there are."""
    info = world.robot(str(robot))
    if info is None:
        known = ", ".join(each.id for each in world.robots) or "none"
        why = f"the world has no robot {robot!r}; there are {known}"
        raise BusinessError(UNKNOWN, why)
    return info
