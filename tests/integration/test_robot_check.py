"""What a person is told before a robot drives: wrong names, wrong addresses."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from mpms.factory.adapters.robots.check import BridgeCheck
from mpms.factory.adapters.robots.robots import BridgeRobots
from mpms.factory.domain.goals import Pose
from mpms.factory.domain.worlds import RobotInfo, World
from mpms.factory.ports.checks import CheckStep
from robot_bridge.profiles import load_profile
from robot_bridge.watch import FloorWatch
from shopfloor.sim.server import RunningSimulator, running
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.vehicle import Pose as Place
from shopfloor.sim.world import RobotSpec
from shopfloor.sim.world import World as Floor
from tests.support.waiting import eventually

ROOT = Path(__file__).resolve().parents[2]
ROBOT = RobotInfo("robot1", "carrier", "home", "move_base", 1.0, 100.0)


def world_of(*robots: RobotInfo) -> World:
    return World("test", {"home": Pose(1.0, 1.0)}, {}, robots)


@pytest.fixture
def at_the_root() -> Iterator[RunningSimulator]:
    """One robot whose topics are /amcl_pose and so on."""
    spec = RobotSpec("robot1", Place(1.0, 1.0), tag=1, namespace="")
    with running(Simulation(Floor(robots=(spec,)))) as simulator:
        yield simulator


def steps(world: World, url: str) -> list[CheckStep]:
    seen: list[CheckStep] = []
    BridgeCheck(world, url).check("robot1", seen.append)
    return seen


def test_a_wrong_namespace_is_found_though_others_listen_there(
    at_the_root: RunningSimulator,
) -> None:
    """Whoever subscribes to a name makes it exist, so it is asked for before."""
    told = steps(world_of(ROBOT), at_the_root.url)
    wrong = {
        str(s.values["topic"]): s.detail for s in told if s.cause == "unknown_topic"
    }
    assert "/robot1/amcl_pose" in wrong
    assert "it has /amcl_pose" in wrong["/robot1/amcl_pose"]
    assert "/robot1/move_base/goal" in wrong


def test_the_namespace_to_write_is_said(at_the_root: RunningSimulator) -> None:
    told = steps(world_of(ROBOT), at_the_root.url)
    [pose] = [s for s in told if s.values.get("topic") == "/robot1/amcl_pose"][:1]
    assert pose.detail.endswith('write namespace: "" for this robot in world.yaml')
    elsewhere = replace(ROBOT, namespace="robot1/base")
    told = steps(world_of(elsewhere), at_the_root.url)
    assert any('write namespace: ""' in step.detail for step in told)


def test_a_robot_with_names_at_the_root_says_so_in_the_world_file(
    at_the_root: RunningSimulator,
) -> None:
    info = replace(ROBOT, namespace="")
    told = steps(world_of(info), at_the_root.url)
    assert [s.cause for s in told if s.ok is False] == []
    robots = BridgeRobots(world_of(info), at_the_root.url)
    robots.take("robot1")
    eventually(lambda: robots.states()[0].ready, "a ready robot")
    robots.close()


def test_a_wrong_name_is_told_though_the_map_listens_to_it(
    at_the_root: RunningSimulator,
) -> None:
    """The pages listen to the same names as the worker."""
    watch = FloorWatch(
        [("robot1", at_the_root.url, load_profile("move_base"), "robot1")]
    )
    watch.start()
    try:
        eventually(
            lambda: at_the_root.do(
                lambda: "/robot1/amcl_pose" in at_the_root.simulation.graph.topics
            ),
            "somebody who listens",
        )
        told = steps(world_of(ROBOT), at_the_root.url)
    finally:
        watch.close()
    assert "/robot1/amcl_pose" in {
        s.values["topic"] for s in told if s.cause == "unknown_topic"
    }


@pytest.mark.parametrize("right", [True, False])
def test_mpms_check_looks_at_the_address_of_every_robot(
    database_url: str, at_the_root: RunningSimulator, tmp_path: Path, right: bool
) -> None:
    robot = {
        "id": "robot1",
        "kind": "carrier",
        "home": "home",
        "profile": "move_base",
        "max_speed_mps": 1.0,
        "max_payload_kg": 10.0,
        "namespace": "",
    }
    lost = {**robot, "id": "robot2", "url": "ws://127.0.0.1:9"}
    places = {"home": {"x_m": 1.0, "y_m": 1.0}}
    listed = [robot] if right else [robot, lost]
    world = {"name": "small", "places": places, "robots": listed}
    (tmp_path / "world.yaml").write_text(yaml.safe_dump(world), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mpms", "check"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "MPMS_DATABASE_URL": database_url,
            "MPMS_WORLD": str(tmp_path),
            "MPMS_ROBOTS_URL": at_the_root.url,
        },
        timeout=60,
    )
    assert "robot      robot1: answers" in done.stdout, done.stderr
    if right:
        assert done.returncode == 0
    else:
        assert done.returncode == 1
        assert "robot2: not right" in done.stdout
        assert "refused" in done.stdout
