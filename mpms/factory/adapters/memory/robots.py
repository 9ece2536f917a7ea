"""Robots that arrive where they are sent, after a while or at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from mpms.factory.domain.goals import Goal, GoalReport, GoalState
from mpms.factory.domain.worlds import World
from mpms.factory.ports.robots.robots import RobotState


class LoopbackRobots:
    """All robots of a world, driving in no time or at their own speed."""

    def __init__(
        self,
        world: World,
        *,
        travel_s: float = 0.0,
        on_report: Callable[[], None] = lambda: None,
    ) -> None:
        self._world = world
        self._travel_s = travel_s
        self._on_report = on_report
        self._lock = threading.Lock()
        self._reports: dict[str, GoalReport] = {}
        self._timers: list[threading.Timer] = []
        self._given: dict[str, str] = {}  # goal id -> robot
        self._where = {r.id: world.places.get(r.home) for r in world.robots}
        self.received: list[Goal] = []
        self.not_ready: dict[str, str] = {}
        self.failing: dict[str, str] = {}  # place -> why nobody gets there

    def names(self) -> Sequence[str]:
        return [robot.id for robot in self._world.robots]

    def take(self, robot: str) -> None:
        """Nothing to connect to."""

    def drop(self, robot: str) -> None:
        """Forget its goals: whoever takes it again is given them again."""
        with self._lock:
            self._given = {g: r for g, r in self._given.items() if r != robot}

    def permit(self, until_s: float) -> None:
        """Nothing that could be sent too late."""

    def states(self) -> Sequence[RobotState]:
        return [
            RobotState(
                robot.id,
                ready=robot.id not in self.not_ready,
                x_m=at.x_m if (at := self._where[robot.id]) else None,
                y_m=at.y_m if at else None,
                battery=1.0,
                why_not=self.not_ready.get(robot.id),
            )
            for robot in self._world.robots
        ]

    def navigate(self, goal: Goal, *, maybe_sent: bool) -> None:
        with self._lock:
            if goal.id in self._given:
                return
            self._given[goal.id] = goal.robot
            self.received.append(goal)
        if self._travel_s <= 0:
            self._arrive(goal)
            return
        timer = threading.Timer(self._travel_s, self._arrive, args=(goal,))
        timer.daemon = True
        self._timers.append(timer)
        timer.start()

    def cancel(self, goal: Goal) -> None:
        self._report(GoalReport(goal.id, GoalState.CANCELLED, "cancelled"))

    def reports(self) -> Sequence[GoalReport]:
        with self._lock:
            return list(self._reports.values())

    def acknowledge(self, goal_id: str) -> None:
        with self._lock:
            self._reports.pop(goal_id, None)

    def close(self) -> None:
        for timer in self._timers:
            timer.cancel()
        give_up_at = time.monotonic() + 1.0
        for timer in self._timers:
            timer.join(max(0.0, give_up_at - time.monotonic()))

    def _arrive(self, goal: Goal) -> None:
        why = self.failing.get(goal.place)
        if why is not None:
            self._report(GoalReport(goal.id, GoalState.FAILED, why))
            return
        self._where[goal.robot] = goal.pose
        self._report(GoalReport(goal.id, GoalState.REACHED))

    def _report(self, report: GoalReport) -> None:
        with self._lock:
            self._reports[report.goal_id] = report
        self._on_report()
