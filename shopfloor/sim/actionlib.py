"""actionlib's server as it really behaves, forgetfulness included.

A goal id is remembered while the goal is active and five seconds after its end;
then the same id runs again. A cancel may come before its goal. A cancel with a
stamp fences off everything stamped earlier. A newer goal preempts, an older one
is recalled. Nothing here ends a goal because the robot was stopped.
"""

import itertools
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Protocol

from shopfloor.sim.clock import Clock, Every
from shopfloor.sim.message_types import Message

MEMORY_S = 5.0
STATUS_PERIOD_S = 0.2
FEEDBACK_PERIOD_S = 0.2

BUMPED = (
    "This goal was canceled because another goal was received by the simple action "
    "server"
)
FENCED = (
    "This goal handle was canceled by the action server because its timestamp is "
    "before the timestamp of the last cancel request"
)


class Status(IntEnum):
    PENDING = 0
    ACTIVE = 1
    PREEMPTED = 2
    SUCCEEDED = 3
    ABORTED = 4
    REJECTED = 5
    PREEMPTING = 6
    RECALLING = 7
    RECALLED = 8


ENDED = {
    Status.PREEMPTED,
    Status.SUCCEEDED,
    Status.ABORTED,
    Status.REJECTED,
    Status.RECALLED,
}


@dataclass
class Goal:
    """What the server remembers of one goal id."""

    id: str
    stamp_s: float
    body: Message = field(default_factory=dict)
    status: Status = Status.PENDING
    text: str = ""
    forget_from: float | None = None
    """The five seconds run from here; None while the goal lives."""


@dataclass(frozen=True)
class Outcome:
    status: Status
    result: Message
    text: str = ""


class Executor(Protocol):
    """What the action does."""

    def refuse(self, goal: Goal) -> str | None:
        """The reason to reject the goal before it starts, if any."""
        ...

    def start(self, goal: Goal) -> None: ...

    def stop(self) -> None: ...

    def outcome(self) -> Outcome | None: ...

    def feedback(self) -> Message: ...

    def empty_result(self) -> Message: ...


class Wire(Protocol):
    """Where the server's messages go."""

    def status(self, goals: list[Goal], *, changed: bool) -> None: ...

    def feedback(self, goal: Goal, body: Message) -> None: ...

    def result(self, goal: Goal, body: Message) -> None: ...

    def record(self, event: str, goal: Goal, **facts: Any) -> None: ...


class ActionServer:
    """actionlib's ActionServer and SimpleActionServer in one, without threads."""

    def __init__(self, node: str, clock: Clock, executor: Executor, wire: Wire) -> None:
        self._node = node
        self._clock = clock
        self._executor = executor
        self._wire = wire
        self._goals: dict[str, Goal] = {}
        self._current: Goal | None = None
        self._next: Goal | None = None
        self._fence_s = 0.0
        self._numbers = itertools.count(1)
        self._status_due = Every(STATUS_PERIOD_S)
        self._feedback_due = Every(FEEDBACK_PERIOD_S)
        self._changed = True

    @property
    def goals(self) -> list[Goal]:
        return list(self._goals.values())

    @property
    def active(self) -> Goal | None:
        goal = self._current
        return None if goal is None or goal.status in ENDED else goal

    def on_goal(self, goal_id: str, stamp_s: float, body: Message) -> None:
        now = self._clock.now()
        self._forget(now)
        known = self._goals.get(goal_id) if goal_id else None
        if known is not None:
            self._wire.record("goal_received", known, repeated=True)
            if known.status is Status.RECALLING:
                known.body = body
                self._end(known, Outcome(Status.RECALLED, self._nothing()))
            if known.forget_from is not None:
                known.forget_from = now
            return
        if not goal_id:
            goal_id = f"{self._node}-{next(self._numbers)}-{now:.9f}"
        goal = Goal(goal_id, stamp_s or now, body)
        self._goals[goal_id] = goal
        self._changed = True
        self._wire.record("goal_received", goal, repeated=False)
        if stamp_s and stamp_s <= self._fence_s:
            self._cancelled(goal, FENCED)
            return
        reason = self._executor.refuse(goal)
        if reason is not None:
            self._end(goal, Outcome(Status.REJECTED, self._nothing(), reason))
            return
        others = [other for other in (self._current, self._next) if other is not None]
        if any(goal.stamp_s < other.stamp_s for other in others):
            self._cancelled(goal, BUMPED)
            return
        if self._next is not None:
            self._cancelled(self._next, BUMPED)
        self._next = goal

    def on_cancel(self, goal_id: str, stamp_s: float) -> None:
        """By id, by stamp, or everything when both are empty."""
        now = self._clock.now()
        self._forget(now)
        everything = not goal_id and not stamp_s
        for goal in self._goals.values():
            before = bool(stamp_s) and goal.stamp_s <= stamp_s
            if everything or goal.id == goal_id or before:
                self._request_cancel(goal)
        if goal_id and goal_id not in self._goals:
            self._goals[goal_id] = Goal(
                goal_id, stamp_s, status=Status.RECALLING, forget_from=now
            )
            self._changed = True
        self._fence_s = max(self._fence_s, stamp_s)

    def _request_cancel(self, goal: Goal) -> None:
        turned = {
            Status.PENDING: Status.RECALLING,
            Status.ACTIVE: Status.PREEMPTING,
        }.get(goal.status)
        if turned is not None:
            goal.status = turned
            self._changed = True

    def step(self) -> None:
        now = self._clock.now()
        self._forget(now)
        if self._next is not None:
            self._accept(self._next)
        active = self.active
        if active is not None:
            self._pursue(active, now)
        changed, self._changed = self._changed, False
        if self._status_due.due(now) or changed:
            self._wire.status(self.goals, changed=changed)

    def _accept(self, goal: Goal) -> None:
        self._next = None
        previous = self.active
        if previous is not None:
            self._executor.stop()
            self._cancelled(previous, BUMPED)
        self._current = goal
        self._changed = True
        if goal.status is Status.RECALLING:
            goal.status = Status.PREEMPTING
            return
        goal.status = Status.ACTIVE
        self._executor.start(goal)
        self._wire.record("goal_started", goal)

    def _pursue(self, goal: Goal, now: float) -> None:
        if goal.status is Status.PREEMPTING:
            self._executor.stop()
            self._cancelled(goal, "")
            return
        outcome = self._executor.outcome()
        if outcome is not None:
            self._executor.stop()
            self._end(goal, outcome)
        elif self._feedback_due.due(now):
            self._wire.feedback(goal, self._executor.feedback())

    def _cancelled(self, goal: Goal, text: str) -> None:
        waiting = goal.status in (Status.PENDING, Status.RECALLING)
        status = Status.RECALLED if waiting else Status.PREEMPTED
        self._end(goal, Outcome(status, self._nothing(), text))

    def _end(self, goal: Goal, outcome: Outcome) -> None:
        goal.status, goal.text = outcome.status, outcome.text
        goal.forget_from = self._clock.now()
        self._changed = True
        self._wire.record("goal_ended", goal)
        self._wire.result(goal, outcome.result)

    def _nothing(self) -> Message:
        return self._executor.empty_result()

    def restart(self) -> None:
        """The node dies and is back at once; it knows nothing of its goals."""
        if self.active is not None:
            self._wire.record("goal_forgotten", self.active)
            self._executor.stop()
        self._goals.clear()
        self._current = self._next = None
        self._fence_s = 0.0
        self._changed = True

    def _forget(self, now: float) -> None:
        for goal in list(self._goals.values()):
            if goal.forget_from is not None and goal.forget_from + MEMORY_S < now:
                del self._goals[goal.id]
                self._changed = True
