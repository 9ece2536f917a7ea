"""A drive in closed loop: a vehicle, a world, a planner, people on foot, a goal.

The vehicle knows the map; of what no map shows it knows what its laser has met, and
remembers it. People carry tags, so it knows where those are whom its laser can see.
Contacts are counted on the world as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.maneuvers.local import MARGIN_M, PERIOD_S, LocalPlanner
from shopfloor.maneuvers.scene import (
    Command,
    DrivingState,
    Obstacles,
    Way,
    gap_then,
)
from shopfloor.plant.walkers import BODY_M, Manners, Walker
from shopfloor.streets.world import StreetWorld
from shopfloor.vehicles.errors import GoalUnreachable, VehicleRefused
from shopfloor.vehicles.model import Vehicle
from shopfloor.vehicles.motion import advance_many, numbers_of
from shopfloor.vehicles.outline import gap_to
from shopfloor.vehicles.sensors import Lidar

STEP_S = 0.05
STUCK_S = 4.0
STUCK_M = 0.1
PATIENCE = 4
"""So many new ways are looked for on the spot before it gives up."""
EXPLAINED_M = 0.15
"""What the laser meets nearer to a wall of the map is that wall."""
SEES_M = 8.0
AROUND_PERSON_M = 0.5
PERSON_ROOM_M = 0.05
"""Kept off people beyond their body, by the planner only."""

FindWay = Callable[[Pose, Pose, Obstacles], Way]
"""From here to there around what is known beside the map. GoalUnreachable."""


@dataclass(frozen=True, slots=True)
class Drive:
    """How a drive ended and what it was like."""

    reached: bool
    why: str
    """Why it failed; empty when it reached its goal."""
    seconds: float
    length_m: float
    contacts: int
    least_gap_m: float
    ways: int
    """How many were looked for."""
    reversed_m: float
    states: NDArray[np.float64] = field(repr=False)
    """Rows x, y, yaw, speed, steering at each step."""

    @property
    def passed(self) -> bool:
        return self.reached and self.contacts == 0


@dataclass
class Driver:
    """Drives one vehicle through one world, goal after goal."""

    world: StreetWorld
    vehicle: Vehicle
    planner: LocalPlanner
    find_way: FindWay
    seed: int = 0
    people: Sequence[Walker] = ()
    told: Sequence[NDArray[np.float64]] = ()
    """What others have seen: points, rows x, y."""
    on_step: Callable[[float, Driver], None] = lambda _now, _driver: None

    def __post_init__(self) -> None:
        self.state = np.zeros((1, 5))
        self.now_s = 0.0
        self.numbers = numbers_of(self.vehicle)
        self.outline = self.vehicle.outline
        self.random = np.random.default_rng(self.seed)
        self.lidar = Lidar.of(self.vehicle) if self.vehicle.sensor("lidar") else None
        self.floor: Grid | None = None
        if self.people:
            self.floor = self.world.true_grid.inflated(0.35)
        self._seen: dict[tuple[int, int], tuple[float, float]] = {}
        for points in self.told:
            self.remember(points)

    @property
    def pose(self) -> Pose:
        return Pose(*(float(v) for v in self.state[0, :3]))

    def put(self, pose: Pose) -> None:
        """It stands there now."""
        self.state[0] = pose.x_m, pose.y_m, pose.yaw_rad, 0.0, 0.0

    def remember(self, points: NDArray[np.float64]) -> None:
        """What stands there that no map shows."""
        for x, y in points:
            self._seen[round(x * 20.0), round(y * 20.0)] = float(x), float(y)

    @property
    def seen_m(self) -> NDArray[np.float64]:
        return np.array(list(self._seen.values()), np.float64).reshape(-1, 2)

    def known(self, people: bool = True) -> Obstacles:
        """All that the vehicle may know: the map, what it has seen, whom it sees."""
        discs = self._people_seen() if people else None
        return Obstacles.of(self.world.known_walls, discs, self.seen_m)

    def _people_seen(self) -> NDArray[np.float64]:
        here, rows = self.pose, []
        for walker in self.people:
            if math.hypot(walker.x_m - here.x_m, walker.y_m - here.y_m) > SEES_M:
                continue
            rows.append(
                (
                    walker.x_m,
                    walker.y_m,
                    BODY_M + PERSON_ROOM_M,
                    walker.vx_mps,
                    walker.vy_mps,
                )
            )
        return np.array(rows, np.float64).reshape(-1, 5)

    def _look(self) -> None:
        """Keep what the laser meets and neither map nor person explains."""
        if self.lidar is None:
            return
        discs = np.array([w.disc for w in self.people], np.float64).reshape(-1, 3)
        scan = self.lidar.cut(self.pose, self.world.walls, discs, self.random)
        local = scan.points_m()
        here = self.pose
        cos, sin = math.cos(here.yaw_rad), math.sin(here.yaw_rad)
        points = np.empty_like(local)
        points[:, 0] = here.x_m + cos * local[:, 0] - sin * local[:, 1]
        points[:, 1] = here.y_m + sin * local[:, 0] + cos * local[:, 1]
        points = points[np.hypot(*(points - (here.x_m, here.y_m)).T) < SEES_M]
        off = _off_walls(points, self.world.known_walls) > EXPLAINED_M
        for disc in discs:
            off &= np.hypot(points[:, 0] - disc[0], points[:, 1] - disc[1]) > (
                AROUND_PERSON_M
            )
        self.remember(points[off])

    def step(self, command: Command, seconds: float = PERIOD_S) -> float:
        """Let plant time pass; the smallest gap on the way."""
        least = math.inf
        rows = np.array([[command.speed_mps, command.steering_rad]])
        for _ in range(round(seconds / STEP_S)):
            advance_many(self.state, rows, STEP_S, self.numbers)
            self.now_s += STEP_S
            self._walk()
            discs = np.array([w.disc for w in self.people], np.float64).reshape(-1, 3)
            x, y, yaw = (float(v) for v in self.state[0, :3])
            gap = gap_to(x, y, yaw, self.outline, self.world.walls, discs, 5.0)
            least = min(least, float(gap))
        return least

    def _walk(self) -> None:
        if self.floor is None:
            return
        bodies = [
            (pose, radius) for pose, radius in body_discs(self.vehicle, self.pose)
        ]
        for walker in self.people:
            walker.step(self.now_s, STEP_S, self.floor, bodies)

    def drive_to(
        self, goal: Pose, most_s: float = 240.0, within_m: float = 0.3
    ) -> Drive:
        """Until it is there, stuck or out of time. It never raises for a planner
        that fails: the vehicle stands still and the drive says why."""
        began_s, ways, contacts, least, length, back = self.now_s, 0, 0, 5.0, 0.0, 0.0
        states, touching, why, reached = [self.state[0].copy()], False, "", False
        stood_at, stood_since, asked = self.pose, self.now_s, 0
        way_needed = True
        while not reached and not why:
            self._look()
            if way_needed:
                try:
                    self.planner.follow(
                        self.find_way(self.pose, goal, self.known(people=asked > 0))
                    )
                except GoalUnreachable as error:
                    if asked == 0 or asked >= PATIENCE:
                        why = str(error)
                        break
                ways, way_needed = ways + 1, False
            state = DrivingState(self.pose, *(float(v) for v in self.state[0, 3:]))
            try:
                command = self.planner.command(state, self.known())
            except VehicleRefused as error:
                command, why = Command(0.0, 0.0), str(error)
            gap = self.step(command)
            least = min(least, gap)
            contacts += gap <= 0.0 and not touching
            touching = gap <= 0.0
            states.append(self.state[0].copy())
            moved = math.hypot(*(states[-1][:2] - states[-2][:2]))
            length += moved
            back += moved if states[-1][3] < 0.0 else 0.0
            self.on_step(self.now_s, self)
            reached = self.planner.arrived(state, within_m)
            if self.pose.distance_to(stood_at) > 5.0 * STUCK_M:
                asked = 0
            if self.pose.distance_to(stood_at) > STUCK_M:
                stood_at, stood_since = self.pose, self.now_s
            elif self.now_s - stood_since > STUCK_S and not reached:
                asked, stood_since, way_needed = asked + 1, self.now_s, True
                if asked > PATIENCE:
                    why = f"stuck at {self.pose.x_m:.1f}, {self.pose.y_m:.1f}"
            elif not way_needed and self._way_is_blocked():
                way_needed = True
            if self.now_s - began_s > most_s and not (reached or why):
                why = f"not there after {most_s:g} s"
        if contacts and not why:
            why = f"{contacts} contacts"
        while abs(self.state[0, 3]) > 0.0:
            least = min(least, self.step(Command(0.0, float(self.state[0, 4]))))
        return Drive(
            reached,
            why,
            self.now_s - began_s,
            length,
            contacts,
            least,
            ways,
            back,
            np.array(states),
        )

    def _way_is_blocked(self) -> bool:
        """By something seen since, within the next metres."""
        points = self.seen_m
        if not len(points):
            return False
        ahead = self.planner.ahead(4.0)
        discs = Obstacles.of(points=points).near(self.pose, SEES_M).discs
        walls = np.empty((0, 4))
        return any(
            gap_then(x, y, yaw, 0.0, self.outline, walls, discs, 1.0) < MARGIN_M / 2.0
            for x, y, yaw, _ in ahead[2::3]
        )


def _off_walls(
    points: NDArray[np.float64], walls: NDArray[np.float64]
) -> NDArray[np.float64]:
    """From each point to the nearest wall."""
    start, way = walls[:, :2], walls[:, 2:] - walls[:, :2]
    size = np.maximum((way**2).sum(axis=1), 1e-12)
    to = points[:, None, :] - start[None]
    share = np.clip((to * way).sum(axis=2) / size, 0.0, 1.0)
    return np.asarray(
        np.hypot(*(to - share[..., None] * way).transpose(2, 0, 1)).min(1)
    )


def body_discs(vehicle: Vehicle, pose: Pose) -> list[tuple[Pose, float]]:
    """The vehicle as people see it who walk around it: a row of round bodies."""
    half = vehicle.half_width_m
    length = vehicle.front_m - vehicle.back_m
    count = max(2, math.ceil(length / (1.5 * half)))
    spots = np.linspace(vehicle.back_m + half, vehicle.front_m - half, count)
    return [(pose.plus(Pose(float(x), 0.0)), half) for x in spots]


def walkers_of(world: StreetWorld, seed: int, count: int | None = None) -> list[Walker]:
    """The people of the world, who walk their rounds."""
    found = []
    for number, person in enumerate(world.world.people[:count]):
        rounds = [(p.x_m, p.y_m) for p in person.path]
        random = np.random.default_rng([seed, number])
        manners = Manners((person.speed_mps, person.speed_mps + 0.01), 0.0)
        found.append(Walker(person.id, *rounds[0], random, manners, rounds))
    return found
