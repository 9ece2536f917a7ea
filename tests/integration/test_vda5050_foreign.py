"""The VDA 5050 library of others at both ends: its vehicle under our driver, its fleet
control over our simulated vehicle. It checks every message against the schemas."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from robot_bridge.reports import CommandState, Ended, Problem
from robot_bridge.vda5050.client import VehicleClient
from robot_bridge.vda5050.profile import parse_vehicle_profile
from shopfloor.sim.server import running
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.vehicle import Pose as Place
from shopfloor.sim.world import RobotSpec, World
from shopfloor.vda5050.served import MqttFleet
from tests.support.mosquitto import Broker
from tests.support.npm_client import ROOT, fetch_client
from tests.support.waiting import eventually

SOURCE = ROOT / "tests" / "integration" / "vda5050_client"
HOME = ROOT / "build" / "npm" / "vda5050"


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    broker = Broker(tmp_path)
    yield broker
    broker.kill()


def script(name: str, broker: Broker) -> subprocess.Popen[str]:
    node = fetch_client(SOURCE, HOME)
    return subprocess.Popen(
        [*node.node, str(SOURCE / name)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "BROKER": broker.url,
            "HOME_OF_PACKAGES": str(HOME / "package.json"),
        },
    )


def test_our_driver_drives_a_vehicle_of_another_maker(broker: Broker) -> None:
    vehicle = script("vehicle.mjs", broker)
    reports: list[Any] = []
    profile = parse_vehicle_profile(
        {
            "name": "other",
            "version": "2.0.0",
            "quiet_s": 1.0,
            "base_nodes": 2,
            "instant_actions_field": "instantActions",
        }
    )
    client = VehicleClient(
        f"{broker.url}/other/agv1", profile, "agv1", lambda _, r: reports.append(r)
    )
    try:
        assert vehicle.stdout is not None
        assert vehicle.stdout.readline() == "ready\n"
        client.start()
        eventually(lambda: client.snapshot().reconciled, "a vehicle that answers")

        def drive(name: str, x: float, y: float, **more: Any) -> None:
            client.navigate(name, x, y, expires_at=time.time() + 60, **more)

        def end(name: str) -> Ended:
            ends = [r for r in reports if isinstance(r, Ended) and r.command_id == name]
            return ends[0] if ends else None  # type: ignore[return-value]

        drive("g1", 3.0, 3.0, via=[(3.0, 1.0)])
        assert eventually(lambda: end("g1")).state is CommandState.SUCCEEDED
        drive("g2", 20.0, 3.0)
        eventually(lambda: client.snapshot().command_state is CommandState.ACTIVE)
        client.cancel("g2")
        assert eventually(lambda: end("g2")).state is CommandState.CANCELLED
        drive("g3", 4.0, 4.0)
        assert eventually(lambda: end("g3")).state is CommandState.SUCCEEDED
        assert [r for r in reports if isinstance(r, Problem)] == []
    finally:
        client.stop()
        vehicle.kill()
        vehicle.wait()


def test_a_fleet_control_of_another_maker_drives_our_simulated_vehicle(
    broker: Broker,
) -> None:
    floor = World(robots=(RobotSpec("agv1", Place(1.0, 1.0), tag=1),))
    simulation = Simulation(floor, speed=4.0)
    with running(simulation) as simulator:
        fleet = simulator.do(
            lambda: MqttFleet(simulation, ["agv1"], broker.url, "2.0.0")
        )
        master = script("master.mjs", broker)
        try:
            told, _ = master.communicate(timeout=60)
        finally:
            master.kill()
        simulator.do(fleet.close)
    seen = json.loads(told)
    assert (seen["withError"], seen["byCancelation"]) == (False, False)
    assert seen["passed"] == ["a", "b", "c"]
    assert seen["states"] > 0
    assert seen["shown"] > 0
    assert seen["factsheet"]
    assert seen["connection"] == "ONLINE"
