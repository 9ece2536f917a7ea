"""Bringing storage units to the belts and back: how long it takes with so many robots.

Runs the model as fast as the machine can. A robot fetches the unit that is nearest to
it, brings it to a free drop point, waits while somebody picks, takes it home again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from shopfloor.warehouse.commands import CARRY, DROP, Command, Lift
from shopfloor.warehouse.errors import FieldWrong, WarehouseRefused
from shopfloor.warehouse.events import Ended, Event, Outcome
from shopfloor.warehouse.routing import Routing
from shopfloor.warehouse.stepping import step, time_s
from shopfloor.warehouse.things import Cell, Status, Warehouse

STEP_S = 0.1
PICKING_S = 5.0
LONGEST_S = 36_000.0


class Stage(StrEnum):
    FREE = "free"
    FETCHING = "fetching"
    LIFTING = "lifting"
    BRINGING = "bringing"
    PICKING = "picking"
    RETURNING = "returning"
    DROPPING = "dropping"


@dataclass
class _Job:
    stage: Stage = Stage.FREE
    unit: str = ""
    home: Cell = (0, 0)
    station: Cell | None = None
    until_s: float = 0.0


class NotBrought(WarehouseRefused):
    """The robots came to a standstill; never seen, and never hidden."""


@dataclass(frozen=True)
class Result:
    robots: int
    units: int
    seconds: float
    """Until the last unit was picked from."""
    metres: float
    moving_share: float
    """Of the robots' time."""
    blocked: int


def retrieve(
    warehouse: Warehouse,
    robots: int,
    units: Sequence[str],
    watch: Callable[[Warehouse], None] = lambda _: None,
) -> Result:
    """With the first so many robots of the warehouse, watched at every step."""
    if not 0 < robots <= len(warehouse.robots):
        raise FieldWrong(f"robots are 1 to {len(warehouse.robots)}, not {robots}")
    kept = dict(list(warehouse.robots.items())[:robots])
    return _Run(replace(warehouse, robots=kept), units).run(watch)


class _Run:
    def __init__(self, warehouse: Warehouse, units: Sequence[str]) -> None:
        self.now = warehouse
        self.routing = Routing(warehouse)
        self.jobs = {name: _Job() for name in warehouse.robots}
        self.left = list(units)
        self.brought = 0
        self.asked = len(self.left)
        self.blocked = 0
        self.moving_s = 0.0
        self.done_at_s = 0.0
        floor = warehouse.floor
        self.stations = [c for b in floor.belts.values() for c in floor.drops_of(b)]
        if not self.stations:
            raise FieldWrong("there is no belt to bring anything to")
        for unit in units:
            if unit not in warehouse.storage_units:
                raise FieldWrong(f"there is no storage unit {unit} to bring")

    def run(self, watch: Callable[[Warehouse], None]) -> Result:
        while self.brought < self.asked:
            now_s = time_s(self.now)
            if now_s > LONGEST_S:
                raise NotBrought(f"{self.asked - self.brought} units never came")
            commands = [c for name in self.jobs for c in self._work(name, now_s)]
            commands += self.routing.advance(self.now)
            for name in self.routing.arrived:
                self._arrived(name, now_s)
            self.now, told = step(self.now, STEP_S, commands)
            self.routing.hear(self.now, told)
            self._count(told)
            watch(self.now)
        robots, speed = len(self.jobs), self.now.floor.motors.speed_mps
        share = self.moving_s / (robots * self.done_at_s)
        metres = round(self.moving_s * speed, 1)
        seconds = round(self.done_at_s, 1)
        return Result(
            robots, self.asked, seconds, metres, round(share, 3), self.blocked
        )

    def _count(self, told: list[Event]) -> None:
        moving = [r for r in self.now.robots.values() if r.wheel_mps]
        self.moving_s += STEP_S * len(moving)
        for event in told:
            if isinstance(event, Ended) and event.outcome is Outcome.BLOCKED:
                self.blocked += 1
            if isinstance(event, Ended) and isinstance(event.command, Lift):
                self._lifted(event.command.robot)

    def _work(self, name: str, now_s: float) -> list[Command]:
        job, robot = self.jobs[name], self.now.robots[name]
        if job.stage is Stage.FREE:
            self._choose(name)
        elif job.stage is Stage.PICKING and now_s >= job.until_s:
            self.brought += 1
            self.done_at_s = now_s
            job.stage, job.station = Stage.RETURNING, None
            self.routing.go(name, job.home)
        elif job.stage is Stage.BRINGING and job.station is None:
            self._to_station(name)
        elif robot.status is Status.IDLE and job.until_s < 0.0:
            job.until_s = 0.0
            lifting = job.stage is Stage.LIFTING
            return [Lift(name, CARRY if lifting else DROP, job.unit)]
        return []

    def _choose(self, name: str) -> None:
        if not self.left:
            return
        column, row = self.now.robots[name].cell
        cells = {u: self.now.storage_units[u].cell for u in self.left}
        unit = min(
            self.left,
            key=lambda u: abs(cells[u][0] - column) + abs(cells[u][1] - row),
        )
        self.left.remove(unit)
        job = self.jobs[name]
        job.stage, job.unit, job.home = Stage.FETCHING, unit, cells[unit]
        self.routing.go(name, job.home)

    def _to_station(self, name: str) -> None:
        taken = {job.station for job in self.jobs.values()}
        column, row = self.now.robots[name].cell
        free = [cell for cell in self.stations if cell not in taken]
        if free:
            near = min(free, key=lambda c: abs(c[0] - column) + abs(c[1] - row))
            self.jobs[name].station = near
            self.routing.go(name, near)

    def _arrived(self, name: str, now_s: float) -> None:
        job = self.jobs[name]
        match job.stage:
            case Stage.FETCHING:
                job.stage, job.until_s = Stage.LIFTING, -1.0
            case Stage.BRINGING:
                job.stage, job.until_s = Stage.PICKING, now_s + PICKING_S
            case Stage.RETURNING:
                job.stage, job.until_s = Stage.DROPPING, -1.0

    def _lifted(self, name: str) -> None:
        job = self.jobs[name]
        if job.stage is Stage.LIFTING:
            job.stage = Stage.BRINGING
        elif job.stage is Stage.DROPPING:
            self.jobs[name] = _Job()
            self.routing.release(name)
