"""Note where robots drive and how they spend their time.

Only the worker that speaks with a robot knows where it is, so that one writes: a point
whenever the robot has moved a little, some seconds' worth at once. Between two points
a robot is taken to drive straight; before it sets off again, the place where it stood
is noted, or it would seem to creep there all the while.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field

from mpms.factory.ports.robots.robots import Robots, RobotState
from mpms.factory.ports.robots.tracks import Spent, TrackPoint
from mpms.factory.ports.store import UnitOfWork
from mpms.factory.services.robots.own import OwnRobots
from mpms.ports.clock import Clock

STEP_M = 0.2
STOOD_S = 2.0
WRITE_EVERY_S = 2.0
LONGEST_S = 30.0  # a worker that slept for longer has seen nothing
MOST_POINTS = 10_000  # kept while the database is away


@dataclass
class TrackRobots:
    """A worker's phase; it never has work for others."""

    uow: UnitOfWork
    robots: Robots
    owned: OwnRobots
    clock: Clock
    monotonic_s: Callable[[], float] = time.monotonic
    _points: list[TrackPoint] = field(default_factory=list)
    _kept: dict[str, TrackPoint] = field(default_factory=dict)
    _seen: dict[str, TrackPoint] = field(default_factory=dict)
    _written_at: float | None = None

    def __call__(self) -> bool:
        states = [s for s in self.robots.states() if s.robot in self.owned.mine]
        for state in states:
            self._look(state)
        now = self.monotonic_s()
        if self._written_at is None:
            self._written_at = now
        elif now - self._written_at >= WRITE_EVERY_S and states:
            self._write(now - self._written_at, states)
            self._written_at = now
        return False

    def _look(self, state: RobotState) -> None:
        if state.x_m is None or state.y_m is None:
            return
        here = TrackPoint(state.robot, self.clock.now(), state.x_m, state.y_m)
        kept, seen = self._kept.get(state.robot), self._seen.get(state.robot)
        self._seen[state.robot] = here
        if kept is not None:
            if math.hypot(here.x_m - kept.x_m, here.y_m - kept.y_m) < STEP_M:
                return
            if seen is not None and (seen.at - kept.at).total_seconds() > STOOD_S:
                self._points.append(seen)
        self._points.append(here)
        self._kept[state.robot] = here
        del self._points[:-MOST_POINTS]

    def _write(self, elapsed_s: float, states: Sequence[RobotState]) -> None:
        with self.uow() as tx:
            driving = {goal.robot for goal in tx.goals.open()}
            held = tx.robot_holds.held()
            if elapsed_s <= LONGEST_S:
                tx.tracks.spend([_spent(s, elapsed_s, driving, held) for s in states])
            if self._points:
                tx.tracks.add(self._points)
        self._points.clear()


def _spent(
    state: RobotState, seconds: float, driving: Container[str], held: Container[str]
) -> Spent:
    if not state.heard:
        return Spent(state.robot, away_s=seconds)
    if state.robot in driving:
        return Spent(state.robot, driving_s=seconds)
    if state.robot in held:
        return Spent(state.robot, waiting_s=seconds)
    if state.ready:
        return Spent(state.robot, idle_s=seconds)
    return Spent(state.robot, away_s=seconds)
