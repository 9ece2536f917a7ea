"""What the fleet commands, as goals of robots, one at a time.

A drive comes a few moves at a time and grows while the robot is on its way. A robot is
sent along the straight stretch at its beginning; when it is there, along the next one.
An action (load, unload) waits until the robot stands, and keeps its key over repeats,
so that a robot that did it already says so instead of doing it again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from fleet import events as ev
from fleet.commands import Act, Charge, Command, Drive, Stop
from fleet.tasks import Action
from mpms.factory.domain.goals import DRIVE, OF_FLEET, Goal, GoalState, Pose

THERE_M = 0.05
STRAIGHT_M = 0.03
AGAIN_S = 5.0
MOST_FAILURES = 3
LAST_TRY = MOST_FAILURES - 1
"""After so many failures another way is tried before the robot counts as failed."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Assignment:
    """The place at the end of a robot's way, and the task that it goes there for."""

    place: str = ""
    task: str = ""


@dataclass
class Wheel:
    """One robot: what it still has to do, and the goal it has."""

    way: list[Point] = field(default_factory=list)
    yaw: float | None = None  # at the end of the way
    act: str = ""
    act_key: str = ""
    package: str = ""
    goal: str = ""  # the open one
    target: Point | None = None  # of the open one; None: it acts
    points: int = 0  # of the way, up to that target; 0: the way goes on behind it
    heading: float = 0.0
    called_off: bool = False
    met: Point | None = None  # what stands in its way; told when it has stopped
    blocked: bool = False  # it says so, and the fleet has heard it
    failures: int = 0
    again_at: float = 0.0
    told: str = ""  # task and place of the drive that its process knows of
    gave_up: bool = False  # it failed by drives alone: who asks for another may


class Wheels:
    """Of all robots. Plain enough to be saved with the fleet."""

    def __init__(self, robots: Sequence[str]) -> None:
        self.robots = {robot: Wheel() for robot in robots}
        self._number = 0

    # What the fleet commands

    def take(self, command: Command) -> None:
        wheel = self.robots[command.robot]
        match command:
            case Drive():
                way = [(p.x_m, p.y_m) for p in command.path]
                if wheel.target is not None:
                    behind = _left_behind(wheel.way, way)
                    if behind == len(wheel.way):  # another way, or all of it is driven
                        wheel.called_off = True
                    wheel.points = max(0, wheel.points - behind)
                wheel.way, wheel.yaw = way, command.yaw
            case Stop():
                wheel.way, wheel.yaw, wheel.points = [], None, 0
                wheel.called_off = wheel.called_off or wheel.target is not None
            case Act():
                self._number += 1
                wheel.act, wheel.package = command.action.value, command.package
                wheel.act_key = f"{command.robot}/{self._number}"
            case Charge():
                pass  # robots charge by standing where they can

    def meets(self, robot: str, x_m: float, y_m: float) -> None:
        """Something stands in front of a robot: it is to stop where it is. Until it
        has, it keeps its way, and the fleet the room of it."""
        wheel = self.robots[robot]
        wheel.met, wheel.called_off = (x_m, y_m), True

    def to_call_off(self) -> list[str]:
        """Goals that robots have and shall not go on with; asked for again and again
        until they have ended."""
        return [w.goal for w in self.robots.values() if w.goal and w.called_off]

    def next_goals(
        self,
        now: float,
        where: Callable[[str], Pose | None],
        assignments: Mapping[str, Assignment] | None = None,
    ) -> list[Goal]:
        """For robots that have none."""
        goals = []
        for robot, wheel in self.robots.items():
            at = where(robot)
            if wheel.goal or at is None or now < wheel.again_at:
                continue
            assignment = (assignments or {}).get(robot, Assignment())
            goal = self._stretch(robot, wheel, at, assignment.place) or self._action(
                robot, wheel, at
            )
            if goal is not None:
                wheel.goal, wheel.called_off = goal.id, False
                goals.append(replace(goal, fleet_task=assignment.task))
        return goals

    def is_new(self, goal: Goal) -> bool:
        """Is it the first stretch to this place for this task?"""
        wheel, told = self.robots[goal.robot], f"{goal.fleet_task} {goal.place}"
        new = bool(goal.fleet_task) and goal.action == DRIVE and wheel.told != told
        if new:
            wheel.told = told
        return new

    def give_back(self, goal: Goal) -> None:
        """It could not be written: the robot has a goal of somebody else."""
        wheel = self.robots[goal.robot]
        wheel.goal, wheel.target, wheel.points = "", None, 0

    def _stretch(self, robot: str, wheel: Wheel, at: Pose, bound: str) -> Goal | None:
        here = (at.x_m, at.y_m)
        while len(wheel.way) > 1 and math.dist(wheel.way[0], here) < THERE_M:
            wheel.way.pop(0)
        if not wheel.way:
            return None
        points = 1
        while points < len(wheel.way) and _straight(here, wheel.way[: points + 1]):
            points += 1
        end = wheel.way[points - 1]
        heading = wheel.heading
        if math.dist(here, end) > THERE_M:
            heading = math.atan2(end[1] - here[1], end[0] - here[0])
        last = points == len(wheel.way)
        yaw = wheel.yaw if last and wheel.yaw is not None else heading
        wheel.target, wheel.points, wheel.heading = end, points, yaw
        place = bound or f"{end[0]:.1f}, {end[1]:.1f}"
        return self._goal(robot, place, Pose(*end, yaw))

    def _action(self, robot: str, wheel: Wheel, at: Pose) -> Goal | None:
        if not wheel.act:
            return None
        wheel.target = None
        return self._goal(
            robot,
            f"{wheel.act} {wheel.package}",
            at,
            action=wheel.act,
            act_key=wheel.act_key,
            package=wheel.package,
        )

    def _goal(
        self,
        robot: str,
        place: str,
        pose: Pose,
        action: str = DRIVE,
        act_key: str = "",
        package: str = "",
    ) -> Goal:
        self._number += 1
        return Goal(
            f"{OF_FLEET}{robot}/{self._number}",
            robot,
            place,
            pose,
            GoalState.NEW,
            action=action,
            act_key=act_key,
            package=package,
        )

    # What became of a goal

    def ended(self, now: float, goal: Goal) -> list[ev.Event]:
        """What the fleet hears of it. Its robot may have the next one."""
        wheel = self.robots[goal.robot]
        was_called_off, wheel.called_off = wheel.called_off, False
        met, wheel.met = wheel.met, None
        points, wheel.points = wheel.points, 0
        wheel.goal, wheel.target = "", None
        if goal.action != DRIVE:
            return self._acted(now, wheel, goal)
        if goal.state is GoalState.REACHED:
            wheel.failures = 0
            wheel.way = wheel.way[points:]
            return []
        if met is not None:
            wheel.way, wheel.yaw = [], None
            return [ev.Blocked(goal.robot, *met)]
        if was_called_off:
            return []
        wheel.failures += 1
        wheel.again_at = now + AGAIN_S
        if wheel.failures < MOST_FAILURES:
            return []
        wheel.failures, wheel.gave_up = 0, True
        why = goal.reason or f"did not reach {goal.place}"
        return [ev.Failed(goal.robot, why)]

    def _acted(self, now: float, wheel: Wheel, goal: Goal) -> list[ev.Event]:
        if goal.act_key != wheel.act_key:
            return []
        if goal.state in (GoalState.UNKNOWN, GoalState.CANCELLED):
            wheel.again_at = now + AGAIN_S
            return []  # the same action again, by the same key
        action = Action(goal.action)
        wheel.act = wheel.act_key = wheel.package = ""
        done = goal.state is GoalState.REACHED
        return [ev.Acted(goal.robot, action, done, "" if done else goal.reason or "")]

    # Saving

    def to_dict(self) -> dict[str, Any]:
        robots = {robot: asdict(wheel) for robot, wheel in self.robots.items()}
        return {"number": self._number, "robots": robots}

    def number_after(self, data: dict[str, Any]) -> None:
        """Begin anew, and give no goal a name that it had in a saved state."""
        self._number = data["number"]

    def load(self, data: dict[str, Any]) -> None:
        self._number = data["number"]
        for robot, each in data["robots"].items():
            if robot not in self.robots:
                continue
            wheel = Wheel(**each)
            wheel.way = [(x, y) for x, y in wheel.way]
            if wheel.target is not None:
                wheel.target = (wheel.target[0], wheel.target[1])
            if wheel.met is not None:
                wheel.met = (wheel.met[0], wheel.met[1])
            self.robots[robot] = wheel


def _left_behind(old: Sequence[Point], new: Sequence[Point]) -> int:
    """How many points of a way are driven when the rest of it begins the new one; all,
    if it is another way. By their order, not by where they lie: a robot that leaves
    the road for another one and comes back passes the same points twice."""
    for behind in range(len(old)):
        rest = old[behind:]
        if len(rest) <= len(new) and all(map(_same, rest, new)):
            return behind
    return len(old)


def _same(a: Point, b: Point) -> bool:
    return math.dist(a, b) < THERE_M


def _straight(start: Point, points: Sequence[Point]) -> bool:
    """Do all points lie on the line from the start to the last, in this order?"""
    end = points[-1]
    length_m = math.dist(start, end)
    if length_m < THERE_M:
        return False
    ux, uy = (end[0] - start[0]) / length_m, (end[1] - start[1]) / length_m
    before = 0.0
    for x, y in points:
        along = (x - start[0]) * ux + (y - start[1]) * uy
        across = abs((x - start[0]) * uy - (y - start[1]) * ux)
        if across > STRAIGHT_M or along < before:
            return False
        before = along
    return True
