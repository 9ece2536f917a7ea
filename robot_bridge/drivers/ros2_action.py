"""Actions of ROS 2 through rosbridge's own action operations.

rosbridge gives every goal a name of its own towards the robot and sends a repeated
id as a new goal. So nothing is ever sent again here, and after an outage the pose
decides. A server as it is delivered handles a goal on the connection that sent it and
reads nothing more from it until the goal ends; goals therefore have a connection of
their own, and a cancel goes over the other one: the server shares its goals among all.

What the server never answers (a goal that is refused, an action that does not exist,
a navigation node that was restarted) shows in the action's status topic, in feedback
that no longer comes, and in the pose.
"""

from __future__ import annotations

from typing import Any, ClassVar

from robot_bridge import messages
from robot_bridge.drivers.base import (
    Driver,
    FeedbackSeen,
    HandlesSeen,
    Observation,
    Phase,
    ResultSeen,
    Target,
)
from robot_bridge.messages import BadMessage, Frame, Goal2Code
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
    goals_block: ClassVar[bool] = True

    def __init__(
        self, profile: Profile, robot_id: str, namespace: str | None = None
    ) -> None:
        super().__init__(profile, robot_id, namespace)
        if profile.action is None:
            raise BadProfile(f"{profile.name}: 'action' is missing")
        self._action = self.resolve(profile.action.name)
        self._kind = profile.action.type
        self._status = f"{self._action}/_action/status"

    def subscriptions(self) -> dict[str, TopicSpec]:
        kind = "action_msgs/GoalStatusArray"
        return {self._status: TopicSpec(self._status, kind, throttle_ms=0)}

    def actions(self) -> dict[str, str]:
        return {self._action: self._kind}

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
        if topic != self._status or not isinstance(message, dict):
            return None
        listed = message.get("status_list")
        if not isinstance(listed, list):
            raise BadMessage("a list of goal states has no 'status_list'")
        return HandlesSeen(dict(_handle(each) for each in listed))

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


def _handle(entry: Any) -> tuple[str, Phase]:
    try:
        name = entry["goal_info"]["goal_id"]["uuid"]
        return str(name), _PHASES.get(entry["status"], Phase.LOST)
    except (TypeError, KeyError):
        raise BadMessage("a goal state without its goal") from None
