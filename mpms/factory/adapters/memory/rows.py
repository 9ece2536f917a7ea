"""The factory's rows in memory, for test-drives: what its topics read and write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from mpms.factory.domain.errors import OrderUnknown, RobotBusy
from mpms.factory.domain.fleet_requests import FleetRequest, RequestState
from mpms.factory.domain.goals import Goal, GoalReport, GoalState, Pose
from mpms.factory.domain.orders import Order, OrderStatus
from mpms.factory.domain.worlds import World
from mpms.factory.ports.robots.jobs import RobotJob
from mpms.factory.ports.robots.out import RobotOut
from mpms.factory.ports.robots.robots import RobotState


class MemoryOrders:
    """Orders by number."""

    def __init__(self) -> None:
        self._rows: dict[str, Order] = {}

    def add(self, order: Order) -> None:
        self._rows[order.number] = order

    def get(self, number: str) -> Order:
        if number not in self._rows:
            raise OrderUnknown(f"There is no order {number}.")
        return self._rows[number]

    def next_new(self) -> Order | None:
        free = (
            order
            for order in self._rows.values()
            if order.status is OrderStatus.NEW and order.instance_id is None
        )
        return next(free, None)

    def assign(self, number: str, instance_id: str) -> bool:
        if self._rows[number].instance_id is not None:
            return False
        self._rows[number] = replace(self._rows[number], instance_id=instance_id)
        return True

    def of_instance(self, instance_id: str) -> Order | None:
        every = self._rows.values()
        return next((one for one in every if one.instance_id == instance_id), None)

    def record_load(
        self, number: str, index: int, *, measured_kg: Decimal | None, lot: str | None
    ) -> None:
        """Nobody asks what was weighed for an order that nobody made."""

    def set_status(self, number: str, status: OrderStatus) -> OrderStatus:
        old = self.get(number)
        self._rows[number] = replace(old, status=status)
        return old.status


class MemoryHolds:
    """Who holds which robot; a release is told, for somebody may wait for it."""

    def __init__(self, seconds: Any) -> None:
        self._now_s = seconds
        self._held: dict[str, str] = {}
        self._since_s: dict[str, float] = {}
        self.busy_s: dict[str, float] = {}
        self.changes = 0

    def hold(self, robot: str, instance_id: str) -> bool:
        if robot in self._held:
            return False
        self._held[robot] = instance_id
        self._since_s[robot] = self._now_s()
        return True

    def held(self) -> dict[str, str]:
        return dict(self._held)

    def of_instance(self, instance_id: str) -> str | None:
        found = (r for r, holder in self._held.items() if holder == instance_id)
        return next(found, None)

    def release(self, instance_id: str) -> str | None:
        robot = self.of_instance(instance_id)
        if robot is not None:
            del self._held[robot]
            held_s = self._now_s() - self._since_s.pop(robot)
            self.busy_s[robot] = self.busy_s.get(robot, 0.0) + held_s
            self.changes += 1
        return robot

    def release_at_end(self, instance_id: str, *, by: str) -> None:
        self.release(instance_id)

    def busy_until_now(self) -> dict[str, float]:
        """With those that are held still."""
        found = dict(self.busy_s)
        for robot, since_s in self._since_s.items():
            found[robot] = found.get(robot, 0.0) + self._now_s() - since_s
        return found


class MemoryRobots:
    """Every robot is there, ready and charged."""

    def __init__(self, world: World) -> None:
        self.where: dict[str, Pose | None] = {
            info.id: world.pose_for(info.id, "home") for info in world.robots
        }

    def states(self) -> Sequence[RobotState]:
        return [
            RobotState(
                robot,
                ready=True,
                x_m=pose.x_m if pose else None,
                y_m=pose.y_m if pose else None,
                battery=1.0,
            )
            for robot, pose in self.where.items()
        ]

    def arrived(self, robot: str, pose: Pose) -> None:
        self.where[robot] = pose


class MemoryGoals:
    """Goals, at most one open one a robot."""

    def __init__(self) -> None:
        self._rows: dict[str, Goal] = {}
        self._open: dict[str, str] = {}  # robot to goal
        self.new: list[Goal] = []
        self.changes = 0

    def add(self, goal: Goal) -> bool:
        if goal.id in self._rows:
            return False
        if goal.robot in self._open:
            raise RobotBusy
        self._rows[goal.id] = goal
        self._open[goal.robot] = goal.id
        self.new.append(goal)
        return True

    def decide_alone(self) -> None:
        """There is nobody else."""

    def open(self) -> Sequence[Goal]:
        return [self._rows[goal_id] for goal_id in self._open.values()]

    def call_off(self, goal_id: str) -> None:
        self.settle(GoalReport(goal_id, GoalState.CANCELLED, "called off"))

    def settle(self, report: GoalReport) -> Goal | None:
        goal = self._rows.get(report.goal_id)
        if goal is None or goal.state.ended:
            return None
        self._open.pop(goal.robot, None)
        ended = replace(goal, state=report.state, reason=report.reason)
        self._rows[goal.id] = ended
        self.changes += 1
        return ended

    def get(self, goal_id: str) -> Goal | None:
        return self._rows.get(goal_id)

    def forget_ended(self) -> None:
        """A month of goals need not stay in memory."""
        self._rows = {goal_id: self._rows[goal_id] for goal_id in self._open.values()}


class MemoryRobotJobs:
    """Drives that wait; ``rows`` is kept by whoever runs the handlers."""

    def __init__(self) -> None:
        self.rows: dict[str, RobotJob] = {}

    def waiting(self, topics: Iterable[str]) -> Sequence[RobotJob]:
        return list(self.rows.values())


class NoRobotsOut:
    """All are in service."""

    def listing(self) -> Mapping[str, RobotOut]:
        return {}


class MemoryRequests:
    """What processes ask of the fleet."""

    def __init__(self) -> None:
        self._rows: dict[str, FleetRequest] = {}

    def add(self, request: FleetRequest) -> None:
        self._rows.setdefault(request.id, request)

    def at_work(self) -> Sequence[FleetRequest]:
        states = (RequestState.NEW, RequestState.OPEN)
        return [row for row in self._rows.values() if row.state in states]

    def begin(self, request_id: str, fleet_task: str) -> None:
        row = self._rows[request_id]
        self._rows[request_id] = replace(
            row, state=RequestState.OPEN, fleet_task=fleet_task
        )

    def note(self, request_id: str, why: str | None) -> None:
        self._rows[request_id] = replace(self._rows[request_id], why=why)

    def end(
        self,
        request_id: str,
        state: RequestState,
        *,
        code: str | None = None,
        why: str | None = None,
        result: Mapping[str, Any] | None = None,
    ) -> None:
        row = self._rows[request_id]
        self._rows[request_id] = replace(
            row, state=state, code=code, why=why, result=result or {}
        )

    def to_tell(self, limit: int = 50) -> Sequence[FleetRequest]:
        states = (RequestState.DONE, RequestState.FAILED)
        return [row for row in self._rows.values() if row.state in states][:limit]

    def tell(self, request_id: str) -> bool:
        return self._rows.pop(request_id, None) is not None

    def withdraw_gone(self, waits: Any) -> None:
        """Processes that wait no longer, as the database sees by itself."""
        for row in self.at_work():
            known = waits(row.instance_id) if row.instance_id else set()
            if row.task_id not in known:
                self._rows[row.id] = replace(row, gone=True)


class MemoryFleet:
    """What people tell the fleet."""

    def __init__(self) -> None:
        self.said: list[tuple[str, Mapping[str, Any]]] = []
        self.at_work: set[str] = set()

    def say(self, kind: str, data: Mapping[str, Any], *, said_by: str) -> int:
        self.said.append((kind, data))
        return len(self.said)

    def robots_at_work(self) -> set[str]:
        return set(self.at_work)

    def unfit(self) -> Mapping[str, str]:
        return {}
