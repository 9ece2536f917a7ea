"""The floor of a trial: robots, packages, detectors, obstacles, and a referee.

It takes the commands of the fleet and returns what sensors would report. After every
step the referee looks at every pair of robots: a contact is counted, whatever the fleet
thinks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations

from fleet import events as ev
from fleet.commands import Act, Charge, Command, Drive, Stop
from fleet.model.world import World
from fleet.roads.geometry import to_segment
from fleet.tasks.task import Action
from fleet.virtual.robot import VirtualRobot

__all__ = ["Plant", "VirtualRobot"]

SEES_M = 0.35
"""How far before an obstacle a robot stops by itself."""


@dataclass
class Plant:
    """What is really there."""

    world: World
    careful: bool = False  # robots stop for robots in front of them
    robots: dict[str, VirtualRobot] = field(default_factory=dict)
    lying: dict[str, str] = field(default_factory=dict)  # place to package
    fallen: dict[str, tuple[float, float]] = field(default_factory=dict)
    obstacles: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    contacts: list[tuple[float, str, str]] = field(default_factory=list)
    drop_next: set[str] = field(default_factory=set)  # robots that will lose a load
    max_charging: dict[str, int] = field(default_factory=dict)
    charged: dict[str, float] = field(default_factory=dict)  # robot to percent
    _touching: set[tuple[str, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        for spec in self.world.robots.values():
            home = self.world.places[spec.home]
            self.robots[spec.id] = VirtualRobot(
                spec.id,
                self.world.type_of(spec.id),
                home.x_m,
                home.y_m,
                home.yaw,
                spec.battery_percent,
            )
        for place, (package, _) in self.world.stock.items():
            self.lying[place] = package

    def put(self, place: str, package: str) -> ev.Detected:
        self.lying[place] = package
        return ev.Detected(place, True)

    def take(self, place: str) -> tuple[str, ev.Detected]:
        return self.lying.pop(place), ev.Detected(place, False)

    def obey(self, now: float, commands: list[Command]) -> None:
        for command in commands:
            robot = self.robots[command.robot]
            match command:
                case Drive():
                    robot.drive(command.path, command.yaw)
                case Act():
                    until = now + robot.type.load_s
                    robot.acts = (command.action, command.package, until)
                case Charge():
                    robot.charging = command.on
                case Stop():
                    robot.stop()

    def step(self, now: float, dt_s: float) -> list[ev.Event]:
        """Time passes; what robots and detectors say."""
        events: list[ev.Event] = []
        for robot in self.robots.values():
            blocked = self._blocked(robot)
            if blocked is not None:
                robot.stop()
                events.append(ev.Blocked(robot.id, *blocked))
            elif not (self.careful and self._sees_robot(robot)):
                robot.move(dt_s)
            else:
                robot.speed_mps = 0.0
            self._charge(robot, dt_s)
            events += self._act(robot, now)
            if robot.id in self.drop_next and robot.load and robot.path:
                self.drop_next.discard(robot.id)
                self.fallen[robot.load] = (robot.x_m, robot.y_m)
                robot.load = ""
                events.append(ev.LoadLost(robot.id))
            if not robot.dead:
                events.append(robot.report())
        self._check_contacts(now)
        return events

    def _charge(self, robot: VirtualRobot, dt_s: float) -> None:
        if not robot.charging or robot.dead:
            return
        for zone in self.world.charging.values():
            if zone.contains(robot.x_m, robot.y_m):
                gained = min(100.0 - robot.percent, zone.rate_pps * dt_s)
                robot.percent += gained
                self.charged[robot.id] = self.charged.get(robot.id, 0.0) + gained
                inside = sum(
                    1
                    for each in self.robots.values()
                    if each.charging and zone.contains(each.x_m, each.y_m)
                )
                most = self.max_charging.get(zone.id, 0)
                self.max_charging[zone.id] = max(most, inside)

    def _act(self, robot: VirtualRobot, now: float) -> list[ev.Event]:
        if robot.acts is None or robot.dead or now < robot.acts[2]:
            return []
        action, package, _ = robot.acts
        robot.acts = None
        place = self._place_of(robot)
        events: list[ev.Event] = []
        if action is Action.LOAD:
            if (
                place is None
                or robot.load
                or (place in self._watched()) != (place in self.lying)
            ):
                return [ev.Acted(robot.id, action, False, "there is no package")]
            if place in self.lying:
                robot.load, seen = self.take(place)
                events.append(seen)
            else:
                robot.load = package
        elif action is Action.UNLOAD:
            if place is None or not robot.load or place in self.lying:
                return [ev.Acted(robot.id, action, False, "cannot unload")]
            if place in self._watched():
                events.append(self.put(place, robot.load))
            robot.load = ""
        return [ev.Acted(robot.id, action), *events]

    def _watched(self) -> set[str]:
        return {*self.world.inputs, *self.world.outputs, *self.world.storage}

    def _place_of(self, robot: VirtualRobot) -> str | None:
        for place in self.world.places.values():
            if math.hypot(place.x_m - robot.x_m, place.y_m - robot.y_m) < 0.2:
                return place.id
        return None

    def _blocked(self, robot: VirtualRobot) -> tuple[float, float] | None:
        if not robot.path or robot.dead:
            return None
        for x, y, radius_m in self.obstacles.values():
            near_m = math.hypot(x - robot.x_m, y - robot.y_m) - radius_m
            if near_m - robot.type.radius_m > SEES_M:
                continue
            x1, y1 = robot.x_m, robot.y_m
            for goal in robot.path[:3]:
                ahead = (x1, y1, goal.x_m, goal.y_m)
                if to_segment(x, y, *ahead) < radius_m + robot.type.radius_m:
                    return x, y
                x1, y1 = goal.x_m, goal.y_m
        return None

    def _sees_robot(self, robot: VirtualRobot) -> bool:
        if not robot.path:
            return False
        goal = robot.path[0]
        heading = math.atan2(goal.y_m - robot.y_m, goal.x_m - robot.x_m)
        reach_m = 0.2
        x = robot.x_m + reach_m * math.cos(heading)
        y = robot.y_m + reach_m * math.sin(heading)
        for other in self.robots.values():
            if other is robot:
                continue
            room_m = robot.type.radius_m + other.type.radius_m + 0.05
            gap_m = math.hypot(other.x_m - x, other.y_m - y)
            now_m = math.hypot(other.x_m - robot.x_m, other.y_m - robot.y_m)
            if gap_m < room_m and gap_m < now_m:
                return True
        return False

    def _check_contacts(self, now: float) -> None:
        touching = set()
        for a, b in combinations(self.robots.values(), 2):
            room_m = a.type.radius_m + b.type.radius_m
            if math.hypot(a.x_m - b.x_m, a.y_m - b.y_m) < room_m - 1e-6:
                touching.add((a.id, b.id))
        for a_id, b_id in touching - self._touching:
            self.contacts.append((now, a_id, b_id))
        self._touching = touching

    def packages(self) -> list[str]:
        """Every package, wherever it is; a package twice would be here twice."""
        aboard = [robot.load for robot in self.robots.values() if robot.load]
        return sorted([*self.lying.values(), *aboard, *self.fallen])
