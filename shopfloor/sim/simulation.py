"""The whole simulated plant, without a network and without waiting.

Whoever drives it calls ``step`` when time has passed: the server in real time, a
test with a clock of its own.
"""

import itertools
import json
import random
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from shopfloor.sim import sensors
from shopfloor.sim.clock import Clock, Every, WallClock
from shopfloor.sim.faults import FaultRefused, FaultSwitches
from shopfloor.sim.graph import GOAL_THREADS, Graph, Respond
from shopfloor.sim.links import EVERYTHING, Links
from shopfloor.sim.message_types import Dialect, Message, TypeRegistry
from shopfloor.sim.people import Walker
from shopfloor.sim.robot import SimRobot, range_messages
from shopfloor.sim.rosapi import RosApi
from shopfloor.sim.routes import Routes
from shopfloor.sim.server_topics import NAMES as SERVER_TOPICS
from shopfloor.sim.server_topics import ServerTopics
from shopfloor.sim.session import LOOPBACK, Session
from shopfloor.sim.storage import StorageFloor
from shopfloor.sim.trace import Trace
from shopfloor.sim.vehicle import Pose
from shopfloor.sim.world import World

NODE = "/sim"
TOUCH_M = 0.05
"""Robots that park side by side may touch: neither stands exactly on its spot."""
LONGEST_STEP_S = 0.5
"""A process that was stopped does not drive on in leaps."""


class Simulation:
    robot_type = SimRobot
    walker_type = Walker
    tells_clock = True
    """Whether ``/clock`` is the time of the stamps."""

    def __init__(
        self,
        world: World | None = None,
        *,
        clock: Clock | None = None,
        dialect: Dialect = "ros1",
        speed: float = 1.0,
        seed: int = 0,
        trace: Trace | None = None,
    ) -> None:
        self.world = world or World()
        self.clock = clock or WallClock()
        self.speed = speed
        self.trace = trace or Trace()
        self.registry = TypeRegistry(dialect)
        self.links = Links(self.clock)
        self.graph = Graph(self.registry, self.clock, self.links, self._owner_of)
        self.sessions: list[Session] = []
        self.on_fault: Callable[[], None] = lambda: None
        self.beside: list[Callable[[], None]] = []
        """What else steps with the plant: other ways to its robots."""
        self._prefixes = {robot.prefix: robot.id for robot in self.world.robots}
        self._server = ServerTopics(self.graph, tells_clock=self.tells_clock)
        self._numbers = itertools.count(1)
        self._stepped_at = self.clock.now()
        self._rng = random.Random(seed)  # noqa: S311 - noise, repeatable
        self._occupancy = sensors.occupancy(self.world.map)
        routes = Routes(self.world.map, self._occupancy[2])
        self.robots = {
            spec.id: self.robot_type(
                spec,
                self.world,
                self.graph,
                random.Random(f"{seed}:{spec.id}"),  # noqa: S311 - the same
                self.trace,
                partial(routes.bends, radius_m=spec.radius_m),
                partial(routes.costs, spec.radius_m),
                partial(routes.cost_at, radius_m=spec.radius_m),
            )
            for spec in self.world.robots
        }
        self.walkers = {
            person.id: self.walker_type(person) for person in self.world.people
        }
        self.storage = (
            None
            if self.world.storage is None
            else StorageFloor(self.world.storage, self.graph, self.robots, self.trace)
        )
        self.faults = FaultSwitches(self.graph, self.robots, self.walkers)
        self._people_due = Every(0.2)
        self._tf_due = Every(0.1)
        RosApi(self.graph)
        self._advertise()
        distro = "noetic\n" if dialect == "ros1" else "humble\n"
        self.graph.params.update({"/rosdistro": distro, "/use_sim_time": False})
        if dialect == "ros2":
            self.graph.params[GOAL_THREADS] = False

    def _owner_of(self, name: str) -> str | None:
        """The robot in whose namespace a name lies."""
        first = name.find("/", 1)
        owner = self._prefixes.get(name if first < 0 else name[:first])
        if owner is None and "" in self._prefixes:
            shared = name.startswith(("/rosapi/", "/sim/"))
            return None if shared or name in SERVER_TOPICS else self._prefixes[""]
        return owner

    @property
    def names_of_robots(self) -> list[str]:
        return list(self.robots)

    def _grid(self) -> Message:
        columns, rows, cells = self._occupancy
        origin = self.world.map.origin
        return {
            "header": self.registry.header("map", self.clock.now()),
            "info": {
                "map_load_time": self.registry.time(self.clock.now()),
                "resolution": self.world.map.resolution_m,
                "width": columns,
                "height": rows,
                "origin": {
                    "position": {"x": origin.x_m, "y": origin.y_m},
                    "orientation": {"w": 1.0},
                },
            },
            "data": cells,
        }

    def _advertise(self) -> None:
        grid = self._grid()
        prefixes = dict.fromkeys(["", *self._prefixes])
        for prefix in prefixes:
            name = f"{prefix}/map"
            self.graph.advertise(NODE, name, "nav_msgs/OccupancyGrid", latch=True)
            self.graph.publish(name, grid, latch=True)
            self.graph.advertise(NODE, f"{prefix}/people", "people_msgs/People")
        self.graph.advertise(NODE, "/tf", "tf2_msgs/TFMessage")
        self.graph.advertise(NODE, "/tf_static", "tf2_msgs/TFMessage", latch=True)
        fixed = [each for robot in self.robots.values() for each in robot.mounts()]
        self.graph.publish("/tf_static", {"transforms": fixed}, latch=True)
        self.graph.advertise(NODE, "/range", "range_msgs/P2PRange")
        self.graph.serve("/sim/fault", "shopfloor_msgs/Fault", NODE, self._serve_fault)
        self.graph.serve("/sim/state", "shopfloor_msgs/State", NODE, self._serve_state)

    def connect(self, address: str = LOOPBACK) -> Session:
        """``address`` is the client's, as others are told it."""
        session = self._session(next(self._numbers), address)
        self.sessions.append(session)
        self._server.note_client("connected", self.sessions)
        return session

    def _session(self, number: int, address: str) -> Session:
        return Session(self.graph, number, self.trace, address)

    def disconnect(self, session: Session) -> None:
        session.close()
        if session in self.sessions:
            self.sessions.remove(session)
            self._server.note_client("disconnected", self.sessions)

    def step(self) -> None:
        """Catch up with the clock."""
        now = self.clock.now()
        passed_s = min(LONGEST_STEP_S, max(0.0, now - self._stepped_at))
        self._stepped_at = now
        if self.links.frozen(EVERYTHING):
            return
        self.links.step()
        self.tick(passed_s * self.speed, self._rng)
        for robot_id, robot in self.robots.items():
            if not self.links.frozen(robot_id):
                robot.step()
        for each in self.beside:
            each()
        self._tell_shared(now)
        self._server.step(now)
        for session in self.sessions:
            session.pump()

    def tick(self, dt_s: float, rng: random.Random) -> None:
        """Let plant time pass; nothing is said and no clock is read for motion."""
        for robot_id, robot in self.robots.items():
            if not self.links.frozen(robot_id):
                robot.vehicle.keep_off = self._where_it_is_to_go(robot)
                robot.tick(dt_s)
        for walker in self.walkers.values():
            walker.tick(dt_s, rng)
        if self.storage is not None:
            self.storage.tick(dt_s)

    def _where_it_is_to_go(self, robot: SimRobot) -> tuple[Pose, float] | None:
        """Who stands at a robot's target or gets there first, and how far it has to
        keep off. Robots that meet on the way pass through each other."""
        target = robot.vehicle.target
        if target is None:
            return None
        for other in self.robots.values():
            gap_m = robot.spec.radius_m + other.spec.radius_m - TOUCH_M
            if other is robot:
                continue
            at, goes_to = other.vehicle.pose, other.vehicle.target
            if other.vehicle.speed_mps == 0.0 and at.distance_to(target) < gap_m:
                return at, gap_m
            if goes_to is None or goes_to.distance_to(target) >= gap_m:
                continue
            mine, theirs = (r.vehicle.remaining_m() for r in (robot, other))
            if (theirs, other.spec.id) < (mine, robot.spec.id):
                return target, 2.0 * gap_m  # it must still get past
        return None

    def _tell_shared(self, now: float) -> None:
        if self._people_due.due(now):
            self._tell_people(now)
        if self._tf_due.due(now) and self.graph.topics["/tf"].wanted:
            transforms: list[Any] = []
            for robot in self.robots.values():
                transforms += robot.transforms()["transforms"]
            self.graph.publish("/tf", {"transforms": transforms})

    def _tell_people(self, now: float) -> None:
        seen = [
            walker for walker in self.walkers.values() if now >= walker.tag_lost_until
        ]
        names = [f"{prefix}/people" for prefix in dict.fromkeys(["", *self._prefixes])]
        wanted = [name for name in names if self.graph.topics[name].wanted]
        if wanted:
            body = self._people(seen)
            for name in wanted:
                self.graph.publish(name, body)
        if self.graph.topics["/range"].wanted:
            header = self.registry.header("", now)
            for walker in seen:
                for message in self._ranges(header, walker):
                    self.graph.publish("/range", message)

    def _ranges(self, header: Message, walker: Walker) -> Iterable[Message]:
        tag, pose = walker.person.tag, walker.pose
        return range_messages(header, tag, pose, self.world, self._rng)

    def _people(self, seen: list[Walker]) -> Message:
        header = self.registry.header("map", self.graph.time())
        listed = [self._person(walker) for walker in seen]
        return {"header": header, "people": [each for each in listed if each]}

    def _person(self, walker: Walker) -> Message | None:
        """Where a tag is taken to be; None while nobody knows."""
        at = walker.pose.x_m, walker.pose.y_m
        return person_message(walker, at, walker.velocity, sensors.UWB_NOISE_M)

    def fault(self, command: str) -> str:
        """Apply a fault command. Raises FaultRefused with the reason."""
        done = self.faults.apply(command)
        self.trace.write(self.clock.now(), "fault", command=done)
        self.graph.log(NODE, "warning", f"fault: {done}")
        self.on_fault()
        return done

    def state(self) -> dict[str, Any]:
        return {
            "world": self.world.name,
            "time": self.clock.now(),
            "robots": [robot.state() for robot in self.robots.values()],
            "people": [
                {"id": name, "x_m": walker.pose.x_m, "y_m": walker.pose.y_m}
                for name, walker in self.walkers.items()
            ],
        }

    def _serve_fault(self, request: Message, respond: Respond) -> None:
        try:
            done = self.fault(request["command"])
        except FaultRefused as error:
            respond(True, {"success": False, "message": str(error)})
            return
        respond(True, {"success": True, "message": done})

    def _serve_state(self, _: Message, respond: Respond) -> None:
        respond(True, {"json": json.dumps(self.state())})


def person_message(
    walker: Walker,
    at_m: tuple[float, float],
    velocity_mps: tuple[float, float],
    sigma_m: float,
) -> Message:
    variance = f"{sigma_m**2:g}"
    return {
        "name": walker.person.id,
        "position": {"x": at_m[0], "y": at_m[1]},
        "velocity": {"x": velocity_mps[0], "y": velocity_mps[1]},
        "reliability": 1.0,
        "tagnames": ["tag", "covariance"],
        "tags": [str(walker.person.tag), f"{variance} 0 {variance}"],
    }
