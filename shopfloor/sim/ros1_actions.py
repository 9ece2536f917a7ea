"""An actionlib server on the five topics of its action."""

from collections.abc import Callable
from typing import Any

from shopfloor.sim.actionlib import ActionServer, Executor, Goal
from shopfloor.sim.clock import Clock
from shopfloor.sim.driving import GoalFaults
from shopfloor.sim.encoding import Payload
from shopfloor.sim.graph import Graph
from shopfloor.sim.message_types import Message

Record = Callable[..., None]


class ActionTopics:
    """``<base>/goal``, ``cancel``, ``status``, ``feedback`` and ``result``."""

    def __init__(
        self,
        graph: Graph,
        clock: Clock,
        node: str,
        base: str,
        action_type: str,
        executor: Executor,
        faults: GoalFaults,
        record: Record,
    ) -> None:
        self._graph = graph
        self._registry = graph.registry
        self._clock = clock
        self._base = base
        self._faults = faults
        self._record = record
        self.server = ActionServer(node, graph.clock, executor, self)
        self._status_topic = graph.advertise(
            node, f"{base}/status", "actionlib_msgs/GoalStatusArray", latch=True
        )
        self._feedback_topic = graph.advertise(
            node, f"{base}/feedback", f"{action_type}ActionFeedback"
        )
        graph.advertise(node, f"{base}/result", f"{action_type}ActionResult")
        goal_type, cancel_type = f"{action_type}ActionGoal", "actionlib_msgs/GoalID"
        graph.subscribe(self, node, f"{base}/goal", goal_type, self._on_goal)
        graph.subscribe(self, node, f"{base}/cancel", cancel_type, self._on_cancel)

    def _on_goal(self, payload: Payload) -> None:
        message = payload.message
        goal_id = message["goal_id"]
        stamp_s = self._registry.seconds(goal_id["stamp"])
        self.server.on_goal(goal_id["id"], stamp_s, message["goal"])

    def _on_cancel(self, payload: Payload) -> None:
        message = payload.message
        stamp_s = self._registry.seconds(message["stamp"])
        self.server.on_cancel(message["id"], stamp_s)

    def _status(self, goal: Goal) -> Message:
        stamp = self._registry.time(goal.stamp_s)
        goal_id = {"stamp": stamp, "id": goal.id}
        return {"goal_id": goal_id, "status": int(goal.status), "text": goal.text}

    def _header(self) -> Message:
        return self._registry.header("", self._clock.now())

    def status(self, goals: list[Goal], *, changed: bool) -> None:
        if changed or self._status_topic.wanted:
            listed = [self._status(goal) for goal in goals]
            body = {"header": self._header(), "status_list": listed}
            self._graph.publish(f"{self._base}/status", body, latch=True)

    def feedback(self, goal: Goal, body: Message) -> None:
        if self._feedback_topic.wanted:
            message = {
                "header": self._header(),
                "status": self._status(goal),
                "feedback": body,
            }
            self._graph.publish(f"{self._base}/feedback", message)

    def result(self, goal: Goal, body: Message) -> None:
        if self._faults.loses_result():
            return
        message = {
            "header": self._header(),
            "status": self._status(goal),
            "result": body,
        }
        self._graph.publish(f"{self._base}/result", message)

    def record(self, event: str, goal: Goal, **facts: Any) -> None:
        self._record(
            event,
            action=self._base,
            goal_id=goal.id,
            status=int(goal.status),
            text=goal.text,
            **facts,
        )
