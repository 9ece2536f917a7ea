"""Rosbridge JSON in both spellings."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robot_bridge import messages
from robot_bridge.messages import BadMessage, Dialect

angles = st.floats(-math.pi, math.pi)
times = st.floats(0, 4e9)
steady = settings(
    deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)


@steady
@given(angles)
def test_a_yaw_survives_the_quaternion(yaw: float) -> None:
    back = messages.yaw_from_quaternion(messages.quaternion_from_yaw(yaw))
    assert math.cos(back - yaw) == pytest.approx(1.0)


@steady
@given(times, st.sampled_from(Dialect))
def test_a_stamp_survives_in_either_spelling(seconds: float, dialect: Dialect) -> None:
    stamp = messages.stamp(dialect, seconds)
    assert messages.seconds_of(stamp) == pytest.approx(seconds, abs=1e-6)
    names = {"secs", "nsecs"} if dialect is Dialect.ROS1 else {"sec", "nanosec"}
    assert set(stamp) == names
    assert all(0 <= value < 5e9 for value in stamp.values())


def test_types_are_spelled_for_their_dialect() -> None:
    for name in ("nav_msgs/Odometry", "nav_msgs/msg/Odometry"):
        assert messages.type_name(Dialect.ROS1, name) == "nav_msgs/Odometry"
        assert messages.type_name(Dialect.ROS2, name) == "nav_msgs/msg/Odometry"
    action = "nav2_msgs/action/NavigateToPose"
    assert messages.type_name(Dialect.ROS2, action) == action
    with pytest.raises(BadMessage, match="Odometry"):
        messages.type_name(Dialect.ROS1, "Odometry")


@pytest.mark.parametrize(
    "quaternion",
    [None, {}, {"x": 0, "y": 0, "z": 0, "w": 0}, {"x": 0, "y": 0, "z": 0, "w": None}],
)
def test_a_missing_rotation_is_refused(quaternion: object) -> None:
    with pytest.raises(BadMessage, match="orientation"):
        messages.yaw_from_quaternion(quaternion)


def test_a_goal_without_a_place_cannot_be_built() -> None:
    with pytest.raises(BadMessage, match="y is nan"):
        messages.pose(1.0, math.nan, 0.0)


def test_nan_is_written_as_null_like_the_real_server_does() -> None:
    text = messages.encode_frame({"op": "publish", "msg": {"a": [math.nan, 1.0]}})
    assert json.loads(text)["msg"] == {"a": [None, 1.0]}


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"op": 1}', b"\xff", "[" * 9999])
def test_what_is_no_frame_is_refused(text: str | bytes) -> None:
    with pytest.raises(BadMessage):
        messages.decode_frame(text)


def test_a_battery_outside_its_range_is_refused_not_shown() -> None:
    assert messages.read_battery({"percentage": None}).fraction is None
    with pytest.raises(BadMessage, match="between 0 and 1"):
        messages.read_battery({"percentage": 87.0})


@steady
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["pose", "position", "twist", "status_list", "status", "goal_id"]
                ),
                inner,
            )
        ),
        max_leaves=8,
    )
)
def test_readers_refuse_nonsense_with_one_kind_of_error(message: object) -> None:
    for read in (
        messages.read_pose,
        messages.read_odometry,
        messages.read_battery,
        messages.read_status_list,
        messages.read_action_result,
    ):
        try:
            read(message)
        except BadMessage:
            continue
