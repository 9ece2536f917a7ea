"""What the map shows: the floor as heard, joined with what the database knows.

Frames are made five times a second for everybody who looks. The database part
changes rarely and is asked for twice a second at most, by one of all readers. Paths
change rarely too and are long, so a frame carries a number for each robot's path and
the path itself only where it is asked for.
"""

from __future__ import annotations

import math
import threading
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from mpms.domain.errors import NotFound
from mpms.factory.domain.fleet_requests import FleetRequest
from mpms.factory.domain.goals import Goal
from mpms.factory.domain.worlds import World
from mpms.factory.ports.floor import Floor, FloorSeen, PersonSeen, Point, RobotSeen
from mpms.factory.ports.robots.robots import RobotState
from mpms.factory.ports.store import Transaction, UnitOfWork

GREY_AFTER_S = 5.0
FACTS_FRESH_S = 0.5
STANDING_MPS = 0.03


@dataclass(frozen=True)
class RobotWork:
    """Why a robot is not free."""

    place: str | None = None  # where it drives to
    instance: str | None = None
    order: str | None = None
    waits: str | None = None  # why it does not drive yet


@dataclass(frozen=True)
class FloorFacts:
    """What the database knows of the robots."""

    states: Mapping[str, RobotState] = field(default_factory=dict)
    work: Mapping[str, RobotWork] = field(default_factory=dict)


@dataclass(frozen=True)
class RobotView:
    """A robot as the map draws it. ``doing``: drives, waits for its place, serves at
    one, or is free; ``age_s`` None: never heard of."""

    id: str
    x: float | None
    y: float | None
    yaw: float | None
    speed: float | None
    battery: float | None
    link: str
    ready: bool
    why_not: str | None
    doing: str  # drives, waits, serves, free
    place: str | None
    order: str | None
    instance: str | None
    stopped: bool
    age_s: float | None
    grey: bool
    path_no: int
    plan: tuple[Point, ...] | None = None
    driven: tuple[Point, ...] | None = None
    steering: float | None = None


@dataclass(frozen=True)
class PersonView:
    id: str
    x: float
    y: float
    radius: float
    age_s: float
    grey: bool


@dataclass(frozen=True)
class FloorView:
    robots: tuple[RobotView, ...]
    people: tuple[PersonView, ...]

    def as_json(self) -> dict[str, Any]:
        """Paths that were not asked for are left out."""
        robots = [
            {
                key: value
                for key, value in asdict(robot).items()
                if not _absent(key, value)
            }
            for robot in self.robots
        ]
        return {"robots": robots, "people": [asdict(person) for person in self.people]}


def _absent(key: str, value: Any) -> bool:
    return value is None and key in ("plan", "driven", "steering")


class FloorViewer:
    """Makes frames; one for all readers of a process."""

    def __init__(
        self,
        uow: UnitOfWork,
        floor: Floor,
        world: World,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._uow = uow
        self._floor = floor
        self._world = world
        self._now = now
        self._lock = threading.Lock()
        self._facts = FloorFacts()
        self._facts_at = -math.inf
        self._orders: dict[str, str | None] = {}

    def view(self, *, paths: bool = False) -> FloorView:
        with self._lock:
            if self._now() - self._facts_at >= FACTS_FRESH_S:
                with self._uow() as tx:
                    self._facts = floor_facts(tx, self._orders)
                self._facts_at = self._now()
            facts = self._facts
        return join(self._floor.seen(), facts, self._world, paths=paths)


def floor_facts(tx: Transaction, orders: dict[str, str | None]) -> FloorFacts:
    """``orders`` remembers the order of each instance; that never changes."""
    held = tx.robot_holds.held()
    places = {goal.robot: goal for goal in tx.goals.open()}
    moves = tx.robot_jobs.waiting(["robot.move"])
    waits = {job.robot: job.why for job in moves if job.robot and job.why}
    asked = tx.fleet_requests.at_work()
    by_task = {each.fleet_task: each for each in asked if each.fleet_task}
    waits |= {str(e.data["robot"]): e.why for e in asked if e.why and "robot" in e.data}
    work = {}
    for robot in held.keys() | places.keys() | waits.keys():
        goal = places.get(robot)
        instance = held.get(robot) or _instance_of(goal, by_task)
        order = None if instance is None else _order(tx, instance, orders)
        place = goal.place if goal else None
        work[robot] = RobotWork(place, instance, order, waits.get(robot))
    busy = {each.instance for each in work.values()}
    for instance in orders.keys() - busy:
        del orders[instance]
    return FloorFacts({state.robot: state for state in tx.robots.states()}, work)


def _instance_of(goal: Goal | None, asked: Mapping[str, FleetRequest]) -> str | None:
    if goal is None or not goal.fleet_task:
        return None if goal is None else goal.instance_id
    request = asked.get(goal.fleet_task)
    return None if request is None else request.instance_id


def _order(tx: Transaction, instance: str, orders: dict[str, str | None]) -> str | None:
    if instance not in orders:
        try:
            orders[instance] = tx.instances.get(instance).business_key
        except NotFound:
            return None
    return orders[instance]


def join(
    seen: FloorSeen, facts: FloorFacts, world: World, *, paths: bool = False
) -> FloorView:
    heard = {robot.robot: robot for robot in seen.robots}
    names = dict.fromkeys([*(robot.id for robot in world.robots), *heard])
    robots = [
        _robot(
            heard.get(name) or RobotSeen(name),
            facts.states.get(name),
            facts.work.get(name) or RobotWork(),
            paths=paths,
        )
        for name in names
    ]
    return FloorView(tuple(robots), tuple(_person(each) for each in seen.people))


def _robot(
    seen: RobotSeen, state: RobotState | None, work: RobotWork, *, paths: bool
) -> RobotView:
    x, y, age_s = seen.x_m, seen.y_m, seen.pose_age_s
    if x is None and state is not None:
        x, y = state.x_m, state.y_m
    link = "down" if state is None else state.link
    drives = work.place is not None
    moving = (seen.speed_mps or 0.0) > STANDING_MPS
    plan = _rounded(seen.plan) if drives or moving else ()
    battery = seen.battery
    if battery is None and state is not None:
        battery = state.battery
    waiting = "serves" if work.instance is not None else "free"
    waiting = "waits" if work.waits else waiting
    return RobotView(
        id=seen.robot,
        x=_round(x, 3),
        y=_round(y, 3),
        yaw=_round(seen.yaw_rad, 3),
        speed=_round(seen.speed_mps, 2),
        battery=_round(battery, 3),
        link=link,
        ready=state is not None and state.ready,
        why_not=_reason(state) or work.waits,
        doing="drives" if drives else waiting,
        place=work.place,
        order=work.order,
        instance=work.instance,
        stopped=seen.stopped,
        age_s=_round(age_s, 1),
        grey=age_s is None or age_s > GREY_AFTER_S or link != "up",
        path_no=_number_of(plan),
        plan=plan if paths else None,
        driven=_rounded(seen.driven) if paths else None,
        steering=_round(seen.steering_rad, 3),
    )


def _reason(state: RobotState | None) -> str | None:
    """A robot on its way is not free, which is no trouble."""
    if state is None:
        return "no worker speaks with it"
    drives = (state.why_not or "").startswith("drives to ")
    return None if drives else state.why_not


def _person(seen: PersonSeen) -> PersonView:
    return PersonView(
        seen.tag,
        round(seen.x_m, 2),
        round(seen.y_m, 2),
        round(seen.uncertainty_m, 2),
        round(seen.age_s, 1),
        seen.age_s > GREY_AFTER_S,
    )


def _number_of(plan: Sequence[Point]) -> int:
    """Differs for another way. Its start moves with the robot and does not count."""
    return zlib.crc32(repr(plan[1:]).encode()) if len(plan) > 1 else 0


def _rounded(points: Sequence[Point]) -> tuple[Point, ...]:
    return tuple((round(x, 2), round(y, 2)) for x, y in points)


def _round(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
