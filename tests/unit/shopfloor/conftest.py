"""A simulation without a network and with a clock that obeys the test."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from shopfloor.sim.clock import ManualClock
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.trace import Trace
from shopfloor.sim.vehicle import Pose
from shopfloor.sim.world import Anchor, Map, Person, RobotSpec, World


class Client:
    """A rosbridge client that lives in the same process."""

    def __init__(self, simulation: Simulation, clock: ManualClock) -> None:
        self.session = simulation.connect()
        self.simulation = simulation
        self.clock = clock
        self.heard: list[dict[str, Any]] = []

    def send(self, op: str, **fields: Any) -> None:
        self.session.receive(json.dumps({"op": op, **fields}))

    def raw(self, frame: str | bytes) -> None:
        self.session.receive(frame)

    def frames(self) -> list[str | bytes]:
        return self.session.outbox.take_all()

    def read(self) -> list[dict[str, Any]]:
        """What came since the last read, decoded."""
        new = [json.loads(frame) for frame in self.frames()]
        self.heard += new
        return new

    def messages(self, topic: str) -> list[dict[str, Any]]:
        """Everything heard so far on a topic."""
        self.read()
        return [
            frame["msg"]
            for frame in self.heard
            if frame["op"] == "publish" and frame["topic"] == topic
        ]

    def call(self, service: str, args: Any = None) -> dict[str, Any]:
        self.send("call_service", id="call", service=service, args=args or {})
        answers = [frame for frame in self.read() if frame["op"] == "service_response"]
        assert len(answers) == 1
        return answers[0]

    def subscribe(self, topic: str, kind: str | None = None, **options: Any) -> None:
        fields = {} if kind is None else {"type": kind}
        self.send("subscribe", topic=topic, **fields, **options)

    def publish(self, topic: str, kind: str, message: dict[str, Any]) -> None:
        self.send("advertise", topic=topic, type=kind)
        self.send("publish", topic=topic, msg=message)

    def advance(self, seconds: float, step_s: float = 0.05) -> None:
        """Let time pass in small steps, as the server does."""
        for _ in range(round(seconds / step_s)):
            self.clock.advance(step_s)
            self.simulation.step()

    def goal(
        self,
        goal_id: str,
        x_m: float,
        y_m: float,
        *,
        action: str = "/robot1/move_base",
        stamp_s: int = 0,
        orientation: dict[str, float] | None = None,
    ) -> None:
        """Send a goal on the topics of an actionlib action."""
        arco = action.endswith("Make_Plan")
        kind = "upo_actions/MakePlan" if arco else "move_base_msgs/MoveBase"
        field = "global_goal" if arco else "target_pose"
        pose = {
            "position": {"x": x_m, "y": y_m},
            "orientation": orientation or {"w": 1.0},
        }
        target = {"header": {"frame_id": "map"}, "pose": pose}
        stamp = {"secs": stamp_s, "nsecs": 0}
        self.publish(
            f"{action}/goal",
            f"{kind}ActionGoal",
            {"goal_id": {"id": goal_id, "stamp": stamp}, "goal": {field: target}},
        )

    def cancel(
        self, goal_id: str = "", stamp_s: int = 0, action: str = "/robot1/move_base"
    ) -> None:
        self.publish(
            f"{action}/cancel",
            "actionlib_msgs/GoalID",
            {"id": goal_id, "stamp": {"secs": stamp_s, "nsecs": 0}},
        )

    def results(self, action: str = "/robot1/move_base") -> list[tuple[str, int]]:
        return [
            (message["status"]["goal_id"]["id"], message["status"]["status"])
            for message in self.messages(f"{action}/result")
        ]

    def statuses(self, action: str = "/robot1/move_base") -> dict[str, int]:
        """The newest status list."""
        lists = self.messages(f"{action}/status")
        return {
            entry["goal_id"]["id"]: entry["status"]
            for entry in lists[-1]["status_list"]
        }

    def watch(self, action: str = "/robot1/move_base") -> None:
        for part in ("status", "result", "feedback"):
            self.subscribe(f"{action}/{part}")


def small_world() -> World:
    return World(
        name="test",
        map=Map(0.5, 20.0, 10.0, walls=((10.0, 0.0, 10.0, 10.0),)),
        places={"home": Pose(1.0, 1.0)},
        robots=(
            RobotSpec("robot1", home=Pose(1.0, 1.0), tag=1),
            RobotSpec("robot2", home=Pose(1.0, 5.0), tag=2),
        ),
        anchors=(Anchor("a1", 1, 0.0, 0.0), Anchor("a2", 2, 20.0, 0.0)),
        people=(Person("worker", (Pose(2.0, 2.0), Pose(8.0, 2.0)), tag=500),),
    )


@pytest.fixture
def world() -> World:
    return small_world()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def simulation(world: World, clock: ManualClock) -> Simulation:
    return Simulation(world, clock=clock, trace=Trace(keep=True))


@pytest.fixture
def connect(simulation: Simulation, clock: ManualClock) -> Callable[[], Client]:
    return lambda: Client(simulation, clock)


@pytest.fixture
def client(connect: Callable[[], Client]) -> Client:
    return connect()


@pytest.fixture
def ros2(world: World, clock: ManualClock) -> Client:
    """A client of a simulation that speaks the ROS 2 dialect."""
    simulation = Simulation(world, clock=clock, dialect="ros2", trace=Trace(keep=True))
    return Client(simulation, clock)


@pytest.fixture
def client_of() -> Callable[[Simulation, ManualClock], Client]:
    """For tests that need a world of their own."""
    return Client
