"""Which robot carries which storage unit.

A unit belongs to the robot from the moment the lift is accepted until it is put down,
so no other robot can take it; several robots carry at the same time. While it is
carried its pose is the robot's.
"""

from __future__ import annotations

import math
from dataclasses import replace

from shopfloor.warehouse.commands import CARRY, DROP, Lift
from shopfloor.warehouse.errors import (
    FieldWrong,
    RobotLoaded,
    TakesNoCommand,
    UnitFar,
    UnitHeld,
    UnitNotHeld,
    UnitUnknown,
)
from shopfloor.warehouse.things import Robot, StorageUnit, Warehouse

Pose = tuple[float, float, float, float]
"""x, y and z in metres, yaw in degrees."""


def lift(warehouse: Warehouse, robot: Robot, command: Lift) -> tuple[Warehouse, Robot]:
    if command.status not in (CARRY, DROP):
        raise FieldWrong(f"status is 1 (carry) or 0 (drop), not {command.status}")
    unit = warehouse.storage_units.get(command.unit)
    if unit is None:
        if command.unit in set(warehouse.names()):
            raise TakesNoCommand(f"{command.unit} is no storage unit to be lifted")
        raise UnitUnknown(f"there is no storage unit {command.unit}")
    if command.status == CARRY:
        return _carry(warehouse, robot, unit)
    return _drop(warehouse, robot, unit)


def _carry(
    warehouse: Warehouse, robot: Robot, unit: StorageUnit
) -> tuple[Warehouse, Robot]:
    if unit.held_by is not None:
        raise UnitHeld(f"{unit.id} is held by {unit.held_by}")
    if robot.carries is not None:
        raise RobotLoaded(f"{robot.id} carries {robot.carries} already")
    if unit.cell != robot.cell:
        x_m, y_m = warehouse.floor.spot(unit.cell)
        away_m = math.dist((x_m, y_m), (robot.x_m, robot.y_m))
        raise UnitFar(f"{unit.id} stands {away_m:g} m away from {robot.id}")
    up_m = warehouse.floor.motors.lift_m
    return (
        _with_unit(warehouse, replace(unit, held_by=robot.id)),
        replace(robot, carries=unit.id, tower_goal_m=up_m),
    )


def _drop(
    warehouse: Warehouse, robot: Robot, unit: StorageUnit
) -> tuple[Warehouse, Robot]:
    if robot.carries != unit.id:
        carries = robot.carries or "nothing"
        raise UnitNotHeld(f"{robot.id} carries {carries}, not {unit.id}")
    put = replace(unit, held_by=None, cell=robot.cell, yaw_deg=robot.yaw_deg)
    return (
        _with_unit(warehouse, put),
        replace(robot, carries=None, tower_goal_m=0.0),
    )


def _with_unit(warehouse: Warehouse, unit: StorageUnit) -> Warehouse:
    units = {**warehouse.storage_units, unit.id: unit}
    return replace(warehouse, storage_units=units)


def pose_of_robot(robot: Robot) -> Pose:
    return robot.x_m, robot.y_m, 0.0, robot.yaw_deg


def pose_of_unit(warehouse: Warehouse, unit: StorageUnit) -> Pose:
    if unit.held_by is not None:
        robot = warehouse.robots[unit.held_by]
        return robot.x_m, robot.y_m, robot.tower_m, robot.yaw_deg
    return (*warehouse.floor.spot(unit.cell), 0.0, unit.yaw_deg)
