"""Rosbridge JSON as Python values, in the spelling of ROS 1 and of ROS 2.

The client and the simulated server must agree on every field name. Both read
this module, so a spelling exists once. Nothing here does I/O or keeps state.

The two dialects differ in three places only: the type name (``pkg/Type`` against
``pkg/msg/Type``), the stamp (``secs``/``nsecs`` against ``sec``/``nanosec``) and
the header's ``seq``, which ROS 2 does not have.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any

Frame = dict[str, Any]
DIAGNOSTIC_ERROR = 2


class BadMessage(ValueError):
    """A frame or message that does not have the shape its type promises."""


class Dialect(StrEnum):
    ROS1 = "ros1"
    ROS2 = "ros2"


class GoalCode(IntEnum):
    """actionlib_msgs/GoalStatus of ROS 1."""

    PENDING = 0
    ACTIVE = 1
    PREEMPTED = 2
    SUCCEEDED = 3
    ABORTED = 4
    REJECTED = 5
    PREEMPTING = 6
    RECALLING = 7
    RECALLED = 8
    LOST = 9


class Goal2Code(IntEnum):
    """action_msgs/msg/GoalStatus of ROS 2."""

    UNKNOWN = 0
    ACCEPTED = 1
    EXECUTING = 2
    CANCELING = 3
    SUCCEEDED = 4
    CANCELED = 5
    ABORTED = 6


@dataclass(frozen=True, slots=True)
class PoseReading:
    x: float
    y: float
    yaw: float
    frame: str
    stamp_s: float


@dataclass(frozen=True, slots=True)
class OdometryReading:
    pose: PoseReading
    speed_mps: float
    turn_radps: float


@dataclass(frozen=True, slots=True)
class BatteryReading:
    """``fraction`` is None where the robot does not know (NaN, null on the wire)."""

    fraction: float | None
    voltage_v: float | None
    charging: bool


@dataclass(frozen=True, slots=True)
class GoalListing:
    goal_id: str
    code: int
    text: str
    stamp_s: float


@dataclass(frozen=True, slots=True)
class ActionResult:
    listing: GoalListing
    payload: Mapping[str, Any]


# --- text ---------------------------------------------------------------------


def decode_frame(text: str | bytes) -> Frame:
    try:
        frame = json.loads(text)
    except (ValueError, RecursionError) as cause:
        raise BadMessage(f"not JSON: {cause}") from None
    if not isinstance(frame, dict) or not isinstance(frame.get("op"), str):
        raise BadMessage("a frame is a JSON object with a text field 'op'")
    return frame


def encode_frame(frame: Mapping[str, Any]) -> str:
    """NaN and infinity become null, as the real server writes them."""
    try:
        return json.dumps(frame, allow_nan=False, separators=(",", ":"))
    except ValueError:
        return json.dumps(_without_nan(frame), separators=(",", ":"))


def _without_nan(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: _without_nan(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(each) for each in value]
    return value


# --- types, time, headers -----------------------------------------------------


def type_name(dialect: Dialect, name: str) -> str:
    """Spell ``geometry_msgs/Pose`` or ``geometry_msgs/msg/Pose`` for the dialect."""
    parts = name.split("/")
    if len(parts) not in (2, 3) or not all(parts):
        raise BadMessage(f"{name!r} is not a type name like geometry_msgs/Pose")
    if dialect is Dialect.ROS1:
        return f"{parts[0]}/{parts[-1]}"
    kind = parts[1] if len(parts) == 3 else "msg"
    return f"{parts[0]}/{kind}/{parts[-1]}"


def same_type(one: str, other: str) -> bool:
    first, second = one.split("/"), other.split("/")
    return (first[0], first[-1]) == (second[0], second[-1])


def stamp(dialect: Dialect, seconds: float) -> dict[str, int]:
    whole = math.floor(seconds)
    nanos = min(999_999_999, round((seconds - whole) * 1e9))
    if dialect is Dialect.ROS1:
        return {"secs": whole, "nsecs": nanos}
    return {"sec": whole, "nanosec": nanos}


def seconds_of(value: Any) -> float:
    """A stamp of either dialect in seconds; a missing one is 0, as ROS fills it."""
    if not isinstance(value, Mapping):
        return 0.0
    whole = value.get("secs", value.get("sec", 0))
    nanos = value.get("nsecs", value.get("nanosec", 0))
    return _number(whole, "stamp seconds") + _number(nanos, "stamp nanoseconds") / 1e9


def header(dialect: Dialect, seconds: float, frame: str, seq: int = 0) -> Frame:
    fields: Frame = {"stamp": stamp(dialect, seconds), "frame_id": frame}
    if dialect is Dialect.ROS1:
        fields["seq"] = seq
    return fields


# --- geometry -----------------------------------------------------------------


def quaternion_from_yaw(yaw: float) -> dict[str, float]:
    return {"x": 0.0, "y": 0.0, "z": math.sin(yaw / 2), "w": math.cos(yaw / 2)}


def yaw_from_quaternion(quaternion: Any) -> float:
    """Refuses a quaternion that is no rotation: move_base aborts on (0,0,0,0)."""
    if not isinstance(quaternion, Mapping):
        raise BadMessage("orientation is missing")
    x, y, z, w = (_number(quaternion.get(k), f"orientation.{k}") for k in "xyzw")
    norm = math.sqrt(x * x + y * y + z * z + w * w)
    if not 0.9 < norm < 1.1:
        raise BadMessage(f"orientation is no rotation (its length is {norm:.3f})")
    return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))


def pose(x: float, y: float, yaw: float) -> Frame:
    for name, value in (("x", x), ("y", y), ("yaw", yaw)):
        if not math.isfinite(value):
            raise BadMessage(f"{name} is {value}")
    return {
        "position": {"x": float(x), "y": float(y), "z": 0.0},
        "orientation": quaternion_from_yaw(yaw),
    }


def pose_stamped(
    dialect: Dialect, x: float, y: float, yaw: float, frame: str, at_s: float = 0.0
) -> Frame:
    """Stamp 0 asks the robot for its newest transform: our clock is not its clock."""
    return {"header": header(dialect, at_s, frame), "pose": pose(x, y, yaw)}


def read_pose(message: Any) -> PoseReading:
    """PoseStamped, PoseWithCovarianceStamped or Odometry."""
    inner = _field(message, "pose")
    if "pose" in inner:
        inner = _field(inner, "pose")
    position = _field(inner, "position")
    head = message.get("header")
    head = head if isinstance(head, Mapping) else {}
    return PoseReading(
        x=_number(position.get("x"), "position.x"),
        y=_number(position.get("y"), "position.y"),
        yaw=yaw_from_quaternion(inner.get("orientation")),
        frame=str(head.get("frame_id", "")),
        stamp_s=seconds_of(head.get("stamp")),
    )


def read_odometry(message: Any) -> OdometryReading:
    twist = _field(_field(message, "twist"), "twist")
    linear, angular = _field(twist, "linear"), _field(twist, "angular")
    return OdometryReading(
        pose=read_pose(message),
        speed_mps=math.hypot(
            _number(linear.get("x", 0.0), "linear.x"),
            _number(linear.get("y", 0.0), "linear.y"),
        ),
        turn_radps=abs(_number(angular.get("z", 0.0), "angular.z")),
    )


def read_battery(message: Any) -> BatteryReading:
    """sensor_msgs/BatteryState: percentage 0..1; NaN arrives as null."""
    if not isinstance(message, Mapping):
        raise BadMessage("battery state is not an object")
    fraction = _finite_or_none(message.get("percentage"))
    if fraction is not None and not 0.0 <= fraction <= 1.0:
        raise BadMessage(f"percentage {fraction} is not between 0 and 1")
    charging = message.get("power_supply_status") == 1
    return BatteryReading(fraction, _finite_or_none(message.get("voltage")), charging)


def read_diagnostics(message: Any) -> dict[str, str | None]:
    """diagnostic_msgs/DiagnosticArray: by part what is broken, None where nothing is.

    A robot speaks of some of its parts in each message, not of all.
    """
    listed = message.get("status") if isinstance(message, Mapping) else None
    if not isinstance(listed, list):
        raise BadMessage("field 'status' is missing")
    found: dict[str, str | None] = {}
    for each in listed:
        level = each.get("level") if isinstance(each, Mapping) else None
        if isinstance(level, str) and len(level) == 1:
            level = ord(level)  # a byte of ROS 2
        if not isinstance(level, int):
            raise BadMessage(f"level {level!r} of a part is not a number")
        name = str(each.get("name") or "").rpartition(": ")[2]
        broken = level == DIAGNOSTIC_ERROR
        found[name] = str(each.get("message") or "error") if broken else None
    return found


# --- actions ------------------------------------------------------------------


def goal_id(goal: str, at_s: float) -> Frame:
    return {"stamp": stamp(Dialect.ROS1, at_s), "id": goal}


def action_goal(goal: str, at_s: float, body: Mapping[str, Any]) -> Frame:
    """<Action>Goal of ROS 1 with an id of our own."""
    return {
        "header": header(Dialect.ROS1, at_s, ""),
        "goal_id": goal_id(goal, at_s),
        "goal": dict(body),
    }


def read_listing(status: Any) -> GoalListing:
    identity = _field(status, "goal_id")
    code = status.get("status")
    if not isinstance(code, int) or isinstance(code, bool):
        raise BadMessage(f"goal status {code!r} is not a number")
    return GoalListing(
        goal_id=str(identity.get("id", "")),
        code=code,
        text=str(status.get("text") or ""),
        stamp_s=seconds_of(identity.get("stamp")),
    )


def read_status_list(message: Any) -> list[GoalListing]:
    """actionlib_msgs/GoalStatusArray."""
    if not isinstance(message, Mapping):
        raise BadMessage("status is not an object")
    listed = message.get("status_list")
    if not isinstance(listed, list):
        raise BadMessage("status_list is missing")
    return [read_listing(each) for each in listed]


def read_action_result(message: Any) -> ActionResult:
    """<Action>Result of ROS 1."""
    payload = message.get("result") if isinstance(message, Mapping) else None
    return ActionResult(
        listing=read_listing(_field(message, "status")),
        payload=payload if isinstance(payload, Mapping) else {},
    )


# --- operations ---------------------------------------------------------------


def other_spelling(topic: str) -> str:
    """The same topic without its first slash. A server keeps what it listens to by
    the name it was given, and how it listens (with the memory of the last message or
    without) as it was when the first client asked; under the other spelling it looks
    anew, whoever else listens."""
    return topic[1:] if topic.startswith("/") else f"/{topic}"


def absolute(topic: str) -> str:
    return topic if topic.startswith("/") else f"/{topic}"


def advertise(topic: str, kind: str, ident: str | None = None) -> Frame:
    return _op("advertise", ident, topic=topic, type=kind)


def unadvertise(topic: str, ident: str | None = None) -> Frame:
    return _op("unadvertise", ident, topic=topic)


def subscribe(
    topic: str,
    kind: str | None,
    ident: str | None = None,
    *,
    throttle_ms: int = 0,
    queue_length: int = 1,
) -> Frame:
    frame = _op(
        "subscribe",
        ident,
        topic=topic,
        throttle_rate=throttle_ms,
        queue_length=queue_length,
    )
    if kind is not None:
        frame["type"] = kind
    return frame


def unsubscribe(topic: str, ident: str | None = None) -> Frame:
    return _op("unsubscribe", ident, topic=topic)


def publish(topic: str, message: Mapping[str, Any]) -> Frame:
    return {"op": "publish", "topic": topic, "msg": dict(message)}


def call_service(service: str, ident: str, args: Mapping[str, Any]) -> Frame:
    return _op("call_service", ident, service=service, args=dict(args))


def service_response(
    service: str, ident: Any, values: Any, result: bool = True
) -> Frame:
    frame: Frame = {
        "op": "service_response",
        "service": service,
        "values": values,
        "result": result,
    }
    if ident is not None:
        frame["id"] = ident
    return frame


def send_action_goal(
    action: str, kind: str, ident: str, args: Mapping[str, Any]
) -> Frame:
    return _op(
        "send_action_goal",
        ident,
        action=action,
        action_type=kind,
        args=dict(args),
        feedback=True,
    )


def cancel_action_goal(action: str, ident: str) -> Frame:
    return _op("cancel_action_goal", ident, action=action)


def _op(op: str, ident: str | None, **fields: Any) -> Frame:
    frame: Frame = {"op": op}
    if ident is not None:
        frame["id"] = ident
    frame.update(fields)
    return frame


# --- fields -------------------------------------------------------------------


def _field(message: Any, name: str) -> Mapping[str, Any]:
    value = message.get(name) if isinstance(message, Mapping) else None
    if not isinstance(value, Mapping):
        raise BadMessage(f"field {name!r} is missing")
    return value


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadMessage(f"{name} is {value!r}, not a number")
    if not math.isfinite(value):
        raise BadMessage(f"{name} is {value}")
    return float(value)


def _finite_or_none(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None
