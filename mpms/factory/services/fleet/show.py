"""The fleet as pages and programs see it: from its last saved state and its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from fleet.model import World
from mpms.factory.ports.fleet import PastDecision, PastTask
from mpms.factory.ports.store import UnitOfWork
from mpms.ports.clock import Clock

CURVE = timedelta(hours=2)
FIGURES = timedelta(hours=1)
HEAT = timedelta(hours=24)
ENDED = 20
Point = tuple[float, float]


@dataclass(frozen=True)
class RobotNow:
    """One robot of the fleet."""

    id: str
    kind: str
    doing: str
    x_m: float | None
    y_m: float | None
    yaw: float
    percent: float
    place: str
    target: str
    load: str
    waits_for: str
    queue: Sequence[str]
    failed: str
    paused: bool
    level: str
    granted: Sequence[Point]
    planned: Sequence[Point]
    radius_m: float


@dataclass(frozen=True)
class RobotFigures:
    """What a robot did in the last hour, and its battery over the last two."""

    robot: str
    curve: Sequence[tuple[datetime, float]] = ()
    driving: float = 0.0  # shares of the time that was looked at
    empty: float = 0.0  # of its driving
    waiting: float = 0.0
    acting: float = 0.0
    charging: float = 0.0
    idle: float = 0.0


@dataclass(frozen=True)
class ChargingNow:
    """A charging zone: who has reserved it, in order."""

    zone: str
    capacity: int
    robots: Sequence[str]


@dataclass(frozen=True)
class Thing:
    """A person or an obstacle that somebody or something saw."""

    id: str
    x_m: float
    y_m: float
    radius_m: float
    level: str


@dataclass(frozen=True)
class FleetNow:
    """Everything that the page shows."""

    led: bool
    owner: str | None
    saved_at: datetime | None
    robots: Sequence[RobotNow] = ()
    figures: Mapping[str, RobotFigures] = field(default_factory=dict)
    charging: Sequence[ChargingNow] = ()
    tasks: Sequence[PastTask] = ()
    zones: Mapping[str, Sequence[Point]] = field(default_factory=dict)
    obstacles: Sequence[tuple[float, float, float]] = ()
    things: Mapping[str, Thing] = field(default_factory=dict)
    alerts: Sequence[Mapping[str, str]] = ()
    heat: Mapping[tuple[int, int], float] = field(default_factory=dict)
    done_per_h: int = 0
    failed_per_h: int = 0
    pulled_over: bool = False
    stopped: bool = False

    @property
    def waiting(self) -> float:
        return _mean([each.waiting for each in self.figures.values()])

    @property
    def empty(self) -> float:
        return _mean([f.empty for f in self.figures.values() if f.driving > 0.0])

    @property
    def busy(self) -> float:
        return 1.0 - _mean([each.idle for each in self.figures.values()])


def show_fleet(uow: UnitOfWork, clock: Clock, world: World) -> FleetNow:
    now = clock.now()
    with uow() as tx:
        saved = tx.fleet.saved()
        tasks = tx.fleet.tasks(ended=ENDED)
        minutes = tx.fleet.minutes(now - CURVE)
        heat = tx.fleet.waits(now - HEAT)
        ended = tx.fleet.ended(now - FIGURES)
    figures: dict[str, RobotFigures] = {}
    for robot in world.robots:
        mine = [minute for minute in minutes if minute.robot == robot]
        late = [minute for minute in mine if minute.minute >= now - FIGURES]
        driving, empty, waiting, acting, charging, idle = (
            sum(getattr(minute, name) for minute in late)
            for name in (
                *("driving_s", "empty_s", "waiting_s", "acting_s"),
                *("charging_s", "idle_s"),
            )
        )
        seen_s = max(1e-9, driving + waiting + acting + charging + idle)
        figures[robot] = RobotFigures(
            robot,
            [(minute.minute, minute.percent) for minute in mine],
            driving / seen_s,
            empty / max(1e-9, driving),
            waiting / seen_s,
            acting / seen_s,
            charging / seen_s,
            idle / seen_s,
        )
    if saved.state is None:
        return FleetNow(saved.led, saved.owner, saved.saved_at, figures=figures)
    state = saved.state["fleet"]
    closures = state["traffic"].get("closures", {})
    stopped, pulled_over = state["flags"][:2]
    return FleetNow(
        saved.led,
        saved.owner,
        saved.saved_at,
        robots=_robots(world, saved.state),
        figures=figures,
        charging=_charging(world, state),
        tasks=tasks,
        zones=closures.get("zones", {}),
        obstacles=[
            spot
            for name, spot in closures.get("obstacles", {}).items()
            if name not in state["entities"]
        ],
        things={n: Thing(n, *each) for n, each in state["entities"].items()},
        alerts=list(reversed(saved.state.get("alerts", ()))),
        heat=heat,
        done_per_h=ended.get("done", 0),
        failed_per_h=ended.get("failed", 0),
        pulled_over=bool(pulled_over),
        stopped=bool(stopped),
    )


def show_task(
    uow: UnitOfWork, task_id: str
) -> tuple[PastTask, Sequence[PastDecision]] | None:
    """A task, and every time that somebody got it: with all bids and reasons."""
    with uow() as tx:
        task = tx.fleet.task(task_id)
        return None if task is None else (task, tx.fleet.decisions(task_id))


def _robots(world: World, state: Mapping[str, Any]) -> list[RobotNow]:
    found = []
    vehicles, ways = state["fleet"]["vehicles"], state.get("ways", {})
    for robot in world.robots:
        each = vehicles.get(robot)
        if each is None:
            continue
        way = ways.get(robot, {})
        found.append(
            RobotNow(
                robot,
                world.robots[robot].type,
                each["doing"],
                each["x_m"],
                each["y_m"],
                each["yaw"],
                each["percent"],
                each["place"],
                each["target"],
                each["load"],
                each["waits_for"],
                each["queue"],
                each["failed"],
                each["paused"],
                each["level"],
                way.get("granted", ()),
                way.get("planned", ()),
                world.type_of(robot).radius_m,
            )
        )
    return found


def _charging(world: World, state: Mapping[str, Any]) -> list[ChargingNow]:
    wants: dict[str, list[str]] = {}
    for task in state["pool"]["tasks"]:
        if task["kind"] == "charge" and task["state"] in ("assigned", "running"):
            wants.setdefault(task["zone"], []).append(task["robot"])
    return [
        ChargingNow(zone.id, zone.capacity, wants.get(zone.id, ()))
        for zone in world.charging.values()
    ]


def _mean(shares: Sequence[float]) -> float:
    return sum(shares) / len(shares) if shares else 0.0
