"""A warehouse as the world file of a plant, so that MPMS drives its robots too.

Every spot that a goal may name becomes a place: where robots wait, where storage units
stand, and the drop points of belts. Robots have the profile ``kiva``.
"""

from __future__ import annotations

import math
from typing import Any

import yaml

from shopfloor.warehouse.laser import ROBOT_RADIUS_M
from shopfloor.warehouse.outlines import outlines
from shopfloor.warehouse.things import Cell, Warehouse

PAYLOAD_KG = 500.0
ACCELERATION_MPS2 = 10.0
"""Wheels run at one speed or stand."""


def write_plant(warehouse: Warehouse) -> str:
    return yaml.safe_dump(plant_document(warehouse), sort_keys=False, width=88)


def plant_document(warehouse: Warehouse) -> dict[str, Any]:
    floor = warehouse.floor
    half_m, motors = floor.cell_m / 2.0, floor.motors
    places: dict[str, Any] = {}

    def place(name: str, cell: Cell, yaw_deg: float = 0.0) -> None:
        x_m, y_m = floor.spot(cell)
        places[name] = {"x_m": x_m, "y_m": y_m, "yaw_deg": yaw_deg}

    for robot in warehouse.robots.values():
        place(f"{robot.id}_home", robot.cell, robot.yaw_deg)
    for unit in warehouse.storage_units.values():
        place(unit.id, unit.cell, unit.yaw_deg)
    for belt in floor.belts.values():
        for number, cell in enumerate(floor.drops_of(belt), start=1):
            place(f"{belt.id}_{number}", cell)
    return {
        "name": warehouse.name,
        "map": {
            "resolution_m": floor.cell_m / 10.0,
            "width_m": floor.columns * floor.cell_m,
            "height_m": floor.rows * floor.cell_m,
            "origin": [-half_m, -half_m, 0.0],
            "walls": [list(wall) for wall in outlines(floor)],
        },
        "places": places,
        "robots": [
            {
                "id": robot.id,
                "kind": "kiva",
                "home": f"{robot.id}_home",
                "profile": "kiva",
                "max_speed_mps": motors.speed_mps,
                "max_accel_mps2": ACCELERATION_MPS2,
                "max_turn_radps": round(math.radians(motors.turn_dps), 3),
                "max_payload_kg": PAYLOAD_KG,
                "radius_m": ROBOT_RADIUS_M,
                "drive": "grid",
                "cell_m": floor.cell_m,
            }
            for robot in warehouse.robots.values()
        ],
    }
