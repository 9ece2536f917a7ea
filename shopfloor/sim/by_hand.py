"""What people tell a robot without a goal: how fast to drive, and where it is.

A joystick repeats itself. A speed that nobody has repeated for half a second no longer
counts: a link that was lost stops the robot. A robot with a goal does not listen.
"""

import math
from typing import Protocol

from shopfloor.sim.driving import yaw_of
from shopfloor.sim.encoding import Payload
from shopfloor.sim.graph import Graph
from shopfloor.sim.vehicle import Pose, Vehicle
from shopfloor.sim.world import Map

STALE_S = 0.5
MAP_FRAMES = ("", "map", "/map")


class Steered(Protocol):
    """The robot, as far as people steer it."""

    vehicle: Vehicle

    def take_pose(self, pose: Pose) -> str | None: ...


class ByHand:
    """Listens to ``cmd_vel`` and ``initialpose`` of one robot."""

    def __init__(
        self, graph: Graph, node: str, prefix: str, plan: Map, robot: Steered
    ) -> None:
        self._robot = robot
        self._graph = graph
        self._node = node
        self._plan = plan
        self._heard_at = -math.inf
        twist, pose = "geometry_msgs/Twist", "geometry_msgs/PoseWithCovarianceStamped"
        graph.subscribe(self, node, f"{prefix}/cmd_vel", twist, self._on_speed)
        graph.subscribe(self, node, f"{prefix}/initialpose", pose, self._on_pose)

    def step(self, now: float) -> None:
        if now - self._heard_at > STALE_S:
            self._robot.vehicle.by_hand = None

    def _on_speed(self, payload: Payload) -> None:
        linear, angular = payload.message["linear"], payload.message["angular"]
        asked = float(linear["x"]), float(linear["y"]), float(angular["z"])
        if all(map(math.isfinite, asked)):
            self._heard_at = self._graph.clock.now()
            self._robot.vehicle.by_hand = asked

    def _on_pose(self, payload: Payload) -> None:
        message = payload.message
        frame, pose = message["header"]["frame_id"], message["pose"]["pose"]
        x_m, y_m = float(pose["position"]["x"]), float(pose["position"]["y"])
        yaw_rad = yaw_of(pose["orientation"])
        reason = None
        if frame not in MAP_FRAMES:
            reason = f"its frame is {frame!r}, not map"
        elif not all(map(math.isfinite, (x_m, y_m, yaw_rad))):
            reason = "it is no number"
        elif not self._plan.contains(x_m, y_m):
            reason = "it is outside the map"
        else:
            reason = self._robot.take_pose(Pose(x_m, y_m, yaw_rad))
        if reason is not None:
            self._graph.log(self._node, "warning", f"Ignoring initial pose: {reason}")
        else:
            text = f"Setting pose: {x_m:.3f} {y_m:.3f} {yaw_rad:.3f}"
            self._graph.log(self._node, "info", text)
