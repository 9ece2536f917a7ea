"""A driver of a stranger's package drives robots of another make, each goal once."""

from __future__ import annotations

import json
import shutil
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from mpms import assets
from mpms.domain.people.people import Role
from shopfloor.sim.server import RunningSimulator
from shopfloor.sim.server import running as running_simulator
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.vehicle import Pose
from shopfloor.sim.world import RobotSpec
from shopfloor.sim.world import World as Floor
from tests.packaging.test_plugins import (
    EXAMPLES,
    Pip,
    environment,
    install,
    page,
    run,
    running,
)
from tests.support.databases import Databases
from tests.support.site import Site
from tests.support.waiting import eventually

MODEL = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="urn:test">
  <process id="drive" isExecutable="true"><startEvent id="begin"/>
    <serviceTask id="go" camunda:type="external" camunda:topic="robot.move"/>
    <exclusiveGateway id="cart" default="not"/>
    <serviceTask id="weigh" camunda:type="external" camunda:topic="scale.weigh"/>
    <userTask id="look"/>
    <sequenceFlow id="a" sourceRef="begin" targetRef="go"/>
    <sequenceFlow id="b" sourceRef="go" targetRef="cart"/>
    <sequenceFlow id="is" sourceRef="cart" targetRef="weigh">
      <conditionExpression>${robot == "robot1"}</conditionExpression>
    </sequenceFlow>
    <sequenceFlow id="not" sourceRef="cart" targetRef="look"/>
    <sequenceFlow id="c" sourceRef="weigh" targetRef="look"/>
  </process></definitions>"""


class Controller(socketserver.ThreadingTCPServer):
    """Drives each id once, and hangs up when it has begun its first drive."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Line)
        self.driven: list[dict[str, Any]] = []
        self.asked: list[str] = []


class Line(socketserver.StreamRequestHandler):
    server: Controller

    def handle(self) -> None:
        for cart in ("robot1", "robot2"):
            self._say({"cart": cart, "x": 1.0, "y": 2.0, "battery": 0.9})
        for line in self.rfile:
            told = json.loads(line)
            if "weigh" in told:
                self._say({"weighed": told["weigh"], "kg": "12.50"})
                continue
            self.server.asked.append(told["go"])
            known = [drive["go"] for drive in self.server.driven]
            if told["go"] not in known:
                self.server.driven.append(told)
                if not known:
                    return  # the link breaks while the cart drives
            self._say({"goal": told["go"], "state": "driving"})
            self._say({"goal": told["go"], "state": "arrived"})

    def _say(self, message: dict[str, object]) -> None:
        self.wfile.write(json.dumps(message).encode() + b"\n")


@contextmanager
def controller() -> Iterator[Controller]:
    with Controller() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def driver(pip: Pip, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("driver")
    install(pip, directory, EXAMPLES / "robot_driver")
    return directory


def plant_of_two_makes(directory: Path, url: str) -> Path:
    """A world whose second robot speaks rosbridge at this address."""
    shipped = assets.directory("worlds") / "arco_lab"
    world = yaml.safe_load((shipped / "world.yaml").read_text("utf-8"))
    cart = world["robots"][0] | {"id": "robot1"}
    world["robots"] = [cart, cart | {"id": "robot2", "url": url, "namespace": "robot2"}]
    made = directory / "two_makes"
    shutil.copytree(shipped, made)
    (made / "world.yaml").write_text(yaml.safe_dump(world), "utf-8")
    return made


@contextmanager
def simulator() -> Iterator[RunningSimulator]:
    floor = Floor(robots=(RobotSpec("robot2", Pose(1.0, 1.0), tag=1),))
    with running_simulator(Simulation(floor, speed=50.0)) as simulator:
        yield simulator


def test_robots_of_two_makes_drive_in_one_plant_each_goal_once_though_a_link_breaks(
    driver: Path, databases: Databases, tmp_path: Path
) -> None:
    url = databases.lend()
    (tmp_path / "drive.bpmn").write_text(MODEL)
    with controller() as carts, simulator() as ros, Site(url) as site:
        facts = environment(driver, tmp_path / "state", url) | {
            "MPMS_ROBOTS_URL": f"carts://127.0.0.1:{carts.server_address[1]}",
            "MPMS_WORLD": str(plant_of_two_makes(tmp_path, ros.url)),
        }
        done = run(facts, "models", "deploy", str(tmp_path / "drive.bpmn"))
        assert done.returncode == 0, done.stderr
        site.person("adam", Role.ADMIN)
        with running(facts, "work"), running(facts, "serve") as server:
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1].rstrip("/")
            instance = site.start_only("drive", robot="robot1", place="A")
            other = site.start_only("drive", robot="robot2", place="tank")
            eventually(lambda: site.forms(instance) and site.forms(other))
            assert Decimal(site.variables(instance)["measured_kg"]) == Decimal("12.5")
            session = site.session_of("adam")
            status, text = page(f"{address}/admin/robots/robot1", session)
            assert status == 200
            assert "90" in text  # per cent of its battery, as the driver heard
    assert [drive["cart"] for drive in carts.driven] == ["robot1"]
    assert len(carts.asked) > 1  # it was asked again after the link broke
    databases.take_back(url)


def test_robots_that_nobody_drives_are_named_at_start(
    driver: Path, tmp_path: Path, database_url: str
) -> None:
    facts = environment(driver, tmp_path, database_url)
    for command in ("work", "serve"):
        said = run(facts | {"MPMS_ROBOTS_URL": "trams://127.0.0.1:4000"}, command)
        assert said.returncode == 1
        assert (
            "MPMS_ROBOTS_URL begins with trams://, and nothing that is installed"
            " drives such robots; known are: ws, wss, mqtt, mqtts, carts."
        ) in said.stderr
