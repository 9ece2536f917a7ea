"""Robots of several makes behind one face, each driven by its own driver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from mpms.factory.domain.goals import Goal, GoalReport
from mpms.factory.domain.weighing import Weight
from mpms.factory.ports.checks import ProfileShown, RobotCheck, Tell
from mpms.factory.ports.robots.robots import Robots, RobotState
from mpms.factory.ports.scales import Scale, ScaleUnavailable


class RobotsOfMakes:
    """Each robot belongs to one driver; no driver hears of robots of another."""

    def __init__(self, drivers: Sequence[Robots]) -> None:
        self._drivers = tuple(drivers)
        self._of = {name: each for each in self._drivers for name in each.names()}
        self._reported: dict[str, Robots] = {}  # goal: who told its end

    def names(self) -> Sequence[str]:
        return list(self._of)

    def take(self, robot: str) -> None:
        self._of[robot].take(robot)

    def drop(self, robot: str) -> None:
        self._of[robot].drop(robot)

    def permit(self, until_s: float) -> None:
        for driver in self._drivers:
            driver.permit(until_s)

    def states(self) -> Sequence[RobotState]:
        return list(chain.from_iterable(each.states() for each in self._drivers))

    def navigate(self, goal: Goal, *, maybe_sent: bool) -> None:
        self._of[goal.robot].navigate(goal, maybe_sent=maybe_sent)

    def cancel(self, goal: Goal) -> None:
        self._of[goal.robot].cancel(goal)

    def reports(self) -> Sequence[GoalReport]:
        found: list[GoalReport] = []
        for driver in self._drivers:
            told = driver.reports()
            self._reported |= {report.goal_id: driver for report in told}
            found += told
        return found

    def acknowledge(self, goal_id: str) -> None:
        if (driver := self._reported.pop(goal_id, None)) is not None:
            driver.acknowledge(goal_id)

    def close(self) -> None:
        for driver in self._drivers:
            driver.close()


class ScalesOfMakes:
    """The scales on robots, each by what its make brings."""

    def __init__(self, scales: Mapping[str, Scale]) -> None:
        self._scales = scales  # by robot

    def weigh(self, robot: str, place: str | None = None) -> Weight:
        if (scale := self._scales.get(robot)) is None:
            raise ScaleUnavailable(f"there is no robot {robot} with a scale")
        return scale.weigh(robot, place)


class ChecksOfMakes:
    """Tests of connections: each robot by the check of its make."""

    def __init__(self, checks: Mapping[str, RobotCheck], other: RobotCheck) -> None:
        self._checks = checks  # by robot
        self._other = other

    def profile(self, robot: str) -> ProfileShown | None:
        return self._checks.get(robot, self._other).profile(robot)

    def check(self, robot: str, tell: Tell) -> None:
        self._checks.get(robot, self._other).check(robot, tell)
