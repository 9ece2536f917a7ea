"""What the command state machine needs of a protocol.

A driver turns intentions into frames and frames into observations. It keeps no
state about commands, so the rules about sending, doubt and outages exist once, in
``runner``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from robot_bridge.messages import Frame
from robot_bridge.profiles import Profile, TopicSpec, fill_goal


class Phase(StrEnum):
    """The state of a goal as the robot names it, the same for every protocol."""

    WAITING = "waiting"
    RUNNING = "running"
    STOPPING = "stopping"
    RECALLING = "recalling"
    SUCCEEDED = "succeeded"
    ABORTED = "aborted"
    PREEMPTED = "preempted"
    RECALLED = "recalled"
    REJECTED = "rejected"
    LOST = "lost"

    @property
    def is_terminal(self) -> bool:
        return self in _TERMINAL

    @property
    def occupies_robot(self) -> bool:
        return self in (Phase.WAITING, Phase.RUNNING, Phase.STOPPING)


_TERMINAL = frozenset(
    {
        Phase.SUCCEEDED,
        Phase.ABORTED,
        Phase.PREEMPTED,
        Phase.RECALLED,
        Phase.REJECTED,
    }
)


@dataclass(frozen=True, slots=True)
class ListSeen:
    """Every goal the robot remembers."""

    goals: Mapping[str, tuple[Phase, str]]


@dataclass(frozen=True, slots=True)
class HandlesSeen:
    """Every goal the robot remembers, by names of its own that we cannot know
    beforehand: one that is new after our goal was sent is ours."""

    goals: Mapping[str, Phase]


@dataclass(frozen=True, slots=True)
class ResultSeen:
    goal_id: str
    phase: Phase
    payload: Mapping[str, Any]
    text: str


@dataclass(frozen=True, slots=True)
class FeedbackSeen:
    goal_id: str
    distance_left_m: float | None


Observation = ListSeen | HandlesSeen | ResultSeen | FeedbackSeen


@dataclass(frozen=True, slots=True)
class Target:
    x: float
    y: float
    yaw: float
    frame: str


class Driver(ABC):
    lists_goals: ClassVar[bool]
    """The robot publishes the ids it remembers, so absence can be proved."""

    acknowledges: ClassVar[bool]
    """A goal that arrived shows itself; otherwise only the pose tells."""

    goals_block: ClassVar[bool] = False
    """A goal may keep its connection busy until it ends, so goals need their own."""

    def __init__(
        self, profile: Profile, robot_id: str, namespace: str | None = None
    ) -> None:
        self.profile = profile
        self._robot_id = robot_id
        self._namespace = namespace

    def resolve(self, name: str) -> str:
        return self.profile.resolve(name, self._robot_id, self._namespace)

    def body(self, target: Target) -> Any:
        return fill_goal(
            self.profile.goal,
            self.profile.dialect,
            target.x,
            target.y,
            target.yaw,
            target.frame,
        )

    def feedback_distance(self, values: Any) -> float | None:
        """Some makes send the number as text."""
        name = self.profile.feedback_distance
        if name is None or not isinstance(values, Mapping):
            return None
        try:
            distance_m = float(values.get(name, ""))
        except (TypeError, ValueError):
            return None
        return distance_m if 0.0 <= distance_m < 1e6 else None

    @abstractmethod
    def subscriptions(self) -> dict[str, TopicSpec]:
        """Full topic name to what it carries, for goals only."""

    def actions(self) -> dict[str, str]:
        """Full names of actions that must be offered, to their types."""
        return {}

    @abstractmethod
    def publications(self) -> dict[str, str]:
        """Full topic name to type."""

    @abstractmethod
    def goal_frames(self, goal: str, target: Target, stamp_s: float) -> list[Frame]: ...

    @abstractmethod
    def cancel_frames(self, goal: str, here: Target | None) -> list[Frame]:
        """Empty where the make cannot be cancelled."""

    def fence_frames(self, sentinel: str, stamp_s: float) -> list[Frame]:
        """Makes every copy stamped earlier harmless; empty where impossible."""
        del sentinel, stamp_s
        return []

    @abstractmethod
    def read_topic(self, topic: str, message: Any) -> Observation | None: ...

    def read_action(self, frame: Frame) -> Observation | None:
        del frame
        return None
