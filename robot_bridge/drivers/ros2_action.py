"""Actions of ROS 2 through rosbridge's own action operations.

rosbridge keeps the goal handle of an id in its connection and sends a repeated id
to the robot as a new goal. So nothing is ever sent again here, feedback is the
acknowledgement, and after an outage the pose decides.
"""

from __future__ import annotations

from typing import Any, ClassVar

from robot_bridge import messages
from robot_bridge.drivers.base import (
    Driver,
    FeedbackSeen,
    Observation,
    Phase,
    ResultSeen,
    Target,
)
from robot_bridge.messages import Frame, Goal2Code
from robot_bridge.profiles import BadProfile, Profile, TopicSpec

_PHASES: dict[int, Phase] = {
    Goal2Code.ACCEPTED: Phase.WAITING,
    Goal2Code.EXECUTING: Phase.RUNNING,
    Goal2Code.CANCELING: Phase.STOPPING,
    Goal2Code.SUCCEEDED: Phase.SUCCEEDED,
    Goal2Code.CANCELED: Phase.PREEMPTED,
    Goal2Code.ABORTED: Phase.ABORTED,
}


class Ros2Action(Driver):
    lists_goals: ClassVar[bool] = False
    acknowledges: ClassVar[bool] = True

    def __init__(
        self, profile: Profile, robot_id: str, namespace: str | None = None
    ) -> None:
        super().__init__(profile, robot_id, namespace)
        if profile.action is None:
            raise BadProfile(f"{profile.name}: 'action' is missing")
        self._action = self.resolve(profile.action.name)
        self._kind = profile.action.type

    def subscriptions(self) -> dict[str, TopicSpec]:
        return {}

    def publications(self) -> dict[str, str]:
        return {}

    def goal_frames(self, goal: str, target: Target, stamp_s: float) -> list[Frame]:
        del stamp_s
        return [
            messages.send_action_goal(self._action, self._kind, goal, self.body(target))
        ]

    def cancel_frames(self, goal: str, here: Target | None) -> list[Frame]:
        del here
        return [messages.cancel_action_goal(self._action, goal)]

    def read_topic(self, topic: str, message: Any) -> Observation | None:
        del topic, message
        return None

    def read_action(self, frame: Frame) -> Observation | None:
        goal, values = str(frame.get("id", "")), frame.get("values")
        if frame["op"] == "action_feedback":
            return FeedbackSeen(goal, self.feedback_distance(values))
        if frame["op"] != "action_result":
            return None
        payload = values if isinstance(values, dict) else {}
        text = values if isinstance(values, str) else ""
        code = frame.get("status")
        if code is None:
            # Older servers put the status beside the result inside the values.
            code = payload.get("status")
        inner = payload.get("result")
        if isinstance(inner, dict):
            payload = inner
        if frame.get("result") is False and code not in (4, 5, 6):
            return ResultSeen(goal, Phase.REJECTED, payload, text or "goal refused")
        phase = _PHASES.get(code, Phase.LOST) if isinstance(code, int) else Phase.LOST
        return ResultSeen(goal, phase, payload, text)
