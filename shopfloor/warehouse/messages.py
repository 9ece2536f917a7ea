"""A warehouse's things as the messages that stock ROS clients know."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from shopfloor.sim.message_types import Message
from shopfloor.warehouse.commands import (
    ROBOT,
    UNIT,
    Command,
    Mov,
    MovX,
    MovY,
    Rot,
    full_id,
    lift_of,
    turns_clockwise,
)
from shopfloor.warehouse.events import Accepted, Ended, Event, Part, Refused, Turned
from shopfloor.warehouse.lifting import Pose, pose_of_robot, pose_of_unit
from shopfloor.warehouse.stock import places, pose_of_item
from shopfloor.warehouse.things import Belt, Floor, Obstacle, Robot, Warehouse

FRAME = "map"
NO_TWIST: Message = {"linear": {}, "angular": {}}

VERBS: Mapping[str, tuple[str, Callable[[Message], Command]]] = {
    "mov": (
        "warehouse_msgs/Mov",
        lambda m: Mov(full_id(ROBOT, m["kiva_id"]), m["x"], m["y"]),
    ),
    "movx": (
        "warehouse_msgs/MovX",
        lambda m: MovX(full_id(ROBOT, m["kiva_id"]), m["dist"]),
    ),
    "movy": (
        "warehouse_msgs/MovY",
        lambda m: MovY(full_id(ROBOT, m["kiva_id"]), m["dist"]),
    ),
    "rot": (
        "warehouse_msgs/Rot",
        lambda m: Rot(full_id(ROBOT, m["kiva_id"]), turns_clockwise(m["dir"])),
    ),
    "lift": (
        "warehouse_msgs/Lift",
        lambda m: lift_of(m["kiva_id"], m["status"], full_id(UNIT, m["shelf_id"])),
    ),
}
IDS = ("kiva_id", "shelf_id", "dir", "unit_id", "warehouse_id", "id")


def with_text_ids(message: Any) -> Any:
    """Numbers are as good as texts where somebody is named."""
    if not isinstance(message, dict):
        return message
    return {
        key: str(value) if key in IDS and type(value) is int else value
        for key, value in message.items()
    }


def pose_message(pose: Pose) -> Message:
    x_m, y_m, z_m, yaw_deg = pose
    half = math.radians(yaw_deg) / 2.0
    return {
        "position": {"x": x_m, "y": y_m, "z": z_m},
        "orientation": {"z": math.sin(half), "w": math.cos(half)},
    }


def twist_of(robot: Robot) -> Message:
    """In the robot's own frame: forward, and its turn."""
    return {
        "linear": {"x": robot.wheel_mps},
        "angular": {"z": math.radians(robot.turn_dps)},
    }


def model_states(warehouse: Warehouse) -> Message:
    """Every object: robots, units, items, belts, obstacles, people."""
    listed = [(name, pose, twist) for name, pose, twist in _models(warehouse)]
    return {
        "name": [name for name, _, _ in listed],
        "pose": [pose_message(pose) for _, pose, _ in listed],
        "twist": [twist for _, _, twist in listed],
    }


def state_of_model(warehouse: Warehouse, name: str) -> tuple[Pose, Message] | None:
    for other, pose, twist in _models(warehouse):
        if other == name:
            return pose, twist
    return None


def _models(warehouse: Warehouse) -> list[tuple[str, Pose, Message]]:
    found = [
        (robot.id, pose_of_robot(robot), twist_of(robot))
        for robot in warehouse.robots.values()
    ]
    for unit in warehouse.storage_units.values():
        held = unit.held_by
        twist = NO_TWIST if held is None else twist_of(warehouse.robots[held])
        found.append((unit.id, pose_of_unit(warehouse, unit), twist))
    for place in places(warehouse):
        found.append((place.item.id, pose_of_item(warehouse, place), NO_TWIST))
    floor = warehouse.floor
    for thing in floor.fixed:
        found.append((thing.id, middle_of(floor, thing), NO_TWIST))
    for person in warehouse.present.values():
        found.append((person.id, (person.x_m, person.y_m, 0.0, 0.0), NO_TWIST))
    return found


def middle_of(floor: Floor, thing: Belt | Obstacle) -> Pose:
    spots = [floor.spot(cell) for cell in thing.cells()]
    x_m = sum(x for x, _ in spots) / len(spots)
    y_m = sum(y for _, y in spots) / len(spots)
    return x_m, y_m, 0.0, 0.0


def report_of(event: Event) -> dict[str, str] | None:
    """As told to clients; None for what the status topics tell."""
    match event:
        case Accepted(command=command):
            return _report("high", command.robot, command.line(), "accepted")
        case Refused(command=command, error=error):
            robot, line = command.robot, command.line()
            return _report("high", robot, line, "refused", str(error))
        case Ended(command=command, outcome=outcome, reason=reason):
            robot, line = command.robot, command.line()
            return _report("high", robot, line, str(outcome), reason)
        case Part(robot=robot, line=line):
            return _report("low", robot, line, "started")
        case Turned(robot=robot, off_deg=off_deg, iterations=iterations):
            how = f"{off_deg:+.4f} degrees off after {iterations} iterations"
            return _report("low", robot, f"rot {robot}", "turned", how)
    return None


def _report(
    level: str, robot: str, command: str, outcome: str, reason: str = ""
) -> dict[str, str]:
    return {
        "level": level,
        "kiva_id": robot,
        "command": command,
        "outcome": outcome,
        "reason": reason,
    }
