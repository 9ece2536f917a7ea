"""The plant of one run: the factory's own topics, with robots in virtual time.

Without a fleet a robot takes a time for each drive; who waits for whose place is
decided by ``robot.move`` itself. With a fleet, the fleet's core decides and virtual
robots drive along its ways, step by step while there is work.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any

from fleet.model.world import World as FleetWorld
from fleet.roads import Roadmap
from mpms.domain.jobs import Answer, Job, NotYet
from mpms.domain.testdrive.floor import FloorTimes, Square
from mpms.domain.testdrive.scenario import Arrival
from mpms.factory.adapters.memory.rows import (
    MemoryFleet,
    MemoryGoals,
    MemoryHolds,
    MemoryOrders,
    MemoryRequests,
    MemoryRobotJobs,
    MemoryRobots,
    NoRobotsOut,
)
from mpms.factory.adapters.memory.stock import MemoryPicks, NoLots, NoTanks
from mpms.factory.bootstrap import topic_functions
from mpms.factory.domain.goals import Goal, GoalReport, GoalState
from mpms.factory.domain.orders import Order
from mpms.factory.domain.weighing import Weight
from mpms.factory.domain.worlds import World
from mpms.factory.ports.robots.jobs import RobotJob
from mpms.factory.ports.scales import ScaleUnavailable
from mpms.factory.services.catalogue.current import InForce
from mpms.factory.services.robots.settle_goals import settle_goal
from mpms.factory.testdrive.virtual_fleet import VirtualFleet
from mpms.factory.testdrive.ways import Between, straight
from mpms.services.jobs.handlers import Handlers
from mpms.services.testdrive.stand import Driving

START_STOP_S = 4.0  # of a drive: turning, speeding up, slowing down
DETOUR = 1.25  # ways are longer than straight lines
SLOWEST_MPS = 0.1
FORGET_EVERY = 200
NOT_HERE = frozenset({"mail.read"})  # reaches out of the plant
OUTSIDE = frozenset({"scale.weigh", "tank.mix"})
OF_FLEET = ("fleet.", "shelf.", "storage.")  # nobody does it where none is led


class VirtualScale:
    """Shows what the order that has the robot requires."""

    def __init__(
        self, wanted: Callable[[str], float | None], now: Callable[[], datetime]
    ) -> None:
        self._wanted, self._now = wanted, now

    def weigh(self, robot: str, place: str | None = None) -> Weight:
        wanted_kg = self._wanted(robot)
        if wanted_kg is None:
            raise ScaleUnavailable("no order has this robot")
        return Weight(
            Decimal(str(wanted_kg)),
            "imagined scale",
            f"{wanted_kg} kg",
            self._now(),
            stays=True,
        )


class FactoryStand:
    """One a run."""

    def __init__(
        self,
        world: World,
        in_force: InForce,
        fleet: FleetWorld | None,
        roadmaps: dict[str, Roadmap] | None,
        between: Between = straight,
    ) -> None:
        self._between = between
        self._world, self._in_force = world, in_force
        self._driving: Driving | None = None
        self._begin_at: Any = None
        self.orders, self.goals = MemoryOrders(), MemoryGoals()
        self.picks = MemoryPicks()
        self.holds = MemoryHolds(self._now_s)
        self.robots, self.robot_jobs = MemoryRobots(world), MemoryRobotJobs()
        self.requests, self.fleet_rows = MemoryRequests(), MemoryFleet()
        self.fleet: VirtualFleet | None = None
        if fleet is not None:
            self.fleet = VirtualFleet(fleet, roadmaps, self.holds.held)
        self._seen = 0
        self._settled = 0
        self._floor = FloorTimes()
        self._stands_since: dict[str, float] = {}  # of robots out on the floor

    @property
    def stores(self) -> Mapping[str, Any]:
        return {
            "orders": self.orders,
            "goals": self.goals,
            "robot_holds": self.holds,
            "robots": self.robots,
            "robot_jobs": self.robot_jobs,
            "robots_out": NoRobotsOut(),
            "picks": self.picks,
            "stock": NoLots(),
            "tanks": NoTanks(),
            "fleet": self.fleet_rows,
            "fleet_requests": self.requests,
        }

    @property
    def units(self) -> int:
        return len(self._world.robots)

    def open(self, driving: Driving) -> Handlers:
        self._driving, self._begin_at = driving, driving.now()
        functions = topic_functions(
            driving.uow,  # type: ignore[arg-type]  # it has the factory's rows, too
            driving.advance,
            self._world,
            scale=VirtualScale(self._required_kg, driving.now),
            materials=lambda tx: self._in_force,  # type: ignore[arg-type]
            fleet=self.fleet is not None,
        )
        if self.fleet is not None:
            self.fleet.open(driving, self.requests, self.fleet_rows)
        else:
            functions["robot.move"] = partial(self._noted, functions["robot.move"])
        handlers = Handlers()
        for topic, function in functions.items():
            if topic in OUTSIDE:
                handlers.add_outside(topic, function)
            elif topic in NOT_HERE:
                continue
            elif self.fleet is not None or not topic.startswith(OF_FLEET):
                handlers.add_inside(topic, function)
        return handlers

    def arrive(self, arrival: Arrival) -> Mapping[str, Any]:
        order = arrival.details
        if not isinstance(order, Order):
            return {}
        self.orders.add(order)
        return {"order_number": order.number}

    def pump(self) -> bool:
        driving = self._ready()
        fleet_changed = False
        if self.fleet is not None:
            fleet_changed = self.fleet.pump()
        for goal in self.goals.new:
            seconds = self._drive_s(goal)
            self._leave(goal, seconds)
            driving.later(seconds, partial(self._arrive_at, goal))
        self.goals.new.clear()
        changes = self.holds.changes + self.goals.changes
        changed, self._seen = changes != self._seen, changes
        return changed or fleet_changed

    def use(self) -> Mapping[str, float]:
        busy_s = self.holds.busy_until_now()
        if self.fleet is not None:
            for robot, seconds in self.fleet.busy_s.items():
                busy_s[robot] = max(busy_s.get(robot, 0.0), seconds)
        return {info.id: busy_s.get(info.id, 0.0) for info in self._world.robots}

    def floor_s(self) -> Mapping[Square, float]:
        if self.fleet is not None:
            return self.fleet.floor.seconds
        return self._floor.seconds

    # -- drives without a fleet ---------------------------------------------------

    def _noted(self, move: Callable[..., Answer], tx: Any, job: Job) -> Answer:
        """Which drives wait, as the queue in the database would say."""
        answer = move(tx, job)
        rows = self.robot_jobs.rows
        if not isinstance(answer, NotYet):
            rows.pop(job.task_id, None)
            return answer
        robot, place = job.inputs["robot"], job.inputs["place"]
        old = rows.get(job.task_id)
        waited_s = 0.0 if old is None else old.waited_s
        rows[job.task_id] = RobotJob(
            job.task_id, job.instance_id, robot, place, answer.why, waited_s
        )
        return answer

    def _drive_s(self, goal: Goal) -> float:
        driving = self._ready()
        if goal.task_id is not None:
            element = driving.element_of(goal.task_id)
            throw = driving.dice(driving.luck_of(goal.task_id), "drive")
            seen_s = driving.learnt.duration_s(element, throw)
            if seen_s is not None:
                return seen_s
        info, at = self._world.robot(goal.robot), self.robots.where.get(goal.robot)
        if info is None or at is None:
            return START_STOP_S
        straight_m = math.hypot(goal.pose.x_m - at.x_m, goal.pose.y_m - at.y_m)
        speed_mps = max(info.max_speed_mps, SLOWEST_MPS)
        return START_STOP_S + DETOUR * straight_m / speed_mps

    def _leave(self, goal: Goal, seconds: float) -> None:
        """A robot stood where it was, and drives to its goal."""
        at, end = self.robots.where.get(goal.robot), (goal.pose.x_m, goal.pose.y_m)
        start = end if at is None else (at.x_m, at.y_m)
        since_s = self._stands_since.pop(goal.robot, None)
        if since_s is not None:
            self._floor.stand(*start, self._now_s() - since_s)
        self._floor.follow(self._between(start, end), seconds)

    def _arrive_at(self, goal: Goal) -> None:
        driving = self._ready()
        if goal.pose != self._world.pose_for(goal.robot, "home"):
            self._stands_since[goal.robot] = self._now_s()
        report = GoalReport(goal.id, GoalState.REACHED)
        settle_goal(driving.uow, driving.advance, report)  # type: ignore[arg-type]
        self._settled += 1
        if self._settled % FORGET_EVERY == 0:
            self.goals.forget_ended()

    # -- helpers ------------------------------------------------------------------

    def _required_kg(self, robot: str) -> float | None:
        holder = self.holds.held().get(robot)
        if holder is None:
            return None
        material = self._ready().variables_of(holder).get("material") or {}
        required = material.get("required_kg") if isinstance(material, dict) else None
        return None if required is None else float(required)

    def _now_s(self) -> float:
        driving = self._ready()
        seconds: float = (driving.now() - self._begin_at).total_seconds()
        return seconds

    def _ready(self) -> Driving:
        if self._driving is None:
            raise RuntimeError("the stand has not been opened")
        return self._driving
