"""What has ended has ended: states of orders, goals and instances."""

from __future__ import annotations

import pytest

from mpms.domain.errors import BusinessError, MpmsError, TaskGone
from mpms.domain.history.events import Cursor
from mpms.domain.instances.instances import InstanceStatus
from mpms.factory.domain.goals import GoalState, Pose
from mpms.factory.domain.orders import OrderStatus
from mpms.factory.domain.worlds import RobotInfo, World


@pytest.mark.parametrize(
    ("states", "open_ones"),
    [
        (GoalState, {"new", "sent"}),
        (InstanceStatus, {"active"}),
        (OrderStatus, {"waiting for release", "new", "in process"}),
    ],
)
def test_only_these_states_are_open(
    states: type[GoalState] | type[InstanceStatus] | type[OrderStatus],
    open_ones: set[str],
) -> None:
    assert {str(s) for s in states if not s.ended} == open_ones


def test_an_error_without_words_says_what_its_class_means() -> None:
    assert str(TaskGone()) == "This task is no longer waiting for an answer."
    assert str(TaskGone("too late")) == "too late"
    error = BusinessError("OutOfStock")
    assert (error.code, str(error)) == ("OutOfStock", "OutOfStock")
    assert isinstance(error, MpmsError)


def test_history_is_ordered_by_transaction_before_line() -> None:
    late_commit, early_commit = Cursor(7, 1), Cursor(5, 9)
    assert early_commit < late_commit
    assert Cursor() < early_commit


def test_every_robot_has_a_home_of_its_own() -> None:
    homes = {"home": Pose(0, 0), "home_2": Pose(1, 1), "A": Pose(2, 2)}
    robots = tuple(
        RobotInfo(name, "carrier", home, "move_base", 1.0, 100.0)
        for name, home in (("one", "home"), ("two", "home_2"), ("lost", "nowhere"))
    )
    world = World("w", homes, {}, robots)
    assert world.pose_for("one", "home") == Pose(0, 0)
    assert world.pose_for("two", "home") == Pose(1, 1)
    assert world.pose_for("two", "A") == Pose(2, 2)
    assert world.pose_for("lost", "home") is None
    assert world.pose_for("two", "the moon") is None
    assert world.robot("nobody") is None
