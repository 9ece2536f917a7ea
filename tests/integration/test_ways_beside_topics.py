"""Ways are looked for beside the topics: who waits for one hears everything else."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from websockets.sync.client import ClientConnection, connect

from shopfloor.geometry import Pose
from shopfloor.maneuvers.scene import Obstacles, Way
from shopfloor.sim.server import running
from shopfloor.streets.alley import Alley, alley_world
from shopfloor.streets.served import StreetSimulation
from shopfloor.vehicles.errors import GoalUnreachable

PATIENCE_S = 60


class Gate:
    """A search that ends when the test says so."""

    def __init__(self) -> None:
        self.begun, self.open = threading.Event(), threading.Event()
        self.why = ""
        self.asked = 0

    def __call__(self, here: Pose, there: Pose, _: Obstacles) -> Way:
        self.asked += 1
        self.begun.set()
        assert self.open.wait(PATIENCE_S)
        if self.why:
            raise GoalUnreachable(self.why)
        return Way.along(np.array([(here.x_m, here.y_m), (there.x_m, there.y_m)]))


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.open.set()


@pytest.fixture
def socket(gate: Gate) -> Iterator[ClientConnection]:
    with ThreadPoolExecutor(2) as threads:
        world = alley_world(Alley(2.0))
        simulation = StreetSimulation(world, begin=threads.submit)
        (driver,) = simulation.drivers.values()
        driver.find_way = gate
        with running(simulation) as simulator, connect(simulator.url) as opened:
            yield opened
            gate.open.set()


def send(socket: ClientConnection, op: str, **fields: Any) -> None:
    socket.send(json.dumps({"op": op, **fields}))


def next_of(socket: ClientConnection, topic: str) -> Any:
    while True:
        message = json.loads(socket.recv(timeout=PATIENCE_S))
        if message.get("topic") == f"/zebrat/{topic}":
            return message["msg"]


def ask(socket: ClientConnection, name: str, x_m: float) -> None:
    pose = {"position": {"x": x_m, "y": 8.0}, "orientation": {"w": 1.0}}
    stamped = {"header": {"frame_id": "map"}, "pose": pose}
    send(
        socket,
        "publish",
        topic="/zebrat/move_base/goal",
        type="move_base_msgs/MoveBaseActionGoal",
        msg={"goal_id": {"id": name}, "goal": {"target_pose": stamped}},
    )


def ended(socket: ClientConnection, name: str) -> Any:
    while True:
        status = next_of(socket, "move_base/result")["status"]
        if status["goal_id"]["id"] == name:
            return status


def test_a_search_holds_up_nobody_and_a_cancel_ends_its_goal(
    socket: ClientConnection, gate: Gate
) -> None:
    send(socket, "subscribe", topic="/zebrat/move_base/result")
    send(socket, "subscribe", topic="/zebrat/odom")
    ask(socket, "one", 6.0)
    assert gate.begun.wait(PATIENCE_S)
    for _ in range(5):
        assert next_of(socket, "odom")["twist"]["twist"]["linear"]["x"] == 0.0
    send(
        socket,
        "publish",
        topic="/zebrat/move_base/cancel",
        type="actionlib_msgs/GoalID",
        msg={"id": "one"},
    )
    assert ended(socket, "one")["status"] == 2  # called off, while it was searched
    gate.open.set()
    for _ in range(5):
        assert next_of(socket, "odom")["twist"]["twist"]["linear"]["x"] == 0.0
    ask(socket, "two", 6.0)
    assert ended(socket, "two")["status"] == 3
    assert gate.asked == 2


def test_a_search_that_finds_nothing_ends_the_goal_with_the_cause(
    socket: ClientConnection, gate: Gate
) -> None:
    send(socket, "subscribe", topic="/zebrat/move_base/result")
    gate.why = "no way for zebrat to 6.0, 8.0"
    ask(socket, "one", 6.0)
    assert gate.begun.wait(PATIENCE_S)
    gate.open.set()
    status = ended(socket, "one")
    assert status["status"] == 4
    assert gate.why in status["text"]


def test_a_new_goal_takes_the_place_of_one_whose_way_is_still_looked_for(
    socket: ClientConnection, gate: Gate
) -> None:
    send(socket, "subscribe", topic="/zebrat/move_base/result")
    ask(socket, "one", 7.0)
    assert gate.begun.wait(PATIENCE_S)
    ask(socket, "two", 6.0)
    gate.open.set()
    assert ended(socket, "two")["status"] == 3
