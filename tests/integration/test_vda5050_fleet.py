"""Robots of ROS and vehicles of VDA 5050 in one plant, as MPMS sees them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from fleet.roads import make_roadmap
from mpms.factory.adapters.fleet_files import read_fleet
from mpms.factory.adapters.floor import BridgeFloor
from mpms.factory.adapters.robots.check import BridgeCheck
from mpms.factory.adapters.robots.roads import Roads
from mpms.factory.adapters.robots.robots import BridgeRobots, RobotsMisconfigured
from mpms.factory.adapters.worlds import read_world
from mpms.factory.domain.goals import Goal, GoalState, Pose
from mpms.factory.ports.checks import CheckStep
from tests.support.mosquitto import Broker
from tests.support.waiting import eventually

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Site:
    url: str
    world: Path
    broker: Broker


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """``shopfloor sim --vda5050`` with one robot of each kind."""
    broker = Broker(tmp_path)

    def robot(name: str, y_m: float, **more: Any) -> dict[str, Any]:
        common = {"kind": "carrier", "max_speed_mps": 1.0, "max_payload_kg": 10.0}
        return {"id": name, "home": f"home of {name}", **common, **more}

    agv_at = f"{broker.url}/shopfloor/agv1"
    world = {
        "name": "mixed",
        "map": {"resolution_m": 0.5, "width_m": 20.0, "height_m": 10.0, "walls": []},
        "places": {
            "home of ros1": {"x_m": 1.0, "y_m": 1.0},
            "home of agv1": {"x_m": 1.0, "y_m": 5.0},
        },
        "robots": [
            robot("ros1", 1.0, profile="move_base"),
            robot("agv1", 5.0, profile="vda5050", url=agv_at),
        ],
    }
    home = tmp_path / "mixed"
    home.mkdir()
    (home / "world.yaml").write_text(yaml.safe_dump(world), encoding="utf-8")
    plant = subprocess.Popen(
        [
            *(sys.executable, "-m", "shopfloor", "sim", str(home), "--port", "0"),
            *("--speed", "4", "--vda5050", broker.url, "--with-parent"),
        ],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert plant.stdout is not None
        yield Site(json.loads(plant.stdout.readline())["url"], home, broker)
    finally:
        plant.terminate()
        plant.wait()
        broker.kill()


def goal(robot: str, x_m: float, y_m: float) -> Goal:
    now = datetime.now(UTC)
    name = f"goal of {robot}"
    return Goal(name, robot, "there", Pose(x_m, y_m), GoalState.SENT, sent_at=now)


def test_robots_of_both_kinds_drive_in_one_plant(site: Site) -> None:
    world = read_world(site.world)
    robots = BridgeRobots(world, site.url)
    floor = BridgeFloor(world, site.url)
    try:
        for name in robots.names():
            robots.take(name)
        eventually(lambda: all(s.ready for s in robots.states()), "two robots")
        for each in (goal("ros1", 4.0, 2.0), goal("agv1", 4.0, 6.0)):
            robots.navigate(each, maybe_sent=False)
        ended = eventually(
            lambda: reports if len(reports := robots.reports()) == 2 else None,
            "two ends",
        )
        assert {r.state for r in ended or ()} == {GoalState.REACHED}
        at = {s.robot: (s.x_m, s.y_m) for s in robots.states()}
        assert at["agv1"] == (4.0, 6.0)
        seen = eventually(
            lambda: {r.robot: r for r in floor.seen().robots if r.x_m is not None},
            "the map",
        )
        assert seen["agv1"].y_m == pytest.approx(6.0, abs=0.05)
    finally:
        robots.close()
        floor.close()


def test_the_connection_to_a_vehicle_is_tested_by_listening(site: Site) -> None:
    told: list[CheckStep] = []

    def found_all() -> bool:
        """The vehicle may come up later than the simulator's address is said."""
        told.clear()
        BridgeCheck(read_world(site.world), site.url).check("agv1", told.append)
        return [s.cause for s in told if s.ok is False] == []

    eventually(found_all, "a vehicle that says where it is")
    assert told[-1].name == "pose"
    site.broker.kill()
    told.clear()
    BridgeCheck(read_world(site.world), site.url).check("agv1", told.append)
    assert [s.cause for s in told if s.ok is False] == ["refused"]


def test_an_address_of_a_vehicle_that_cannot_be_used_is_named(site: Site) -> None:
    path = site.world / "world.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("/shopfloor/agv1", "/agv1"), encoding="utf-8")
    with pytest.raises(RobotsMisconfigured, match=r"agv1.*<maker>/<serial>"):
        BridgeRobots(read_world(site.world), site.url)
    text = text.replace("127.0.0.1", "broker.plant")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RobotsMisconfigured, match="allow_plain_mqtt"):
        BridgeRobots(read_world(site.world), site.url)


def test_the_roads_of_the_fleet_become_nodes_on_the_way() -> None:
    files = read_fleet(ROOT / "worlds" / "warehouse_small")
    assert files is not None
    roads = Roads(files.world)
    robot = next(iter(files.world.robots))
    kind = files.world.robot_types[files.world.robots[robot].type]
    roadmap = make_roadmap(files.world, kind)
    names = sorted(roadmap.place_nodes)
    ways = {(a, b): roadmap.path(a, b) for a in names for b in names if a != b}
    (start, end), path = max(ways.items(), key=lambda each: len(each[1]))
    first, last = (roadmap.nodes[roadmap.place_nodes[n]] for n in (start, end))
    crossings = roads.crossings(robot, first, last)
    assert len(crossings) >= 1
    assert set(crossings) <= {roadmap.nodes[n] for n in path}
    assert roads.crossings("nobody", first, last) == ()
    assert Roads(None).crossings(robot, first, last) == ()
