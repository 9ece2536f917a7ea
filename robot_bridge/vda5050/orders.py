"""Orders and instant actions as messages; pure.

An order is a list of nodes joined by edges. What is released is the base, which a
vehicle will drive; the rest is the horizon, which it may only plan with. An update
begins at the last node of the base, so that the two are stitched there.
"""

from __future__ import annotations

import hashlib
import itertools
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from robot_bridge.vda5050.dialect import Dialect

Body = dict[str, Any]
SPACE = uuid.UUID("b2d6d6c7-5f0e-5d1c-9b3e-2a7a50500001")


@dataclass(frozen=True, slots=True)
class Node:
    name: str
    sequence: int
    x: float
    y: float
    yaw: float | None = None
    actions: tuple[Body, ...] = ()


@dataclass(frozen=True, slots=True)
class Route:
    nodes: tuple[Node, ...]
    map_id: str
    deviation_m: float = 0.0

    @property
    def last(self) -> Node:
        return self.nodes[-1]


@dataclass(slots=True)
class Header:
    """What every message begins with; counted for each topic."""

    version: str
    maker: str
    serial: str
    _counts: dict[str, int] = field(default_factory=dict)

    def of(self, topic: str, now_s: float) -> Body:
        number = self._counts[topic] = self._counts.get(topic, 0) + 1
        at = datetime.fromtimestamp(now_s, UTC)
        return {
            "headerId": number,
            "timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "version": self.version,
            "manufacturer": self.maker,
            "serialNumber": self.serial,
        }


def order_id(command_id: str, *, digits: bool = False, longest: int = 0) -> str:
    """The same for the same command in every process, and says nothing of it."""
    name = uuid.uuid5(SPACE, command_id)
    text = str(name.int) if digits else str(name)
    if longest and len(text) > longest:
        digest = hashlib.sha256(command_id.encode())
        text = str(int(digest.hexdigest(), 16)) if digits else digest.hexdigest()
        text = text[:longest]
    return text


def node_name(x: float, y: float) -> str:
    """A crossing of roads is where it lies, so every process finds it again."""
    return f"{x + 0.0:.2f}/{y + 0.0:.2f}"


def place_of(name: str) -> tuple[float, float] | None:
    """Where a node lies that ``node_name`` has named."""
    x, slash, y = name.partition("/")
    try:
        return (float(x), float(y)) if slash else None
    except ValueError:
        return None


def route(
    points: Sequence[tuple[float, float]],
    yaw: float,
    map_id: str,
    *,
    start_name: str = "",
    deviation_m: float = 0.0,
) -> Route:
    """From where the vehicle is, over the crossings, to the goal."""
    nodes = []
    for place, (x, y) in enumerate(points):
        name = start_name if place == 0 and start_name else node_name(x, y)
        last = place == len(points) - 1
        nodes.append(Node(name, 2 * place, x, y, yaw if last else None))
    return Route(tuple(nodes), map_id, deviation_m)


def order_body(
    dialect: Dialect,
    header: Mapping[str, Any],
    ident: str,
    update: int,
    way: Route,
    *,
    first: int = 0,
    released: int | None = None,
) -> Body:
    """``first``: the node that the message begins with. ``released``: the sequence id
    up to which the vehicle may drive; None: to the end."""
    end = way.last.sequence if released is None else released
    nodes = [n for n in way.nodes if n.sequence >= first]
    return {
        **header,
        "orderId": ident,
        "orderUpdateId": update,
        "nodes": [_node(dialect, way, node, node.sequence <= end) for node in nodes],
        "edges": [
            _edge(dialect, a, b, b.sequence <= end)
            for a, b in itertools.pairwise(nodes)
        ],
    }


def _node(dialect: Dialect, way: Route, node: Node, released: bool) -> Body:
    position: Body = {"x": node.x, "y": node.y, "mapId": way.map_id}
    if node.yaw is not None:
        position["theta"] = node.yaw
    if way.deviation_m and dialect.edges_name_nodes:
        position["allowedDeviationXY"] = way.deviation_m
    elif way.deviation_m:
        radius_m = way.deviation_m
        position["allowedDeviationXY"] = {"a": radius_m, "b": radius_m, "theta": 0.0}
    return {
        "nodeId": node.name,
        "sequenceId": node.sequence,
        "released": released,
        "nodePosition": position,
        "actions": list(node.actions),
    }


def _edge(dialect: Dialect, start: Node, end: Node, released: bool) -> Body:
    body: Body = {
        "edgeId": f"{start.name}-{end.name}",
        "sequenceId": start.sequence + 1,
        "released": released,
        "actions": [],
    }
    if dialect.edges_name_nodes:
        body |= {"startNodeId": start.name, "endNodeId": end.name}
    return body


def action(kind: str, ident: str, parameters: Mapping[str, Any] | None = None) -> Body:
    body: Body = {"actionType": kind, "actionId": ident, "blockingType": "HARD"}
    if parameters:
        listed = [{"key": key, "value": value} for key, value in parameters.items()]
        body["actionParameters"] = listed
    return body


def instant_body(
    header: Mapping[str, Any], actions: Sequence[Body], name: str = "actions"
) -> Body:
    return {**header, name: list(actions)}
