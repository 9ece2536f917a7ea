"""Grid traffic behind the same interface as free traffic: places in, drives out.

``fleet.grid`` plans in cells; here cells become poses and poses cells. Places lie in
the middle of cells, walls and zones shut cells, and a robot owns the cells it was sent
along until it reports that it has left them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fleet.grid import GridTraffic
from fleet.grid import traffic_messages as told
from fleet.grid.floor import Cell
from fleet.model.world import Point, World
from fleet.traffic.cell_floor import CellFloor
from fleet.traffic.port import Arrived, Go, Outcome, Stuck, Waypoint

REACHED_M = 0.08
TELL_S = 10.0


@dataclass
class _Rider:
    """``ahead``: cells that it was sent along and has not reached."""

    type: str
    x_m: float
    y_m: float
    at: Cell
    ahead: list[Cell] = field(default_factory=list)
    goal: str = ""
    frozen: bool = False
    resend: bool = False
    lost: bool = False
    told_at: float = -math.inf


class CellTraffic:
    """Traffic of a plant in which all robots drive from cell to cell."""

    def __init__(self, world: World, *, seed: int = 0) -> None:
        self._world = world
        self.floor = CellFloor(world)
        self._seed = seed
        self.grid = GridTraffic(self.floor.floor, seed=seed)
        self._riders: dict[str, _Rider] = {}
        self._zones: dict[str, tuple[Point, ...]] = {}
        self._things: dict[str, tuple[float, float, float]] = {}

    @property
    def deadlocks(self) -> int:
        return self.grid.counts.jams_unsolved

    # What the fleet says

    def add_robot(self, robot: str, type_: str, x_m: float, y_m: float) -> None:
        cell = self.floor.cell_at(x_m, y_m)
        self.grid.add(robot, cell)
        self._riders[robot] = _Rider(type_, x_m, y_m, cell)

    def remove_robot(self, robot: str) -> None:
        if self._riders.pop(robot, None) is not None:
            self.grid.remove(robot)

    def set_goal(self, robot: str, place: str) -> None:
        rider = self._riders[robot]
        if rider.goal != place:
            rider.goal, rider.lost = place, False
            self.grid.set_goal(robot, self.floor.cell_of(place), pinned=True)

    def drop_goal(self, robot: str) -> None:
        self._riders[robot].goal = ""
        self.grid.set_goal(robot, None)

    def freeze(self, robot: str) -> None:
        rider = self._riders[robot]
        if not rider.frozen:
            rider.frozen = True
            self.grid.report(robot, told.Dead())

    def thaw(self, robot: str) -> None:
        """It goes on from where it stands, also if somebody has carried it there."""
        rider = self._riders[robot]
        if not rider.frozen:
            return
        rider.frozen = False
        if self._on_its_way(rider):
            rider.resend = bool(rider.ahead)
            self.grid.report(robot, told.Reached(self._reached(rider)))
            return
        goal = rider.goal
        self.remove_robot(robot)
        self.add_robot(robot, rider.type, rider.x_m, rider.y_m)
        if goal:
            self.set_goal(robot, goal)

    def close_zone(self, zone: str, corners: Sequence[Point]) -> None:
        self._zones[zone] = tuple((x, y) for x, y in corners)
        self._shut()

    def open_zone(self, zone: str) -> None:
        self._zones.pop(zone, None)
        self._shut()

    def put_obstacle(self, id_: str, x_m: float, y_m: float, radius_m: float) -> None:
        self._things[id_] = (x_m, y_m, radius_m)
        self._shut()

    def take_obstacle(self, id_: str) -> None:
        if self._things.pop(id_, None) is not None:
            self._shut()

    def _shut(self) -> None:
        cells: set[Cell] = set()
        for corners in self._zones.values():
            cells |= self.floor.touched_by_zone(corners)
        for thing in self._things.values():
            cells |= self.floor.touched_by_disc(*thing)
        self.grid.close_only(cells)

    def report(self, robot: str, x_m: float, y_m: float, yaw: float) -> None:
        rider = self._riders[robot]
        rider.x_m, rider.y_m = x_m, y_m
        if not rider.frozen and self._on_its_way(rider):
            self.grid.report(robot, told.Reached(self._reached(rider)))

    def _line(self, rider: _Rider) -> list[Point]:
        return [self.floor.middle(cell) for cell in (rider.at, *rider.ahead)]

    def _on_its_way(self, rider: _Rider) -> bool:
        return self.floor.away_m(rider.x_m, rider.y_m, self._line(rider)) <= (
            self._world.cell_m / 2
        )

    def _reached(self, rider: _Rider) -> Cell:
        """Forget the cells that it has left: it is past the middle of the next."""
        line = self._line(rider)
        passed = self.floor.segment_at(rider.x_m, rider.y_m, line)
        last = line[-1]
        if math.dist(last, (rider.x_m, rider.y_m)) <= REACHED_M:
            passed = len(line) - 1
        if passed:
            rider.at = rider.ahead[passed - 1]
            del rider.ahead[:passed]
        return rider.at

    # What comes of it

    def advance(self, now: float) -> list[Outcome]:
        outcomes: list[Outcome] = []
        messages = self.grid.advance(now)
        moved = {name for name, r in self._riders.items() if r.resend and not r.frozen}
        for message in messages:
            match message:
                case told.Go():
                    rider = self._riders[message.robot]
                    rider.ahead += message.cells
                    rider.lost = False
                    moved.add(message.robot)
                case told.Halt():
                    self._halt(message)
                    moved.add(message.robot)
                case told.Arrived():
                    outcomes += self._arrived(message.robot)
                case told.NoWay():
                    self._riders[message.robot].lost = True
                case told.Stuck():
                    for robot in message.robots:
                        self._riders[robot].lost = True
        outcomes += [self._go(robot) for robot in sorted(moved)]
        for robot, rider in self._riders.items():
            if rider.lost and rider.goal and now - rider.told_at >= TELL_S:
                rider.told_at = now
                outcomes.append(Stuck(robot, rider.goal, "there is no way now"))
        return outcomes

    def _arrived(self, robot: str) -> list[Outcome]:
        rider = self._riders[robot]
        place, rider.goal, rider.lost = rider.goal, "", False
        return [Arrived(robot, place)] if place else []

    def _halt(self, message: told.Halt) -> None:
        """Stop before a cell, or in it where the brakes no longer suffice."""
        rider = self._riders[message.robot]
        type_ = self._world.robot_types[rider.type]
        braking_m = type_.speed_mps**2 / (2.0 * type_.acceleration_mps2)
        cells = [rider.at, *rider.ahead]
        keep = 0  # it may have passed the cell when the message comes
        if message.before in cells:
            keep = max(0, cells.index(message.before) - 1)
        here = (rider.x_m, rider.y_m)
        while keep < len(cells) - 1:
            away_m = math.dist(self.floor.middle(cells[keep]), here)
            if away_m >= braking_m or (keep == 0 and away_m <= REACHED_M):
                break
            keep += 1
        rider.ahead = cells[1 : keep + 1]
        self.grid.report(message.robot, told.Held(cells[keep]))

    def _go(self, robot: str) -> Go:
        rider = self._riders[robot]
        rider.resend = False
        speed_mps = self._world.robot_types[rider.type].speed_mps
        cells = rider.ahead or [rider.at]
        path = tuple(
            Waypoint(*self.floor.middle(cell), self.floor.speed_mps(cell, speed_mps))
            for cell in cells
        )
        at_goal = rider.goal and cells[-1] == self.floor.cell_of(rider.goal)
        place = self.floor.place(rider.goal) if at_goal else None
        return Go(robot, path, None if place is None else place.yaw)

    # Saving

    def to_dict(self) -> dict[str, Any]:
        return {
            "zones": {name: [list(c) for c in cs] for name, cs in self._zones.items()},
            "things": {name: list(thing) for name, thing in self._things.items()},
            "riders": {
                name: {
                    "type": rider.type,
                    "pose": [rider.x_m, rider.y_m],
                    "cells": [list(cell) for cell in (rider.at, *rider.ahead)],
                    "goal": rider.goal,
                    "frozen": rider.frozen,
                }
                for name, rider in self._riders.items()
            },
        }

    def load(self, data: dict[str, Any]) -> None:
        """Plans are made anew; who was sent where is kept."""
        self.grid = GridTraffic(self.floor.floor, seed=self._seed)
        self._riders.clear()
        self._zones = {n: tuple((x, y) for x, y in c) for n, c in data["zones"].items()}
        self._things = {n: (x, y, r) for n, (x, y, r) in data["things"].items()}
        for name, each in data["riders"].items():
            at, *ahead = [(column, row) for column, row in each["cells"]]
            self.grid.add(name, at, ahead=ahead)
            x_m, y_m = each["pose"]
            rider = _Rider(each["type"], x_m, y_m, at, ahead)
            self._riders[name] = rider
            rider.resend = bool(ahead)
            if each["frozen"]:
                self.freeze(name)
            if each["goal"]:
                self.set_goal(name, each["goal"])
            elif not ahead:
                self.grid.pin(name)
        self._shut()
