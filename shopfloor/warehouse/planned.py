"""A served warehouse in which every drive is planned for all robots together.

Clients say the same as ever: ``mov``, ``movx`` and ``movy`` name where a robot is to
end. On the way it goes around others, and robots without a command make way. What it is
then told, cell by cell, is the low level of the reports.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fleet.grid.problem import warm
from shopfloor.warehouse.commands import Command, Mov, MovX, MovY
from shopfloor.warehouse.creating import Numbers, create
from shopfloor.warehouse.errors import RobotBusy, WarehouseRefused
from shopfloor.warehouse.events import Accepted, Ended, Event, Outcome, Refused
from shopfloor.warehouse.routing import Routing
from shopfloor.warehouse.script import Script
from shopfloor.warehouse.served import WarehouseSimulation
from shopfloor.warehouse.stepping import cell_meant, idle_robot, step
from shopfloor.warehouse.things import Cell, Status, Warehouse
from shopfloor.warehouse.world_file import WorldFile


class PlannedWarehouse(WarehouseSimulation):
    def __init__(self, start: WorldFile, **facts: Any) -> None:
        self._routing: Routing | None = None
        self._routes: dict[str, tuple[Command, Cell]] = {}
        self._issued: dict[str, Command] = {}
        super().__init__(start, **facts)
        self._plan_anew()

    def give(self, command: Command) -> WarehouseRefused | None:
        try:
            if command.robot in self._routes:
                line = self._routes[command.robot][0].line()
                raise RobotBusy(
                    f"{command.robot} is busy with {line} and takes no command"
                )
            if not isinstance(command, Mov | MovX | MovY):
                return super().give(command)
            self._route(command)
        except WarehouseRefused as error:
            self._hear([Refused(command, error)])
            return error
        return None

    def _route(self, command: Mov | MovX | MovY) -> None:
        robot = idle_robot(self.warehouse, command.robot)
        cell = cell_meant(self.warehouse, robot, command)
        if self._routing is not None:
            self._routing.go(robot.id, cell)
        self._routes[robot.id] = (command, cell)
        self._hear([Accepted(command)])
        if cell == robot.cell:
            self._end(robot.id, Outcome.DONE, "already there")
        else:
            self._tell_status(robot.id, str(Status.BUSY))

    def _end(self, robot: str, outcome: Outcome, reason: str = "") -> None:
        command, _ = self._routes.pop(robot)
        if robot in self._kivas:
            self._tell_status(robot, self._status_of(robot))
        self._hear([Ended(command, outcome, reason)])

    def _let_pass(self, dt_s: float) -> None:
        if self._routing is None:
            self._plan_anew()
        commands = []
        if self._routing is not None:
            commands = self._routing.advance(self.warehouse)
            self._issued |= {command.robot: command for command in commands}
            for name in self._routing.arrived:
                if name in self._routes:
                    self._end(name, Outcome.DONE)
            for name in self._routing.lost:
                if name in self._routes:
                    self._routing.release(name)
                    self._end(name, Outcome.BLOCKED, "no way leads there at present")
        self.warehouse, told = step(self.warehouse, dt_s, commands)
        if self._routing is not None:
            self._routing.hear(self.warehouse, told)
        self._hear([event for event in told if not self._is_own(event)])

    def _is_own(self, event: Event) -> bool:
        """Of the plan's own drives only the parts are told."""
        if not isinstance(event, Accepted | Ended | Refused):
            return False
        return self._issued.get(event.command.robot) is event.command

    def _plan_anew(self) -> None:
        """When all robots stand: the plan knows whole cells only."""
        if any(r.status is not Status.IDLE for r in self.warehouse.robots.values()):
            return
        self._routing = Routing(self.warehouse)
        for name, (_, cell) in list(self._routes.items()):
            try:
                self._routing.go(name, cell)
            except WarehouseRefused as error:
                self._end(name, Outcome.FAILED, str(error))

    def start_over(self, warehouse: Warehouse, scripts: Sequence[Script] = ()) -> None:
        for name in list(self._routes):
            self._end(name, Outcome.FAILED, "the warehouse was replaced")
        super().start_over(warehouse, scripts)

    def change(self, warehouse: Warehouse) -> None:
        super().change(warehouse)
        self._routing = None
        gone = [name for name in self._routes if name not in warehouse.robots]
        for name in gone:
            self._end(name, Outcome.FAILED, "the robot is gone")

    def _halt(self, name: str) -> None:
        if name not in self._routes:
            super()._halt(name)
            return
        if self._routing is not None:
            self._routing.release(name)
        self._end(name, Outcome.HALTED, "it was told to stop")

    def _tell_status(self, robot: str, status: str) -> None:
        on_its_way = robot in self._routes and status == Status.IDLE
        super()._tell_status(robot, str(Status.BUSY) if on_its_way else status)

    def _status_of(self, robot: str) -> str:
        return str(Status.BUSY) if robot in self._routes else super()._status_of(robot)

    def state(self) -> dict[str, Any]:
        facts = super().state()
        for robot in facts["robots"]:
            if robot["id"] in self._routes:
                robot["status"] = str(Status.BUSY)
                robot["command"] = self._routes[robot["id"]][0].line()
        return facts


def warm_up() -> None:
    """Compile what planning needs, before anybody waits for an answer."""
    corner = create(Numbers(robots=1, items=0, shelves=0))
    routing = Routing(corner)
    routing.go("kiva1", (0, 0))
    routing.advance(corner)
    warm("lacam")
