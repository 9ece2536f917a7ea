"""A simulation without a network and with a clock that obeys the test."""

from collections.abc import Callable

import pytest

from shopfloor.sim.clock import ManualClock
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.trace import Trace
from shopfloor.sim.vehicle import Pose
from shopfloor.sim.world import Anchor, Map, Person, RobotSpec, World
from tests.support.rosbridge import LocalClient


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
def connect(simulation: Simulation, clock: ManualClock) -> Callable[[], LocalClient]:
    return lambda: LocalClient(simulation, clock)


@pytest.fixture
def client(connect: Callable[[], LocalClient]) -> LocalClient:
    return connect()


@pytest.fixture
def ros2(world: World, clock: ManualClock) -> LocalClient:
    """A client of a simulation that speaks the ROS 2 dialect."""
    simulation = Simulation(world, clock=clock, dialect="ros2", trace=Trace(keep=True))
    simulation.fault("goal_threads *")
    simulation.fault("answer_refusals *")
    return LocalClient(simulation, clock)


@pytest.fixture
def stock_ros2(world: World, clock: ManualClock) -> LocalClient:
    """The same server as it is delivered: goals block, refusals are silent."""
    simulation = Simulation(world, clock=clock, dialect="ros2", trace=Trace(keep=True))
    return LocalClient(simulation, clock)
