"""A listener with a made-up clock: what it asks for and what it remembers."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest

from robot_bridge import messages
from robot_bridge.listening import (
    LAYERS_FOR_S,
    TRAIL_POINTS,
    Listener,
    WatchedRobot,
)
from robot_bridge.messages import BadMessage, Dialect, Frame
from robot_bridge.profiles import load_profile

LOCAL_PLAN = "/r1/move_base/TrajectoryPlannerROS/local_plan"
WHOLE_MAP = "/r1/move_base/global_costmap/costmap"
LAYERS = {"/r1/scan", "/r1/move_base/local_costmap/costmap", LOCAL_PLAN}


def listener(*names: str) -> Listener:
    profile = load_profile("move_base")
    return Listener([WatchedRobot(name, profile, name) for name in names or ("r1",)])


def topics(frames: list[Frame], op: str = "subscribe") -> set[str]:
    """However they are spelt."""
    return {messages.absolute(frame["topic"]) for frame in frames if frame["op"] == op}


def tell(ears: Listener, now: float, topic: str, message: Any) -> None:
    ears.heard(now, messages.publish(topic, message))


def tell_pose(ears: Listener, now: float, x: float, y: float, yaw: float = 0.0) -> None:
    stamped = messages.pose_stamped(Dialect.ROS1, x, y, yaw, "map", now)
    stamped["pose"] = {"pose": stamped["pose"]}
    tell(ears, now, "/r1/amcl_pose", stamped)


def tell_odom(ears: Listener, now: float, x: float, speed_mps: float) -> None:
    message = messages.pose_stamped(Dialect.ROS1, x, 0.0, 0.0, "r1/odom", now)
    message["pose"] = {"pose": message["pose"]}
    message["twist"] = {"twist": {"linear": {"x": speed_mps}, "angular": {}}}
    tell(ears, now, "/r1/odom", message)


def test_a_listener_only_ever_subscribes() -> None:
    ears = listener("r1", "r2")
    frames = ears.opened(0.0)
    for second in range(100):
        ears.want_layers(float(second), "r1")
        frames += ears.tick(float(second))
    assert {frame["op"] for frame in frames} == {"subscribe", "unsubscribe"}
    asked = [frame for frame in frames if frame["op"] == "subscribe"]
    assert all(frame["throttle_rate"] >= 200 for frame in asked)


def test_what_robots_share_is_asked_for_once() -> None:
    frames = listener("r1", "r2").opened(0.0)
    names = [frame["topic"] for frame in frames]
    assert names.count("/people") == 1
    assert {"/r1/amcl_pose", "/r2/amcl_pose"} <= set(names)


def test_heavy_topics_are_listened_to_while_somebody_looks() -> None:
    ears = listener()
    assert not LAYERS & topics(ears.opened(0.0))
    ears.want_layers(10.0, "r1")
    assert topics(ears.tick(10.0)) & LAYERS == LAYERS
    assert not topics(ears.tick(20.0)) & LAYERS
    ended = topics(ears.tick(10.0 + LAYERS_FOR_S), "unsubscribe")
    assert ended & LAYERS == LAYERS


@pytest.mark.covers("A75")
def test_the_costmap_of_the_whole_map_is_listened_to_for_those_who_want_it() -> None:
    ears = listener()
    ears.opened(0.0)
    ears.want_layers(10.0, "r1")
    assert WHOLE_MAP not in topics(ears.tick(10.0))
    ears.want_layers(11.0, "r1", whole_map=True)
    assert topics(ears.tick(11.0)) == {WHOLE_MAP}
    info: dict[str, Any] = {
        "resolution": 0.1,
        "width": 2,
        "origin": {"position": {"x": 1.0, "y": 2.0}},
    }
    info["origin"]["orientation"] = {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}
    header = {"frame_id": "map"}
    tell(ears, 12.0, WHOLE_MAP, {"header": header, "info": info, "data": [0, 100]})
    assert ears.sightings["r1"].global_costmap == ((1.15, 2.05),)
    gone = topics(ears.tick(11.0 + LAYERS_FOR_S), "unsubscribe")
    assert WHOLE_MAP in gone
    assert not ears.sightings["r1"].global_costmap


@pytest.mark.covers("A75")
def test_the_local_path_lies_in_the_map() -> None:
    ears = listener()
    ears.opened(0.0)
    ears.want_layers(0.0, "r1")
    ears.tick(0.0)
    stops = [
        messages.pose_stamped(Dialect.ROS1, x, 1.0, 0.0, "map", 0.0) for x in (1, 2)
    ]
    tell(ears, 0.1, LOCAL_PLAN, {"header": {"frame_id": "map"}, "poses": stops})
    assert ears.sightings["r1"].local_plan == ((1.0, 1.0), (2.0, 1.0))


def test_layers_that_nobody_looks_at_are_forgotten() -> None:
    ears = listener()
    ears.opened(0.0)
    ears.want_layers(0.0, "r1")
    ears.tick(0.1)
    tell_pose(ears, 0.2, 1.0, 1.0)
    scan = {"angle_min": 0.0, "angle_increment": 1.0, "ranges": [2.0]}
    tell(ears, 0.3, "/r1/scan", scan)
    assert ears.sightings["r1"].scan == ((3.0, 1.0),)
    ears.tick(100.0)
    assert not ears.sightings["r1"].scan


def test_a_renewed_subscription_shares_nothing_with_that_of_other_listeners() -> None:
    """A server keeps one subscription a name, with the memory that it had when the
    first client asked; under the other spelling it makes a new one."""
    ears = listener()
    ears.opened(0.0)
    frames = [f for f in ears.tick(2.5) if f["topic"].endswith("amcl_pose")]
    assert [(f["op"], f["topic"]) for f in frames] == [
        ("unsubscribe", "/r1/amcl_pose"),
        ("subscribe", "r1/amcl_pose"),
    ]
    stamped = messages.pose_stamped(Dialect.ROS1, 1.0, 2.0, 0.0, "map", 3.0)
    stamped["pose"] = {"pose": stamped["pose"]}
    tell(ears, 3.0, "r1/amcl_pose", stamped)
    assert ears.sightings["r1"].reckoning.now() is not None


def test_a_latched_word_that_was_lost_is_asked_for_again() -> None:
    ears = listener()
    ears.opened(0.0)
    assert not topics(ears.tick(1.0))
    assert "/r1/amcl_pose" in topics(ears.tick(2.5))
    tell_pose(ears, 2.6, 1.0, 1.0)
    later = topics(ears.tick(20.0))
    assert "/r1/amcl_pose" not in later
    assert "/r1/security_stop" in later


def test_a_new_connection_asks_for_everything_anew() -> None:
    ears = listener()
    first = topics(ears.opened(0.0))
    ears.closed()
    assert ears.tick(1.0) == []
    assert topics(ears.opened(2.0)) == first


def test_a_turned_robot_sees_its_scan_turned() -> None:
    ears = listener()
    ears.opened(0.0)
    ears.want_layers(0.0, "r1")
    tell_pose(ears, 0.1, 5.0, 5.0, math.pi / 2)
    scan = {"angle_min": 0.0, "angle_increment": 1.0, "ranges": [2.0]}
    tell(ears, 0.2, "/r1/scan", scan)
    assert ears.sightings["r1"].scan[0] == pytest.approx((5.0, 7.0))


def path(frame: str, *stops: tuple[float, float]) -> dict[str, Any]:
    poses = [{"pose": {"position": {"x": x, "y": y}}} for x, y in stops]
    return {"header": {"frame_id": frame}, "poses": poses}


def test_a_plan_in_odometry_is_moved_into_the_map() -> None:
    ears = listener()
    ears.opened(0.0)
    tell_odom(ears, 1.0, 100.0, 0.0)
    tell_pose(ears, 1.0, 5.0, 5.0)
    plan = "/r1/move_base/NavfnROS/plan"
    tell(ears, 1.1, plan, path("r1/odom", (100.0, 0.0), (103.0, 0.0)))
    assert ears.sightings["r1"].plan == ((5.0, 5.0), (8.0, 5.0))
    tell(ears, 1.2, plan, path("mars", (1.0, 1.0)))
    assert not ears.sightings["r1"].plan


def test_the_trail_has_a_point_each_quarter_of_a_metre_and_an_end() -> None:
    ears = listener()
    for step in range(2000):
        tell_pose(ears, float(step), step * 0.05, 0.0)
    trail = list(ears.sightings["r1"].driven)
    assert len(trail) == TRAIL_POINTS
    gaps = [math.dist(a, b) for a, b in pairwise(trail)]
    assert min(gaps) >= 0.25 - 1e-9


def test_a_robot_that_was_carried_leaves_no_line_across_the_hall() -> None:
    ears = listener()
    tell_pose(ears, 0.0, 0.0, 0.0)
    tell_pose(ears, 1.0, 0.5, 0.0)
    tell_pose(ears, 2.0, 50.0, 0.0)
    assert list(ears.sightings["r1"].driven) == [(50.0, 0.0)]


def test_people_are_no_sign_of_life_of_a_robot() -> None:
    ears = listener()
    people = {"people": [{"name": "ann", "position": {"x": 1.0, "y": 2.0}}]}
    tell(ears, 3.0, "/people", people)
    assert ears.people["ann"][1] == 3.0
    assert ears.sightings["r1"].heard_at is None


def test_the_stop_is_what_the_profile_calls_one() -> None:
    ears = listener()
    tell(ears, 1.0, "/r1/security_stop", {"data": True})
    assert ears.sightings["r1"].stopped
    with pytest.raises(BadMessage):
        tell(ears, 2.0, "/r1/security_stop", {"data": "yes"})
    tell(ears, 3.0, "/r1/security_stop", {"data": False})
    assert not ears.sightings["r1"].stopped


def test_a_broken_message_changes_nothing() -> None:
    ears = listener()
    tell_pose(ears, 1.0, 1.0, 2.0)
    with pytest.raises(BadMessage):
        tell(ears, 2.0, "/r1/amcl_pose", {"pose": {}})
    known = ears.sightings["r1"].reckoning.now()
    assert known is not None
    assert (known[0].x, known[1]) == (1.0, 1.0)
    assert ears.sightings["r1"].heard_at == 1.0


def test_frames_of_other_topics_are_ignored() -> None:
    ears = listener()
    tell(ears, 1.0, "/r9/amcl_pose", {})
    ears.heard(1.0, {"op": "service_response", "topic": "/r1/amcl_pose"})
    assert ears.sightings["r1"].heard_at is None


def test_the_angle_of_the_front_wheels_is_that_of_the_named_joint() -> None:
    ears = Listener([WatchedRobot("r1", load_profile("move_base_ackermann"), "r1")])
    ears.opened(0.0)
    joints = {"name": ["fl_axle", "base2lstr"], "position": [9.0, 0.4]}
    tell(ears, 0.1, "/r1/joint_states", joints)
    assert ears.sightings["r1"].steering_rad == 0.4
    tell(ears, 0.2, "/r1/joint_states", {"name": ["other"], "position": [1.0]})
    assert ears.sightings["r1"].steering_rad is None
