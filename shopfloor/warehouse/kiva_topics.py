"""The topics of one robot: its status, its laser, and what fleets ask of any robot."""

from __future__ import annotations

import math
from collections.abc import Callable

from shopfloor.sim.clock import Every
from shopfloor.sim.driving import GoalFaults
from shopfloor.sim.graph import Graph, Topic
from shopfloor.sim.message_types import Message
from shopfloor.sim.ros1_actions import ActionTopics
from shopfloor.sim.world import Map
from shopfloor.warehouse.goals import KivaGoals
from shopfloor.warehouse.laser import scan
from shopfloor.warehouse.lifting import pose_of_robot
from shopfloor.warehouse.messages import FRAME, pose_message, twist_of
from shopfloor.warehouse.script import Script
from shopfloor.warehouse.stepping import scene_of
from shopfloor.warehouse.things import Robot, Status, Warehouse

STATUS_S, POSE_S = 1.0, 0.1
SCAN = "chassis/laser/scan"


class KivaTopics:
    def __init__(
        self,
        name: str,
        graph: Graph,
        look: Callable[[], Warehouse],
        status_of: Callable[[str], str],
        run: Callable[[Script], None],
        halt: Callable[[str], None],
        plan: Callable[[], Map],
    ) -> None:
        self.name = name
        self._graph = graph
        self._look = look
        self._status_of = status_of
        self._prefix = f"/{name}"
        self._node = f"{self._prefix}/robot"
        self._topics: dict[str, Topic] = {}
        for suffix, kind, latch in (
            ("status", "std_msgs/String", True),
            (SCAN, "sensor_msgs/LaserScan", False),
            ("odom", "nav_msgs/Odometry", False),
            ("amcl_pose", "geometry_msgs/PoseWithCovarianceStamped", True),
            ("battery_state", "sensor_msgs/BatteryState", False),
        ):
            topic = f"{self._prefix}/{suffix}"
            self._topics[suffix] = graph.advertise(self._node, topic, kind, latch=latch)
        self._status_due, self._pose_due = Every(STATUS_S), Every(POSE_S)
        self._battery_due, self._rest_due = Every(1.0), Every(1.0)
        self._scan_due = Every(look().floor.laser.period_s)
        self._pose_told: Message | None = None
        goals = KivaGoals(
            lambda: self.robot,
            run,
            lambda: halt(name),
            lambda: (plan(), look().floor.cell_m),
            lambda: {"header": self._header(FRAME), "pose": self._pose()},
        )
        base = f"{self._prefix}/move_base"
        self._action = ActionTopics(
            graph,
            graph.clock,
            base,
            base,
            "move_base_msgs/MoveBase",
            goals,
            GoalFaults(),
            lambda *_args, **_facts: None,
        )

    @property
    def robot(self) -> Robot:
        return self._look().robots[self.name]

    def _header(self, frame: str) -> Message:
        return self._graph.registry.header(frame, self._graph.clock.now())

    def _pose(self) -> Message:
        return pose_message(pose_of_robot(self.robot))

    def _publish(self, suffix: str, message: Message, *, latch: bool = False) -> None:
        self._graph.publish(f"{self._prefix}/{suffix}", message, latch=latch)

    def tell_status(self, status: str) -> None:
        self._publish("status", {"data": status}, latch=True)

    def step(self, now: float) -> None:
        self._tell_pose(now)
        self._action.server.step()
        if self._status_due.due(now):
            self.tell_status(self._status_of(self.name))
        if self._scan_due.due(now) and self._topics[SCAN].wanted:
            self._publish(SCAN, self._scan())
        if self._battery_due.due(now) and self._topics["battery_state"].wanted:
            body = {"percentage": 1.0, "present": True}
            self._publish("battery_state", {"header": self._header(""), **body})

    def _tell_pose(self, now: float) -> None:
        """Where it rests at once, before anybody says that it has arrived, and again
        every second, for clients that throttle."""
        pose, due = self._pose(), self._pose_due.due(now)
        again = self._rest_due.due(now)
        if due and self._topics["odom"].wanted:
            odometry = {
                "header": self._header("odom"),
                "child_frame_id": f"{self.name}/base_link",
                "pose": {"pose": pose},
                "twist": {"twist": twist_of(self.robot)},
            }
            self._publish("odom", odometry)
        rests = self.robot.status is not Status.BUSY
        if again or (pose != self._pose_told and (due or rests)):
            self._pose_told = pose
            body = {"header": self._header(FRAME), "pose": {"pose": pose}}
            self._publish("amcl_pose", body, latch=True)

    def _scan(self) -> Message:
        warehouse = self._look()
        laser = warehouse.floor.laser
        half = math.radians(laser.half_angle_deg)
        return {
            "header": self._header(f"{self.name}/chassis/laser"),
            "angle_min": -half,
            "angle_max": half,
            "angle_increment": 2.0 * half / (laser.rays - 1),
            "scan_time": laser.period_s,
            "range_min": laser.range_min_m,
            "range_max": laser.range_m,
            "ranges": scan(scene_of(warehouse), self.robot),
        }

    def close(self) -> None:
        """The robot is gone: so are its topics, for new listeners."""
        listed = [
            topic
            for topic in self._graph.topics.values()
            if topic.name.startswith(f"{self._prefix}/")
        ]
        for topic in listed:
            for key, (node, _) in list(topic.subscribers.items()):
                if self._ours(node):
                    self._graph.unsubscribe(key, topic.name)
            for node in list(topic.publishers):
                if self._ours(node):
                    self._graph.unadvertise(node, topic.name)

    def _ours(self, node: str) -> bool:
        return node in (self._node, f"{self._prefix}/move_base")
