"""One driver per protocol; a driver translates, it never decides."""

from __future__ import annotations

from robot_bridge.drivers.base import Driver
from robot_bridge.drivers.ros1_action import Ros1Action
from robot_bridge.drivers.ros1_topic import Ros1Topic
from robot_bridge.drivers.ros2_action import Ros2Action
from robot_bridge.profiles import Profile

_DRIVERS: dict[str, type[Driver]] = {
    "ros1_action": Ros1Action,
    "ros1_topic": Ros1Topic,
    "ros2_action": Ros2Action,
}


def make_driver(profile: Profile, robot_id: str, namespace: str | None) -> Driver:
    return _DRIVERS[profile.driver](profile, robot_id, namespace)
