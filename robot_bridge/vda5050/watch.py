"""Listens to vehicles for people: for the map, and for who tests the way to one.

It subscribes and never publishes, so looking can move nothing. Its client has a name
of its own each time, so it never ends the connection of a worker.
"""

from __future__ import annotations

import queue
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from robot_bridge.address import UnsafeAddress
from robot_bridge.look import CONNECT_S, HEAR_S, Seen, Told
from robot_bridge.messages import BadMessage
from robot_bridge.profiles import BadProfile
from robot_bridge.tls import SYSTEM, TlsFiles
from robot_bridge.vda5050 import reading
from robot_bridge.vda5050.address import VehicleAddress, check_vehicle_address
from robot_bridge.vda5050.client import HEARD, KEEP_ALIVE_S, new_mqtt
from robot_bridge.vda5050.profile import VehicleProfile, load_vehicle_profile
from robot_bridge.vda5050.refusal import why_refused
from robot_bridge.watch import RobotWatched

VehicleToWatch = tuple[str, str, str]
"""robot id, url, profile"""
TRAIL_POINTS = 120

Heard = Callable[[str, str, dict[str, Any]], None]
"""robot, topic, body"""


class _Ear:
    """One connection to a broker, for all its vehicles."""

    def __init__(self, at: VehicleAddress, roots: dict[str, str], heard: Heard) -> None:
        self._roots = roots  # of topics, to robots
        self._heard = heard
        self.refused: str | None = None
        self.open = threading.Event()
        self.mqtt = new_mqtt(at, "")
        self.mqtt.on_connect = self._on_connect
        self.mqtt.on_message = self._on_message
        self.mqtt.connect_async(at.host, at.port, KEEP_ALIVE_S)
        self.mqtt.loop_start()

    def close(self) -> None:
        self.mqtt.disconnect()
        self.mqtt.loop_stop()

    def _on_connect(
        self, client: Any, _data: Any, _flags: Any, code: Any, *_more: Any
    ) -> None:
        if code.is_failure:
            self.refused = str(code)
            return
        client.subscribe([(f"{r}/{topic}", 0) for r in self._roots for topic in HEARD])
        self.open.set()

    def _on_message(self, _client: Any, _: Any, message: Any) -> None:
        root, _slash, topic = message.topic.rpartition("/")
        if root not in self._roots or (message.retain and topic == "state"):
            return
        try:
            body = dict(reading.decode(message.payload))
        except BadMessage:
            return
        self._heard(self._roots[root], topic, body)


def root_of(profile: VehicleProfile, at: VehicleAddress) -> str:
    return f"{profile.root or profile.dialect.root}/{at.maker}/{at.serial}"


@dataclass(slots=True)
class _Sighting:
    place: reading.Position | None = None
    placed_at: float = 0.0
    heard_at: float | None = None
    charge: float | None = None
    stopped: bool = False
    driven: deque[tuple[float, float]] = field(
        default_factory=lambda: deque[tuple[float, float]](maxlen=TRAIL_POINTS)
    )


class VehicleWatch:
    """Keeps the newest of what all vehicles say. Safe to ask from any thread."""

    def __init__(
        self,
        vehicles: Iterable[VehicleToWatch],
        *,
        tls: TlsFiles = SYSTEM,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._seen: dict[str, _Sighting] = {}
        self._ears: list[_Ear] = []
        brokers: dict[tuple[str, int], tuple[VehicleAddress, dict[str, str]]] = {}
        for robot, url, name in vehicles:
            profile = load_vehicle_profile(name)
            at = check_vehicle_address(url, profile, tls)
            _, roots = brokers.setdefault((at.host, at.port), (at, {}))
            roots[root_of(profile, at)] = robot
            self._seen[robot] = _Sighting()
        self._brokers = list(brokers.values())

    def start(self) -> None:
        self._ears = [_Ear(at, roots, self._take) for at, roots in self._brokers]

    def close(self) -> None:
        for ear in self._ears:
            ear.close()
        self._ears = []

    def robots(self) -> list[RobotWatched]:
        with self._lock:
            now = self._now()
            return [_watched(robot, seen, now) for robot, seen in self._seen.items()]

    def _take(self, robot: str, topic: str, body: dict[str, Any]) -> None:
        with self._lock:
            seen, now = self._seen[robot], self._now()
            try:
                place = reading.read_position(body)
                if topic == "state":
                    state = reading.read_state(body)
                    seen.charge = state.charge
                    seen.stopped = state.stop not in ("NONE", "")
            except BadMessage:
                return
            if topic in ("state", "visualization"):
                seen.heard_at = now
            if place is not None and place.localised:
                seen.place, seen.placed_at = place, now
                if not seen.driven or seen.driven[-1] != (place.x, place.y):
                    seen.driven.append((place.x, place.y))


def _watched(robot: str, seen: _Sighting, now: float) -> RobotWatched:
    at = seen.place
    return RobotWatched(
        robot_id=robot,
        x=None if at is None else at.x,
        y=None if at is None else at.y,
        yaw=None if at is None else at.yaw,
        pose_age_s=None if at is None else now - seen.placed_at,
        heard_age_s=None if seen.heard_at is None else now - seen.heard_at,
        speed_mps=None,
        battery=seen.charge,
        stopped=seen.stopped,
        plan=(),
        scan=(),
        costmap=(),
        driven=tuple(seen.driven),
    )


def look_at_vehicle(
    url: str,
    profile_name: str,
    told: Told,
    *,
    tls: TlsFiles = SYSTEM,
    hear_s: float = HEAR_S,
) -> None:
    """Profile, address, TCP, broker, connection, state, position; ends at the first
    that makes the next ones pointless. A vehicle says its state every half minute, or
    when it is asked; without a word the connection alone is told."""
    try:
        profile = load_vehicle_profile(profile_name)
    except BadProfile as cause:
        told(Seen("profile", False, "bad_profile", str(cause)))
        return
    told(Seen("profile", True, values={"profile": profile.name}))
    try:
        at = check_vehicle_address(url, profile, tls)
    except UnsafeAddress as cause:
        told(Seen("address", False, "unsafe", str(cause)))
        return
    try:
        socket.create_connection((at.host, at.port), CONNECT_S).close()
    except OSError as cause:
        word = "refused" if isinstance(cause, ConnectionRefusedError) else "timeout"
        told(Seen("tcp", False, word, str(cause), {"port": at.port}))
        return
    told(Seen("tcp", True, values={"host": at.host, "port": at.port}))
    if at.secure:
        refused = why_refused(at)
        told(Seen("tls", not refused, "certificate" if refused else "", refused))
        if refused:
            return
    heard: queue.SimpleQueue[tuple[str, dict[str, Any]]] = queue.SimpleQueue()
    root = root_of(profile, at)
    ear = _Ear(at, {root: ""}, lambda _, topic, body: heard.put((topic, body)))
    try:
        if not ear.open.wait(CONNECT_S):
            told(Seen("broker", False, "login", ear.refused or "no answer"))
            return
        told(Seen("broker", True))
        _tell_heard(heard, root, told, profile, hear_s)
    finally:
        ear.close()


def _tell_heard(
    heard: queue.SimpleQueue[tuple[str, dict[str, Any]]],
    root: str,
    told: Told,
    profile: VehicleProfile,
    hear_s: float,
) -> None:
    topics: dict[str, dict[str, Any]] = {}
    until = time.monotonic() + hear_s
    while "pose" not in topics and (left_s := until - time.monotonic()) > 0:
        try:
            topic, body = heard.get(timeout=left_s)
        except queue.Empty:
            break
        topics[topic] = body
        if reading.read_position(body) is not None:
            topics["pose"] = body
    connection = reading.read_connection(topics.get("connection", {}))
    if connection != "ONLINE":
        cause = "vehicle_away" if connection else "silent"
        told(Seen("heard", False, cause, connection, {"topic": f"{root}/connection"}))
        return
    told(Seen("heard", True, values={"topics": ", ".join(t for t in topics)}))
    pose = topics.get("pose")
    place = None if pose is None else reading.read_position(pose)
    if place is None or not place.localised:
        told(Seen("pose", False, "silent", values={"topic": f"{root}/state"}))
        return
    version = str((pose or {}).get("version", ""))
    if version.partition(".")[0] != profile.version.partition(".")[0]:
        told(Seen("fits", False, "wrong_type", f"it speaks version {version}"))
    values = {"x_m": round(place.x, 2), "y_m": round(place.y, 2), "age_s": 0.0}
    told(Seen("pose", True, values={**values, "frame": place.map_id}))
