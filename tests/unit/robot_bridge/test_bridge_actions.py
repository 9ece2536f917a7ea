"""A robot pauses, resumes and does what its profile names as actions."""

from __future__ import annotations

from importlib import resources
from typing import Any

import yaml

from robot_bridge import messages
from robot_bridge.profiles import parse_profile
from robot_bridge.reports import (
    Action,
    CommandState,
    FrameIn,
    Pause,
    Problem,
    Resume,
)
from tests.support.actionlib import Rig, make_rig

SUCCEEDED = CommandState.SUCCEEDED


def test_a_robot_pauses_and_resumes_with_its_goal_open(rig: Rig) -> None:
    rig.ready().navigate("g1", 5.0)
    rig.run(1)
    rig.feed(Pause())
    rig.run(5)
    assert rig.robot.x < 2.0
    assert rig.session.snapshot(rig.now).command_state is CommandState.ACTIVE
    rig.feed(Resume())
    rig.run(8)
    states = {end.command_id.split("/")[0]: end.state for end in rig.ends}
    assert states == {"pause": SUCCEEDED, "resume": SUCCEEDED, "g1": SUCCEEDED}


def lifting(**call: Any) -> Any:
    data = yaml.safe_load(
        (resources.files("robot_bridge") / "profiles/move_base.yaml").read_text()
    )
    data["actions"] = {"lift": {"type": "my_msgs/Lift", **call}}
    return parse_profile(data)


def test_an_action_is_called_once_and_ends_with_the_answer() -> None:
    rig = make_rig(lifting(service="lift", message={"height_m": 0.1}))
    rig.ready()
    rig.feed(Action("a1", "lift", rig.now + 5, {"speed": 2}))
    [call] = [f for f in rig.sent if f.get("service") == "/lift"]
    assert call["args"] == {"height_m": 0.1, "speed": 2}
    refused = messages.service_response("/lift", call["id"], "no load", False)
    rig.feed(FrameIn(refused))
    [end] = [end for end in rig.ends if end.command_id == "a1"]
    assert (end.state, end.reason) == (CommandState.ABORTED, "no load")


def test_an_action_without_an_answer_is_unknown_and_not_called_again() -> None:
    rig = make_rig(lifting(service="lift"))
    rig.ready()
    rig.swallow = lambda frame: frame.get("service") == "/lift"
    rig.feed(Action("a1", "lift", rig.now + 5))
    rig.run(11)
    rig.feed(Action("a2", "lift", rig.now + 5))
    rig.disconnect()
    ends = [(end.command_id, end.state) for end in rig.ends]
    assert ends == [("a1", CommandState.UNKNOWN), ("a2", CommandState.UNKNOWN)]
    assert len([f for f in rig.sent if f.get("service") == "/lift"]) == 2


def test_an_action_by_topic_is_published_once_and_inferred() -> None:
    rig = make_rig(lifting(topic="lift"))
    rig.feed(Action("a1", "lift", rig.now + 5))
    rig.ready()
    [end] = rig.ends
    assert (end.state, end.inferred) == (SUCCEEDED, True)


def test_a_robot_without_pause_says_so() -> None:
    rig = make_rig("move_base_simple")
    rig.ready()
    rig.feed(Pause())
    assert rig.of(Problem)[-1].kind == "no_pause"


def test_an_unknown_action_is_refused_by_name(rig: Rig) -> None:
    rig.ready()
    rig.feed(Action("a1", "lift", rig.now + 5))
    [end] = rig.ends
    assert end.state is CommandState.REJECTED
    assert "lift" in end.reason
