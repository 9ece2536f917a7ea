"""A Nav2 action server: NavigateToPose as rosbridge shows it.

Unlike actionlib it keeps no memory of ids: every goal is new, and a newer goal
aborts the one under way.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from shopfloor.sim.actionlib import FEEDBACK_PERIOD_S
from shopfloor.sim.actionlib import Goal as DriveGoal
from shopfloor.sim.actionlib import Status as Actionlib
from shopfloor.sim.clock import Clock, Every
from shopfloor.sim.driving import Drive, GoalFaults
from shopfloor.sim.graph import Graph, OnFeedback, OnResult
from shopfloor.sim.message_types import Message

REMEMBERED = 20
"""Goals in the list; a server keeps ended ones for a while."""
GOAL_REJECTED = "Action goal was rejected"


class Status(IntEnum):
    UNKNOWN = 0
    EXECUTING = 2
    CANCELING = 3
    SUCCEEDED = 4
    CANCELED = 5
    ABORTED = 6


class NavigateToPose(Drive):
    pose_field = "pose"

    def feedback(self) -> Message:
        vehicle = self.wheel.vehicle
        elapsed = self.clock.now() - self.began_at
        return {
            "current_pose": self.stamped_pose(),
            "navigation_time": self.registry.time(elapsed),
            "estimated_time_remaining": self.registry.time(vehicle.remaining_s()),
            "distance_remaining": vehicle.remaining_m(),
        }

    def failed_result(self) -> Message:
        return {"error_code": 9000, "error_msg": self.problem or ""}


@dataclass
class _Handle:
    goal_id: str
    goal: Message
    on_feedback: OnFeedback
    on_result: OnResult
    number: uuid.UUID
    accepted_at: float
    status: Status = Status.EXECUTING


class NavigationAction:
    def __init__(
        self,
        graph: Graph,
        clock: Clock,
        node: str,
        name: str,
        drive: Drive,
        faults: GoalFaults,
        record: Callable[..., None],
    ) -> None:
        self.type = "nav2_msgs/NavigateToPose"
        self.node = node
        self._graph = graph
        self._clock = clock
        self._name = name
        self._drive = drive
        self._faults = faults
        self._record = record
        self._current: _Handle | None = None
        self._away_until: float | None = None
        self._listed: list[_Handle] = []
        self._count = 0
        self._feedback_due = Every(FEEDBACK_PERIOD_S)
        graph.actions[name] = self
        self._status_name = f"{name}/_action/status"
        graph.advertise(
            node, self._status_name, "action_msgs/GoalStatusArray", latch=True
        )

    @property
    def active(self) -> bool:
        return self._current is not None

    def send(
        self, goal_id: str, goal: Message, on_feedback: OnFeedback, on_result: OnResult
    ) -> object:
        self._count += 1
        number = uuid.uuid5(uuid.NAMESPACE_OID, f"{self._name}:{self._count}")
        now = self._clock.now()
        handle = _Handle(goal_id, goal, on_feedback, on_result, number, now)
        self._note("goal_received", handle, repeated=False)
        body = DriveGoal(goal_id, now, goal)
        if self._drive.refuse(body) is not None:
            handle.status = Status.UNKNOWN
            self._note("goal_ended", handle, text=GOAL_REJECTED)
            self._answer(handle, False, GOAL_REJECTED)
            return handle
        older = self._current
        self._listed.append(handle)
        del self._listed[:-REMEMBERED]
        if older is not None:
            self._publish_status()
            self._end(older, Status.ABORTED, {})
        self._current = handle
        self._drive.start(body)
        self._note("goal_started", handle)
        self._publish_status()
        return handle

    def cancel(self, handle: object) -> None:
        if self._current is handle and isinstance(handle, _Handle):
            handle.status = Status.CANCELING
            self._publish_status()

    def restart(self, until: float) -> None:
        """The node dies and is back later; it knows nothing of its goals."""
        if self._current is not None:
            self._note("goal_forgotten", self._current)
            self._drive.stop()
        self._current = None
        self._listed.clear()
        self._away_until = until
        self._graph.actions.pop(self._name, None)
        self._graph.unadvertise(self.node, self._status_name)

    def _come_back(self) -> None:
        self._away_until = None
        self._graph.actions[self._name] = self
        self._graph.advertise(
            self.node, self._status_name, "action_msgs/GoalStatusArray", latch=True
        )

    def step(self) -> None:
        if self._away_until is not None and self._clock.now() >= self._away_until:
            self._come_back()
        handle = self._current
        if handle is None:
            return
        if handle.status is Status.CANCELING:
            self._end(handle, Status.CANCELED, {})
            return
        outcome = self._drive.outcome()
        if outcome is not None:
            done = outcome.status is Actionlib.SUCCEEDED
            status = Status.SUCCEEDED if done else Status.ABORTED
            self._end(handle, status, outcome.result)
        elif self._feedback_due.due(self._clock.now()):
            values = self._complete("Feedback", self._drive.feedback())
            self._carry(lambda: handle.on_feedback(values))

    def _end(self, handle: _Handle, status: Status, result: Message) -> None:
        self._drive.stop()
        self._current = None
        handle.status = status
        self._note("goal_ended", handle, text=result.get("error_msg", ""))
        self._publish_status()
        self._answer(handle, True, self._complete("Result", result))

    def _answer(self, handle: _Handle, result: bool, values: Any) -> None:
        if not self._faults.loses_result():
            status = int(handle.status)
            self._carry(lambda: handle.on_result(result, status, values))

    def _carry(self, action: Callable[[], None]) -> None:
        self._graph.links.carry(self._graph.owner_of(self._name), action)

    def _complete(self, part: str, body: Message) -> Message:
        registry = self._graph.registry
        return registry.complete(f"{self.type}{part}", body, self._clock.now())

    def _publish_status(self) -> None:
        listed = []
        for each in self._listed:
            stamp = self._graph.registry.time(each.accepted_at)
            info = {"goal_id": {"uuid": each.number.bytes}, "stamp": stamp}
            listed.append({"goal_info": info, "status": int(each.status)})
        self._graph.publish(self._status_name, {"status_list": listed}, latch=True)

    def _note(self, event: str, handle: _Handle, **facts: Any) -> None:
        status = int(handle.status)
        self._record(
            event, action=self._name, goal_id=handle.goal_id, status=status, **facts
        )
