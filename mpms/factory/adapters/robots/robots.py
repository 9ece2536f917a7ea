"""Robots over rosbridge: the only place that knows ``robot_bridge``.

The bridge speaks of commands with ids and states; here they become goals and their
reports. What a robot says of itself is kept as it comes, so asking for the state of a
hundred robots costs no word on the wire. A report of an end is kept until the service
has committed what it means, and forgotten when the robot goes to another worker, who
decides for itself.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mpms.domain.errors import MpmsError
from mpms.factory.adapters.robots.where import address_of, namespace_of
from mpms.factory.domain.goals import DRIVE, Goal, GoalReport, GoalState
from mpms.factory.domain.worlds import RobotInfo, World
from mpms.factory.ports.robots.robots import BLOCKED, RobotState
from robot_bridge.address import UnsafeAddress
from robot_bridge.client import RobotClient
from robot_bridge.port import RobotPort
from robot_bridge.probe import probe
from robot_bridge.profiles import BadProfile
from robot_bridge.reports import (
    Battery,
    CommandState,
    Diagnosis,
    Ended,
    Foreign,
    Link,
    LinkState,
    Pose,
    Problem,
    Progress,
    Report,
    Safety,
)
from robot_bridge.tls import SYSTEM, TlsFiles
from robot_bridge.vda5050.address import is_vehicle
from robot_bridge.vda5050.client import MqttMissing, VehicleClient

__all__ = ["BridgeRobots", "RobotsMisconfigured", "probe"]

EXPIRY_S = 600.0
"""A goal for a robot that is away waits this long, then a person decides."""

ENDINGS = {
    CommandState.SUCCEEDED: GoalState.REACHED,
    CommandState.ABORTED: GoalState.FAILED,
    CommandState.REJECTED: GoalState.FAILED,
    CommandState.EXPIRED: GoalState.CANCELLED,  # it never started and never will
    CommandState.CANCELLED: GoalState.CANCELLED,
    CommandState.UNKNOWN: GoalState.UNKNOWN,
}
STOP = "emergency stop"
Told = Callable[[str, str], None]
Point = tuple[float, float]
Crossings = Callable[[str, Point, Point], Sequence[Point]]


class RobotsMisconfigured(MpmsError):
    """The address or the profile of a robot cannot be used."""


@dataclass
class _Known:
    """What one robot has said of itself since it was taken."""

    link: LinkState = LinkState.DOWN
    link_reason: str = "not connected yet"
    reconciled: bool = False
    pose: Pose | None = None
    placed_at_s: float | None = None
    battery: float | None = None
    stopped: bool = False
    broken: tuple[tuple[str, str], ...] = ()
    blocked: str | None = None
    problem: str | None = None
    foreign: str | None = None
    ended: dict[str, GoalReport] = field(default_factory=dict)

    def hear(self, report: Report) -> str | None:
        """Remember a report; the text of what a person should know."""
        match report:
            case Pose():
                self.pose = report
                self.placed_at_s = time.monotonic()
            case Battery():
                self.battery = report.fraction
            case Link():
                self.link, self.link_reason = report.state, report.reason
                self.reconciled = report.reconciled
                if report.reconciled:
                    self.problem = None
                return _words_of(report.state, report.reason)
            case Safety():
                self.stopped = report.stopped
                return STOP if report.stopped else "released"
            case Diagnosis():
                self.broken = report.broken
                return self._why_not() if self.stopped or self.blocked else None
            case Foreign():
                who = report.client or "another client"
                self.foreign = who if report.goals else None
                goals = ", ".join(report.goals)
                return f"driven by {who}: {goals}" if goals else "no longer driven so"
            case Problem():
                self.problem = report.text
                return f"{report.kind}: {report.text}"
            case Progress():
                return self._progress(report)
            case Ended():
                self.blocked = None
                self.ended[report.command_id] = GoalReport(
                    report.command_id,
                    ENDINGS[report.state],
                    report.reason or None,
                    report.inferred,
                )
        return None

    def _progress(self, report: Progress) -> str | None:
        was = self.blocked
        if not report.blocked:
            self.blocked = None
            return None if was is None else "moves again"
        if was is None:
            left_m = report.distance_left_m
            far = "" if left_m is None else f", {left_m:.1f} m left"
            self.blocked = f"{BLOCKED}: {report.reason or 'no progress'}{far}"
            return self.blocked
        return None

    def state(self, robot: str) -> RobotState:
        why_not = self._why_not()
        return RobotState(
            robot,
            ready=why_not is None,
            x_m=None if self.pose is None else round(self.pose.x, 2),
            y_m=None if self.pose is None else round(self.pose.y, 2),
            battery=None if self.battery is None else round(self.battery, 3),
            link=self.link.value.lower(),
            why_not=why_not,
            foreign=self.foreign,
            placed_at_s=self.placed_at_s,
        )

    def _why_not(self) -> str | None:
        if self.link is not LinkState.UP:
            return _words_of(self.link, self.link_reason)
        if not self.reconciled:
            return self.problem or "its state is not known yet"
        if self.stopped:
            return f"{STOP}{self._cause()}"
        if self.foreign is not None:
            return f"{self.foreign} drives it"
        if self.pose is None:
            return "its position is not known yet"
        return None if self.blocked is None else f"{self.blocked}{self._cause()}"

    def _cause(self) -> str:
        """What the robot says is broken. It explains a standstill and makes none:
        robots drive on with errors that do not matter for driving."""
        parts = [f"{part}: {text}" for part, text in self.broken if text != STOP]
        return f" ({'; '.join(parts)})" if parts else ""


def _words_of(link: LinkState, reason: str) -> str:
    """To follow the name of the robot."""
    if link is LinkState.UP:
        return "answers"
    said = "answers late" if link is LinkState.DEGRADED else "does not answer"
    return f"{said}: {reason}" if reason else said


class BridgeRobots:
    """All robots of a world that are reached over rosbridge.

    ``url`` may contain ``{robot}`` where every robot has a server of its own. Behind
    one server each robot's topics lie in a namespace of its name.
    """

    def __init__(
        self,
        world: World,
        url: str,
        *,
        tls: TlsFiles = SYSTEM,
        on_report: Callable[[], None] = lambda: None,
        on_told: Told = lambda robot, text: None,
        crossings: Crossings = lambda robot, start, end: (),
    ) -> None:
        """RobotsMisconfigured if the address or a profile cannot be used."""
        self._world = world
        self._url = url
        self._tls = tls
        self._on_report = on_report
        self._on_told = on_told
        self._crossings = crossings
        self._clients: dict[str, RobotPort] = {}
        self._known: dict[str, _Known] = {}
        self._lock = threading.Lock()
        for info in world.robots:
            self._client(info, _Known())

    def names(self) -> Sequence[str]:
        return [robot.id for robot in self._world.robots]

    def take(self, robot: str) -> None:
        info = self._world.robot(robot)
        if info is None or robot in self._clients:
            return
        known = _Known()
        client = self._client(info, known)
        with self._lock:
            self._known[robot] = known
        client.start()
        self._clients[robot] = client

    def drop(self, robot: str) -> None:
        with self._lock:
            self._known.pop(robot, None)
        client = self._clients.pop(robot, None)
        if client is not None:
            client.stop()

    def permit(self, until_s: float) -> None:
        for client in self._clients.values():
            client.permit(until_s)

    def states(self) -> Sequence[RobotState]:
        with self._lock:
            return [known.state(robot) for robot, known in self._known.items()]

    def navigate(self, goal: Goal, *, maybe_sent: bool) -> None:
        client = self._clients.get(goal.robot)
        if client is None:
            return  # lost meanwhile; its next owner is handed the goal
        if goal.action != DRIVE:
            # Known to the robot by its key: what it did already it does not repeat.
            client.action(
                goal.id,
                goal.action,
                {"id": goal.act_key, "package": goal.package},
                expires_at=time.time() + EXPIRY_S,
            )
            return
        maybe_sent_at = None
        if maybe_sent and goal.sent_at is not None:
            maybe_sent_at = goal.sent_at.timestamp()
        client.navigate(
            goal.id,
            goal.pose.x_m,
            goal.pose.y_m,
            goal.pose.yaw_rad,
            expires_at=time.time() + EXPIRY_S,
            maybe_sent_at=maybe_sent_at,
            via=self._via(goal),
        )

    def _via(self, goal: Goal) -> Sequence[Point]:
        """Where roads meet on the way, for a vehicle that is told its way."""
        with self._lock:
            known = self._known.get(goal.robot)
            pose = None if known is None else known.pose
        if pose is None:
            return ()
        return self._crossings(
            goal.robot, (pose.x, pose.y), (goal.pose.x_m, goal.pose.y_m)
        )

    def cancel(self, goal: Goal) -> None:
        client = self._clients.get(goal.robot)
        if client is not None:
            client.cancel(goal.id)

    def reports(self) -> Sequence[GoalReport]:
        with self._lock:
            return [
                report
                for known in self._known.values()
                for report in known.ended.values()
            ]

    def acknowledge(self, goal_id: str) -> None:
        with self._lock:
            for known in self._known.values():
                known.ended.pop(goal_id, None)

    def close(self) -> None:
        for robot in list(self._clients):
            self.drop(robot)

    def _client(self, info: RobotInfo, known: _Known) -> RobotPort:
        url = address_of(info, self._url)

        def hear(robot: str, report: Report) -> None:
            self._hear(known, robot, report)

        try:
            if is_vehicle(url):
                return VehicleClient(url, info.profile, info.id, hear, tls=self._tls)
            return RobotClient(
                url,
                info.profile,
                info.id,
                hear,
                namespace=namespace_of(info, self._url),
                tls=self._tls,
            )
        except (UnsafeAddress, BadProfile, MqttMissing) as cause:
            raise RobotsMisconfigured(f"Robot {info.id}: {cause}.") from cause

    def _hear(self, known: _Known, robot: str, report: Report) -> None:
        with self._lock:
            if self._known.get(robot) is not known:
                return  # of an earlier time as this robot's owner
            text = known.hear(report)
        if text is not None:
            self._on_told(robot, text)
        if text is not None or isinstance(report, Ended):
            self._on_report()
