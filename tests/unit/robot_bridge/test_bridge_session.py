"""A robot session sends goals and keeps its link, on a made-up clock."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from robot_bridge import messages
from robot_bridge.messages import Frame
from robot_bridge.reports import (
    CommandState,
    Link,
    LinkOpened,
    LinkState,
    Progress,
    Tick,
)
from tests.support.actionlib import Rig

SUCCEEDED = CommandState.SUCCEEDED


def states(rig: Rig) -> list[CommandState]:
    seen: list[CommandState] = []
    for each in rig.of(Progress):
        if not seen or seen[-1] is not each.state:
            seen.append(each.state)
    return seen


@pytest.mark.covers("A11", "A56")
def test_a_goal_runs_through_every_state_and_ends_once(rig: Rig) -> None:
    rig.ready().navigate()
    rig.run(6)
    assert states(rig) == ["NEW", "SENT", "ACTIVE"]
    [end] = rig.ends
    assert (end.state, end.inferred) == (SUCCEEDED, False)
    assert end.distance_left_m == pytest.approx(0.0, abs=0.11)
    assert rig.robot.starts == {"g1": 1}


@pytest.mark.covers("A12")
def test_a_goal_message_carries_the_id_the_pose_and_nothing_else(rig: Rig) -> None:
    rig.ready().navigate("task-7/1", 2.0, 1.0)
    [frame] = rig.goals_sent
    assert frame["msg"]["goal_id"]["id"] == "task-7/1"
    assert set(frame["msg"]) == {"header", "goal_id", "goal"}
    assert set(frame["msg"]["goal"]) == {"target_pose"}
    pose = frame["msg"]["goal"]["target_pose"]
    assert pose["pose"]["orientation"] == {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}
    assert messages.seconds_of(pose["header"]["stamp"]) == 0.0


def test_nothing_is_published_before_the_link_is_reconciled(rig: Rig) -> None:
    rig.navigate()
    assert rig.sent == []
    rig.connected = True
    rig.feed(LinkOpened())
    assert all(frame["op"] != "publish" for frame in rig.sent)
    rig.run(1)
    assert len(rig.goals_sent) == 1


def test_a_goal_that_waited_too_long_for_the_link_is_expired_not_driven(
    rig: Rig,
) -> None:
    rig.navigate(expires_in=3.0)
    rig.run(4)
    rig.ready()
    rig.run(3)
    assert [end.state for end in rig.ends] == [CommandState.EXPIRED]
    assert rig.goals_sent == []


def test_nothing_is_published_while_the_data_is_late(rig: Rig) -> None:
    rig.ready()
    rig.mute = True
    rig.run(2)
    assert rig.of(Link)[-1].state is LinkState.DEGRADED
    rig.navigate()
    rig.run(2.5)
    assert rig.of(Link)[-1].state is LinkState.STALE
    assert rig.goals_sent == []
    rig.mute = False
    rig.run(9)
    assert [end.state for end in rig.ends] == [SUCCEEDED]


def _is_pose(frame: Frame) -> bool:
    return messages.absolute(str(frame.get("topic"))) == "/amcl_pose"


def _latched_pose(rig: Rig, patch: pytest.MonkeyPatch, *, lost: int) -> None:
    """A standing robot: its pose is said on subscription only, ``lost`` times in
    vain."""
    said = iter(range(100))
    pose = rig.robot.broadcast(rig.now)[1]
    listen, broadcast = rig.robot.receive, rig.robot.broadcast

    def receive(now: float, frame: Any) -> None:
        if frame["op"] == "subscribe" and _is_pose(frame):
            if next(said) >= lost:
                rig.robot.outbox.append(pose)
            return
        listen(now, frame)

    def without_the_pose(now: float) -> list[Frame]:
        return [frame for frame in broadcast(now) if frame["topic"] != "/amcl_pose"]

    patch.setattr(rig.robot, "receive", receive)
    patch.setattr(rig.robot, "broadcast", without_the_pose)


@pytest.mark.covers("A13")
@pytest.mark.parametrize("lost", [0, 1, 3])
def test_a_latched_pose_that_was_lost_is_asked_for_again(
    rig: Rig, lost: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _latched_pose(rig, monkeypatch, lost=lost)
    rig.navigate(expires_in=120.0)
    rig.connect()
    rig.run(30)
    assert rig.of(Link)[-1].reconciled
    assert len(rig.goals_sent) == 1
    asked = [
        frame["op"]
        for frame in rig.sent
        if frame["op"] in ("subscribe", "unsubscribe") and _is_pose(frame)
    ]
    assert asked == ["subscribe"] + ["unsubscribe", "subscribe"] * lost


def test_topics_that_speak_are_subscribed_once(rig: Rig) -> None:
    rig.ready()
    rig.run(60)
    often = Counter(frame["topic"] for frame in rig.sent if frame["op"] == "subscribe")
    assert {often[name] for name in ("/amcl_pose", "/odom", "/move_base/result")} == {1}


def test_a_list_of_goals_that_never_came_is_asked_for_again(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = False

    def lose_the_first(frame: Any) -> bool:
        nonlocal heard
        first = frame.get("topic") == "/move_base/status" and not heard
        heard = heard or frame["op"] == "unsubscribe"
        return first

    def without_the_list(now: float) -> list[Frame]:
        return [
            frame
            for frame in broadcast(now)
            if heard or frame["topic"] != "/move_base/status"
        ]

    broadcast = rig.robot.broadcast
    rig.swallow = lose_the_first
    monkeypatch.setattr(rig.robot, "broadcast", without_the_list)
    rig.navigate(expires_in=120.0)
    rig.connect()
    rig.run(20)
    assert [end.state for end in rig.ends] == [SUCCEEDED]


def test_link_states_come_in_order_with_their_reason(rig: Rig) -> None:
    rig.feed(Tick())
    rig.ready()
    rig.disconnect()
    told = [(each.state, each.reconciled) for each in rig.of(Link)]
    assert told[0] == (LinkState.DOWN, False)
    assert (LinkState.UP, True) in told
    assert told[-1] == (LinkState.DOWN, False)
    assert rig.of(Link)[-1].reason == "cut"


def test_unanswered_pings_make_the_link_stale_although_data_flows(rig: Rig) -> None:
    rig.ready()
    rig.swallow = lambda frame: frame["op"] == "call_service"
    rig.run(8)
    assert rig.of(Link)[-1].state is LinkState.DEGRADED
    rig.run(6)
    assert rig.of(Link)[-1].state is LinkState.STALE
    assert rig.of(Link)[-1].reason.startswith("no answer for")
