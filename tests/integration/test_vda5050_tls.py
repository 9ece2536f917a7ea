"""Vehicles behind a broker that encrypts: with an authority of the plant's own, and
where the broker wants to know who we are, with a certificate of ours."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from robot_bridge.look import Seen
from robot_bridge.reports import CommandState, Ended, Link, LinkState
from robot_bridge.tls import TlsFiles
from robot_bridge.vda5050.client import VehicleClient
from robot_bridge.vda5050.watch import look_at_vehicle
from shopfloor.sim.server import running
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.vehicle import Pose
from shopfloor.sim.world import RobotSpec, World
from shopfloor.vda5050.served import MqttFleet
from tests.support.certificates import Certificates, make_certificates
from tests.support.mosquitto import Broker
from tests.support.waiting import eventually


@dataclass
class Plant:
    """A vehicle on the plain port of a broker whose other port is encrypted."""

    broker: Broker
    certificates: Certificates

    @property
    def url(self) -> str:
        return f"{self.broker.secure_url}/shopfloor/agv1"

    @property
    def trusting(self) -> TlsFiles:
        return TlsFiles(self.certificates.ca_file)

    @property
    def known(self) -> TlsFiles:
        made = self.certificates
        return TlsFiles(made.ca_file, made.cert, made.key)

    def looked(self, tls: TlsFiles) -> list[Seen]:
        seen: list[Seen] = []
        look_at_vehicle(self.url, "vda5050", seen.append, tls=tls, hear_s=3.0)
        return seen


@pytest.fixture(params=[False, True], ids=["trusts", "asks"])
def asks(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def plant(asks: bool, tmp_path: Path) -> Iterator[Plant]:
    certificates = make_certificates(tmp_path / "tls")
    broker = Broker(tmp_path, certificates, asks=asks)
    floor = World(robots=(RobotSpec("agv1", Pose(1.0, 1.0), tag=1),))
    simulation = Simulation(floor, speed=4.0)
    with running(simulation) as simulator:
        fleet = simulator.do(
            lambda: MqttFleet(simulation, simulation.robots, broker.url, "2.1.0")
        )
        yield Plant(broker, certificates)
        simulator.do(fleet.close)
    broker.kill()


class Owner:
    def __init__(self, plant: Plant, tls: TlsFiles) -> None:
        self.reports: list[Any] = []
        self.client = VehicleClient(
            plant.url,
            "vda5050",
            "agv1",
            lambda _, report: self.reports.append(report),
            tls=tls,
        )
        self.client.start()

    def of(self, kind: type) -> list[Any]:
        return [each for each in self.reports if isinstance(each, kind)]

    def refused(self, words: str) -> bool:
        return any(words in link.reason for link in self.of(Link))


def test_a_vehicle_behind_an_encrypted_broker_is_driven(
    plant: Plant, asks: bool
) -> None:
    owner = Owner(plant, plant.known if asks else plant.trusting)
    try:
        owner.client.navigate("g1", 3.0, 1.0, expires_at=time.time() + 60.0)
        [end] = eventually(lambda: owner.of(Ended), "an end")
    finally:
        owner.client.stop()
    assert end.state is CommandState.SUCCEEDED


def test_the_cause_is_told_where_certificates_do_not_fit(
    plant: Plant, asks: bool
) -> None:
    if asks:
        tls, words = plant.trusting, "CERTIFICATE_REQUIRED"
    else:
        tls, words = TlsFiles(plant.certificates.other_ca_file), "certificate"
    owner = Owner(plant, tls)
    try:
        eventually(lambda: owner.refused(words), f"a link refused for {words}")
        assert owner.client.snapshot().link is not LinkState.UP
    finally:
        owner.client.stop()
    *_, last = plant.looked(tls)
    assert (last.step, last.ok, last.cause) == ("tls", False, "certificate")
    assert words in last.detail


def test_the_test_of_a_connection_passes_over_tls(plant: Plant) -> None:
    steps = {seen.step: seen.ok for seen in plant.looked(plant.known)}
    assert steps["tls"] is True
    assert steps["broker"] is True
    assert steps["heard"] is True
