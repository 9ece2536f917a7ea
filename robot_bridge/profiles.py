"""Profiles: everything that differs between robot makes, as data.

A new make needs a YAML file, not code. A profile that is read wrongly moves a
robot wrongly, so an unknown key, a wrong type or a missing part is an error that
names the key; nothing is guessed and nothing is ignored.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal

import yaml

from robot_bridge import messages
from robot_bridge.messages import Dialect

PLACEHOLDERS = frozenset({"$pose_stamped", "$x", "$y", "$yaw", "$frame"})


class BadProfile(ValueError):
    """A profile that cannot be used; the text names the file and the key."""


@dataclass(frozen=True, slots=True)
class TopicSpec:
    """``name`` is relative to the robot's namespace unless it starts with '/'.

    ``fresh_s``: silence after which the link is no longer UP; leave it out for
    topics that are silent while the robot stands.
    """

    name: str
    type: str
    throttle_ms: int = 200
    fresh_s: float | None = None


@dataclass(frozen=True, slots=True)
class SafetySpec:
    name: str
    type: str
    field: str = "data"
    stopped_when: bool = True
    throttle_ms: int = 0


@dataclass(frozen=True, slots=True)
class ScanSpec:
    """A laser, and where it is mounted on the robot."""

    name: str
    type: str
    throttle_ms: int = 500
    mount_x_m: float = 0.0
    mount_y_m: float = 0.0
    mount_yaw_rad: float = 0.0


@dataclass(frozen=True, slots=True)
class JointsSpec:
    """Joints of a robot that steers like a car; ``steering_joint`` names one whose
    position is the angle of the front wheels."""

    name: str
    type: str
    steering_joint: str
    throttle_ms: int = 200


@dataclass(frozen=True, slots=True)
class ScaleSpec:
    """A load cell: ``field`` of its message times ``kg_per_unit`` is a weight, which
    is told in steps of ``division_kg``: finer than that it is not."""

    name: str
    type: str
    field: str = "data"
    kg_per_unit: float = 1.0
    division_kg: float = 0.05


@dataclass(frozen=True, slots=True)
class TopicsSpec:
    """What a robot says. From ``plan`` on for people who look or weigh, never for
    driving."""

    pose: TopicSpec
    odom: TopicSpec | None = None
    battery: TopicSpec | None = None
    safety: SafetySpec | None = None
    diagnostics: TopicSpec | None = None
    plan: TopicSpec | None = None
    scan: ScanSpec | None = None
    joints: JointsSpec | None = None
    people: TopicSpec | None = None
    costmap: TopicSpec | None = None
    local_plan: TopicSpec | None = None
    global_costmap: TopicSpec | None = None
    scale: ScaleSpec | None = None


@dataclass(frozen=True, slots=True)
class ActionSpec:
    name: str
    type: str


@dataclass(frozen=True, slots=True)
class ResultRule:
    """Fields of the result that decide beside the status.

    ``success_field`` must be true for success; otherwise the pose decides.
    ``impossible_field`` true explains a failure.
    """

    success_field: str | None = None
    impossible_field: str | None = None


@dataclass(frozen=True, slots=True)
class CallSpec:
    """One message to a topic or one call of a service."""

    type: str
    topic: str | None = None
    service: str | None = None
    message: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PauseSpec:
    engage: CallSpec
    release: CallSpec


@dataclass(frozen=True, slots=True)
class Limits:
    arrival_m: float = 0.4
    standing_mps: float = 0.03
    standing_radps: float = 0.1
    standing_s: float = 0.5
    progress_s: float = 30.0
    progress_m: float = 0.1
    ack_s: float = 2.0
    resends: int = 3
    max_ack_wait_s: float = 8.0
    memory_s: float = 5.0
    memory_margin_s: float = 0.5
    result_wait_s: float = 1.0
    fence_wait_s: float = 2.0
    check_wait_s: float = 3.0
    status_fresh_s: float = 1.0
    feedback_s: float = 10.0
    ping_s: float = 2.0
    ping_timeout_s: float = 3.0
    slow_ping_s: float = 1.0
    expiry_s: float = 60.0
    action_s: float = 10.0
    clock_skew_s: float = 2.0
    pose_jump_m: float = 2.0


@dataclass(frozen=True, slots=True)
class Profile:
    name: str
    dialect: Dialect
    driver: Literal["ros1_action", "ros1_topic", "ros2_action"]
    topics: TopicsSpec
    goal: dict[str, Any] | str = "$pose_stamped"
    description: str = ""
    namespace: str = ""
    frame: str = "map"
    rosapi: bool = True
    action: ActionSpec | None = None
    goal_topic: TopicSpec | None = None
    cancel_by: Literal["action", "hold_pose", "none"] = "action"
    feedback_distance: str | None = None
    result: ResultRule = field(default_factory=ResultRule)
    pause: PauseSpec | None = None
    actions: dict[str, CallSpec] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    allow_plain_ws: list[str] = field(default_factory=list)

    def resolve(self, name: str, robot_id: str, namespace: str | None = None) -> str:
        """The full name of a topic, service or action of one robot."""
        if name.startswith("/"):
            return name
        pattern = self.namespace if namespace is None else namespace
        prefix = pattern.replace("{robot_id}", robot_id).strip("/")
        return f"/{prefix}/{name}" if prefix else f"/{name}"

    def spell(self, kind: str) -> str:
        return messages.type_name(self.dialect, kind)


def fill_goal(
    template: Any, dialect: Dialect, x: float, y: float, yaw: float, frame: str
) -> Any:
    """Put a goal into a profile's template."""
    values: dict[str, Any] = {"$x": x, "$y": y, "$yaw": yaw, "$frame": frame}
    if isinstance(template, str):
        if template == "$pose_stamped":
            return messages.pose_stamped(dialect, x, y, yaw, frame)
        return values.get(template, template)
    if isinstance(template, Mapping):
        return {
            key: fill_goal(each, dialect, x, y, yaw, frame)
            for key, each in template.items()
        }
    if isinstance(template, list):
        return [fill_goal(each, dialect, x, y, yaw, frame) for each in template]
    return template


def shipped_profiles() -> list[str]:
    folder = resources.files("robot_bridge") / "profiles"
    return sorted(
        each.name.removesuffix(".yaml")
        for each in folder.iterdir()
        if each.name.endswith(".yaml")
    )


def load_profile(name_or_path: str | Path) -> Profile:
    """A shipped profile by name, or a file of one's own by path (``*.yaml``)."""
    folder = resources.files("robot_bridge") / "profiles"
    data = read_profile(name_or_path, folder, shipped_profiles())
    return parse_profile(data, where=str(name_or_path))


def read_profile(
    name_or_path: str | Path, folder: Traversable, shipped: list[str]
) -> Any:
    text = str(name_or_path)
    if text.endswith((".yaml", ".yml")):
        path = Path(name_or_path)
        try:
            source = path.read_text(encoding="utf-8")
        except OSError as cause:
            raise BadProfile(
                f"profile {text} cannot be read: {cause.strerror}"
            ) from None
    elif text in shipped:
        source = (folder / f"{text}.yaml").read_text(encoding="utf-8")
    else:
        known = ", ".join(shipped)
        raise BadProfile(
            f"there is no profile {text!r}; shipped are {known}; "
            "a file of your own ends in .yaml"
        )
    try:
        return yaml.safe_load(source)
    except yaml.YAMLError as cause:
        raise BadProfile(f"profile {text}: not YAML: {cause}") from None


def parse_profile(data: Any, where: str = "profile") -> Profile:
    profile = typing.cast(Profile, build(Profile, data, where))
    _check(profile, where)
    return profile


def _check(profile: Profile, where: str) -> None:
    needs_ros2 = profile.driver == "ros2_action"
    if needs_ros2 != (profile.dialect is Dialect.ROS2):
        raise BadProfile(
            f"{where}: driver {profile.driver} does not speak {profile.dialect}"
        )
    if profile.driver == "ros1_topic":
        if profile.goal_topic is None:
            raise BadProfile(f"{where}: driver ros1_topic needs 'goal_topic'")
        if profile.cancel_by == "action":
            raise BadProfile(
                f"{where}: 'cancel_by' of driver ros1_topic is hold_pose or none"
            )
    elif profile.action is None:
        raise BadProfile(f"{where}: driver {profile.driver} needs 'action'")
    elif profile.driver == "ros1_action" and not profile.action.type.endswith("Action"):
        raise BadProfile(f"{where}: action: a type of ROS 1 ends in 'Action'")
    for spot, value in _texts(profile.goal, "goal"):
        if value.startswith("$") and value not in PLACEHOLDERS:
            known = ", ".join(sorted(PLACEHOLDERS))
            raise BadProfile(f"{where}: {spot}: {value} is none of {known}")
    calls = {f"actions.{name}": call for name, call in profile.actions.items()}
    if profile.pause is not None:
        calls |= {
            "pause.engage": profile.pause.engage,
            "pause.release": profile.pause.release,
        }
    for spot, call in calls.items():
        if (call.topic is None) == (call.service is None):
            raise BadProfile(f"{where}: {spot} needs either 'topic' or 'service'")
    topics = profile.topics
    kinds = {spot: call.type for spot, call in calls.items()}
    for each in dataclasses.fields(TopicsSpec):
        spec = getattr(topics, each.name)
        if spec is not None:
            kinds[f"topics.{each.name}"] = spec.type
    for spot, kind in kinds.items():
        try:
            profile.spell(kind)
        except messages.BadMessage as cause:
            raise BadProfile(f"{where}: {spot}: {cause}") from None
    for limit in dataclasses.fields(Limits):
        if getattr(profile.limits, limit.name) < 0:
            raise BadProfile(f"{where}: limits.{limit.name} is negative")
    if profile.limits.memory_margin_s > profile.limits.memory_s:
        raise BadProfile(f"{where}: limits.memory_margin_s exceeds limits.memory_s")


def _texts(value: Any, spot: str) -> list[tuple[str, str]]:
    if isinstance(value, str):
        return [(spot, value)]
    if isinstance(value, Mapping):
        return [t for k, v in value.items() for t in _texts(v, f"{spot}.{k}")]
    if isinstance(value, list):
        return [t for i, v in enumerate(value) for t in _texts(v, f"{spot}[{i}]")]
    return []


def build(cls: Any, data: Any, where: str) -> Any:
    if not isinstance(data, Mapping):
        raise BadProfile(f"{where}: a mapping is needed, not {_kind(data)}")
    hints = typing.get_type_hints(cls)
    unknown = sorted(str(key) for key in data if key not in hints)
    if unknown:
        raise BadProfile(
            f"{where}: unknown key {', '.join(unknown)}; "
            f"known are {', '.join(sorted(hints))}"
        )
    values = {
        key: _convert(hints[key], value, f"{where}: {key}")
        for key, value in data.items()
    }
    for each in dataclasses.fields(cls):
        required = (
            each.default is dataclasses.MISSING
            and each.default_factory is dataclasses.MISSING
        )
        if required and each.name not in values:
            raise BadProfile(f"{where}: key {each.name!r} is missing")
    return cls(**values)


def _convert(hint: Any, value: Any, where: str) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        if value is None and type(None) in arguments:
            return None
        return _convert_union(
            [a for a in arguments if a is not type(None)], value, where
        )
    if origin is Literal:
        if value not in arguments:
            choices = ", ".join(map(str, arguments))
            raise BadProfile(f"{where}: {value!r} is none of {choices}")
        return value
    if origin is dict:
        if not isinstance(value, Mapping):
            raise BadProfile(f"{where}: a mapping is needed, not {_kind(value)}")
        return {
            str(key): _convert(arguments[1], each, f"{where}.{key}")
            for key, each in value.items()
        }
    if origin is list:
        if not isinstance(value, list):
            raise BadProfile(f"{where}: a list is needed, not {_kind(value)}")
        return [_convert(arguments[0], each, where) for each in value]
    if hint is Any:
        return value
    if dataclasses.is_dataclass(hint):
        return build(hint, value, where)
    if hint is Dialect:
        if value not in list(Dialect):
            raise BadProfile(f"{where}: {value!r} is none of ros1, ros2")
        return Dialect(value)
    return _convert_scalar(hint, value, where)


def _convert_union(choices: list[Any], value: Any, where: str) -> Any:
    if len(choices) == 1:
        return _convert(choices[0], value, where)
    wanted = dict if isinstance(value, Mapping) else str
    for choice in choices:
        if (typing.get_origin(choice) or choice) is wanted:
            return _convert(choice, value, where)
    raise BadProfile(f"{where}: {_kind(value)} is not allowed here")


def _convert_scalar(hint: Any, value: Any, where: str) -> Any:
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise BadProfile(f"{where}: {hint.__name__} is needed, not {_kind(value)}")
    return value


def _kind(value: Any) -> str:
    return "nothing" if value is None else f"{type(value).__name__} {value!r}"
