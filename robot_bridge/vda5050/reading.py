"""What a vehicle says, as records; pure. Names of both versions are understood."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from robot_bridge.messages import BadMessage

ENDED = ("FINISHED", "FAILED")


@dataclass(frozen=True, slots=True)
class NodeAhead:
    name: str
    sequence: int
    released: bool
    place: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Fault:
    kind: str
    level: str
    text: str
    order: str = ""
    """The order that it is about."""


@dataclass(frozen=True, slots=True)
class Position:
    x: float
    y: float
    yaw: float
    map_id: str
    localised: bool


@dataclass(frozen=True, slots=True)
class State:
    order: str
    update: int
    last_node: str
    last_sequence: int
    ahead: tuple[NodeAhead, ...]
    edges_ahead: int
    driving: bool
    paused: bool
    wants_base: bool
    automatic: bool
    mode: str
    stop: str
    position: Position | None
    charge: float | None
    charging: bool
    voltage_v: float | None
    actions: Mapping[str, tuple[str, str]]
    """Id to status and what was said about the result."""
    faults: tuple[Fault, ...]
    at_s: float | None
    """By the vehicle's own clock."""
    version: str

    @property
    def busy(self) -> bool:
        return bool(self.ahead) or bool(self.edges_ahead)


@dataclass(frozen=True, slots=True)
class Factsheet:
    series: str
    most_nodes: int
    longest_id: int
    ids_are_digits: bool


def decode(payload: bytes) -> Mapping[str, Any]:
    try:
        body = json.loads(payload)
    except (ValueError, RecursionError) as cause:
        raise BadMessage(f"not JSON: {cause}") from None
    if not isinstance(body, dict):
        raise BadMessage("a message is a JSON object")
    return body


def read_state(body: Mapping[str, Any]) -> State:
    power = _part(body, "powerSupply", "batteryState")
    safety = _part(body, "safetyState")
    charge = _number(power, "stateOfCharge", "batteryCharge")
    mode = str(body.get("operatingMode", ""))
    listed = [*_list(body, "actionStates"), *_list(body, "instantActionStates")]
    return State(
        order=_text(body, "orderId"),
        update=_whole(body, "orderUpdateId"),
        last_node=_text(body, "lastNodeId"),
        last_sequence=_whole(body, "lastNodeSequenceId"),
        ahead=tuple(_node(each) for each in _list(body, "nodeStates")),
        edges_ahead=len(_list(body, "edgeStates")),
        driving=body.get("driving") is True,
        paused=body.get("paused") is True,
        wants_base=body.get("newBaseRequest") is True,
        automatic=mode in ("AUTOMATIC", "SEMIAUTOMATIC"),
        mode=mode,
        stop=str(safety.get("activeEmergencyStop", safety.get("eStop", "NONE"))),
        position=read_position(body),
        charge=None if charge is None else max(0.0, min(1.0, charge / 100.0)),
        charging=power.get("charging") is True,
        voltage_v=_number(power, "batteryVoltage"),
        actions={
            str(each.get("actionId")): (
                str(each.get("actionStatus")),
                str(each.get("actionResult", each.get("resultDescription", "")) or ""),
            )
            for each in listed
        },
        faults=tuple(_fault(each) for each in _list(body, "errors")),
        at_s=_instant(body.get("timestamp")),
        version=str(body.get("version", "")),
    )


def read_position(body: Mapping[str, Any]) -> Position | None:
    given = body.get("mobileRobotPosition", body.get("agvPosition"))
    if given is None:
        return None
    if not isinstance(given, dict):
        raise BadMessage("the position is no object")
    x, y, yaw = (_number(given, key) for key in ("x", "y", "theta"))
    if x is None or y is None or yaw is None:
        raise BadMessage("the position lacks x, y or theta")
    sure = given.get("localized", given.get("positionInitialized", True)) is True
    return Position(x, y, yaw, str(given.get("mapId", "")), sure)


def read_connection(body: Mapping[str, Any]) -> str:
    """One spelling for both versions."""
    return _text(body, "connectionState").replace("_", "")


def read_factsheet(body: Mapping[str, Any]) -> Factsheet:
    kind, limits = _part(body, "typeSpecification"), _part(body, "protocolLimits")
    lengths = _part(limits, "maximumStringLengths", "maxStringLens")
    arrays = _part(limits, "maximumArrayLengths", "maxArrayLens")
    longest = _number(lengths, "maximumIdLength", "idLen", "maxIdLen")
    return Factsheet(
        series=str(kind.get("seriesName", "")),
        most_nodes=int(_number(arrays, "order.nodes") or 0),
        longest_id=int(longest or 0),
        ids_are_digits=_first(lengths, "idNumericalOnly", "idNumericOnly") is True,
    )


def _node(given: Mapping[str, Any]) -> NodeAhead:
    at = given.get("nodePosition")
    place = None
    if isinstance(at, dict):
        x, y = _number(at, "x"), _number(at, "y")
        place = None if x is None or y is None else (x, y)
    name, sequence = _text(given, "nodeId"), _whole(given, "sequenceId")
    return NodeAhead(name, sequence, given.get("released") is True, place)


def _fault(given: Mapping[str, Any]) -> Fault:
    about = {
        str(each.get("referenceKey", "")).lower(): str(each.get("referenceValue", ""))
        for each in _list(given, "errorReferences")
    }
    kind = _text(given, "errorType")
    text = str(given.get("errorDescription") or given.get("errorHint") or "")
    level = str(given.get("errorLevel", ""))
    return Fault(kind, level, text or kind, about.get("orderid", ""))


def _part(body: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    value = _first(body, *names)
    return value if isinstance(value, dict) else {}


def _first(body: Mapping[str, Any], *names: str) -> Any:
    return next((body[name] for name in names if name in body), None)


def _list(body: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    value = body.get(name) or []
    if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
        raise BadMessage(f"{name} is no list of objects")
    return value


def _text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name, "")
    if not isinstance(value, str):
        raise BadMessage(f"{name} is {value!r}, not a text")
    return value


def _whole(body: Mapping[str, Any], name: str) -> int:
    value = body.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadMessage(f"{name} is {value!r}, not a whole number")
    return value


def _number(body: Mapping[str, Any], *names: str) -> float | None:
    value = _first(body, *names)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadMessage(f"{names[0]} is {value!r}, not a number")
    return float(value) if math.isfinite(value) else None


def _instant(value: Any) -> float | None:
    if not isinstance(value, str):
        return None
    try:
        at = datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        return None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
