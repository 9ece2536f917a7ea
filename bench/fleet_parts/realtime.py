"""How many robots one worker leads in real time, with every row in PostgreSQL.

A worker's whole round: what robots report, tasks, bids, traffic, goals written, sent
and settled, state saved. Robots drive in memory, with turning and acceleration, on a
clock that goes as fast as the worker can. It keeps up where a second of the plant takes
at most a second; the database runs beside it, so both cores are used.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.fleet_parts.floors import warehouse
from fleet.model import World
from fleet.traffic.port import Waypoint
from fleet.virtual.robot import VirtualRobot
from mpms import bootstrap
from mpms.adapters.clock import FixedClock
from mpms.embedded import postgres
from mpms.factory.adapters.fleet_files import FleetFiles
from mpms.factory.domain.fleet_requests import FleetRequest, RequestKind
from mpms.factory.domain.goals import DRIVE, Goal, GoalReport, GoalState
from mpms.factory.ports.robots.robots import RobotState
from mpms.services.jobs.handlers import Handlers
from tests.support.factory_worker import FactoryWorker
from tests.support.fakes import SilentAlarm

STEP_S = 0.25
WARM_S, MEASURED_S = 15.0, 40.0
LADDER = (25, 50, 75, 100)


class DrivenRobots:
    """Robots in memory that drive goals with real kinematics."""

    def __init__(self, world: World) -> None:
        self._robots = {
            spec.id: VirtualRobot(
                spec.id,
                world.type_of(spec.id),
                world.places[spec.home].x_m,
                world.places[spec.home].y_m,
                percent=100.0,
            )
            for spec in world.robots.values()
        }
        self._goals: dict[str, Goal] = {}
        self._acts_until: dict[str, float] = {}
        self._reports: dict[str, GoalReport] = {}
        self._now_s = 0.0
        self.ended = 0

    def names(self) -> Sequence[str]:
        return list(self._robots)

    def take(self, robot: str) -> None: ...
    def drop(self, robot: str) -> None: ...
    def permit(self, until_s: float) -> None: ...
    def close(self) -> None: ...

    def states(self) -> Sequence[RobotState]:
        return [
            RobotState(r.id, True, round(r.x_m, 2), round(r.y_m, 2), r.percent / 100)
            for r in self._robots.values()
        ]

    def navigate(self, goal: Goal, *, maybe_sent: bool) -> None:
        robot = self._robots[goal.robot]
        self._goals[goal.robot] = goal
        if goal.action == DRIVE:
            speed_mps = robot.type.speed_mps
            way = (Waypoint(goal.pose.x_m, goal.pose.y_m, speed_mps),)
            robot.drive(way, goal.pose.yaw_rad)
        else:
            self._acts_until[goal.robot] = self._now_s + robot.type.load_s

    def cancel(self, goal: Goal) -> None:
        self._robots[goal.robot].stop()
        self._end(goal, GoalState.CANCELLED)

    def reports(self) -> Sequence[GoalReport]:
        return list(self._reports.values())

    def acknowledge(self, goal_id: str) -> None:
        self._reports.pop(goal_id, None)

    def step(self, dt_s: float) -> None:
        self._now_s += dt_s
        for robot in self._robots.values():
            robot.move(dt_s)
            goal = self._goals.get(robot.id)
            if goal is None:
                continue
            acts = goal.action != DRIVE
            if self._now_s >= self._acts_until[robot.id] if acts else not robot.path:
                self._end(goal, GoalState.REACHED)

    def _end(self, goal: Goal, state: GoalState) -> None:
        self._goals.pop(goal.robot, None)
        self._reports[goal.id] = GoalReport(goal.id, state)
        self.ended += 1


def measure() -> dict[str, float]:
    """``robots_realtime``: the most of 25, 50, 75 and 100 that one worker leads."""
    figures: dict[str, float] = {"robots_realtime": 0}
    for robots in LADDER:
        with tempfile.TemporaryDirectory(prefix="mpms-bench-") as directory:
            Path(directory).chmod(0o711)
            with postgres.start(Path(directory) / "postgres") as server:
                bootstrap.migrate_database(server.dsn)
                speed = _speed(server.dsn, robots)
        figures[f"realtime_factor_{robots}_robots"] = round(speed, 2)
        if speed < 1.0:
            break
        figures["robots_realtime"] = robots
    return figures


def _speed(url: str, robots: int) -> float:
    """Seconds of the plant in a second of the machine."""
    world = warehouse(120.0, 70.0, robots=robots, per_rack=3)
    driven = DrivenRobots(world)
    clock = FixedClock(datetime.now(UTC))
    services = bootstrap.connect(url, clock=clock)
    worker = FactoryWorker(
        services.uow,
        services.advance,
        Handlers(),
        driven,
        SilentAlarm(),
        name="bench",
        lease_s=600.0,
        fleet=FleetFiles(world, "bench"),
    )
    draw = random.Random(robots)
    asked = 0

    def run(for_s: float) -> float:
        nonlocal asked
        began_s = time.monotonic()
        for _ in range(int(for_s / STEP_S)):
            with services.uow() as tx:
                waiting = len(tx.fleet_requests.at_work())
                for _ in range(max(0, 2 * robots - waiting)):
                    asked += 1
                    start, end = draw.sample(world.storage, 2)
                    data = {"shelf": f"S{asked}", "from_place": start, "to_place": end}
                    tx.fleet_requests.add(
                        FleetRequest(f"e{asked}", RequestKind.FETCH_SHELF, data)
                    )
            clock.move(STEP_S)
            driven.step(STEP_S)
            worker.turn()
        return time.monotonic() - began_s

    try:
        run(WARM_S)
        took_s = run(MEASURED_S)
    finally:
        services.close()
    print(
        f"  {robots} robots: {MEASURED_S / took_s:.2f} times real time,"
        f" {driven.ended} goals",
        file=sys.stderr,
        flush=True,
    )
    return MEASURED_S / took_s
