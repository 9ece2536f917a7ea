"""All of a warehouse as plain data, for people without a view and for pages.

Poses are metres and degrees in the frame ``map``. What shapes things have stands once
at the end, so that whoever draws needs no table of its own.
"""

from __future__ import annotations

from typing import Any

from shopfloor.warehouse.laser import PERSON_RADIUS_M, ROBOT_RADIUS_M
from shopfloor.warehouse.lifting import Pose, pose_of_robot, pose_of_unit
from shopfloor.warehouse.stepping import time_s
from shopfloor.warehouse.stock import places, pose_of_item
from shopfloor.warehouse.things import Cell, Person, Robot, StorageUnit, Warehouse

CHASSIS_M = (0.7, 0.5, 0.2)
WHEEL_M = (0.08, 0.05)
"""Radius and width."""
TOWER_M = (0.2, 0.25)
"""Radius and height."""
UNIT_M = (0.68, 0.68, 2.0)
ITEM_M = (0.1, 0.1, 0.1)
BELT_HEIGHT_M = 0.8
SHAPES: dict[str, Any] = {
    "robot": {
        "radius_m": ROBOT_RADIUS_M,
        "chassis": {"size_m": CHASSIS_M},
        "wheels": [
            {"side": side, "radius_m": WHEEL_M[0], "width_m": WHEEL_M[1], "y_m": y_m}
            for side, y_m in (("left", 0.25), ("right", -0.25))
        ],
        "tower": {"radius_m": TOWER_M[0], "height_m": TOWER_M[1]},
    },
    "storage_unit": {"size_m": UNIT_M},
    "item": {"size_m": ITEM_M},
    "belt": {"height_m": BELT_HEIGHT_M},
    "person": {"radius_m": PERSON_RADIUS_M},
}


def account(warehouse: Warehouse) -> dict[str, Any]:
    floor = warehouse.floor
    return {
        "name": warehouse.name,
        "id": warehouse.id,
        "time_s": time_s(warehouse),
        "frame": "map",
        "floor": {
            "columns": floor.columns,
            "rows": floor.rows,
            "cell_m": floor.cell_m,
        },
        "robots": [robot_facts(robot) for robot in warehouse.robots.values()],
        "storage_units": [
            unit_facts(warehouse, unit) for unit in warehouse.storage_units.values()
        ],
        "items": [
            {
                "id": place.item.id,
                "sku": place.item.sku,
                "unit": place.unit.id,
                "shelf": place.shelf.level,
                **_pose(pose_of_item(warehouse, place)),
            }
            for place in places(warehouse)
        ],
        "belts": [
            {
                "id": belt.id,
                "cells": [_spot(warehouse, cell) for cell in belt.cells()],
                "drop_points": [_spot(warehouse, c) for c in floor.drops_of(belt)],
            }
            for belt in floor.belts.values()
        ],
        "obstacles": [
            {
                "id": obstacle.id,
                "kind": str(obstacle.kind),
                "cells": [_spot(warehouse, cell) for cell in obstacle.cells()],
            }
            for obstacle in floor.obstacles.values()
        ],
        "people_walk": warehouse.people_walk,
        "people": [person_facts(person) for person in warehouse.present.values()],
        "people_away": [] if warehouse.people_walk else list(warehouse.people),
        "shapes": SHAPES,
    }


def robot_facts(robot: Robot) -> dict[str, Any]:
    return {
        "id": robot.id,
        **_pose(pose_of_robot(robot)),
        "status": str(robot.status),
        "state": str(robot.state),
        "command": None if robot.command is None else robot.command.line(),
        "wheel_mps": robot.wheel_mps,
        "turn_dps": round(robot.turn_dps, 4),
        "tower_m": round(robot.tower_m, 4),
        "carries": robot.carries,
    }


def unit_facts(warehouse: Warehouse, unit: StorageUnit) -> dict[str, Any]:
    """With its shelves, and what lies in them."""
    return {
        "id": unit.id,
        **_pose(pose_of_unit(warehouse, unit)),
        "held_by": unit.held_by,
        "shelves": [
            {"level": shelf.level, "items": [item.id for item in shelf.items]}
            for shelf in unit.shelves
        ],
    }


def person_facts(person: Person) -> dict[str, Any]:
    return {"id": person.id, "x_m": round(person.x_m, 4), "y_m": round(person.y_m, 4)}


def _pose(pose: Pose) -> dict[str, float]:
    names = ("x_m", "y_m", "z_m", "yaw_deg")
    return {name: round(each, 4) for name, each in zip(names, pose, strict=True)}


def _spot(warehouse: Warehouse, cell: Cell) -> list[float]:
    return list(warehouse.floor.spot(cell))
