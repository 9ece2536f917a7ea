"""Weights from the load cells of simulated robots over a real connection."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from websockets.sync.client import connect

from mpms.domain.errors import BusinessError
from mpms.domain.jobs import Done, Job, NotYet
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.adapters.memory import LoopbackScale
from mpms.factory.adapters.scales import BridgeScale
from mpms.factory.domain.goals import Pose
from mpms.factory.domain.worlds import RobotInfo, World
from mpms.factory.ports.robots.robots import RobotAway
from mpms.factory.ports.scales import ScaleUnavailable
from mpms.factory.settings import FactorySettings
from mpms.factory.topics.warehouse import WeighMaterial
from mpms.settings import SettingInvalid, Settings
from robot_bridge.profiles import load_profile
from robot_bridge.weighing import NotWeighed, RobotScale, Settling
from robot_bridge.weighing import RobotAway as AwayRobot
from shopfloor.sim.scale import LoadCell
from shopfloor.sim.server import RunningSimulator, running
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.vehicle import Pose as Place
from shopfloor.sim.world import RobotSpec
from shopfloor.sim.world import World as Floor

PATIENCE_S = 60.0
SOON_S = 0.4
LONG_S = 4.0
"""Enough to be connected on any machine, for readings that never come or rest."""


def plant_world(*robots: str, profile: str = "move_base") -> World:
    infos = [RobotInfo(r, "carrier", "home", profile, 1.0, 100.0) for r in robots]
    return World("test", {"home": Pose(1.0, 1.0)}, {}, tuple(infos))


@pytest.fixture
def simulator() -> Iterator[RunningSimulator]:
    floor = Floor(
        robots=(
            RobotSpec("robot1", Place(1.0, 1.0), tag=1),
            RobotSpec("robot2", Place(1.0, 3.0), tag=2),
        )
    )
    with running(Simulation(floor)) as simulator:
        yield simulator


@pytest.fixture
def scale_of(simulator: RunningSimulator) -> Callable[..., BridgeScale]:
    """Return a function that makes the scale of both robots."""

    def make(timeout_s: float = PATIENCE_S, url: str = simulator.url) -> BridgeScale:
        return BridgeScale(plant_world("robot1", "robot2"), url, timeout_s=timeout_s)

    return make


def job_with(inputs: dict[str, Any]) -> Job:
    topic, element = "scale.weigh", "weigh_material"
    return Job(1, "t1", "i1", None, element, topic, inputs, 1, (), "key")


def cell_of(simulator: RunningSimulator, robot: str) -> LoadCell:
    return simulator.simulation.robots[robot].scale.cell


def put(url: str, robot: str, kg: float | None) -> dict[str, Any]:
    """What the worker's hands do: a service of the robot's namespace."""
    with connect(url, compression=None) as link:
        call = {"op": "call_service", "service": f"/{robot}/put_load", "id": "1"}
        link.send(json.dumps(call | {"args": {"kg": kg}}))
        values: dict[str, Any] = json.loads(link.recv(timeout=PATIENCE_S))
        return values


@pytest.mark.covers("A83")
def test_the_weight_is_what_lies_on_the_robot_whatever_a_form_says(
    simulator: RunningSimulator, scale_of: Callable[..., BridgeScale]
) -> None:
    assert put(simulator.url, "robot1", 120.5)["values"]["success"]
    assert put(simulator.url, "robot2", 7.25)["values"]["success"]
    weigh = WeighMaterial(scale_of())
    form = {"robot": "robot1", "confirmed": True, "weighed_kg": 55.0}
    answer = weigh(job_with(form))
    assert isinstance(answer, Done)
    assert answer.variables["measured_kg"] == 120.5  # in steps of 0.05 kg
    assert scale_of().weigh("robot2").net_kg == 7.25
    assert put(simulator.url, "robot1", 0.0)["values"]["success"]
    assert scale_of().weigh("robot1").net_kg == 0.0


def test_a_load_that_swings_has_no_weight_until_it_rests(
    simulator: RunningSimulator, scale_of: Callable[..., BridgeScale]
) -> None:
    cell = cell_of(simulator, "robot1")
    simulator.do(lambda: cell.put(12.0))
    cell.swings_kg = 4.0
    moving = r"scale of robot1 did not send a stable weight within \S+ s \(last .* mov"
    with pytest.raises(ScaleUnavailable, match=moving):
        scale_of(LONG_S).weigh("robot1")
    found: list[float] = []
    weighing = threading.Thread(
        target=lambda: found.append(float(scale_of().weigh("robot1").net_kg))
    )
    weighing.start()
    cell.swings_kg = 0.0
    weighing.join()
    assert found == [pytest.approx(12.0, abs=0.03)]


def test_a_silent_scale_and_a_missing_server_are_named(
    simulator: RunningSimulator, scale_of: Callable[..., BridgeScale]
) -> None:
    cell_of(simulator, "robot1").silent = True
    with pytest.raises(BusinessError, match="nothing came on /robot1/scale") as caught:
        WeighMaterial(scale_of(LONG_S))(job_with({"robot": "robot1"}))
    assert caught.value.code == "ScaleUnavailable"
    with pytest.raises(ScaleUnavailable, match="there is no robot nobody"):
        scale_of(SOON_S).weigh("nobody")
    with pytest.raises(ScaleUnavailable, match="not encrypted"):
        scale_of(SOON_S, "ws://10.1.2.3:9090").weigh("robot1")
    simulator.stop()
    with pytest.raises(RobotAway, match=r"robot1 does not answer: .*refused"):
        scale_of(SOON_S).weigh("robot1")


def test_a_weighing_waits_for_a_robot_that_lost_its_connection(
    simulator: RunningSimulator, scale_of: Callable[..., BridgeScale]
) -> None:
    weigh = WeighMaterial(scale_of(LONG_S))
    simulator.fault("cut robot1")
    answer = weigh(job_with({"robot": "robot1"}))
    assert isinstance(answer, NotYet)
    assert answer.why == "robot1 does not answer: the connection was lost"


class CutOff(RobotScale):
    """A robot whose connections break as soon as they are made, and a clock of ours."""

    def __init__(self, *breaks_after_s: float) -> None:
        self.at_s, self.breaks_after_s = 0.0, list(breaks_after_s)
        super().__init__("ws://127.0.0.1:9", "move_base", "r7", now=lambda: self.at_s)

    def _listen(self, settling: Settling, until: float) -> float | None:
        after_s = self.breaks_after_s.pop(0)
        if self.at_s + after_s < until:
            self.at_s += after_s
            raise ConnectionResetError
        self.at_s = until
        return None


def test_the_last_moment_of_a_weighing_does_not_hide_that_the_robot_is_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("robot_bridge.weighing.time.sleep", lambda _: None)
    with pytest.raises(AwayRobot, match="r7 does not answer: the connection was lost"):
        CutOff(0.9, 0.2).weigh(1.0)
    with pytest.raises(NotWeighed, match="nothing came on /scale") as heard_nothing:
        CutOff(0.2, 2.0).weigh(1.0)
    assert not isinstance(heard_nothing.value, AwayRobot)


@pytest.mark.parametrize("kg", [-1.0, 1e9, None])
def test_what_cannot_lie_on_a_robot_is_refused(
    simulator: RunningSimulator, kg: float | None
) -> None:
    answer = put(simulator.url, "robot1", kg)
    assert not (answer["result"] and answer["values"]["success"])
    assert cell_of(simulator, "robot1").load_kg == 0.0


def test_a_robot_of_a_make_without_a_scale_says_so() -> None:
    profile = load_profile("move_base")
    bare = replace(profile, topics=replace(profile.topics, scale=None))
    with pytest.raises(NotWeighed, match="profile move_base names no scale of r7"):
        RobotScale("ws://127.0.0.1:9", bare, "r7")


def test_readings_agree_only_when_all_of_the_last_ones_do() -> None:
    settling = Settling(samples=3, least_kg=0.1)
    assert settling.add(0.0) is None
    assert settling.add(9.0) is None
    assert settling.add(10.0) is None
    assert settling.add(10.04) is None
    assert settling.add(9.99) == pytest.approx(10.015)
    settling.restart()
    assert settling.add(10.0) is None


def test_the_setting_says_where_a_load_is_weighed() -> None:
    world = plant_world("robot1")
    url = "ws://127.0.0.1:9090"
    assert isinstance(factory_bootstrap.connect_scale(world, url), BridgeScale)
    assert isinstance(
        factory_bootstrap.connect_scale(world, url, "memory"), LoopbackScale
    )
    assert isinstance(factory_bootstrap.connect_scale(world, None), LoopbackScale)
    robots = {"MPMS_ROBOTS_URL": url}
    chosen = Settings.read({"MPMS_SCALE": "bridge", **robots})
    assert FactorySettings.of(chosen).scale == "bridge"
    with pytest.raises(SettingInvalid, match="memory, bridge"):
        Settings.read({"MPMS_SCALE": "kitchen"})
    with pytest.raises(SettingInvalid, match="needs MPMS_ROBOTS_URL"):
        FactorySettings.of(Settings.read({"MPMS_SCALE": "bridge"}))
