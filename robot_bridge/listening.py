"""What a passive listener makes of the frames of one rosbridge server.

It subscribes and never advertises, publishes or calls, so looking at the floor can
move nothing. No socket, no clock: whoever owns the connection brings frames and
instants of a monotonic clock.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from robot_bridge import floor_messages, messages
from robot_bridge.floor_messages import PersonReading, Placed, Point
from robot_bridge.latches import Latches
from robot_bridge.messages import BadMessage, Frame
from robot_bridge.profiles import (
    JointsSpec,
    Profile,
    SafetySpec,
    ScanSpec,
    TopicSpec,
)
from robot_bridge.reckoning import Placement, Reckoning

WATCHED = ("pose", "odom", "battery", "safety", "plan", "joints", "people")
LAYERS = ("scan", "costmap", "local_plan")
WHOLE_MAP = ("global_costmap",)
"""Larger than the other layers together, so listened to for those who want it."""
LAYERS_FOR_S = 30.0
"""Heavy topics are listened to this long after somebody last asked for them."""
MOST_CELLS = 60_000
"""Of the whole map that are shown."""
THROTTLE_MS = 200
TRAIL_POINTS = 120
TRAIL_STEP_M = 0.25
JUMP_M = 3.0
"""A robot that leaps was placed anew; its trail does not cross the gap."""

Spec = TopicSpec | SafetySpec | ScanSpec | JointsSpec


@dataclass(frozen=True, slots=True)
class WatchedRobot:
    """A robot to listen to. ``namespace`` None: as the profile says."""

    robot_id: str
    profile: Profile
    namespace: str | None = None


@dataclass(slots=True)
class Sighting:
    """The newest of everything that one robot said; instants are monotonic."""

    reckoning: Reckoning = field(default_factory=Reckoning)
    heard_at: float | None = None
    speed_mps: float | None = None
    battery: float | None = None
    steering_rad: float | None = None
    stopped: bool = False
    plan: tuple[Point, ...] = ()
    scan: tuple[Point, ...] = ()
    costmap: tuple[Point, ...] = ()
    local_plan: tuple[Point, ...] = ()
    global_costmap: tuple[Point, ...] = ()
    driven: deque[Point] = field(
        default_factory=lambda: deque[Point](maxlen=TRAIL_POINTS)
    )
    layers_until: float = -math.inf
    whole_map_until: float = -math.inf

    def leave_trail(self) -> None:
        known = self.reckoning.now()
        if known is None:
            return
        at, _ = known
        if self.driven:
            last_x, last_y = self.driven[-1]
            moved_m = math.hypot(at.x - last_x, at.y - last_y)
            if moved_m < TRAIL_STEP_M:
                return
            if moved_m > JUMP_M:
                self.driven.clear()
        self.driven.append((at.x, at.y))


class Listener:
    """All robots behind one server."""

    def __init__(self, robots: Iterable[WatchedRobot]) -> None:
        self.sightings: dict[str, Sighting] = {}
        self.people: dict[str, tuple[PersonReading, float]] = {}
        self._profiles: dict[str, Profile] = {}
        self._roles: dict[str, list[tuple[str, str]]] = {}
        self._specs: dict[str, tuple[Profile, Spec]] = {}
        self._subscribed: set[str] = set()
        self._spelt: dict[str, str] = {}
        self._open = False
        asked = set()
        for robot in robots:
            self.sightings[robot.robot_id] = Sighting()
            self._profiles[robot.robot_id] = robot.profile
            for role in (*WATCHED, *LAYERS, *WHOLE_MAP):
                spec: Spec | None = getattr(robot.profile.topics, role)
                if spec is None:
                    continue
                name = robot.profile.resolve(spec.name, robot.robot_id, robot.namespace)
                self._roles.setdefault(name, []).append((robot.robot_id, role))
                self._specs.setdefault(name, (robot.profile, spec))
                if role in ("pose", "safety", "plan"):
                    asked.add(name)
        self._latches = Latches(frozenset(asked))

    def want_layers(
        self, now: float, robot_id: str, *, whole_map: bool = False
    ) -> None:
        sighting = self.sightings.get(robot_id)
        if sighting is None:
            return
        if whole_map:
            sighting.whole_map_until = now + LAYERS_FOR_S
        else:
            sighting.layers_until = now + LAYERS_FOR_S

    def opened(self, now: float) -> list[Frame]:
        self._open = True
        self._spelt.clear()
        self._subscribed.clear()
        self._latches.opened(now)
        for sighting in self.sightings.values():
            sighting.reckoning.forget_odometry()
        return self.tick(now)

    def closed(self) -> None:
        self._open = False
        self._subscribed.clear()
        self._latches.closed()

    def tick(self, now: float) -> list[Frame]:
        """Frames to send: wanted now, not wanted any more, unheard."""
        if not self._open:
            return []
        frames: list[Frame] = []
        for name in self._latches.ask_again(now):
            frames += self._renew(name)
        wanted = {name for name in self._roles if self._is_wanted(name, now)}
        for name in sorted(wanted - self._subscribed):
            frames.append(self._subscribe(name))
        for name in sorted(self._subscribed - wanted):
            spelt = self._spelt.get(name, name)
            frames.append(messages.unsubscribe(spelt, f"watch:{name}"))
            self._forget_layers(name)
        self._subscribed = wanted
        return frames

    def _is_wanted(self, name: str, now: float) -> bool:
        return any(
            now < self._wanted_until(robot, role) for robot, role in self._roles[name]
        )

    def _wanted_until(self, robot: str, role: str) -> float:
        if role in LAYERS:
            return self.sightings[robot].layers_until
        if role in WHOLE_MAP:
            return self.sightings[robot].whole_map_until
        return math.inf

    def _renew(self, name: str) -> list[Frame]:
        if name not in self._subscribed:
            return []
        spelt = self._spelt.get(name, name)
        self._spelt[name] = messages.other_spelling(spelt)
        ident = f"watch:{name}"
        return [messages.unsubscribe(spelt, ident), self._subscribe(name)]

    def _subscribe(self, name: str) -> Frame:
        profile, spec = self._specs[name]
        throttle_ms = max(THROTTLE_MS, spec.throttle_ms)
        kind, ident = profile.spell(spec.type), f"watch:{name}"
        spelt = self._spelt.get(name, name)
        return messages.subscribe(spelt, kind, ident, throttle_ms=throttle_ms)

    def _forget_layers(self, name: str) -> None:
        for robot, role in self._roles[name]:
            setattr(self.sightings[robot], role, ())

    def heard(self, now: float, frame: Frame) -> None:
        """Take in one frame. BadMessage if it is not what its topic should carry."""
        name = messages.absolute(str(frame.get("topic")))
        if frame["op"] != "publish" or name not in self._roles:
            return
        self._latches.heard(name)
        message = frame.get("msg")
        for robot, role in self._roles[name]:
            self._take(now, robot, role, message)

    def _take(self, now: float, robot: str, role: str, message: Any) -> None:
        sighting = self.sightings[robot]
        profile = self._profiles[robot]
        match role:
            case "pose":
                sighting.reckoning.saw_pose(now, messages.read_pose(message))
                sighting.leave_trail()
            case "odom":
                odometry = messages.read_odometry(message)
                sighting.speed_mps = odometry.speed_mps
                sighting.reckoning.saw_odometry(now, odometry.pose)
                sighting.leave_trail()
            case "battery":
                sighting.battery = messages.read_battery(message).fraction
            case "safety":
                sighting.stopped = _says_stopped(profile.topics.safety, message)
            case "plan":
                path = floor_messages.read_path(message)
                sighting.plan = _in_map(sighting, profile, path) or ()
            case "scan":
                hits = floor_messages.read_scan(message)
                sighting.scan = _seen_from(sighting, profile.topics.scan, hits)
            case "joints":
                spec = profile.topics.joints
                if spec is not None:
                    sighting.steering_rad = floor_messages.read_joint(
                        message, spec.steering_joint
                    )
            case "costmap":
                grid = floor_messages.read_costmap(message)
                sighting.costmap = _in_map(sighting, profile, grid) or ()
            case "local_plan":
                path = floor_messages.read_path(message)
                sighting.local_plan = _in_map(sighting, profile, path) or ()
            case "global_costmap":
                grid = floor_messages.read_costmap(message, MOST_CELLS)
                sighting.global_costmap = _in_map(sighting, profile, grid) or ()
            case "people":
                for person in floor_messages.read_people(message):
                    self.people[person.tag] = (person, now)
                return  # said by the plant, no sign of life of a robot
        sighting.heard_at = now


def _says_stopped(spec: SafetySpec | None, message: Any) -> bool:
    value = message.get(spec.field) if spec and isinstance(message, dict) else None
    if not isinstance(value, bool) or spec is None:
        raise BadMessage(f"emergency stop is {value!r}, not true or false")
    return value is spec.stopped_when


def _in_map(
    sighting: Sighting, profile: Profile, placed: Placed
) -> tuple[Point, ...] | None:
    """None where nobody can say how that frame lies in the map."""
    frame = placed.frame.strip("/").rpartition("/")[2]
    known = sighting.reckoning.now()
    move: Placement | None
    if frame in ("", profile.frame):
        return placed.points
    if frame.startswith("odom"):
        move = sighting.reckoning.map_from_odom()
    else:
        move = known[0] if known and frame.startswith("base") else None
    if move is None:
        return None
    return tuple(move.apply(x, y) for x, y in placed.points)


def _seen_from(
    sighting: Sighting, spec: ScanSpec | None, hits: tuple[Point, ...]
) -> tuple[Point, ...]:
    known = sighting.reckoning.now()
    if known is None or spec is None:
        return ()
    laser = Placement(spec.mount_x_m, spec.mount_y_m, spec.mount_yaw_rad)
    at = known[0].then(laser)
    return tuple(at.apply(x, y) for x, y in hits)
