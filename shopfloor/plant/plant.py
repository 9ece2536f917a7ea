"""The plant itself: everything in it, one step of 25 ms at a time.

All randomness comes from the seed, one stream for each thing that needs luck, so that
one box more changes nothing but what it really changes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from shopfloor.geometry import Pose, TagSeen
from shopfloor.grid import Grid
from shopfloor.local.peers import Peer
from shopfloor.plant.boxes import Box, with_boxes
from shopfloor.plant.doors import Door
from shopfloor.plant.floor_map import grid_of
from shopfloor.plant.gap_kernels import gap_to_quads, gaps
from shopfloor.plant.lattice import Traffic
from shopfloor.plant.robots import Localisation, PlantRobot
from shopfloor.plant.tags import TagNetwork
from shopfloor.plant.walkers import ROOM_M, Manners, Walker
from shopfloor.sim.world import World
from shopfloor.tracking import RangeNoise

STEP_S = 0.025
TAGS_EVERY = 2
"""Steps between two ranges of a tag, and between two positions told to robots."""
REACH_M = 2.0
"""Nothing farther away is measured for the report."""
NO_QUADS = np.empty((0, 4, 2))
NO_SEGMENTS = np.empty((0, 4))


MOVING_MPS = 0.05
"""A robot that is slower stands, when it comes to who touched whom."""


@dataclass(frozen=True, slots=True)
class Touch:
    """A robot and a person met hull to body."""

    at_s: float
    person: str
    robot_mps: float
    """How fast the robot came towards the person; below zero it was leaving."""
    person_mps: float

    @property
    def by_robot(self) -> bool:
        return self.robot_mps > MOVING_MPS


@dataclass
class Watch:
    """What happened to one robot so far, by the truth."""

    nearest_wall_m: float = REACH_M
    nearest_box_m: float = REACH_M
    nearest_person_m: float = REACH_M
    nearest_robot_m: float = REACH_M
    nearest_door_m: float = REACH_M
    """Of the closed ones."""
    contacts: int = 0
    touching: set[str] = field(default_factory=set)
    touches: list[Touch] = field(default_factory=list)
    """With people, and who moved; they are among the contacts too."""
    touched: set[str] = field(default_factory=set)

    @property
    def contacts_by_robot(self) -> int:
        """With people, while the robot moved towards them."""
        return sum(touch.by_robot for touch in self.touches)

    def note(
        self,
        wall: float,
        box: float,
        person: float,
        robot: float,
        door: float = REACH_M,
    ) -> None:
        self.nearest_wall_m = min(self.nearest_wall_m, wall)
        self.nearest_box_m = min(self.nearest_box_m, box)
        self.nearest_person_m = min(self.nearest_person_m, person)
        self.nearest_robot_m = min(self.nearest_robot_m, robot)
        self.nearest_door_m = min(self.nearest_door_m, door)
        if min(wall, box, person, robot, door) > 0.0 and not self.touching:
            return
        named = {
            "wall": wall,
            "box": box,
            "person": person,
            "robot": robot,
            "door": door,
        }
        now = {name for name, gap in named.items() if gap <= 0.0}
        self.contacts += len(now - self.touching)
        self.touching = now


class Plant:
    def __init__(
        self,
        world: World,
        seed: int = 0,
        *,
        boxes: Sequence[Box] = (),
        people: int = 0,
        localisation: Localisation = "amcl",
        manners: Manners | Sequence[Manners] | None = None,
        noise: RangeNoise | None = None,
        grid: Grid | None = None,
        robots: Sequence[PlantRobot] | None = None,
    ) -> None:
        self.world = world
        self.seed = seed
        self.now_s = 0.0
        self._step = 0
        self.grid = grid_of(world.map) if grid is None else grid
        if robots is None:
            traffic = Traffic()
            robots = [
                PlantRobot(
                    spec,
                    self.grid,
                    (seed, 10 + i),
                    localisation=localisation,
                    traffic=traffic,
                )
                for i, spec in enumerate(world.robots)
            ]
        self.robots = list(robots)
        self.watches = [Watch() for _ in self.robots]
        self.tags = TagNetwork(self.grid, world.anchors, noise, seed)
        for robot in self.robots:
            self.tags.add(robot.id, robot=True)
        self.boxes: tuple[Box, ...] = ()
        self._floor = self.grid
        self._quads, self._segments = NO_QUADS, NO_SEGMENTS
        self.walkers: list[Walker] = []
        self._people: list[TagSeen] = []
        self._peers: dict[str, list[Peer]] = {}
        self.doors = {
            spec.id: Door(spec, (seed, 500 + i)) for i, spec in enumerate(world.doors)
        }
        self._leaves, self._floors = NO_QUADS, dict[tuple[bool, ...], Grid]()
        for door in self.doors.values():
            door.step(self.now_s, self._bodies())
        self.put_boxes(boxes)
        kinds = manners if isinstance(manners, Sequence) else [manners]
        for i in range(people):
            self._add_walker(i, kinds[i % len(kinds)])

    def put_boxes(self, boxes: Sequence[Box]) -> None:
        """From now on these boxes stand there and no others."""
        self.boxes = tuple(boxes)
        self._floors.clear()
        self._quads = NO_QUADS
        if self.boxes:
            self._quads = np.stack([box.corners() for box in self.boxes])
        self._lay_floor()

    def _lay_floor(self) -> None:
        """What stands there now: the boxes, and the doors that are closed."""
        leaves = [door.leaf for door in self.doors.values() if door.closed]
        standing = [*self.boxes, *leaves]
        closed = tuple(door.closed for door in self.doors.values())
        if closed not in self._floors:
            floor = with_boxes(self.grid, standing).inflated(ROOM_M)
            self._floors[closed] = floor
        self._floor = self._floors[closed]
        self._segments, self._leaves = NO_SEGMENTS, NO_QUADS
        if standing:
            self._segments = np.vstack([box.segments() for box in standing])
        if leaves:
            self._leaves = np.stack([leaf.corners() for leaf in leaves])
        for walker in self.walkers:
            walker.reroute()

    def _bodies(self) -> list[tuple[float, float, float]]:
        """Discs that hold everybody, and each robot until it could stand."""
        found = [walker.disc for walker in self.walkers]
        for robot in self.robots:
            body = robot.body
            reach_m = robot.hull.reach_m + body.able.braking_distance_m(body.speed_mps)
            found.append((body.pose.x_m, body.pose.y_m, reach_m))
        return found

    def _move_doors(self) -> None:
        bodies = self._bodies()
        moved = [door.step(self.now_s, bodies) for door in self.doors.values()]
        if any(moved):
            self._lay_floor()

    def _add_walker(self, index: int, manners: Manners | None) -> None:
        random = np.random.default_rng((self.seed, 1000 + index))
        free = np.argwhere(self._floor.cells == 0)
        for _ in range(200):
            row, column = free[int(random.integers(len(free)))]
            x, y = self._floor.to_metres(np.array([[column + 1.5, row + 1.5]]))[0]
            here = Pose(float(x), float(y))
            if all(here.distance_to(r.body.pose) > 2.0 for r in self.robots):
                break
        walker = Walker(f"person{index + 1}", here.x_m, here.y_m, random, manners)
        self.add_walker(walker)

    def add_walker(self, walker: Walker) -> None:
        """Somebody with a will of their own, and a tag."""
        self.walkers.append(walker)
        self.tags.add(walker.name)
        if any([door.give_way(walker.disc) for door in self.doors.values()]):
            self._lay_floor()

    @property
    def people_seen(self) -> list[TagSeen]:
        """What robots were last told about people."""
        return list(self._people)

    def step(self) -> None:
        self.now_s = self._step * STEP_S
        if self.doors:
            self._move_doors()
        hulls = [(robot.body.pose, robot.hull.radius_m) for robot in self.robots]
        for walker in self.walkers:
            walker.step(self.now_s, STEP_S, self._floor, hulls)
        ask_tags = self._step % TAGS_EVERY == 0
        if ask_tags:
            for walker in self.walkers:
                self.tags.measure(self.now_s, walker.name, walker.x_m, walker.y_m)
            found = (self.tags.seen(w.name, self.now_s) for w in self.walkers)
            self._people = [tag for tag in found if tag is not None]
        bodies = self._discs(self.walkers)
        for index, robot in enumerate(self.robots):
            discs = bodies
            if len(hulls) > 1:
                discs = np.vstack([bodies, self._others(hulls, index)])
            ask_tag = partial(self.tags.seen, robot.id, self.now_s)
            robot.sense(self.now_s, self._segments, discs, ask_tag)
            if ask_tags:
                self.tags.drive(self.now_s, robot.id, robot.odometry)
                pose = robot.body.pose
                self.tags.measure(self.now_s, robot.id, pose.x_m, pose.y_m)
        if ask_tags and len(self.robots) > 1:
            self._tell_peers()
        for robot in self.robots:
            robot.act(self.now_s, STEP_S, self._people, self._peers.get(robot.id, ()))
        self._watch(bodies)
        self._step += 1
        self.now_s = self._step * STEP_S

    def _tell_peers(self) -> None:
        """Every robot hears the tags of the others; the first in order goes first."""
        order = {robot.id: i for i, robot in enumerate(self.robots)}
        seen = [(r, self.tags.seen(r.id, self.now_s)) for r in self.robots]
        for robot in self.robots:
            self._peers[robot.id] = [
                Peer(tag, other.hull.radius_m, order[other.id] < order[robot.id])
                for other, tag in seen
                if tag is not None and other is not robot
            ]

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP_S)):
            self.step()

    @staticmethod
    def _discs(walkers: Sequence[Walker]) -> NDArray[np.float64]:
        return np.array([walker.disc for walker in walkers]).reshape(-1, 3)

    @staticmethod
    def _others(hulls: Sequence[tuple[Pose, float]], index: int) -> NDArray[np.float64]:
        rows = [(p.x_m, p.y_m, r) for i, (p, r) in enumerate(hulls) if i != index]
        return np.array(rows).reshape(-1, 3)

    def _watch(self, bodies: NDArray[np.float64]) -> None:
        hulls = [(robot.body.pose, robot.hull.radius_m) for robot in self.robots]
        left, low, _ = self.grid.origin
        for index, (robot, watch) in enumerate(
            zip(self.robots, self.watches, strict=True)
        ):
            pose, hull = robot.body.pose, robot.hull
            wall, box, person = gaps(
                pose.x_m,
                pose.y_m,
                pose.yaw_rad,
                hull.radius_m,
                hull.length_m,
                hull.width_m,
                self.grid.cells,
                left,
                low,
                self.grid.resolution_m,
                min(REACH_M, watch.nearest_wall_m + 0.1),
                self._quads,
                bodies,
            )
            other = REACH_M
            for i, (there, radius) in enumerate(hulls):
                if i != index:
                    gap = pose.distance_to(there) - radius - hull.radius_m
                    other = min(other, gap)
            if math.isnan(wall + box + person):
                raise ArithmeticError(f"robot {robot.id} left the plant at {pose}")
            door = REACH_M
            if len(self._leaves):
                door = gap_to_quads(
                    pose.x_m,
                    pose.y_m,
                    pose.yaw_rad,
                    hull.radius_m,
                    hull.length_m,
                    hull.width_m,
                    self._leaves,
                )
            watch.note(wall, box, person, other, door)
            if person <= 0.0 or watch.touched:
                self._note_touches(robot, watch)

    def _note_touches(self, robot: PlantRobot, watch: Watch) -> None:
        """Who touches the robot now, and how fast both came."""
        pose, command = robot.body.pose, robot.command
        turned = Pose(0.0, 0.0, pose.yaw_rad)
        speed = turned.plus(Pose(command.vx_mps, command.vy_mps))
        now = set()
        for walker in self.walkers:
            dx, dy = walker.x_m - pose.x_m, walker.y_m - pose.y_m
            away = math.hypot(dx, dy) or 1e-9
            if away - robot.hull.reach_m - walker.manners.body_m > 0.0:
                continue
            now.add(walker.name)
            if walker.name not in watch.touched:
                robot_mps = (speed.x_m * dx + speed.y_m * dy) / away
                person_mps = -(walker.vx_mps * dx + walker.vy_mps * dy) / away
                touch = Touch(self.now_s, walker.name, robot_mps, person_mps)
                watch.touches.append(touch)
        watch.touched = now
