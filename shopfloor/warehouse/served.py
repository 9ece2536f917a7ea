"""A warehouse behind the simulator's rosbridge server.

Clients command robots over topics and change the warehouse over services; everything
that is told back comes from the pure model. What is refused, a frame that does not fit
its type included, is told on ``/warehouse/reports`` with its reason.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Sequence
from typing import Any

from shopfloor.sim import sensors
from shopfloor.sim.clock import Every
from shopfloor.sim.encoding import Payload
from shopfloor.sim.framing import Operation
from shopfloor.sim.graph import Graph, Topic
from shopfloor.sim.message_types import Message
from shopfloor.sim.session import LOOPBACK, Session
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.trace import Trace
from shopfloor.sim.vehicle import Pose as SimPose
from shopfloor.sim.world import Map, World
from shopfloor.warehouse.account import account
from shopfloor.warehouse.commands import Command, parse_command
from shopfloor.warehouse.errors import WarehouseRefused
from shopfloor.warehouse.events import Became, Event, Refused
from shopfloor.warehouse.kiva_topics import KivaTopics
from shopfloor.warehouse.lifting import pose_of_unit
from shopfloor.warehouse.messages import (
    FRAME,
    VERBS,
    model_states,
    pose_message,
    report_of,
    with_text_ids,
)
from shopfloor.warehouse.outlines import outlines
from shopfloor.warehouse.script import Script
from shopfloor.warehouse.services import NODE, WarehouseServices
from shopfloor.warehouse.stepping import give, halt, step, time_s
from shopfloor.warehouse.stock import places, pose_of_item
from shopfloor.warehouse.things import Warehouse
from shopfloor.warehouse.world_file import WorldFile, presets

REPORTS = "/warehouse/reports"
MOST_MAP_CELLS = 1_000_000
TRACK_S, MODELS_S, STATE_S = 0.2, 0.1, 0.2


class WarehouseSession(Session):
    """One that keeps no error to itself."""

    def __init__(
        self,
        graph: Graph,
        number: int,
        trace: Trace,
        tell: Callable[[str], None],
        address: str = LOOPBACK,
    ) -> None:
        super().__init__(graph, number, trace, address)
        self._tell = tell

    def _perform(self, operation: Operation) -> None:
        for part in ("msg", "args"):
            if part in operation:
                operation = {**operation, part: with_text_ids(operation[part])}
        super()._perform(operation)

    def report(self, level: str, text: str, message_id: Any) -> None:
        super().report(level, text, message_id)
        if level == "error":
            self._tell(text)


class WarehouseSimulation(Simulation):
    tells_clock = False  # it has a time of its own

    def __init__(self, start: WorldFile, **facts: Any) -> None:
        self.warehouse = start.warehouse
        self.scripts = [Script(start.commands)]
        super().__init__(_world(start.warehouse), **facts)
        self._presets = sorted(presets())
        self._kivas: dict[str, KivaTopics] = {}
        self._tracked: dict[str, Topic] = {}
        self._track_due, self._models_due = Every(TRACK_S), Every(MODELS_S)
        self._state_due = Every(STATE_S)
        self._open_topics()
        WarehouseServices(self)
        self._follow_objects()

    @property
    def names_of_robots(self) -> list[str]:
        return list(self.warehouse.robots)

    def _session(self, number: int, address: str) -> Session:
        return WarehouseSession(
            self.graph, number, self.trace, self.tell_refused, address
        )

    # Topics

    def _open_topics(self) -> None:
        graph = self.graph
        for name, kind in (
            (REPORTS, "warehouse_msgs/Report"),
            ("/model_states", "gazebo_msgs/ModelStates"),
            ("/gazebo/model_states", "gazebo_msgs/ModelStates"),
            ("/warehouse/state", "std_msgs/String"),
            ("/clock", "rosgraph_msgs/Clock"),
        ):
            graph.advertise(NODE, name, kind)
        for verb, (kind, command_of) in VERBS.items():
            graph.subscribe(verb, NODE, f"/{verb}", kind, self._obeying(command_of))
        graph.subscribe("line", NODE, "/command", "std_msgs/String", self._on_line)

    def _obeying(
        self, command_of: Callable[[Message], Command]
    ) -> Callable[[Payload], None]:
        def obey(payload: Payload) -> None:
            try:
                command = command_of(payload.message)
            except WarehouseRefused as error:
                self.tell_refused(str(error))
                return
            self.give(command)

        return obey

    def _on_line(self, payload: Payload) -> None:
        line = payload.message["data"]
        try:
            self.give(parse_command(line))
        except WarehouseRefused as error:
            self.tell_refused(str(error), line)

    def _follow_objects(self) -> None:
        """Topics for what is there, and for nothing else."""
        for name in [n for n in self._kivas if n not in self.warehouse.robots]:
            self._kivas.pop(name).close()
            del self._prefixes[f"/{name}"]
        for name in self.warehouse.robots:
            if name not in self._kivas:
                self._prefixes[f"/{name}"] = name
                self._kivas[name] = KivaTopics(
                    name,
                    self.graph,
                    lambda: self.warehouse,
                    self._status_of,
                    self._run,
                    self._halt,
                    lambda: self.world.map,
                )
        wanted = {f"/storage_units/{u}/pose" for u in self.warehouse.storage_units}
        wanted |= {f"/items/{p.item.id}/pose" for p in places(self.warehouse)}
        for name in [n for n in self._tracked if n not in wanted]:
            del self._tracked[name]
            self.graph.unadvertise(NODE, name)
        kind = "geometry_msgs/PoseStamped"
        for name in sorted(wanted - self._tracked.keys()):
            self._tracked[name] = self.graph.advertise(NODE, name, kind)

    def change(self, warehouse: Warehouse) -> None:
        """Another set of objects from now on."""
        floor_changed = warehouse.floor != self.warehouse.floor
        self.warehouse = warehouse
        self._follow_objects()
        if floor_changed:
            self.world = _world(warehouse)
            self._occupancy = sensors.occupancy(self.world.map)
            self.graph.publish("/map", self._grid(), latch=True)

    # Time

    def tick(self, dt_s: float, rng: random.Random) -> None:
        now_s = time_s(self.warehouse)
        for script in self.scripts:
            for command in script.due(self.warehouse, now_s):
                self.give(command)
        self._let_pass(dt_s)
        self.scripts = [script for script in self.scripts if not script.done]

    def _let_pass(self, dt_s: float) -> None:
        self.warehouse, told = step(self.warehouse, dt_s)
        self._hear(told)

    def give(self, command: Command) -> WarehouseRefused | None:
        """Hand over a command; why it is refused, if it is."""
        self.warehouse, told = give(self.warehouse, command)
        self._hear(told)
        return next((e.error for e in told if isinstance(e, Refused)), None)

    def start_over(self, warehouse: Warehouse, scripts: Sequence[Script] = ()) -> None:
        """Another warehouse: nobody goes on with what was begun in this one."""
        for script in self.scripts:
            script.give_up("the warehouse was replaced")
        self.scripts = list(scripts)
        self.change(warehouse)

    def _run(self, script: Script) -> None:
        self.scripts.append(script)

    def _halt(self, name: str) -> None:
        if name in self.warehouse.robots:
            self.warehouse = halt(self.warehouse, name)

    def _hear(self, told: list[Event]) -> None:
        for event in told:
            if isinstance(event, Became) and event.robot in self._kivas:
                self._tell_status(event.robot, str(event.status))
            report = report_of(event)
            if report is not None:
                self._tell(report)
        now_s = time_s(self.warehouse)
        for script in self.scripts:
            script.hear(told, now_s)

    def _tell_status(self, robot: str, status: str) -> None:
        self._kivas[robot].tell_status(status)

    def _status_of(self, robot: str) -> str:
        return str(self.warehouse.robots[robot].status)

    def tell_refused(self, reason: str, line: str = "") -> None:
        facts = {"level": "high", "kiva_id": "", "command": line}
        self._tell({**facts, "outcome": "refused", "reason": reason})

    def _tell(self, report: dict[str, str]) -> None:
        at_s = time_s(self.warehouse)
        self.trace.write(self.clock.now(), "report", time_s=at_s, **report)
        if self.graph.topics[REPORTS].wanted:
            self.graph.publish(REPORTS, {"header": self.header(), **report})

    def header(self) -> Message:
        return self.registry.header(FRAME, self.clock.now())

    def _tell_shared(self, now: float) -> None:
        for kiva in self._kivas.values():
            if not self.links.frozen(kiva.name):
                kiva.step(now)
        if self._track_due.due(now):
            self._track()
        if self._models_due.due(now):
            self._tell_models()
        if self._state_due.due(now) and self.graph.topics["/warehouse/state"].wanted:
            told = {"data": json.dumps(self.state())}
            self.graph.publish("/warehouse/state", told)
        super()._tell_shared(now)

    def _track(self) -> None:
        wanted = {name for name, topic in self._tracked.items() if topic.wanted}
        if not wanted:
            return
        warehouse = self.warehouse
        poses = {
            f"/storage_units/{unit.id}/pose": pose_of_unit(warehouse, unit)
            for unit in warehouse.storage_units.values()
        }
        for place in places(warehouse):
            name = f"/items/{place.item.id}/pose"
            if name in wanted:
                poses[name] = pose_of_item(warehouse, place)
        for name in sorted(wanted):
            body = {"header": self.header(), "pose": pose_message(poses[name])}
            self.graph.publish(name, body)

    def _tell_models(self) -> None:
        names = ("/model_states", "/gazebo/model_states")
        wanted = [name for name in names if self.graph.topics[name].wanted]
        body = model_states(self.warehouse) if wanted else {}
        for name in wanted:
            self.graph.publish(name, body)
        if self.graph.topics["/clock"].wanted:
            clock = {"clock": self.registry.time(time_s(self.warehouse))}
            self.graph.publish("/clock", clock)

    def _tell_people(self, now: float) -> None:
        if not self.graph.topics["/people"].wanted:
            return
        people = [
            {
                "name": person.id,
                "position": {"x": person.x_m, "y": person.y_m},
                "reliability": 1.0,
            }
            for person in self.warehouse.present.values()
        ]
        self.graph.publish("/people", {"header": self.header(), "people": people})

    def state(self) -> dict[str, Any]:
        facts = {"time": self.clock.now(), "presets": self._presets}
        return facts | account(self.warehouse)


def _world(warehouse: Warehouse) -> World:
    """What the shared topics tell: the map with everything that never moves."""
    floor = warehouse.floor
    half = floor.cell_m / 2.0
    finer = max(1, min(10, math.isqrt(MOST_MAP_CELLS // (floor.columns * floor.rows))))
    plan = Map(
        floor.cell_m / finer,
        floor.columns * floor.cell_m,
        floor.rows * floor.cell_m,
        tuple(outlines(floor)),
        origin=SimPose(-half, -half),
    )
    return World(name=warehouse.name, map=plan, robots=())
