"""A robot that knows only a goal topic: it neither acknowledges nor answers.

A publication is the goal; a second publication is a second drive. So nothing is
ever sent again, and arrival is inferred from the pose.
"""

from __future__ import annotations

from typing import Any, ClassVar

from robot_bridge import messages
from robot_bridge.drivers.base import Driver, Observation, Target
from robot_bridge.messages import Frame
from robot_bridge.profiles import BadProfile, Profile, TopicSpec


class Ros1Topic(Driver):
    lists_goals: ClassVar[bool] = False
    acknowledges: ClassVar[bool] = False

    def __init__(
        self, profile: Profile, robot_id: str, namespace: str | None = None
    ) -> None:
        super().__init__(profile, robot_id, namespace)
        if profile.goal_topic is None:
            raise BadProfile(f"{profile.name}: 'goal_topic' is missing")
        self._topic = self.resolve(profile.goal_topic.name)
        self._kind = profile.goal_topic.type

    def subscriptions(self) -> dict[str, TopicSpec]:
        return {}

    def publications(self) -> dict[str, str]:
        return {self._topic: self._kind}

    def goal_frames(self, goal: str, target: Target, stamp_s: float) -> list[Frame]:
        del goal, stamp_s
        return [messages.publish(self._topic, self.body(target))]

    def cancel_frames(self, goal: str, here: Target | None) -> list[Frame]:
        del goal
        if self.profile.cancel_by != "hold_pose" or here is None:
            return []
        return [messages.publish(self._topic, self.body(here))]

    def read_topic(self, topic: str, message: Any) -> Observation | None:
        del topic, message
        return None
