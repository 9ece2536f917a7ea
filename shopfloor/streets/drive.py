"""A drive in closed loop: a vehicle, a world, a planner, people on foot, a goal.

The vehicle knows the map; of what no map shows it knows what its laser has met, and
remembers it. People carry tags, so it knows where those are whom its laser can see.
Contacts are counted on the world as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fleet.bodies.model import Vehicle
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
from shopfloor.vehicles.errors import VehicleRefused
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
AROUND_BODY_M = 0.25
PERSON_ROOM_M = 0.05
"""Kept off people beyond their body, by the planner only."""

FindWay = Callable[[Pose, Pose, Obstacles], Way]
"""From here to there around what is known beside the map. GoalUnreachable."""


BeginSearch = Callable[[Callable[[], Way]], Future[Way]]
"""Begins to look for a way; whoever drives goes on meanwhile."""


def at_once(find: Callable[[], Way]) -> Future[Way]:
    """Looks for it here and now, so that the same steps give the same drive."""
    found: Future[Way] = Future()
    try:
        found.set_result(find())
    except VehicleRefused as error:
        found.set_exception(error)
    return found


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
class Going:
    """A goal and what has happened on the way to it."""

    goal: Pose
    began_s: float
    stood_at: Pose
    stood_since_s: float
    reached: bool = False
    why: str = ""
    ways: int = 1
    asked: int = 0
    """How often in a row it stood and looked for another way."""
    way_needed: bool = False
    search: Future[Way] | None = None
    """Of a way that is not found yet."""
    begun: bool = False
    """Whether it has ever had a way."""
    contacts: int = 0
    least_gap_m: float = 5.0
    length_m: float = 0.0
    reversed_m: float = 0.0
    touching: bool = False

    @property
    def ended(self) -> bool:
        return self.reached or bool(self.why)

    def count(self, gap_m: float) -> None:
        self.least_gap_m = min(self.least_gap_m, gap_m)
        self.contacts += gap_m <= 0.0 and not self.touching
        self.touching = gap_m <= 0.0


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
    others: Callable[[], NDArray[np.float64]] = lambda: np.empty((0, 5))
    """Other vehicles, as round bodies with velocities: rows x, y, radius, vx, vy."""
    walks: bool = True
    """Whether people walk when this vehicle drives, or by somebody else's steps."""
    on_step: Callable[[float, Driver], None] = lambda _now, _driver: None
    begin: BeginSearch = at_once

    def __post_init__(self) -> None:
        self.state = np.zeros((1, 5))
        self.going: Going | None = None
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

    def warm_up(self) -> None:
        """Have every kernel compiled before somebody waits for a way."""
        self._look()
        with suppress(VehicleRefused):
            near = self.pose.plus(Pose(1.0, 0.0))
            self.planner.follow(self.find_way(self.pose, near, self.known()))
            self.planner.command(DrivingState(self.pose), self.known())
        self.planner.way = None
        self._seen.clear()

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
        discs = self._people_seen() if people else np.empty((0, 5))
        bodies = np.vstack([discs, self.others()])
        return Obstacles.of(self.world.known_walls, bodies, self.seen_m)

    def bodies_m(self) -> NDArray[np.float64]:
        """The same as rows x, y, radius, for lasers."""
        return np.ascontiguousarray(self._bodies()[:, :3])

    def _bodies(self) -> NDArray[np.float64]:
        """People and vehicles as they are, rows x, y, radius, vx, vy."""
        people = [(*w.disc, w.vx_mps, w.vy_mps) for w in self.people]
        rows = np.array(people, np.float64).reshape(-1, 5)
        return np.vstack([rows, self.others()])

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
        discs = self.bodies_m()
        scan = self.lidar.cut(self.pose, self.world.walls, discs, self.random)
        local = scan.points_m()
        here = self.pose
        cos, sin = math.cos(here.yaw_rad), math.sin(here.yaw_rad)
        points = np.empty_like(local)
        points[:, 0] = here.x_m + cos * local[:, 0] - sin * local[:, 1]
        points[:, 1] = here.y_m + sin * local[:, 0] + cos * local[:, 1]
        points = points[np.hypot(*(points - (here.x_m, here.y_m)).T) < SEES_M]
        off = _off_walls(points, self.world.known_walls) > EXPLAINED_M
        for x, y, radius in discs:
            away = np.hypot(points[:, 0] - x, points[:, 1] - y)
            off &= away > radius + AROUND_BODY_M
        self.remember(points[off])

    def step(self, command: Command, seconds: float = PERIOD_S) -> float:
        """Let plant time pass; the smallest gap on the way."""
        least = math.inf
        rows = np.array([[command.speed_mps, command.steering_rad]])
        for _ in range(round(seconds / STEP_S)):
            advance_many(self.state, rows, STEP_S, self.numbers)
            self.now_s += STEP_S
            if self.walks:
                self._walk()
            x, y, yaw = (float(v) for v in self.state[0, :3])
            bodies = self.bodies_m()
            gap = gap_to(x, y, yaw, self.outline, self.world.walls, bodies, 5.0)
            least = min(least, float(gap))
        return least

    def _walk(self) -> None:
        if self.floor is None:
            return
        bodies = body_discs(self.vehicle, self.pose)
        for walker in self.people:
            walker.step(self.now_s, STEP_S, self.floor, bodies)

    def head_for(self, goal: Pose) -> Going:
        """GoalUnreachable or SceneWrong: it stays where it is. Where searches take
        their time, it stands until one has found a way, and ``going.why`` tells."""
        self._look()
        self.stop()
        self.planner.way = None
        going = Going(goal, self.now_s, self.pose, self.now_s)
        self._search(going, people=False)
        self._take_found(going)
        self.going = going
        return going

    def stop(self) -> None:
        """What a search still finds is for nobody."""
        if self.going is not None and self.going.search is not None:
            self.going.search.cancel()
        self.going = None

    def _search(self, going: Going, people: bool) -> None:
        here, goal, known = self.pose, going.goal, self.known(people)
        going.search = self.begin(lambda: self.find_way(here, goal, known))

    def _take_found(self, going: Going) -> None:
        """VehicleRefused: there is no way."""
        search = going.search
        if search is None or not search.done():
            return
        going.search = None
        self.planner.follow(search.result())
        going.ways += going.begun
        going.begun = True

    def period(self, within_m: float = 0.3, most_s: float = math.inf) -> None:
        """A tenth of a second on the way to the goal. It never raises for a planner
        that fails: the vehicle stands still and ``going.why`` tells."""
        going = self.going
        if going is None or going.ended:
            self.step(Command(0.0, float(self.state[0, 4])))
            return
        self._look()
        self._look_for_ways(going)
        state = DrivingState(self.pose, *(float(v) for v in self.state[0, 3:]))
        try:
            command = self.planner.command(state, self.known())
        except VehicleRefused as error:
            command, going.why = Command(0.0, 0.0), str(error)
        before = self.state[0].copy()
        going.count(self.step(command))
        moved = math.hypot(*(self.state[0, :2] - before[:2]))
        going.length_m += moved
        going.reversed_m += moved if self.state[0, 3] < 0.0 else 0.0
        going.reached = not going.why and self.planner.arrived(state, within_m)
        self._watch(going)
        if self.now_s - going.began_s > most_s and not going.ended:
            going.why = f"not there after {most_s:g} s"

    def _look_for_ways(self, going: Going) -> None:
        if going.way_needed and going.search is None:
            going.way_needed = False
            self._search(going, people=going.asked > 0)
        try:
            self._take_found(going)
        except VehicleRefused as error:
            if not going.begun or going.asked >= PATIENCE:
                going.why = str(error)

    def _watch(self, going: Going) -> None:
        """Whoever makes no way asks for another, and gives up in the end."""
        if going.search is not None:
            going.stood_since_s = self.now_s  # it stands because it thinks
        if self.pose.distance_to(going.stood_at) > 5.0 * STUCK_M:
            going.asked = 0
        if self.pose.distance_to(going.stood_at) > STUCK_M:
            going.stood_at, going.stood_since_s = self.pose, self.now_s
        elif self.now_s - going.stood_since_s > STUCK_S and not going.ended:
            going.asked += 1
            going.stood_since_s, going.way_needed = self.now_s, True
            if going.asked > PATIENCE:
                going.why = f"stuck at {self.pose.x_m:.1f}, {self.pose.y_m:.1f}"
        elif self._way_is_blocked():
            going.way_needed = True

    def drive_to(
        self, goal: Pose, most_s: float = 240.0, within_m: float = 0.3
    ) -> Drive:
        """Until it is there, stuck or out of time."""
        began_s, states = self.now_s, [self.state[0].copy()]
        try:
            going = self.head_for(goal)
        except VehicleRefused as error:
            going = Going(goal, began_s, self.pose, began_s, why=str(error))
        while not going.ended:
            self.period(within_m, most_s)
            states.append(self.state[0].copy())
            self.on_step(self.now_s, self)
        while abs(self.state[0, 3]) > 0.0:
            going.count(self.step(Command(0.0, float(self.state[0, 4]))))
        self.going = None
        why = going.why
        if going.contacts and not why:
            why = f"{going.contacts} contacts"
        return Drive(
            going.reached,
            why,
            self.now_s - began_s,
            going.length_m,
            going.contacts,
            going.least_gap_m,
            going.ways,
            going.reversed_m,
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
