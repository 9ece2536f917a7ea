"""What a tablet sees of the scale beside it."""

from __future__ import annotations

import pytest

from mpms.factory.adapters.memory import LoopbackScale
from mpms.factory.domain.weighing import Weight
from mpms.factory.ports.robots.robots import RobotAway
from mpms.factory.services.tasks.live_weight import LiveWeights, ShownWeight


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_tablets_at_one_robot_ask_its_scale_once_and_again_after_a_moment() -> None:
    scale, clock = LoopbackScale(), Clock()
    scale.readings = [1.5, 2.5]
    weights = LiveWeights(scale, now=clock)
    assert [weights.of("robot1", "A") for _ in range(2)] == [ShownWeight(1.5)] * 2
    clock.now = 1.0
    assert weights.of("robot1", "A") == ShownWeight(2.5)


def test_no_weight_is_shown_while_it_moves_or_the_robot_is_away() -> None:
    scale = LoopbackScale()
    scale.broken = "it swings"
    assert LiveWeights(scale).of("robot1", None) == ShownWeight(moving=True)

    class Gone(LoopbackScale):
        def weigh(self, robot: str, place: str | None = None) -> Weight:
            raise RobotAway(robot)

    assert LiveWeights(Gone()).of("robot1", None) == ShownWeight(away=True)


@pytest.mark.parametrize(("robot", "place"), [("robot3", "A"), ("robot1", "rack_1")])
def test_scales_that_answer_one_at_a_time_are_left_alone(
    robot: str, place: str
) -> None:
    weights = LiveWeights(LoopbackScale(), elsewhere={"rack_1", "robot3"})
    assert not weights.has(robot, place)
    assert weights.has("robot1", "A")
