"""Robots on cells that take any time they like, and somebody who watches them.

While a robot drives from one cell to the next it is in both. The watcher looks after
every half step of every robot and knows nothing of plans or owners.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field

from fleet.grid.floor import Cell
from fleet.grid.traffic import GridTraffic
from fleet.grid.traffic_messages import Arrived, Dead, Go, Halt, Held, Message, Reached


@dataclass
class Body:
    at: Cell
    ahead: deque[Cell] = field(default_factory=deque)
    entering: bool = False
    dead: bool = False
    driven: list[Cell] = field(default_factory=list)

    @property
    def cells(self) -> set[Cell]:
        return {self.at, self.ahead[0]} if self.entering else {self.at}


class Contact(AssertionError):
    """Two robots were in one cell."""


class SlowRobots:
    """Drives what traffic says, each robot at its own pace of chance."""

    def __init__(self, traffic: GridTraffic, seed: int) -> None:
        self.traffic = traffic
        self.bodies: dict[str, Body] = {}
        self.arrivals: list[tuple[str, Cell]] = []
        self.said: list[Message] = []
        self.random = random.Random(seed)
        self.closed: set[Cell] = set()
        self.now = 0.0

    def put(self, robot: str, cell: Cell) -> None:
        self.traffic.add(robot, cell)
        self.bodies[robot] = Body(cell)

    def kill(self, robot: str) -> None:
        self.bodies[robot].dead = True
        self.traffic.report(robot, Dead())

    def close(self, cells: set[Cell]) -> None:
        self.closed |= cells
        self.traffic.close(cells)

    def open(self, cells: set[Cell]) -> None:
        self.closed -= cells
        self.traffic.open(cells)

    def round(self) -> None:
        """Traffic speaks, then robots move by half steps in an order of chance."""
        self.now += 1.0
        for message in self.traffic.advance(self.now):
            self._hear(message)
        names = sorted(self.bodies)
        self.random.shuffle(names)
        pace = self.random.choice((0.2, 0.6, 1.0))
        for name in names:
            if self.random.random() < pace:
                self._half_step(name)
                self._watch(name)

    def run(self, rounds: int) -> None:
        for _ in range(rounds):
            self.round()

    def _hear(self, message: Message) -> None:
        self.said.append(message)
        if isinstance(message, Go):
            self.bodies[message.robot].ahead.extend(message.cells)
        elif isinstance(message, Arrived):
            self.arrivals.append((message.robot, message.cell))
        elif isinstance(message, Halt):
            body = self.bodies[message.robot]
            if body.dead:
                return
            kept = 1 if body.entering else 0
            while len(body.ahead) > kept:
                body.ahead.pop()
            end = body.ahead[-1] if body.ahead else body.at
            self.traffic.report(message.robot, Held(end))

    def _half_step(self, name: str) -> None:
        body = self.bodies[name]
        if body.dead or not body.ahead:
            return
        if not body.entering:
            if body.ahead[0] in self.closed:
                raise AssertionError(f"{name} enters {body.ahead[0]}, which is closed")
            body.entering = True
            return
        body.at = body.ahead.popleft()
        body.entering = False
        body.driven.append(body.at)
        self.traffic.report(name, Reached(body.at))

    def _watch(self, name: str) -> None:
        mine = self.bodies[name].cells
        for other, body in self.bodies.items():
            if other != name and mine & body.cells:
                raise Contact(f"{name} and {other} in {mine & body.cells}")
