"""Planned ways instead of x first, then y: robots go around and make way.

The fleet's grid traffic says who may enter which cell when; here its words become
``movx`` and ``movy``, and what robots do becomes its reports. Cells below standing
units are closed but for the robot that is to stand there, so a load fits everywhere.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import numpy as np

from fleet.grid import Floor as GridFloor
from fleet.grid import GridTraffic
from fleet.grid.errors import GridRefused
from fleet.grid.traffic_messages import Arrived, Go, Halt, Held, NoWay, Reached, Stuck
from shopfloor.warehouse.commands import Command, MovX, MovY
from shopfloor.warehouse.errors import CellTaken
from shopfloor.warehouse.events import Ended, Event, Outcome
from shopfloor.warehouse.stepping import time_s
from shopfloor.warehouse.things import Cell, Robot, Status, Warehouse

CLOSED_S = 3.0
"""A cell that something unforeseen blocks; then it is tried again."""


class Routing:
    """Of all robots of a warehouse, which must be its robots from now on."""

    def __init__(self, warehouse: Warehouse, *, seed: int = 0) -> None:
        floor = warehouse.floor
        blocked = np.zeros((floor.rows, floor.columns), np.bool_)
        for column, row in floor.solid:
            blocked[row, column] = True
        self.traffic = GridTraffic(GridFloor.of(blocked), seed=seed, silent_s=1e9)
        self._cell_m = floor.cell_m
        self._cells: dict[str, deque[Cell]] = {}
        self._at: dict[str, Cell] = {}
        self._goals: dict[str, Cell] = {}
        self._given: dict[str, Command] = {}
        self._halting: set[str] = set()
        self._closed: set[Cell] = set()
        self._hindered_until_s: dict[Cell, float] = {}
        self.arrived: list[str] = []
        """Since the last ``advance``."""
        self.lost: list[str] = []
        """The same, of robots to whose goal no way leads at present."""
        for robot in warehouse.robots.values():
            self.traffic.add(robot.id, robot.cell)
            self._cells[robot.id], self._at[robot.id] = deque(), robot.cell

    def go(self, robot: str, cell: Cell) -> None:
        """CellTaken if that is another robot's goal, or nobody's place."""
        try:
            self.traffic.set_goal(robot, cell, pinned=True)
        except GridRefused as error:
            raise CellTaken(str(error)) from None
        self._goals[robot] = cell

    def release(self, robot: str) -> None:
        """It waits anywhere and makes way."""
        self._goals.pop(robot, None)
        self.traffic.set_goal(robot, None)

    def is_ours(self, command: Command) -> bool:
        return self._given.get(command.robot) is command

    def advance(self, warehouse: Warehouse) -> list[Command]:
        """What robots are told now."""
        now_s = time_s(warehouse)
        self.arrived, self.lost = [], []
        for robot in warehouse.robots.values():
            self._report(robot)
        self._close(warehouse, now_s)
        for message in self.traffic.advance(now_s):
            match message:
                case Go(robot=name, cells=cells):
                    self._cells[name].extend(cells)
                case Halt(robot=name):
                    self._cells[name].clear()
                    self._halting.add(name)
                case Arrived(robot=name):
                    self.arrived.append(name)
                case NoWay(robot=name):
                    self.lost.append(name)
                case Stuck(robots=names):
                    self.lost += names
        commands = []
        for robot in warehouse.robots.values():
            if robot.status is Status.IDLE:
                command = self._next(robot)
                if command is not None:
                    self._given[robot.id] = command
                    commands.append(command)
        return commands

    def _report(self, robot: Robot) -> None:
        if robot.cell != self._at[robot.id]:
            self._at[robot.id] = robot.cell
            self.traffic.report(robot.id, Reached(robot.cell))
        if robot.id in self._halting and robot.status is Status.IDLE:
            self._halting.discard(robot.id)
            self.traffic.report(robot.id, Held(robot.cell))

    def _close(self, warehouse: Warehouse, now_s: float) -> None:
        """Closed are cells below standing units that nobody is sent to, and cells
        that turned out to be blocked."""
        goals = set(self._goals.values())
        units = warehouse.storage_units.values()
        closed = {u.cell for u in units if u.held_by is None} - goals
        hindered = self._hindered_until_s
        closed |= {cell for cell, until_s in hindered.items() if now_s < until_s}
        closed -= set(warehouse.floor.solid)
        if closed == self._closed:
            return
        self.traffic.close(closed - self._closed)
        self.traffic.open(self._closed - closed)
        self._closed = closed

    def _next(self, robot: Robot) -> Command | None:
        """As far straight on as the robot may go."""
        cells = self._cells[robot.id]
        if not cells:
            return None
        here, first = robot.cell, cells[0]
        step = first[0] - here[0], first[1] - here[1]
        length = 0
        while cells and cells[0] == _on(here, step, length + 1):
            cells.popleft()
            length += 1
        metres = self._cell_m * length
        if step[0]:
            return MovX(robot.id, step[0] * metres)
        return MovY(robot.id, step[1] * metres)

    def hear(self, warehouse: Warehouse, told: Iterable[Event]) -> None:
        for event in told:
            if not isinstance(event, Ended) or not self.is_ours(event.command):
                continue
            name = event.command.robot
            del self._given[name]
            if event.outcome is Outcome.BLOCKED:
                self._hinder(warehouse, event.command)

    def _hinder(self, warehouse: Warehouse, command: Command) -> None:
        """Something stands there that traffic does not know: around it, for a while."""
        robot = warehouse.robots[command.robot]
        dist = command.dist_m if isinstance(command, MovX | MovY) else 0.0
        sign = 1 if dist > 0 else -1
        step = (sign, 0) if isinstance(command, MovX) else (0, sign)
        cell = _on(robot.cell, step, 1)
        self._hindered_until_s[cell] = time_s(warehouse) + CLOSED_S


def _on(cell: Cell, step: Cell, times: int) -> Cell:
    return cell[0] + times * step[0], cell[1] + times * step[1]
