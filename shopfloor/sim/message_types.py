"""The type system of the simulated ROS graph.

rosbridge refuses unknown types, completes omitted fields and rejects fields that
do not exist; a client that passes here must pass on a real server too, so the
simulator has to be as strict and as forgiving as the real one.
"""

import base64
import binascii
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from shopfloor.sim import definitions

Dialect = Literal["ros1", "ros2"]
Kind = Literal["msg", "srv", "action"]
Message = dict[str, Any]

_INTEGERS = {
    "byte": (-(2**7), 2**8 - 1),
    "char": (0, 2**8 - 1),
    "int8": (-(2**7), 2**7 - 1),
    "uint8": (0, 2**8 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
}
_FLOATS = {"float32", "float64"}
_TIMES = {"time", "duration"}
_OCTETS = {"uint8", "char"}


class UnknownType(ValueError):
    """The type is not defined, or is not spelt as this dialect spells it."""


class FieldRefused(ValueError):
    """A message does not fit its type."""


@dataclass(frozen=True)
class Field:
    name: str
    type: str
    length: int | None = None
    """None: one value; 0: any number; otherwise exactly so many."""
    required: bool = False
    """Where a default would be an order that nobody gave; written ``name!``."""

    @cached_property
    def octets(self) -> bool:
        return self.length is not None and self.type in _OCTETS


@dataclass(frozen=True)
class ServiceType:
    request: tuple[Field, ...]
    response: tuple[Field, ...]


@dataclass(frozen=True)
class ActionType:
    goal: tuple[Field, ...]
    result: tuple[Field, ...]
    feedback: tuple[Field, ...]


def _fields(text: str) -> tuple[Field, ...]:
    found = []
    for part in text.split(","):
        if not part.strip():
            continue
        type_name, name = part.split()
        length = None
        if type_name.endswith("]"):
            type_name, _, size = type_name[:-1].partition("[")
            length = int(size or 0)
        plain = name.removesuffix("!")
        found.append(Field(plain, type_name, length, required=plain != name))
    return tuple(found)


def _lines(text: str) -> list[tuple[str, str]]:
    pairs = (line.split(":", 1) for line in text.splitlines() if line.strip())
    return [(name.strip(), rest) for name, rest in pairs]


class TypeRegistry:
    """Definitions of one dialect, and what follows from them."""

    def __init__(self, dialect: Dialect = "ros1") -> None:
        self.dialect: Dialect = dialect
        ros1 = dialect == "ros1"
        own = definitions.MESSAGES_ROS1 if ros1 else definitions.MESSAGES_ROS2
        actions = definitions.ACTIONS_ROS1 if ros1 else definitions.ACTIONS_ROS2
        self.messages = {
            name: _fields(text)
            for name, text in _lines(self._spelt(definitions.MESSAGES + own))
        }
        self.services = {}
        for name, text in _lines(self._spelt(definitions.SERVICES)):
            request, response = text.split("->")
            self.services[name] = ServiceType(_fields(request), _fields(response))
        self.actions = {}
        for name, text in _lines(actions):
            goal, result, feedback = (_fields(part) for part in text.split("->"))
            self.actions[name] = ActionType(goal, result, feedback)
            self.messages[f"{name}Goal"] = goal
            self.messages[f"{name}Result"] = result
            self.messages[f"{name}Feedback"] = feedback
            if ros1:
                self._wrap_action(name)
        for name, service in self.services.items():
            self.messages[f"{name}Request"] = service.request
            self.messages[f"{name}Response"] = service.response
        self._second, self._fraction = ("secs", "nsecs") if ros1 else ("sec", "nanosec")

    def _spelt(self, text: str) -> str:
        """rosapi's types have a package of their own in ROS 2."""
        ros1 = self.dialect == "ros1"
        return text if ros1 else text.replace("rosapi/", "rosapi_msgs/")

    def _wrap_action(self, name: str) -> None:
        header = Field("header", "std_msgs/Header")
        goal_id = Field("goal_id", "actionlib_msgs/GoalID")
        status = Field("status", "actionlib_msgs/GoalStatus")
        for part, envelope in (
            ("Goal", goal_id),
            ("Result", status),
            ("Feedback", status),
        ):
            body = Field(part.lower(), f"{name}{part}")
            self.messages[f"{name}Action{part}"] = (header, envelope, body)

    def canonical(self, name: str, kind: Kind) -> str:
        """``pkg/Type``, from any spelling the dialect accepts."""
        parts = [part for part in str(name).split("/") if part]
        if self.dialect == "ros2" and len(parts) == 3 and parts[1] == kind:
            parts = [parts[0], parts[2]]
        plain = "/".join(parts)
        known: dict[Kind, Any] = {
            "msg": self.messages,
            "srv": self.services,
            "action": self.actions,
        }
        if len(parts) != 2 or plain not in known[kind]:
            raise UnknownType(f"{name} is not a known {self.dialect} {kind} type")
        return plain

    def display(self, canonical: str, kind: Kind) -> str:
        if self.dialect == "ros1" or not canonical:
            return canonical
        package, _, name = canonical.partition("/")
        return f"{package}/{kind}/{name}"

    def time(self, seconds: float) -> Message:
        whole = math.floor(seconds)
        nanos = round((seconds - whole) * 1e9)
        if nanos >= 1_000_000_000:
            whole, nanos = whole + 1, nanos - 1_000_000_000
        return {self._second: int(whole), self._fraction: nanos}

    def seconds(self, stamp: Message) -> float:
        return float(stamp[self._second]) + float(stamp[self._fraction]) * 1e-9

    def header(self, frame_id: str, seconds: float) -> Message:
        return {"stamp": self.time(seconds), "frame_id": frame_id}

    def complete(self, name: str, given: Any, now: float) -> Message:
        """A full message: what was given, checked, and defaults for the rest."""
        return self.complete_fields(name, self.messages[name], given, now)

    def complete_fields(
        self, owner: str, fields: tuple[Field, ...], given: Any, now: float
    ) -> Message:
        if not isinstance(given, dict):
            raise FieldRefused(f"{owner} needs an object, not {_kind_of(given)}")
        full: Message = {}
        for field in fields:
            if field.name in given:
                full[field.name] = self._value(owner, field, given[field.name], now)
            elif field.required:
                raise FieldRefused(f"{owner} lacks {field.name}")
            else:
                full[field.name] = self._default(owner, field, now)
        if len(given) > len(fields) or not given.keys() <= full.keys():
            stray = next(key for key in given if key not in full)
            raise FieldRefused(f"Message type {owner} does not have a field {stray}")
        return full

    def _default(self, owner: str, field: Field, now: float) -> Any:
        if field.octets:
            return bytes(field.length or 0)
        if field.length is not None:
            one = Field(field.name, field.type)
            return [self._default(owner, one, now) for _ in range(field.length)]
        if field.type in _TIMES:
            filled = owner == "std_msgs/Header" and field.name == "stamp"
            return self.time(now if filled else 0.0)
        if field.type in _INTEGERS:
            return 0
        if field.type in _FLOATS:
            return 0.0
        if field.type == "bool":
            return False
        if field.type == "string":
            return ""
        return self.complete(field.type, {}, now)

    def _value(self, owner: str, field: Field, value: Any, now: float) -> Any:
        where = f"{owner}.{field.name}"
        if field.octets:
            return _octets(where, value, field.length or 0)
        if field.length is None:
            return self._single(where, field.type, value, now)
        if not isinstance(value, list):
            raise FieldRefused(f"{where} needs a list, not {_kind_of(value)}")
        if field.length and len(value) != field.length:
            raise FieldRefused(f"{where} needs {field.length} values, not {len(value)}")
        if field.type in _FLOATS and all(type(item) is float for item in value):
            return value
        if field.type in _INTEGERS and set(map(type, value)) == {int}:
            low, high = _INTEGERS[field.type]
            if low <= min(value) and max(value) <= high:
                return value
        return [self._single(where, field.type, item, now) for item in value]

    def _single(self, where: str, name: str, value: Any, now: float) -> Any:
        if name in _FLOATS:
            if value is None:
                return math.nan
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise FieldRefused(f"{where} needs a number, not {_kind_of(value)}")
            return float(value)
        if name in _INTEGERS:
            low, high = _INTEGERS[name]
            if isinstance(value, bool) or not isinstance(value, int):
                raise FieldRefused(f"{where} needs an integer, not {_kind_of(value)}")
            if not low <= value <= high:
                raise FieldRefused(f"{where}: {value} does not fit {name}")
            return value
        if name == "bool" or name == "string":
            if not isinstance(value, bool if name == "bool" else str):
                raise FieldRefused(f"{where} needs a {name}, not {_kind_of(value)}")
            return value
        if name in _TIMES:
            return self._instant(where, value, now)
        return self.complete(name, value, now)

    def _instant(self, where: str, value: Any, now: float) -> Message:
        if value == "now":
            return self.time(now)
        if not isinstance(value, dict):
            raise FieldRefused(f"{where} needs a time, not {_kind_of(value)}")
        names = (self._second, self._fraction)
        if self.dialect == "ros2" and "secs" in value:
            names = ("secs", "nsecs")
        whole, nanos = (value.get(name, 0) for name in names)
        if type(whole) is not int or type(nanos) is not int:
            raise FieldRefused(f"{where} needs whole {names[0]} and {names[1]}")
        return {self._second: whole, self._fraction: nanos}


def _octets(where: str, value: Any, length: int) -> bytes:
    if isinstance(value, bytes):
        data = value
    elif isinstance(value, str):
        try:
            data = base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError) as error:
            raise FieldRefused(f"{where} is not base64: {error}") from None
    elif not isinstance(value, list):
        raise FieldRefused(f"{where} needs octets, not {_kind_of(value)}")
    else:
        try:
            data = bytes(value)
        except (TypeError, ValueError) as error:
            raise FieldRefused(f"{where} needs octets: {error}") from None
    if length and len(data) != length:
        raise FieldRefused(f"{where} needs {length} octets, not {len(data)}")
    return data


def _kind_of(value: Any) -> str:
    return "null" if value is None else type(value).__name__
