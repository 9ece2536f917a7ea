"""Profiles are data, and wrong data is refused by name."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import yaml

from robot_bridge.messages import Dialect
from robot_bridge.profiles import (
    BadProfile,
    fill_goal,
    load_profile,
    parse_profile,
    shipped_profiles,
)


def data(name: str = "move_base") -> dict[str, Any]:
    file = resources.files("robot_bridge") / "profiles" / f"{name}.yaml"
    loaded: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return loaded


def test_the_shipped_profiles_load() -> None:
    assert shipped_profiles() == [
        "arco",
        "kiva",
        "move_base",
        "move_base_ackermann",
        "move_base_carrier",
        "move_base_simple",
        "nav2",
    ]
    for name in shipped_profiles():
        assert load_profile(name).name == name


def test_a_profile_of_ones_own_is_a_file(tmp_path: Path) -> None:
    mine = data() | {"name": "mine", "namespace": "/fleet/{robot_id}"}
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(mine), encoding="utf-8")
    profile = load_profile(path)
    assert profile.resolve("odom", "r7") == "/fleet/r7/odom"
    assert profile.resolve("/map", "r7") == "/map"
    assert profile.resolve("odom", "r7", "") == "/odom"


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        ({"colour": "red"}, "unknown key colour"),
        ({"limits": {"arival_m": 1}}, "limits: unknown key arival_m"),
        ({"limits": {"arrival_m": "near"}}, "limits: arrival_m: float is needed"),
        ({"limits": {"arrival_m": -1}}, "arrival_m is negative"),
        ({"limits": {"memory_s": 0.1}}, "memory_margin_s exceeds"),
        ({"dialect": "ros3"}, "none of ros1, ros2"),
        ({"dialect": "ros2"}, "does not speak ros2"),
        ({"driver": "mqtt"}, "'mqtt' is none of"),
        ({"driver": "ros1_topic"}, "needs 'goal_topic'"),
        ({"action": None}, "needs 'action'"),
        ({"topics": {}}, "key 'pose' is missing"),
        ({"topics": {"pose": {"name": "p"}}}, "key 'type' is missing"),
        ({"topics": {"pose": "amcl"}}, "a mapping is needed"),
        ({"goal": {"target": "$poze"}}, r"\$poze is none of"),
        ({"goal": 3}, "goal: str is needed, not int 3"),
        ({"allow_plain_ws": "robot7"}, "a list is needed"),
        ({"actions": {"lift": {"type": "a/B"}}}, "either 'topic' or 'service'"),
        ({"topics": {"pose": {"name": "p", "type": "Pose"}}}, "topics.pose: 'Pose'"),
        ({"action": {"name": "m", "type": "a/Move"}}, "ends in 'Action'"),
        ({"rosapi": "yes"}, "bool is needed"),
    ],
)
def test_a_wrong_profile_is_refused_with_the_key(
    change: dict[str, Any], cause: str
) -> None:
    with pytest.raises(BadProfile, match=cause):
        parse_profile(data() | change)


def test_a_missing_profile_names_the_ones_there_are(tmp_path: Path) -> None:
    with pytest.raises(BadProfile, match="shipped are arco, kiva, move_base"):
        load_profile("turtle")
    with pytest.raises(BadProfile, match="cannot be read"):
        load_profile(tmp_path / "none.yaml")
    broken = tmp_path / "broken.yaml"
    broken.write_text("a: [", encoding="utf-8")
    with pytest.raises(BadProfile, match="not YAML"):
        load_profile(broken)


def test_a_goal_fills_its_template_anywhere() -> None:
    template = {"a": ["$x", {"b": "$yaw"}], "c": "$frame", "d": 7, "e": "text"}
    filled = fill_goal(template, Dialect.ROS1, 1.0, 2.0, 0.5, "map")
    assert filled == {"a": [1.0, {"b": 0.5}], "c": "map", "d": 7, "e": "text"}
