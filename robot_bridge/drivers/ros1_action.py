"""actionlib of ROS 1 by its five topics, with goal ids of our own.

roslibpy's own action client is not used: it invents ids, takes "preempting" for an
end and cannot follow a goal of an earlier connection.
"""

from __future__ import annotations

from typing import Any, ClassVar

from robot_bridge import messages
from robot_bridge.drivers.base import (
    Driver,
    FeedbackSeen,
    ListSeen,
    Observation,
    Phase,
    ResultSeen,
    Target,
)
from robot_bridge.messages import BadMessage, Frame, GoalCode
from robot_bridge.profiles import BadProfile, Profile, TopicSpec

_PHASES = {
    GoalCode.PENDING: Phase.WAITING,
    GoalCode.ACTIVE: Phase.RUNNING,
    GoalCode.PREEMPTED: Phase.PREEMPTED,
    GoalCode.SUCCEEDED: Phase.SUCCEEDED,
    GoalCode.ABORTED: Phase.ABORTED,
    GoalCode.REJECTED: Phase.REJECTED,
    GoalCode.PREEMPTING: Phase.STOPPING,
    GoalCode.RECALLING: Phase.RECALLING,
    GoalCode.RECALLED: Phase.RECALLED,
    GoalCode.LOST: Phase.LOST,
}


class Ros1Action(Driver):
    lists_goals: ClassVar[bool] = True
    acknowledges: ClassVar[bool] = True

    def __init__(
        self, profile: Profile, robot_id: str, namespace: str | None = None
    ) -> None:
        super().__init__(profile, robot_id, namespace)
        if profile.action is None:
            raise BadProfile(f"{profile.name}: 'action' is missing")
        action = self.resolve(profile.action.name)
        self._kind = profile.action.type.removesuffix("Action")
        self._goal, self._cancel = f"{action}/goal", f"{action}/cancel"
        self._status, self._result = f"{action}/status", f"{action}/result"
        self._feedback = f"{action}/feedback"

    def subscriptions(self) -> dict[str, TopicSpec]:
        status = TopicSpec(
            self._status,
            "actionlib_msgs/GoalStatusArray",
            throttle_ms=0,
            fresh_s=self.profile.limits.status_fresh_s,
        )
        result = TopicSpec(self._result, f"{self._kind}ActionResult", throttle_ms=0)
        wanted = {self._status: status, self._result: result}
        if self.profile.feedback_distance is not None:
            wanted[self._feedback] = TopicSpec(
                self._feedback, f"{self._kind}ActionFeedback", throttle_ms=500
            )
        return wanted

    def publications(self) -> dict[str, str]:
        return {
            self._goal: f"{self._kind}ActionGoal",
            self._cancel: "actionlib_msgs/GoalID",
        }

    def goal_frames(self, goal: str, target: Target, stamp_s: float) -> list[Frame]:
        message = messages.action_goal(goal, stamp_s, self.body(target))
        return [messages.publish(self._goal, message)]

    def cancel_frames(self, goal: str, here: Target | None) -> list[Frame]:
        del here
        # A stamp beside the id would cancel every older goal as well.
        return [messages.publish(self._cancel, messages.goal_id(goal, 0.0))]

    def fence_frames(self, sentinel: str, stamp_s: float) -> list[Frame]:
        return [messages.publish(self._cancel, messages.goal_id(sentinel, stamp_s))]

    def read_topic(self, topic: str, message: Any) -> Observation | None:
        if topic == self._status:
            return ListSeen(
                {
                    each.goal_id: (_phase(each.code), each.text)
                    for each in messages.read_status_list(message)
                }
            )
        if topic == self._result:
            result = messages.read_action_result(message)
            listing = result.listing
            phase = _phase(listing.code)
            return ResultSeen(listing.goal_id, phase, result.payload, listing.text)
        if topic == self._feedback and isinstance(message, dict):
            listing = messages.read_listing(message.get("status"))
            distance_m = self.feedback_distance(message.get("feedback"))
            return FeedbackSeen(listing.goal_id, distance_m)
        return None


def _phase(code: int) -> Phase:
    try:
        return _PHASES[GoalCode(code)]
    except ValueError:
        raise BadMessage(f"goal status {code} does not exist") from None
