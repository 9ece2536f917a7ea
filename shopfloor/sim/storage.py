"""Packages on the floor of a warehouse: what lies where, and robots that take it along.

A robot loads what lies at the place where it stands, and sets it down where nothing
lies. Each order has an id; the same id again gets the first answer, so that who asks
after a broken connection moves nothing twice. People put and take packages by services.
Robots that touch each other are counted here, whatever anybody planned.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from shopfloor.sim.graph import Graph, Respond
from shopfloor.sim.message_types import Message
from shopfloor.sim.trace import Trace
from shopfloor.sim.vehicle import Consumption, Pose

if TYPE_CHECKING:
    from shopfloor.sim.robot import SimRobot

NODE = "/sim"
NEAR_M = 0.3


@dataclass(frozen=True)
class Kind:
    """What robots of a type do with packages and batteries."""

    load_s: float = 5.0
    driving_pps: float = 0.02
    idle_pps: float = 0.0


@dataclass(frozen=True)
class StorageSpec:
    """Places with package detectors, what lies there at first, chargers, kinds."""

    places: Mapping[str, Pose] = field(default_factory=dict)
    stock: Mapping[str, str] = field(default_factory=dict)
    chargers: tuple[tuple[Pose, float], ...] = ()  # and percent a second
    kinds: Mapping[str, Kind] = field(default_factory=dict)


@dataclass
class _Doing:
    """An order that a robot is at."""

    id: str
    action: str
    package: str
    until_s: float
    waiting: list[Respond]


class StorageFloor:
    """Of one simulation; all robots share it."""

    def __init__(
        self,
        spec: StorageSpec,
        graph: Graph,
        robots: Mapping[str, SimRobot],
        trace: Trace,
    ) -> None:
        self.lying = dict(spec.stock)
        self.aboard: dict[str, str] = {}
        self.contacts: list[tuple[str, str]] = []
        self._spec = spec
        self._graph = graph
        self._robots = robots
        self._trace = trace
        self._now_s = 0.0
        self._doing: dict[str, _Doing] = {}
        self._done: dict[str, tuple[str, bool, str]] = {}  # robot to its last order
        self._touching: set[tuple[str, str]] = set()
        kind = "shopfloor_msgs/HandleLoad"
        for robot in robots.values():
            for action in ("load", "unload", "lift", "drop"):
                order = partial(self._order, robot.spec.id, action)
                graph.serve(robot.name(action), kind, NODE, order)
            usual = spec.kinds.get(robot.spec.kind, Kind())
            speed_mps = robot.spec.limits.speed_mps
            robot.vehicle.consumption = Consumption(
                idle_per_s=usual.idle_pps / 100.0,
                per_m=usual.driving_pps / 100.0 / speed_mps,
            )
        for action in ("put", "take"):
            graph.serve(
                f"/storage/{action}",
                "shopfloor_msgs/PlacePackage",
                NODE,
                partial(self._by_hand, action),
            )
        graph.serve("/storage/state", "shopfloor_msgs/State", NODE, self._serve_state)

    def tick(self, dt_s: float) -> None:
        """Plant time passes."""
        self._now_s += dt_s
        for robot_id, doing in list(self._doing.items()):
            if self._now_s >= doing.until_s:
                del self._doing[robot_id]
                self._finish(robot_id, doing)
        for robot in self._robots.values():
            self._charge_where_it_stands(robot)
        self._note_contacts()

    def _charge_where_it_stands(self, robot: SimRobot) -> None:
        vehicle = robot.vehicle
        vehicle.charger = None
        for pose, rate_pps in self._spec.chargers:
            if vehicle.pose.distance_to(pose) < NEAR_M:
                vehicle.charger = pose
                vehicle.consumption = replace(
                    vehicle.consumption, charge_per_s=rate_pps / 100.0
                )

    def _note_contacts(self) -> None:
        touching = set()
        for a, b in itertools.combinations(self._robots.values(), 2):
            room_m = a.spec.radius_m + b.spec.radius_m - 1e-6
            if a.vehicle.pose.distance_to(b.vehicle.pose) < room_m:
                touching.add((a.spec.id, b.spec.id))
        for pair in sorted(touching - self._touching):
            self.contacts.append(pair)
            self._trace.write(self._graph.clock.now(), "contact", robots=list(pair))
        self._touching = touching

    # Robots

    def _order(
        self, robot_id: str, action: str, request: Message, respond: Respond
    ) -> None:
        order_id, package = str(request["id"]), str(request["package"])
        last = self._done.get(robot_id)
        if last is not None and last[0] == order_id:
            respond(True, {"success": last[1], "message": last[2]})
            return
        doing = self._doing.get(robot_id)
        if doing is not None and doing.id == order_id:
            doing.waiting.append(respond)
            return
        if doing is not None:
            text = f"{robot_id} is busy with {doing.id}"
            respond(True, {"success": False, "message": text})
            return
        kind = self._spec.kinds.get(self._robots[robot_id].spec.kind, Kind())
        until_s = self._now_s + kind.load_s
        self._doing[robot_id] = _Doing(order_id, action, package, until_s, [respond])

    def _finish(self, robot_id: str, doing: _Doing) -> None:
        why = self._move_package(robot_id, doing)
        self._done[robot_id] = (doing.id, not why, why or "done")
        self._trace.write(
            self._graph.clock.now(),
            doing.action,
            robot=robot_id,
            order=doing.id,
            package=self.aboard.get(robot_id, doing.package),
            refused=why,
        )
        for respond in doing.waiting:
            respond(True, {"success": not why, "message": why or "done"})

    def _move_package(self, robot_id: str, doing: _Doing) -> str:
        """Why it cannot; empty: it is done."""
        robot = self._robots[robot_id]
        if not robot.vehicle.standing:
            return "the robot drives"
        place = self._place_of(robot.vehicle.pose)
        if doing.action in ("load", "lift"):
            if robot_id in self.aboard:
                return f"{self.aboard[robot_id]} is on it already"
            if place is None:
                self.aboard[robot_id] = doing.package  # there is no detector here
                return ""
            if place not in self.lying:
                return f"nothing lies at {place}"
            self.aboard[robot_id] = self.lying.pop(place)
            return ""
        if robot_id not in self.aboard:
            return "nothing is on it"
        if place is not None and place in self.lying:
            return f"{self.lying[place]} lies at {place}"
        package = self.aboard.pop(robot_id)
        if place is not None:
            self.lying[place] = package
        return ""

    def _place_of(self, pose: Pose) -> str | None:
        for name, at in self._spec.places.items():
            if at.distance_to(pose) < NEAR_M:
                return name
        return None

    # People

    def _by_hand(self, action: str, request: Message, respond: Respond) -> None:
        place, package = str(request["place"]), str(request["package"])
        why = ""
        if place not in self._spec.places:
            why = f"there is no place {place!r}"
        elif action == "put" and place in self.lying:
            why = f"{self.lying[place]} lies at {place}"
        elif action == "put" and not package:
            why = "the package has no name"
        elif action == "take" and place not in self.lying:
            why = f"nothing lies at {place}"
        if why:
            respond(True, {"success": False, "message": why})
            return
        if action == "put":
            self.lying[place] = package
        else:
            package = self.lying.pop(place)
        now = self._graph.clock.now()
        self._trace.write(now, f"{action} by hand", place=place, package=package)
        respond(True, {"success": True, "message": package})

    def _serve_state(self, _: Message, respond: Respond) -> None:
        respond(True, {"json": json.dumps(self.state())})

    def state(self) -> dict[str, object]:
        return {
            "lying": self.lying,
            "aboard": self.aboard,
            "contacts": [list(pair) for pair in self.contacts],
            "plant_s": round(self._now_s, 1),
        }
