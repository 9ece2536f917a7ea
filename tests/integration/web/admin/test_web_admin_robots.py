"""Robots: what the list says, resting with a reason, and a test that moves nothing."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from mpms.domain.jobs import Done, Job, NotYet
from mpms.factory.adapters.robots.check import BridgeCheck
from mpms.factory.domain.goals import Pose as Place
from mpms.factory.domain.worlds import RobotInfo
from mpms.factory.domain.worlds import World as Plant
from mpms.factory.ports.checks import CheckStep
from mpms.factory.ports.robots.robots import RobotState
from mpms.factory.topics.robot_assign import AssignRobot
from mpms.factory.web.bounded import bounded
from shopfloor.sim.server import RunningSimulator, running
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.vehicle import Pose
from shopfloor.sim.world import Map, RobotSpec, World
from tests.support.site import Browser
from tests.support.web_admin import Office


@pytest.fixture
def sim() -> Iterator[RunningSimulator]:
    hall = World(
        name="hall",
        map=Map(0.1, 12.0, 8.0, walls=((0.0, 1.0, 12.0, 1.0),)),
        robots=(RobotSpec("r1", home=Pose(2.0, 2.0, 0.5)),),
    )
    with running(Simulation(hall)) as simulator:
        yield simulator


def plant(profile: str = "move_base", robot: str = "r1") -> Plant:
    info = RobotInfo(robot, "carrier", "home", profile, 1.0, 100.0)
    return Plant("hall", {"home": Place(2.0, 2.0)}, {}, (info,))


def steps_of(world: Plant, url: str | None) -> list[CheckStep]:
    found: list[CheckStep] = []
    BridgeCheck(world, url).check(world.robots[0].id, found.append)
    return found


def failed(steps: list[CheckStep]) -> list[tuple[str, str]]:
    return [(step.name, step.cause) for step in steps if step.ok is False]


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A healthy robot may answer late on a busy machine."""
    for limit in ("CONNECT_S", "ANSWER_S"):
        monkeypatch.setattr(f"robot_bridge.look.{limit}", 60.0)


@pytest.mark.usefixtures("patient")
def test_a_healthy_robot_passes_every_step_and_does_not_move(
    sim: RunningSimulator,
) -> None:
    steps = steps_of(plant(), sim.url)
    assert failed(steps) == []
    names = [step.name for step in steps]
    assert names[:6] == ["profile", "tcp", "websocket", "rosapi", "fits", "heard"]
    pose = steps[-1]
    assert (pose.name, pose.values["x_m"], pose.values["y_m"]) == ("pose", 2.0, 2.0)
    robot = sim.simulation.robots["r1"]
    assert robot.vehicle.pose.x_m == pytest.approx(2.0)


def test_a_frozen_server_is_told_from_a_closed_port(sim: RunningSimulator) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        closed = f"ws://127.0.0.1:{held.getsockname()[1]}"
        assert failed(steps_of(plant(), closed)) == [("tcp", "refused")]
    sim.simulation.faults.apply("freeze r1 600")
    steps = failed(steps_of(plant(), sim.url))
    assert ("heard", "silent") in steps or ("rosapi", "silent") in steps
    assert ("tcp", "refused") not in steps


def test_a_profile_that_does_not_fit_is_named_by_its_topics(
    sim: RunningSimulator,
) -> None:
    steps = steps_of(plant(robot="r9"), sim.url)
    assert ("fits", "unknown_topic") in failed(steps)
    assert failed(steps_of(plant("no_such_make"), sim.url)) == [
        ("profile", "bad_profile")
    ]
    assert failed(steps_of(plant(), "ws://192.0.2.1:9090")) == [("address", "unsafe")]


def test_a_test_that_hangs_is_given_up_and_runs_once_at_a_time() -> None:
    release = threading.Event()

    def hang(tell: Any) -> None:
        tell(CheckStep("tcp", True))
        release.wait()

    steps = bounded("robot x", hang, limit_s=2.0)
    assert [(s.name, s.cause) for s in steps] == [("tcp", ""), ("limit", "too_slow")]
    with pytest.raises(Exception, match="already running"):
        bounded("robot x", hang)
    release.set()


@pytest.mark.usefixtures("patient")
def test_the_page_tests_only_robots_of_the_world(
    office: Office, sim: RunningSimulator
) -> None:
    world = plant()
    doors = BridgeCheck(world, sim.url)
    adam = office.browser_of("adam", world=world, robot_check=doors)
    answer = adam.post("/admin/robots/r1/test", headers={"HX-Request": "true"})
    assert "Everything that was tried works." in answer.text
    assert "<html" not in answer.text
    assert adam.post("/admin/robots/evil/test").status_code == 404
    assert office.told("connection tested") == [
        ("adam", {"robot": "r1", "worked": True})
    ]
    page = adam.get("/admin/robots/r1").text
    assert "/r1/amcl_pose" in page
    assert office.browser_of("sofia").post("/admin/robots/r1/test").status_code == 403


def ready(office: Office, *robots: str) -> None:
    with office.uow() as tx:
        tx.robots.own(robots, worker="w1", lease_s=60.0)
        states = [RobotState(name, True, 1.0, 1.0, 0.9) for name in robots]
        tx.robots.report(states, worker="w1")


def assigned(office: Office) -> object:
    office.deploy("forms/load_material.form", "processes/warehouse_simplified.bpmn")
    ((instance,),) = office.rows(
        "INSERT INTO instances (id, definition_id, key)"
        " SELECT gen_random_uuid(), max(id), 'k' FROM definitions RETURNING id::text"
    )
    job = Job(1, instance, instance, None, "assign", "robot.assign", {}, 0, (), "key")
    with office.uow() as tx:
        return AssignRobot(office.world)(tx, job)


def test_a_robot_out_of_service_gets_no_work_until_it_is_back(
    office: Office, admin: Browser
) -> None:
    names = [robot.id for robot in office.world.robots]
    ready(office, *names)
    for name in names:
        form = {"reason": "flat tyre"}
        assert admin.post(f"/admin/robots/{name}/out", data=form).status_code == 303
    waits = assigned(office)
    assert isinstance(waits, NotYet)
    assert "out of service: flat tyre" in str(waits)
    assert "flat tyre" in admin.get("/admin/robots").text
    twice = admin.post(f"/admin/robots/{names[0]}/out", data={"reason": "again"})
    assert twice.status_code == 422
    form = {"reason": "new tyre"}
    assert admin.post(f"/admin/robots/{names[0]}/back", data=form).status_code == 303
    done = assigned(office)
    assert isinstance(done, Done)
    assert done.variables["robot"] == names[0]
    assert office.told("robot brought back") == [
        ("adam", {"robot": names[0], "old": "flat tyre", "reason": "new tyre"})
    ]


def test_resting_needs_a_reason(office: Office, admin: Browser) -> None:
    name = office.world.robots[0].id
    answer = admin.post(f"/admin/robots/{name}/out", data={"reason": "  "})
    assert answer.status_code == 422
    assert office.rows("SELECT * FROM robots_out") == []
