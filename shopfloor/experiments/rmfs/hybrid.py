"""The same experiment with a real robot in it: it drives, the others are simulated.

Simulated time goes with the clock of the wall. What the traffic kernel decides for the
real robot is sent as goals over rosbridge, one straight drive or turn at a time, and
the cells behind it are free for others only when it has reported that it is there. A
robot that is late thus never meets another, and lateness does not add up.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from fleet.rmfs.errors import RmfsRefused
from shopfloor.experiments.rmfs.simulation import Simulation

PAUSE_S = 0.02
READY_S = 20.0
QUARTER = math.pi / 2.0


@dataclass(frozen=True)
class Told:
    """What the robot is asked: to stand at a place, turned so."""

    number: int
    x_m: float
    y_m: float
    yaw: float


class OutsideRobot(Protocol):
    """A robot on the bridge."""

    def go(self, told: Told) -> None: ...

    def ended(self, number: int) -> str | None:
        """Empty where it has arrived, why it has not; None while it drives."""
        ...

    def ready(self) -> bool: ...


@dataclass
class Hybrid:
    """Runs a simulation at the pace of the clock. ``speed``: seconds of it a second."""

    simulation: Simulation
    robot: int
    outside: OutsideRobot
    speed: float = 1.0
    clock: Callable[[], float] = time.monotonic
    nap: Callable[[float], None] = time.sleep
    drives: list[Told] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def run(self, until_s: float) -> None:
        """RmfsRefused if the robot is not ready in time."""
        fleet, warehouse = self.simulation.traffic, self.simulation.warehouse
        fleet.take_outside(self.robot)
        self._wait_until_ready()
        start = warehouse.robots[self.robot].cell
        self._send(start, int(fleet.whole[self.robot, 2]))  # to where it begins
        while self._open and not self._look():
            self.nap(PAUSE_S)
        began = self.clock()
        while warehouse.now < until_s:
            elapsed_s = (self.clock() - began) * self.speed
            self.simulation.run(min(until_s, elapsed_s))
            if self._open and self._look():
                fleet.reached(self.robot, warehouse.now)
            elif not self._open:
                wanted = fleet.drive_of(self.robot)
                if wanted is not None:
                    self._send(*wanted)
            self.nap(PAUSE_S)

    _open: bool = False

    @property
    def is_driving(self) -> bool:
        """A goal is with the robot, and it has not said that it is there."""
        return self._open

    def _wait_until_ready(self) -> None:
        give_up_at = self.clock() + READY_S
        while not self.outside.ready():
            if self.clock() > give_up_at:
                raise RmfsRefused("the robot on the bridge is not ready to drive")
            self.nap(PAUSE_S)

    def _send(self, cell: int, heading: int) -> None:
        _, x, y = self.simulation.floor.spots[cell].tolist()
        size = self.simulation.layout.cell_m
        told = Told(len(self.drives) + 1, x * size, y * size, heading * QUARTER)
        self.drives.append(told)
        self.outside.go(told)
        self._open = True

    def _look(self) -> bool:
        """Has it arrived? What it did not reach is sent once more."""
        end = self.outside.ended(self.drives[-1].number)
        if end is None:
            return False
        if end:
            self.failures.append(end)
            self.outside.go(self.drives[-1])
            return False
        self._open = False
        return True
