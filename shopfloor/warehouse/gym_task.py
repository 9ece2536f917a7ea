"""A Gymnasium environment on the low-level verbs, for those who train path planners.

One robot is to reach a storage unit among others that drive about. An action is a verb:
a step along x or y, or a quarter turn; it lasts until the robot is idle again. The
robot knows its pose, its goal, what its laser sees and a window of the floor around it.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from shopfloor.warehouse.commands import Command, Mov, MovX, MovY, Rot
from shopfloor.warehouse.events import Ended, Event, Outcome
from shopfloor.warehouse.laser import scan
from shopfloor.warehouse.stepping import scene_of, step
from shopfloor.warehouse.things import Cell, Robot, Status, Warehouse
from shopfloor.warehouse.world_file import find_file, load

NAME = "mpms/Warehouse-v0"
AROUND = 2
"""Cells that the window shows on every side."""
REACHED, ACTION, BLOCKED = 10.0, -0.1, -0.5
LONGEST_ACTION_S = 20.0
TICK_S = 0.1
FREE, TAKEN, ROBOT = 0, 1, 2
Seen = dict[str, Any]


class WarehouseEnv(gymnasium.Env[Seen, np.int64]):
    """``preset`` is a warehouse by name; ``others`` robots drive about at random."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}  # noqa: RUF012

    def __init__(
        self,
        preset: str = "small",
        others: int = 1,
        most_actions: int = 200,
        render_mode: str | None = None,
    ) -> None:
        self.render_mode = render_mode
        self._start = load(find_file(preset)).warehouse
        robots = list(self._start.robots.items())
        if len(robots) <= others:
            raise ValueError(f"{preset} has {len(robots)} robots, too few for {others}")
        self._start = replace(self._start, robots=dict(robots[: others + 1]))
        self._most_actions = most_actions
        self._me = robots[0][0]
        self._now = self._start
        self._goal: Cell = (0, 0)
        self._actions = 0
        self._rng = random.Random(0)  # noqa: S311 - the others, repeatable
        floor, laser = self._start.floor, self._start.floor.laser
        side = 2 * AROUND + 1
        most = max(floor.columns, floor.rows)
        self.action_space = spaces.Discrete(6)
        self.observation_space: spaces.Space[Seen] = spaces.Dict(
            {
                "cell": spaces.Box(0, most, (2,), np.int64),
                "goal": spaces.Box(0, most, (2,), np.int64),
                "quarter": spaces.Discrete(4),
                "laser": spaces.Box(0.0, laser.range_m, (laser.rays,), np.float32),
                "around": spaces.Box(0, 2, (side, side), np.int8),
            }
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self._rng = random.Random(int(self.np_random.integers(2**31)))  # noqa: S311
        self._now, self._actions = self._start, 0
        units = list(self._start.storage_units.values())
        self._goal = units[int(self.np_random.integers(len(units)))].cell
        return self._seen(), self._facts()

    def step(
        self, action: np.int64 | int
    ) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        self._actions += 1
        told = self._do(self._command(int(action)))
        ends = [e for e in told if isinstance(e, Ended) and e.command.robot == self._me]
        blocked = bool(ends) and ends[-1].outcome is not Outcome.DONE
        blocked = blocked or not ends
        reached = self._robot.cell == self._goal
        reward = ACTION + (BLOCKED if blocked else 0.0) + (REACHED if reached else 0.0)
        facts = {**self._facts(), "blocked": blocked}
        out_of_time = not reached and self._actions >= self._most_actions
        return self._seen(), reward, reached, out_of_time, facts

    def render(self) -> str:
        """The floor as text: robots, units, what is solid, and the goal."""
        floor = self._now.floor
        signs = {cell: "#" for cell in floor.solid}
        for unit in self._now.storage_units.values():
            signs[unit.cell] = "u"
        signs[self._goal] = "G"
        for robot in self._now.robots.values():
            signs[robot.cell] = "A" if robot.id == self._me else "o"
        rows = range(floor.rows - 1, -1, -1)
        columns = range(floor.columns)
        lines = ["".join(signs.get((c, r), ".") for c in columns) for r in rows]
        return "\n".join(lines)

    @property
    def warehouse(self) -> Warehouse:
        return self._now

    @property
    def _robot(self) -> Robot:
        return self._now.robots[self._me]

    def _command(self, action: int) -> Command:
        cell_m = self._now.floor.cell_m
        name = self._me
        return (
            MovX(name, cell_m),
            MovX(name, -cell_m),
            MovY(name, cell_m),
            MovY(name, -cell_m),
            Rot(name, clockwise=True),
            Rot(name, clockwise=False),
        )[action]

    def _do(self, command: Command) -> list[Event]:
        """Until the robot is idle again; the others begin something new when idle."""
        self._now, told = step(self._now, 0.0, [command])
        for _ in range(round(LONGEST_ACTION_S / TICK_S)):
            if self._robot.status is Status.IDLE:
                break
            self._now, heard = step(self._now, TICK_S, self._of_others())
            told += heard
        return told

    def _of_others(self) -> list[Command]:
        floor = self._now.floor
        commands: list[Command] = []
        for robot in self._now.robots.values():
            if robot.id != self._me and robot.status is Status.IDLE:
                cell = (
                    self._rng.randrange(floor.columns),
                    self._rng.randrange(floor.rows),
                )
                commands.append(Mov(robot.id, *floor.spot(cell)))
        return commands

    def _seen(self) -> Seen:
        robot = self._robot
        ranges = scan(scene_of(self._now), robot)
        return {
            "cell": np.array(robot.cell, np.int64),
            "goal": np.array(self._goal, np.int64),
            "quarter": np.int64(round(robot.yaw_deg / 90.0) % 4),
            "laser": np.array(ranges, np.float32),
            "around": self._around(robot.cell),
        }

    def _around(self, cell: Cell) -> NDArray[np.int8]:
        floor = self._now.floor
        robots = {
            held
            for robot in self._now.robots.values()
            if robot.id != self._me
            for held in robot.holds
        }
        reach = range(-AROUND, AROUND + 1)
        cells = [[(cell[0] + dx, cell[1] + dy) for dx in reach] for dy in reach]
        signs = [
            [
                ROBOT
                if at in robots
                else TAKEN
                if at in floor.solid or not floor.contains(at)
                else FREE
                for at in row
            ]
            for row in cells
        ]
        return np.array(signs, np.int8)

    def _facts(self) -> dict[str, Any]:
        here, goal = self._robot.cell, self._goal
        return {"cells_left": abs(goal[0] - here[0]) + abs(goal[1] - here[1])}


def register() -> None:
    """So that ``gymnasium.make("mpms/Warehouse-v0")`` finds it."""
    if NAME not in gymnasium.registry:
        gymnasium.register(NAME, entry_point=f"{__name__}:WarehouseEnv")
