"""Drives one goal and tells every state with its time: the first hour with a robot.

A new robot fails silently in many ways. The probe connects, waits until the robot
is reconciled, sends one goal and returns everything that was reported, so that an
integrator sees at which step it stops.
"""

from __future__ import annotations

import queue
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

from robot_bridge.client import RobotClient
from robot_bridge.profiles import Profile, load_profile
from robot_bridge.reports import (
    Battery,
    CommandState,
    Ended,
    Link,
    Pose,
    Problem,
    Progress,
    Report,
    Safety,
)
from robot_bridge.tls import SYSTEM, TlsFiles

CANCEL_PATIENCE_S = 5.0


@dataclass
class _Story:
    began_at: float
    states: list[dict[str, Any]] = field(default_factory=list)
    problems: list[dict[str, Any]] = field(default_factory=list)
    pose: Pose | None = None
    battery: Battery | None = None
    end: Ended | None = None
    last: tuple[str, bool] | None = None

    def tell(self, report: Report, command_id: str) -> None:
        at_s = round(time.monotonic() - self.began_at, 3)
        match report:
            case Pose():
                self.pose = report
            case Battery():
                self.battery = report
            case Link(state=state, reconciled=reconciled, reason=reason):
                entry = {
                    "t_s": at_s,
                    "state": f"LINK_{state}",
                    "reconciled": reconciled,
                }
                self.states.append(entry | ({"reason": reason} if reason else {}))
            case Safety(stopped=stopped):
                self.states.append(
                    {"t_s": at_s, "state": "STOPPED" if stopped else "RELEASED"}
                )
            case Problem(kind=kind, name=name, text=text):
                self.problems.append(
                    {"t_s": at_s, "kind": kind, "name": name, "text": text}
                )
            case Progress(state=state, blocked=blocked, distance_left_m=left):
                if (state, blocked) != self.last:
                    self.last = (state, blocked)
                    name = "BLOCKED" if blocked else str(state)
                    self.states.append(
                        {"t_s": at_s, "state": name, "distance_left_m": _round(left)}
                    )
            case Ended() if report.command_id == command_id:
                self.end = report
                self.states.append(
                    {
                        "t_s": at_s,
                        "state": str(report.state),
                        "inferred": report.inferred,
                        "reason": report.reason,
                        "distance_left_m": _round(report.distance_left_m),
                    }
                )


def probe(
    url: str,
    profile: Profile | str,
    x: float,
    y: float,
    timeout_s: float = 60.0,
    *,
    yaw: float = 0.0,
    robot_id: str = "robot",
    namespace: str | None = None,
    tls: TlsFiles = SYSTEM,
) -> dict[str, Any]:
    """Drive to (x, y); returns JSON-able states with times since the start.

    After ``timeout_s`` the goal is cancelled and ``final`` is TIMEOUT.
    """
    loaded = load_profile(profile) if isinstance(profile, str) else profile
    command_id = f"probe/{uuid.uuid4().hex[:12]}"
    reports: queue.SimpleQueue[Report] = queue.SimpleQueue()
    story = _Story(time.monotonic())
    client = RobotClient(
        url,
        loaded,
        robot_id,
        lambda _, report: reports.put(report),
        namespace=namespace,
        tls=tls,
    )
    client.start()
    try:
        client.navigate(command_id, x, y, yaw, expires_at=time.time() + timeout_s)
        _read(reports, story, command_id, story.began_at + timeout_s)
        timed_out = story.end is None
        if timed_out:
            client.cancel(command_id)
            until = time.monotonic() + CANCEL_PATIENCE_S
            _read(reports, story, command_id, until)
    finally:
        client.stop()
    end, pose = story.end, story.pose
    expired = end is not None and end.state is CommandState.EXPIRED
    final = "TIMEOUT" if timed_out or expired or end is None else str(end.state)
    return {
        "url": url,
        "profile": loaded.name,
        "robot": robot_id,
        "goal": {"x": x, "y": y, "yaw": yaw},
        "final": final,
        "ok": final == CommandState.SUCCEEDED,
        "inferred": end is not None and end.inferred,
        "reason": end.reason if end is not None else "the robot never ended the goal",
        "distance_left_m": None if end is None else _round(end.distance_left_m),
        "seconds": round(time.monotonic() - story.began_at, 3),
        "pose": None
        if pose is None
        else {"x": _round(pose.x), "y": _round(pose.y), "yaw": _round(pose.yaw)},
        "battery": None if story.battery is None else story.battery.fraction,
        "states": story.states,
        "problems": story.problems,
    }


def _read(
    reports: queue.SimpleQueue[Report], story: _Story, command_id: str, until: float
) -> None:
    while story.end is None:
        left_s = until - time.monotonic()
        if left_s <= 0:
            return
        try:
            story.tell(reports.get(timeout=left_s), command_id)
        except queue.Empty:
            return


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
