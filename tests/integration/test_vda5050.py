"""Vehicles of VDA 5050 over a real broker, both versions: the driver, the simulated
vehicle, and what becomes of an order when something in between fails."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt import publish

from robot_bridge.reports import (
    CommandState,
    Diagnosis,
    Ended,
    Foreign,
    LinkState,
    Problem,
)
from robot_bridge.vda5050.client import VehicleClient
from robot_bridge.vda5050.profile import VehicleProfile, parse_vehicle_profile
from shopfloor.sim.server import RunningSimulator, running
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.vehicle import Pose as Place
from shopfloor.sim.world import RobotSpec, World
from shopfloor.vda5050.served import MqttFleet
from shopfloor.vda5050.vehicle import SimVehicle
from tests.support.mosquitto import Broker
from tests.support.waiting import eventually

VERSIONS = ("2.1.0", "3.0.0")
ROOT = Path(__file__).resolve().parents[2]


def profile_of(version: str, **more: Any) -> VehicleProfile:
    return parse_vehicle_profile(
        {
            "name": "quick",
            "version": version,
            "quiet_s": 1.0,
            "actions": {"load": "pick", "paint": "paint"},
            **more,
        }
    )


class Plant:
    """A broker, a plant of two vehicles, and what a test drives them with."""

    def __init__(self, home: Path, version: str, speed: float = 4.0) -> None:
        self.broker = Broker(home)
        self.version = version
        floor = World(
            robots=(
                RobotSpec("agv1", Place(1.0, 1.0), tag=1),
                RobotSpec("agv2", Place(1.0, 5.0), tag=2),
            )
        )
        self.simulation = Simulation(floor, speed=speed)
        self._running = running(self.simulation)
        self.simulator: RunningSimulator = self._running.__enter__()
        self.fleet = self.simulator.do(
            lambda: MqttFleet(
                self.simulation, self.simulation.robots, self.broker.url, version
            )
        )
        self._clients: list[VehicleClient] = []

    def vehicle(self, name: str = "agv1") -> SimVehicle:
        found: SimVehicle = self.fleet.lines[name].vehicle
        return found

    def started(self, name: str = "agv1") -> int:
        """How many orders it has begun to drive."""
        return len(self.vehicle(name).orders_started)

    def connect(self, name: str = "agv1", **more: Any) -> Driven:
        driven = Driven(
            f"{self.broker.url}/shopfloor/{name}",
            profile_of(self.version, **more),
            name,
        )
        self._clients.append(driven.client)
        return driven

    def ready(self, name: str = "agv1", **more: Any) -> Driven:
        driven = self.connect(name, **more)
        eventually(driven.is_up, "a vehicle that may be driven")
        return driven

    def tell(self, topic: str, body: dict[str, Any], name: str = "agv1") -> None:
        """As another fleet control."""
        root = self.vehicle(name).words.root
        publish.single(
            f"{root}/shopfloor/{name}/{topic}",
            json.dumps(body),
            hostname="127.0.0.1",
            port=self.broker.port,
        )

    def close(self) -> None:
        for client in self._clients:
            client.stop()
        self.simulator.do(self.fleet.close)
        self._running.__exit__(None, None, None)
        self.broker.kill()


class Driven:
    def __init__(self, url: str, profile: VehicleProfile, name: str) -> None:
        self.reports: list[Any] = []
        self.client = VehicleClient(
            url, profile, name, lambda _, report: self.reports.append(report)
        )
        self.client.start()

    def is_up(self) -> bool:
        seen = self.client.snapshot()
        return seen.reconciled and seen.link is LinkState.UP

    def of(self, kind: type) -> list[Any]:
        return [each for each in self.reports if isinstance(each, kind)]

    def go(self, name: str, x: float, y: float = 1.0, **more: Any) -> None:
        self.client.navigate(name, x, y, expires_at=time.time() + 120, **more)

    def state(self) -> CommandState | None:
        return self.client.snapshot().command_state

    def drives(self) -> None:
        eventually(lambda: self.state() is CommandState.ACTIVE, "a drive")

    def end(self, name: str) -> Ended:
        def ended() -> list[Ended]:
            return [each for each in self.of(Ended) if each.command_id == name]

        [one] = eventually(ended, f"an end of {name}")
        return one


@pytest.fixture(params=VERSIONS)
def plant(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Plant]:
    plant = Plant(tmp_path, request.param)
    yield plant
    plant.close()


@pytest.fixture
def one_version(tmp_path: Path) -> Iterator[Plant]:
    plant = Plant(tmp_path, "2.1.0")
    yield plant
    plant.close()


def test_a_vehicle_drives_to_its_goal_and_says_so(plant: Plant) -> None:
    agv = plant.ready()
    agv.go("g1", 4.0, 2.0)
    end = agv.end("g1")
    assert (end.state, end.inferred) == (CommandState.SUCCEEDED, False)
    pose = plant.simulation.robots["agv1"].vehicle.pose
    assert (round(pose.x_m, 1), round(pose.y_m, 1)) == (4.0, 2.0)
    assert agv.client.snapshot().battery is not None
    assert agv.of(Problem) == []


def test_a_way_over_crossings_is_released_piece_by_piece(plant: Plant) -> None:
    """Base and horizon, stitched: the vehicle drives one order to its end."""
    agv = plant.ready(base_nodes=2)
    agv.go("g1", 5.0, 1.0, via=[(2.0, 1.0), (2.0, 3.0), (5.0, 3.0)])
    assert agv.end("g1").state is CommandState.SUCCEEDED
    order = plant.vehicle().order
    assert order is not None
    assert order.update >= 3
    assert plant.started() == 1
    assert plant.vehicle().last_sequence == 8


def test_a_drive_is_cancelled(plant: Plant) -> None:
    agv = plant.ready()
    agv.go("g1", 18.0)
    agv.drives()
    agv.client.cancel("g1")
    assert agv.end("g1").state is CommandState.CANCELLED
    agv.go("g2", 2.0)
    assert agv.end("g2").state is CommandState.SUCCEEDED


def test_a_refused_order_is_told_with_its_reason(plant: Plant) -> None:
    plant.simulator.fault("reject agv1")
    agv = plant.ready()
    agv.go("g1", 3.0)
    end = agv.end("g1")
    assert end.state is CommandState.REJECTED
    assert "refused" in end.reason


def test_loading_is_done_once_however_often_it_is_asked_for(plant: Plant) -> None:
    agv = plant.ready()
    for name in ("a1", "a2"):
        agv.client.action(name, "load", {"id": "key1", "package": "box7"})
        assert agv.end(name).state is CommandState.SUCCEEDED
    assert plant.started() == 1
    agv.client.action("a3", "paint", {"id": "key2"})
    assert agv.end("a3").state is CommandState.ABORTED


def test_a_broker_that_dies_costs_nothing_but_time(one_version: Plant) -> None:
    agv = one_version.ready()
    agv.go("g1", 12.0)
    agv.drives()
    one_version.broker.kill()
    eventually(lambda: agv.client.snapshot().link is LinkState.DOWN, "a lost broker")
    one_version.broker.start()
    assert agv.end("g1").state is CommandState.SUCCEEDED
    assert one_version.started() == 1


def test_an_order_for_a_vehicle_that_is_away_is_sent_when_it_is_back(
    one_version: Plant,
) -> None:
    one_version.simulator.fault("cut agv1")
    agv = one_version.connect()
    eventually(
        lambda: "lost its connection" in str(agv.reports), "the vehicle's last will"
    )
    agv.go("g1", 3.0)
    time.sleep(1.0)
    assert one_version.started() == 0
    one_version.simulator.fault("clear agv1")
    assert agv.end("g1").state is CommandState.SUCCEEDED
    assert one_version.started() == 1


def test_a_frozen_vehicle_is_noticed_though_its_connection_is_open(
    one_version: Plant,
) -> None:
    agv = one_version.ready()
    one_version.simulator.fault("freeze agv1 6")
    eventually(lambda: agv.client.snapshot().link is LinkState.STALE, "silence")
    agv.go("g1", 3.0)
    assert agv.end("g1").state is CommandState.SUCCEEDED
    assert one_version.started() == 1


def test_another_fleet_controls_order_is_left_alone_and_told(
    one_version: Plant,
) -> None:
    agv = one_version.ready()
    here = {"x": 1.0, "y": 1.0, "mapId": "map"}
    there = {"x": 6.0, "y": 1.0, "mapId": "map"}
    nodes = [
        {
            "nodeId": f"n{i}",
            "sequenceId": 2 * i,
            "released": True,
            "nodePosition": at,
            "actions": [],
        }
        for i, at in enumerate((here, there))
    ]
    edge = {"edgeId": "e", "sequenceId": 1, "released": True, "actions": []}
    order = {"orderId": "theirs", "orderUpdateId": 0, "nodes": nodes, "edges": [edge]}
    one_version.tell("order", order)
    foreign: Callable[[], list[Foreign]] = lambda: agv.of(Foreign)  # noqa: E731
    assert eventually(foreign, "a foreign order")[0].goals == ("theirs",)
    agv.go("g1", 3.0)
    assert agv.end("g1").state is CommandState.SUCCEEDED
    assert one_version.vehicle().orders_started[0] == "theirs"
    assert one_version.started() == 2
    assert [p.kind for p in agv.of(Problem)] == ["foreign_goal"]


def test_a_vehicle_that_forgot_its_order_leaves_it_unknown(one_version: Plant) -> None:
    agv = one_version.ready()
    agv.go("g1", 18.0)
    agv.drives()
    one_version.simulator.do(one_version.vehicle().forget)
    end = agv.end("g1")
    assert end.state is CommandState.UNKNOWN
    assert "restarted" in end.reason


def test_an_empty_battery_is_told_and_the_drive_goes_on_when_it_is_charged(
    one_version: Plant,
) -> None:
    agv = one_version.ready(limits={"progress_s": 1.0})
    agv.go("g1", 12.0)
    agv.drives()
    one_version.simulator.fault("low_battery agv1 0")
    eventually(lambda: agv.client.snapshot().blocked, "a blocked drive")
    battery = agv.client.snapshot().battery
    assert battery is not None
    assert battery.fraction == 0.0
    one_version.simulator.fault("low_battery agv1 80")
    assert agv.end("g1").state is CommandState.SUCCEEDED
    assert one_version.started() == 1


def test_what_the_vehicle_says_is_broken_is_told_and_a_fatal_error_lets_nothing_start(
    one_version: Plant,
) -> None:
    agv = one_version.ready()
    vehicle = one_version.vehicle()

    def break_it() -> None:
        vehicle._error("laserError", "FATAL", "front laser: no scan", {})

    one_version.simulator.do(break_it)
    diagnoses = eventually(
        lambda: [d for d in agv.of(Diagnosis) if d.broken], "a diagnosis"
    )
    assert diagnoses[0].broken == (("laserError", "front laser: no scan"),)
    agv.client.navigate("g1", 3.0, 1.0, expires_at=time.time() + 2)
    end = agv.end("g1")
    assert end.state is CommandState.EXPIRED
    assert "front laser" in end.reason
    assert one_version.started() == 0


WORKER = """
import sys, time
from robot_bridge.vda5050.client import VehicleClient
url, name, x, maybe = sys.argv[1:]
client = VehicleClient(url, sys.argv[0] if False else "vda5050", "agv1",
                       lambda _, r: print(r, flush=True))
client.start()
client.navigate(name, float(x), 1.0, expires_at=time.time() + 120,
                maybe_sent_at=time.time() if maybe == "1" else None)
while True:
    time.sleep(1)
"""


@pytest.mark.parametrize("killed", ["before", "during", "after"])
def test_an_order_is_driven_once_though_its_worker_is_killed(
    one_version: Plant, killed: str
) -> None:
    plant, url = one_version, f"{one_version.broker.url}/shopfloor/agv1"
    x = "3.0" if killed == "after" else "9.0"
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER, url, "g1", x, "0"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        assert worker.stdout is not None
        if killed == "during":
            eventually(lambda: plant.started() == 1, "a drive")
        elif killed == "after":
            for line in worker.stdout:
                if line.startswith("Ended"):
                    break
    finally:
        worker.send_signal(signal.SIGKILL)
        worker.wait()
    agv = plant.connect()
    agv.go("g1", float(x), maybe_sent_at=time.time() - 2.0)
    assert agv.end("g1").state is CommandState.SUCCEEDED
    assert plant.started() == 1
