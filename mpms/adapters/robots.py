"""Robots over rosbridge: the only place that knows ``robot_bridge``.

The bridge speaks of commands with ids and states; here they become goals and their
reports. A report is kept until the service has committed what it means.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from mpms.domain.goals import Goal, GoalReport, GoalState
from mpms.domain.worlds import World
from mpms.ports.plant import RobotState
from robot_bridge.client import RobotClient
from robot_bridge.probe import probe
from robot_bridge.reports import (
    CommandState,
    Ended,
    Link,
    LinkState,
    Problem,
    Progress,
    Report,
    Snapshot,
)

__all__ = ["BridgeRobots", "probe"]

ENDINGS = {
    CommandState.SUCCEEDED: GoalState.REACHED,
    CommandState.ABORTED: GoalState.FAILED,
    CommandState.REJECTED: GoalState.FAILED,
    CommandState.EXPIRED: GoalState.FAILED,
    CommandState.CANCELLED: GoalState.CANCELLED,
    CommandState.UNKNOWN: GoalState.UNKNOWN,
}
Told = Callable[[str, str], None]


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
        ca_file: str | None = None,
        on_report: Callable[[], None] = lambda: None,
        on_told: Told = lambda robot, text: None,
    ) -> None:
        self._world = world
        self._url = url
        self._ca_file = ca_file
        self._on_report = on_report
        self._on_told = on_told
        self._clients: dict[str, RobotClient] = {}
        self._ended: dict[str, GoalReport] = {}
        self._lock = threading.Lock()

    def names(self) -> Sequence[str]:
        return [robot.id for robot in self._world.robots]

    def take(self, robot: str) -> None:
        info = self._world.robot(robot)
        if info is None or robot in self._clients:
            return
        own_server = "{robot}" in self._url
        client = RobotClient(
            self._url.replace("{robot}", robot),
            info.profile,
            robot,
            self._hear,
            namespace=None if own_server else robot,
            ca_file=self._ca_file,
        )
        client.start()
        self._clients[robot] = client

    def drop(self, robot: str) -> None:
        client = self._clients.pop(robot, None)
        if client is not None:
            client.stop()

    def states(self) -> Sequence[RobotState]:
        return [
            _state(robot, client.snapshot()) for robot, client in self._clients.items()
        ]

    def navigate(self, goal: Goal, *, maybe_sent: bool) -> None:
        client = self._clients.get(goal.robot)
        if client is None:
            return  # lost meanwhile; its next owner is handed the goal
        maybe_sent_at = None
        if maybe_sent and goal.sent_at is not None:
            maybe_sent_at = goal.sent_at.timestamp()
        client.navigate(
            goal.id,
            goal.pose.x_m,
            goal.pose.y_m,
            goal.pose.yaw_rad,
            maybe_sent_at=maybe_sent_at,
        )

    def cancel(self, goal: Goal) -> None:
        client = self._clients.get(goal.robot)
        if client is not None:
            client.cancel(goal.id)

    def reports(self) -> Sequence[GoalReport]:
        with self._lock:
            return list(self._ended.values())

    def acknowledge(self, goal_id: str) -> None:
        with self._lock:
            self._ended.pop(goal_id, None)

    def close(self) -> None:
        for robot in list(self._clients):
            self.drop(robot)

    def _hear(self, robot: str, report: Report) -> None:
        if isinstance(report, Ended):
            with self._lock:
                self._ended[report.command_id] = GoalReport(
                    report.command_id,
                    ENDINGS[report.state],
                    report.reason or None,
                    report.inferred,
                )
            self._on_report()
        elif isinstance(report, Link):
            self._on_told(robot, f"link {report.state.value.lower()} {report.reason}")
            self._on_report()
        elif isinstance(report, Problem):
            self._on_told(robot, f"{report.kind}: {report.text}")
        elif isinstance(report, Progress) and report.blocked:
            left = report.distance_left_m
            far = "" if left is None else f", {left:.1f} m left"
            self._on_told(robot, f"blocked{far}")


def _state(robot: str, seen: Snapshot) -> RobotState:
    why_not = None
    if seen.link is not LinkState.UP:
        why_not = f"link {seen.link.value.lower()}"
    elif not seen.reconciled:
        why_not = "its state is not known yet"
    elif seen.stopped:
        why_not = "emergency stop"
    elif seen.pose is None:
        why_not = "its position is not known yet"
    return RobotState(
        robot,
        ready=why_not is None,
        x_m=None if seen.pose is None else round(seen.pose.x, 2),
        y_m=None if seen.pose is None else round(seen.pose.y, 2),
        battery=None if seen.battery is None else seen.battery.fraction,
        link=seen.link.value.lower(),
        why_not=why_not,
    )
