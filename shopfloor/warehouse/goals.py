"""A grid robot as the target of navigation goals, as a fleet gives them to real ones.

A goal is driven with the robot's own verbs: to its grid point, then to its heading.
What is in the way is tried again for a while before the goal is given up.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from shopfloor.sim.actionlib import Goal, Outcome, Status
from shopfloor.sim.driving import GoalUnusable, target_of
from shopfloor.sim.message_types import Message
from shopfloor.sim.world import Map
from shopfloor.warehouse.commands import Command, Mov, Rot
from shopfloor.warehouse.script import Script
from shopfloor.warehouse.things import Robot
from shopfloor.warehouse.things import Status as RobotStatus
from shopfloor.warehouse.turning import quarters_to

SNAP_M = 0.3
"""A goal this near to a grid point means it."""


class KivaGoals:
    """What the action ``move_base`` of one robot does."""

    def __init__(
        self,
        look: Callable[[], Robot],
        run: Callable[[Script], None],
        halt: Callable[[], None],
        plan: Callable[[], tuple[Map, float]],
        stamped_pose: Callable[[], Message],
    ) -> None:
        self._look = look
        self._run = run
        self._halt = halt
        self._plan = plan
        self._stamped_pose = stamped_pose
        self._script: Script | None = None
        self._problem: str | None = None
        self._quarter_deg = 0.0
        self._turned = False

    def refuse(self, goal: Goal) -> str | None:
        robot = self._look()
        if robot.status is RobotStatus.BUSY and self._script is None:
            return f"{robot.id} is {robot.doing} on somebody else's command"
        return None

    def start(self, goal: Goal) -> None:
        self._problem, self._turned = None, False
        plan, cell_m = self._plan()
        try:
            target = target_of(goal.body["target_pose"], plan)
        except GoalUnusable as error:
            self._problem = str(error)
            return
        cell = round(target.x_m / cell_m), round(target.y_m / cell_m)
        x_m, y_m = cell[0] * cell_m, cell[1] * cell_m
        if max(abs(x_m - target.x_m), abs(y_m - target.y_m)) > SNAP_M * cell_m:
            self._problem = f"({target.x_m:g}, {target.y_m:g}) is no grid point"
            return
        self._quarter_deg = 90.0 * (round(math.degrees(target.yaw_rad) / 90.0) % 4)
        self._begin([Mov(self._look().id, x_m, y_m)])

    def _begin(self, commands: list[Command]) -> None:
        self._script = Script(commands)
        self._run(self._script)

    def stop(self) -> None:
        script, self._script = self._script, None
        if script is not None and not script.done:
            given = script.under_way
            script.drop()
            if given:
                self._halt()

    def outcome(self) -> Outcome | None:
        script = self._script
        if script is not None and script.given_up:
            self._problem = script.given_up[-1][1]
        if self._problem is not None:
            return Outcome(Status.ABORTED, {}, self._problem)
        if script is None or not script.done:
            return None
        robot = self._look()
        quarters = quarters_to(robot.yaw_deg, self._quarter_deg)
        if quarters and not self._turned:
            self._turned = True
            self._begin([Rot(robot.id, quarters < 0)] * abs(quarters))
            return None
        return Outcome(Status.SUCCEEDED, {}, "Goal reached.")

    def feedback(self) -> Message:
        return {"base_position": self._stamped_pose()}

    def empty_result(self) -> Message:
        return {}
