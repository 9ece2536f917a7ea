"""The whole warehouse, one step on: the only way in which its state changes in time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from shopfloor.warehouse.commands import Command, Lift, Mov, MovX, MovY, Rot
from shopfloor.warehouse.driving import TICK_S, tick_robot
from shopfloor.warehouse.errors import (
    FieldWrong,
    NoGridPoint,
    OutsideFloor,
    RobotBusy,
    RobotUnknown,
    TakesNoCommand,
    WarehouseRefused,
)
from shopfloor.warehouse.events import Accepted, Became, Ended, Event, Outcome, Refused
from shopfloor.warehouse.lifting import lift
from shopfloor.warehouse.scene import Scene
from shopfloor.warehouse.things import (
    Along,
    Cell,
    Robot,
    State,
    Status,
    Turn,
    Warehouse,
)
from shopfloor.warehouse.turning import turn_of
from shopfloor.warehouse.walking import tick_person


def step(
    warehouse: Warehouse, dt_s: float, commands: Sequence[Command] = ()
) -> tuple[Warehouse, list[Event]]:
    """Take commands, then let time pass. How time is cut into steps changes nothing."""
    told: list[Event] = []
    for command in commands:
        warehouse, heard = give(warehouse, command)
        told += heard
    owed_s = warehouse.owed_s + dt_s
    ticks = math.floor(owed_s / TICK_S + 1e-9)
    for _ in range(ticks):
        warehouse = _tick(warehouse, told)
    left_s = max(0.0, owed_s - ticks * TICK_S)
    return replace(warehouse, owed_s=left_s), told


def time_s(warehouse: Warehouse) -> float:
    return round(warehouse.ticks * TICK_S, 6)


def scene_of(warehouse: Warehouse) -> Scene:
    return Scene(
        warehouse.floor,
        dict(warehouse.robots),
        warehouse.storage_units,
        dict(warehouse.present),
    )


def _tick(warehouse: Warehouse, told: list[Event]) -> Warehouse:
    ticks = warehouse.ticks + 1
    busy = [r for r in warehouse.robots.values() if r.status is not Status.IDLE]
    if not busy and not warehouse.present:
        return replace(warehouse, ticks=ticks)
    scene = scene_of(warehouse)
    for robot in busy:
        scene.robots[robot.id] = tick_robot(scene, robot, told)
    for person in warehouse.present.values():
        scene.people[person.id] = tick_person(scene, person)
    people = {**warehouse.people, **scene.people}
    return replace(warehouse, ticks=ticks, robots=scene.robots, people=people)


def give(warehouse: Warehouse, command: Command) -> tuple[Warehouse, list[Event]]:
    """A command is taken by an idle robot or refused; it is never kept for later."""
    try:
        robot = idle_robot(warehouse, command.robot)
        if isinstance(command, Lift):
            warehouse, robot = lift(warehouse, robot, command)
        else:
            robot = _planned(warehouse, robot, command)
    except WarehouseRefused as error:
        return warehouse, [Refused(command, error)]
    told: list[Event] = [Accepted(command)]
    if robot.parts or robot.lifting:
        told += [Became(robot.id, robot.state, Status.BUSY)] if robot.lifting else []
        robot = replace(robot, command=command)
    else:
        told.append(Ended(command, Outcome.DONE, "already there"))
    robots = {**warehouse.robots, robot.id: robot}
    return replace(warehouse, robots=robots), told


def halt(warehouse: Warehouse, name: str) -> Warehouse:
    """A robot ends its drive at the next grid point, or its turn at the next quarter;
    one that stands or lifts is left alone."""
    robot = warehouse.robots[name]
    if not robot.parts:
        return warehouse
    first = robot.parts[0]
    parts: tuple[Turn | Along, ...] = ()
    if isinstance(first, Along) and robot.entering is not None:
        parts = (replace(first, to=robot.entering),)
    elif isinstance(first, Turn) and robot.state is State.ROTATING:
        parts = (first,)
    halted = replace(robot, parts=parts, halting=True)
    return replace(warehouse, robots={**warehouse.robots, name: halted})


def idle_robot(warehouse: Warehouse, name: str) -> Robot:
    """The one that is told something; WarehouseRefused if it cannot take it."""
    robot = warehouse.robots.get(name)
    if robot is None:
        if name in warehouse.belts:
            raise TakesNoCommand(f"{name} is a conveyor belt and takes no command")
        if name in set(warehouse.names()):
            raise TakesNoCommand(f"{name} is no robot and takes no command")
        raise RobotUnknown(f"there is no robot {name}")
    if robot.status is not Status.IDLE:
        raise RobotBusy(f"{name} is {robot.doing} and takes no command until idle")
    return robot


def _planned(
    warehouse: Warehouse, robot: Robot, command: Mov | MovX | MovY | Rot
) -> Robot:
    if isinstance(command, Rot):
        quarter = -1 if command.clockwise else 1
        return replace(robot, parts=(turn_of(robot.yaw_deg, quarter),))
    column, row = robot.cell
    cell = cell_meant(warehouse, robot, command)
    parts: list[Turn | Along] = []
    if cell[0] != column:
        parts.append(Along("x", (cell[0], row)))
    if cell[1] != row:
        parts.append(Along("y", cell))
    return replace(robot, parts=tuple(parts))


def cell_meant(warehouse: Warehouse, robot: Robot, command: Mov | MovX | MovY) -> Cell:
    """Where a drive is to end; NoGridPoint or OutsideFloor if nowhere."""
    if isinstance(command, Mov):
        return _cell(warehouse, command.x_m, command.y_m)
    dist_m = _finite(command.dist_m)
    if isinstance(command, MovX):
        return _cell(warehouse, robot.x_m + dist_m, robot.y_m)
    return _cell(warehouse, robot.x_m, robot.y_m + dist_m)


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise FieldWrong(f"a distance is a number in metres, not {value}")
    return value


def _cell(warehouse: Warehouse, x_m: float, y_m: float) -> Cell:
    floor = warehouse.floor
    cell = floor.cell_at(x_m, y_m)
    if cell is None:
        raise NoGridPoint(
            f"({x_m:g}, {y_m:g}) is no grid point: "
            f"they are {floor.cell_m:g} m apart, from (0, 0)"
        )
    if not floor.contains(cell):
        raise OutsideFloor(f"({x_m:g}, {y_m:g}) is outside the floor")
    return cell
