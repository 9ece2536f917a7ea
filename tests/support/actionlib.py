"""A robot with actionlib's memory, and a rig that feeds a session by a made-up
clock."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from robot_bridge import messages
from robot_bridge.messages import Dialect, Frame, GoalCode
from robot_bridge.profiles import Profile, load_profile
from robot_bridge.reports import (
    Ended,
    FrameIn,
    LinkClosed,
    LinkOpened,
    Navigate,
    Output,
    Send,
    Tick,
)
from robot_bridge.session import RobotSession

T0 = 1_700_000_000.0


@dataclass
class Goal:
    id: str
    stamp: float
    code: int
    x: float = 0.0
    y: float = 0.0
    ended_at: float | None = None
    real: bool = True


@dataclass
class ActionlibRobot:
    """An action server as measured: an id is ignored while listed, listed until 5 s
    after its end, and runs again later. A stamped cancel recalls older goals, also
    later arrivals; a cancel of an unknown id is listed as recalling."""

    x: float = 0.0
    y: float = 0.0
    speed_mps: float = 1.0
    memory_s: float = 5.0
    goals: dict[str, Goal] = field(default_factory=dict)
    starts: Counter[str] = field(default_factory=Counter)
    outcome: dict[str, int] = field(default_factory=dict)
    preempted_by_new: list[tuple[str, str]] = field(default_factory=list)
    last_cancel: float = -math.inf
    clock_offset_s: float = 0.0
    stuck: bool = False
    publish_results: bool = True
    payload: dict[str, Any] = field(default_factory=dict)
    moving: bool = False
    outbox: list[Frame] = field(default_factory=list)
    action: str = "/move_base"
    goal_field: str = "target_pose"

    @property
    def active(self) -> Goal | None:
        for goal in self.goals.values():
            if goal.code in (GoalCode.ACTIVE, GoalCode.PREEMPTING):
                return goal
        return None

    @property
    def driven(self) -> Goal:
        """The active goal, where there must be one."""
        assert self.active is not None
        return self.active

    def receive(self, now: float, frame: Frame) -> None:
        op = frame["op"]
        if op == "call_service":
            self.answer(now, frame)
        elif op == "publish" and frame["topic"] == f"{self.action}/goal":
            self.on_goal(now, frame["msg"])
        elif op == "publish" and frame["topic"] == f"{self.action}/cancel":
            self.on_cancel(now, frame["msg"])

    def answer(self, now: float, frame: Frame) -> None:
        service = frame["service"]
        values: dict[str, Any] = {}
        if service == "/rosapi/get_time":
            clock = messages.stamp(Dialect.ROS1, now + self.clock_offset_s)
            values = {"time": clock}
        elif service == "/rosapi/topic_type":
            values = {"type": self.type_of(frame["args"]["topic"])}
        elif service == "/rosapi/service_type":
            values = {"type": "std_srvs/SetBool"}
        elif service == "/pause":
            self.stuck = frame["args"]["data"]
            values = {"success": True, "message": ""}
        self.outbox.append(
            messages.service_response(service, frame["id"], values, True)
        )

    def type_of(self, topic: str) -> str:
        kind = "upo_actions/MakePlan" if "Make" in self.action else ""
        kind = kind or "move_base_msgs/MoveBase"
        return {
            f"{self.action}/goal": f"{kind}ActionGoal",
            f"{self.action}/result": f"{kind}ActionResult",
            f"{self.action}/status": "actionlib_msgs/GoalStatusArray",
            f"{self.action}/cancel": "actionlib_msgs/GoalID",
            "/amcl_pose": "geometry_msgs/PoseWithCovarianceStamped",
            "/odom": "nav_msgs/Odometry",
            "/battery_state": "sensor_msgs/BatteryState",
            "/diagnostics": "diagnostic_msgs/DiagnosticArray",
            "/security_stop": "std_msgs/Bool",
        }.get(topic, "")

    def on_goal(self, now: float, msg: Frame) -> None:
        ident = msg["goal_id"]["id"]
        stamp = messages.seconds_of(msg["goal_id"]["stamp"])
        known = self.goals.get(ident)
        if known is not None:
            if known.code == GoalCode.RECALLING:
                self.finish(now, known, GoalCode.RECALLED)
            return
        where = msg["goal"][self.goal_field]["pose"]["position"]
        goal = Goal(ident, stamp, GoalCode.PENDING, where["x"], where["y"])
        self.goals[ident] = goal
        if stamp <= self.last_cancel:
            self.finish(now, goal, GoalCode.RECALLED)
            return
        before = self.active
        if before is not None:
            self.preempted_by_new.append((before.id, ident))
            self.finish(now, before, GoalCode.PREEMPTED)
        self.starts[ident] += 1
        goal.code = GoalCode.ACTIVE

    def on_cancel(self, now: float, msg: Frame) -> None:
        ident, stamp = msg["id"], messages.seconds_of(msg["stamp"])
        for goal in list(self.goals.values()):
            older = stamp > 0 and goal.stamp <= stamp
            if (ident == goal.id or older) and goal.code == GoalCode.ACTIVE:
                goal.code = GoalCode.PREEMPTING
        if ident and ident not in self.goals:
            self.goals[ident] = Goal(
                ident, stamp, GoalCode.RECALLING, ended_at=now, real=False
            )
        if stamp > self.last_cancel:
            self.last_cancel = stamp

    def finish(self, now: float, goal: Goal, code: int) -> None:
        goal.code, goal.ended_at = code, now
        self.outcome[goal.id] = code
        if self.publish_results:
            self.outbox.append(self.result(goal))

    def result(self, goal: Goal) -> Frame:
        status = {
            "goal_id": messages.goal_id(goal.id, goal.stamp),
            "status": int(goal.code),
            "text": "",
        }
        return messages.publish(
            f"{self.action}/result", {"status": status, "result": self.payload}
        )

    def step(self, now: float, dt: float) -> None:
        self.moving = False
        goal = self.active
        if goal is not None and goal.code == GoalCode.PREEMPTING:
            self.finish(now, goal, GoalCode.PREEMPTED)
        elif goal is not None and not self.stuck:
            left = math.hypot(goal.x - self.x, goal.y - self.y)
            stride = self.speed_mps * dt
            if left <= stride:
                self.x, self.y = goal.x, goal.y
                self.finish(now, goal, GoalCode.SUCCEEDED)
            else:
                self.moving = True
                self.x += (goal.x - self.x) / left * stride
                self.y += (goal.y - self.y) / left * stride
        for goal in list(self.goals.values()):
            if goal.ended_at is not None and now - goal.ended_at > self.memory_s:
                del self.goals[goal.id]

    def broadcast(self, now: float) -> list[Frame]:
        pose = {
            "header": messages.header(Dialect.ROS1, now + self.clock_offset_s, "map"),
            "pose": {"pose": messages.pose(self.x, self.y, 0.0)},
        }
        zero = {"x": 0.0, "y": 0.0, "z": 0.0}
        forward = {**zero, "x": self.speed_mps if self.moving else 0.0}
        odom = {**pose, "twist": {"twist": {"linear": forward, "angular": zero}}}
        return [
            self.status(),
            messages.publish("/amcl_pose", pose),
            messages.publish("/odom", odom),
        ]

    def status(self) -> Frame:
        listed = [
            {
                "goal_id": messages.goal_id(goal.id, goal.stamp),
                "status": int(goal.code),
                "text": "",
            }
            for goal in self.goals.values()
        ]
        return messages.publish(f"{self.action}/status", {"status_list": listed})


@dataclass
class Rig:
    """One session and one robot, no delays; the test moves the clock."""

    session: RobotSession
    robot: ActionlibRobot
    now: float = T0
    connected: bool = False
    deaf: bool = False
    mute: bool = False
    sent: list[Frame] = field(default_factory=list)
    reports: list[Any] = field(default_factory=list)
    swallow: Callable[[Frame], bool] = lambda _: False

    def feed(self, event: Any) -> list[Output]:
        outputs = self.session.handle(self.now, event)
        for output in outputs:
            if isinstance(output, Send):
                self.sent.append(output.frame)
                if self.connected and not self.deaf and not self.swallow(output.frame):
                    self.robot.receive(self.now, output.frame)
            else:
                self.reports.append(output)
        return outputs

    def connect(self) -> None:
        self.connected = True
        self.robot.outbox.clear()
        self.feed(LinkOpened())

    def disconnect(self) -> None:
        self.connected = False
        self.robot.outbox.clear()
        self.feed(LinkClosed("cut"))

    def run(self, seconds: float, dt: float = 0.1) -> None:
        for _ in range(round(seconds / dt)):
            self.now += dt
            self.robot.step(self.now, dt)
            frames = self.robot.outbox + self.robot.broadcast(self.now)
            self.robot.outbox = []
            if self.connected and not self.mute:
                for frame in frames:
                    self.feed(FrameIn(frame))
            self.feed(Tick())

    def ready(self) -> Rig:
        self.connect()
        self.run(1.0)
        return self

    def navigate(
        self,
        ident: str = "g1",
        x: float = 3.0,
        y: float = 0.0,
        maybe_sent_at: float | None = None,
        expires_in: float = 60.0,
    ) -> None:
        expires_at = self.now + expires_in
        self.feed(Navigate(ident, x, y, 0.0, expires_at, None, maybe_sent_at))

    def of(self, kind: type) -> list[Any]:
        return [each for each in self.reports if isinstance(each, kind)]

    @property
    def ends(self) -> list[Ended]:
        return self.of(Ended)

    @property
    def goals_sent(self) -> list[Frame]:
        return [
            each
            for each in self.sent
            if each["op"] == "publish" and each["topic"].endswith("/goal")
        ]


def make_rig(profile: str | Profile = "move_base", **robot: Any) -> Rig:
    """A rig for a robot of a profile; the rest is said of the robot."""
    loaded = load_profile(profile) if isinstance(profile, str) else profile
    if loaded.name == "arco":
        robot.setdefault("action", "/Make_Plan")
        robot.setdefault("goal_field", "global_goal")
    return Rig(RobotSession(loaded, "r1"), ActionlibRobot(**robot))


def is_goal(frame: Frame) -> bool:
    return frame["op"] == "publish" and str(frame["topic"]).endswith("/goal")
