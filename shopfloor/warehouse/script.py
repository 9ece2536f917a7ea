"""Commands from a file: each robot does its own, one after the other.

A file is handed over at the start, so that an experiment needs no program. Robots do
not wait for each other. What another robot, a belt or a person blocks is tried again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace

from shopfloor.warehouse.commands import Command, MovX, MovY, parse_command
from shopfloor.warehouse.errors import VerbUnknown, WarehouseRefused
from shopfloor.warehouse.events import Ended, Event, Outcome, Refused
from shopfloor.warehouse.things import Robot, Status, Warehouse

AGAIN_AFTER_S = 1.0
MOST_TRIES = 60


def read_script(text: str) -> list[Command]:
    """A line a command, ``#`` before remarks. VerbUnknown names every wrong line."""
    commands, wrong = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.split("#", 1)[0].strip():
            continue
        try:
            commands.append(parse_command(line))
        except WarehouseRefused as error:
            wrong.append(f"line {number}: {error}")
    if wrong:
        raise VerbUnknown("\n".join(wrong))
    return commands


class Script:
    """What is left of a file, for each robot."""

    def __init__(self, commands: Sequence[Command]) -> None:
        self._left: dict[str, deque[Command]] = {}
        for command in commands:
            self._left.setdefault(command.robot, deque()).append(command)
        self._given: dict[str, Command] = {}
        self._tries: dict[str, int] = {}
        self._not_before_s: dict[str, float] = {}
        self._goals_m: dict[str, float] = {}
        self.given_up: list[tuple[Command, str]] = []

    @property
    def done(self) -> bool:
        return not any(self._left.values()) and not self._given

    @property
    def under_way(self) -> bool:
        """A robot is busy with one of these."""
        return bool(self._given)

    def give_up(self, reason: str) -> None:
        """All that is not done never will be."""
        left = [command for commands in self._left.values() for command in commands]
        for command in (*self._given.values(), *left):
            self.given_up.append((command, reason))
        self.drop()

    def drop(self) -> None:
        """Nothing more is done; what was given goes on."""
        self._left.clear()
        self._given.clear()

    def due(self, warehouse: Warehouse, now_s: float) -> list[Command]:
        """For every robot that is idle, the next one."""
        commands = []
        for name, left in self._left.items():
            robot = warehouse.robots.get(name)
            if (
                not left
                or name in self._given
                or now_s < self._not_before_s.get(name, 0)
            ):
                continue
            if robot is not None and robot.status is not Status.IDLE:
                continue
            command = self._given[name] = self._from_here(left.popleft(), robot)
            commands.append(command)
        return commands

    def _from_here(self, command: Command, robot: Robot | None) -> Command:
        """The rest of a distance of which a part was driven before it was blocked."""
        if robot is None or not isinstance(command, MovX | MovY):
            return command
        goal_m = self._goals_m.get(robot.id)
        at_m = robot.x_m if isinstance(command, MovX) else robot.y_m
        if goal_m is None:
            self._goals_m[robot.id] = at_m + command.dist_m
            return command
        return replace(command, dist_m=round(goal_m - at_m, 6))

    def hear(self, told: Iterable[Event], now_s: float) -> None:
        for event in told:
            if not isinstance(event, Ended | Refused):
                continue
            name = event.command.robot
            if self._given.get(name) is not event.command:
                continue
            del self._given[name]
            if isinstance(event, Ended) and event.outcome is Outcome.DONE:
                self._tries[name] = 0
                self._goals_m.pop(name, None)
            elif isinstance(event, Ended) and self._try_again(name):
                self._left[name].appendleft(event.command)
                self._not_before_s[name] = now_s + AGAIN_AFTER_S
            else:
                why = event.reason if isinstance(event, Ended) else str(event.error)
                self._left[name].clear()
                self.given_up.append((event.command, why))

    def _try_again(self, name: str) -> bool:
        self._tries[name] = self._tries.get(name, 0) + 1
        return self._tries[name] < MOST_TRIES
