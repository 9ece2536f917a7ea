"""Dispatch as a list of phases, each with one question. Exchange, add or drop them.

Tasks are sorted by a list of comparators, robots pass a list of filters, as in openTCS.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from fleet.charging.stations import Stations
from fleet.dispatch.bids import Bidder, Bids
from fleet.dispatch.round import Decision, Round
from fleet.dispatch.strategies import Strategy
from fleet.model.world import World
from fleet.tasks.pool import Pool
from fleet.tasks.task import Action, Kind, Leg, State, Task
from fleet.vehicles.vehicle import Doing, Vehicle

QUEUE = 2
"""Tasks in a robot's queue, the present one included."""
LOOK_AT = 2.0
"""Tasks that a round looks at, for each that can be given away."""
AT_LEAST = 20
OLD_S = 600.0
"""A task that has waited so long is not passed over any more."""


class Desk(Protocol):
    """What phases see of the fleet, and what they may ask of it."""

    world: World
    pool: Pool
    vehicles: dict[str, Vehicle]
    bids: Bids
    stations: Stations
    strategy: Strategy
    comparators: Sequence[Comparator]
    filters: Sequence[Filter]

    def bidder(self, vehicle: Vehicle, now: float) -> Bidder: ...

    def give(self, decision: Decision, now: float) -> None: ...

    def add_own(self, task: Task, vehicle: Vehicle, now: float) -> None: ...

    def decided(self, decision: Decision) -> None: ...

    def clear_queue(self, vehicle: Vehicle, why: str, now: float) -> None: ...


Phase = Callable[[Desk, float], None]
Comparator = Callable[[Task, float], float]
Filter = Callable[[Desk, Vehicle], str]


def by_priority(task: Task, now: float) -> float:
    return -task.priority


def by_age_limit(task: Task, now: float) -> float:
    return 0.0 if now - task.submitted_at > OLD_S else 1.0


def by_deadline(task: Task, now: float) -> float:
    return float("inf") if task.deadline_at is None else task.deadline_at


def by_age(task: Task, now: float) -> float:
    return task.submitted_at


COMPARATORS: tuple[Comparator, ...] = (by_priority, by_age_limit, by_deadline, by_age)


def is_fit(desk: Desk, vehicle: Vehicle) -> str:
    return vehicle.why_not()


def has_room(desk: Desk, vehicle: Vehicle) -> str:
    real = [t for t in vehicle.queue if not desk.pool[t].dispensable]
    return "has enough to do" if len(real) >= QUEUE else ""


def is_not_critical(desk: Desk, vehicle: Vehicle) -> str:
    if desk.world.charging and vehicle.percent <= vehicle.type.critical_percent:
        return f"battery at {vehicle.percent:.0f} %"
    return ""


FILTERS: tuple[Filter, ...] = (is_fit, has_room, is_not_critical)


def window_of(tasks: Sequence[Task], room: int) -> list[Task]:
    """As many tasks of the head of a sorted list as a round looks at."""
    return list(tasks[: max(AT_LEAST, int(room * LOOK_AT))])


def sorted_tasks(desk: Desk, tasks: list[Task], now: float) -> list[Task]:
    return sorted(tasks, key=lambda t: tuple(c(t, now) for c in desk.comparators))


def passed_over(desk: Desk, vehicle: Vehicle) -> str:
    """The first filter that refuses a robot, in words."""
    for each in desk.filters:
        why = each(desk, vehicle)
        if why:
            return why
    return ""


# The phases


def release_tasks(desk: Desk, now: float) -> None:
    """Which tasks have nothing left to wait for?"""
    desk.pool.release()


def charge_critical(desk: Desk, now: float) -> None:
    """Who must charge before anything else? Others do its tasks."""
    for vehicle in desk.vehicles.values():
        if vehicle.why_not() or not is_not_critical(desk, vehicle):
            continue
        present = desk.pool.get(vehicle.queue[0]) if vehicle.queue else None
        if present is not None and present.kind is Kind.CHARGE:
            present.dispensable = False
            continue
        acting = vehicle.doing in (Doing.ACTING, Doing.CONFIRMING)
        if acting:
            continue
        desk.clear_queue(vehicle, f"battery at {vehicle.percent:.0f} %", now)
        _send_to_charge(desk, vehicle, now, dispensable=False)


def assign_bound(desk: Desk, now: float) -> None:
    """Which tasks go on a sequence whose robot is settled?"""
    for task in _ready(desk, now):
        robot = desk.pool.bound.get(task.sequence) if task.sequence else None
        if robot is not None:
            _assign(desk, [task], [desk.vehicles[robot]], now)


def assign_intended(desk: Desk, now: float) -> None:
    """Which tasks ask for a robot by name?"""
    for task in _ready(desk, now):
        if task.intended:
            _assign(desk, [task], [desk.vehicles[task.intended]], now)


def assign_free(desk: Desk, now: float) -> None:
    """Who does all the rest? The strategy decides."""
    ready = [t for t in _ready(desk, now) if not t.intended]
    ready = [t for t in ready if desk.pool.bound.get(t.sequence) is None]
    groups: dict[tuple[float, float], list[Task]] = {}
    for task in ready:
        key = (by_priority(task, now), by_age_limit(task, now))
        groups.setdefault(key, []).append(task)
    for _, group in sorted(groups.items()):
        _assign(desk, group, list(desk.vehicles.values()), now)


def charge_idle(desk: Desk, now: float) -> None:
    """Who has nothing to do and a battery that is not good?"""
    for vehicle in _idle(desk):
        if vehicle.percent < vehicle.type.good_percent:
            _send_to_charge(desk, vehicle, now, dispensable=True)


def park_idle(desk: Desk, now: float) -> None:
    """Who has nothing to do and is not at its rest place?"""
    for vehicle in _idle(desk):
        if vehicle.place != vehicle.home:
            legs = [Leg(vehicle.home)]
            task = Task("", Kind.PARK, legs, intended=vehicle.id, dispensable=True)
            desk.add_own(task, vehicle, now)


PHASES: tuple[Phase, ...] = (
    release_tasks,
    charge_critical,
    assign_bound,
    assign_intended,
    assign_free,
    charge_idle,
    park_idle,
)


def _ready(desk: Desk, now: float) -> list[Task]:
    tasks = [t for t in desk.pool.open() if t.state is State.READY and not t.paused]
    return sorted_tasks(desk, tasks, now)


def _idle(desk: Desk) -> list[Vehicle]:
    return [v for v in desk.vehicles.values() if not v.queue and not v.why_not()]


def _assign(desk: Desk, tasks: list[Task], vehicles: list[Vehicle], now: float) -> None:
    passed = {v.id: passed_over(desk, v) for v in vehicles}
    bidders = [desk.bidder(v, now) for v in vehicles if not passed[v.id]]
    if not bidders or not tasks:
        return
    chosen = window_of(tasks, sum(b.room for b in bidders))
    for decision in desk.strategy(Round(desk.bids, bidders, chosen)):
        refusals = {robot: why for robot, why in passed.items() if why}
        refusals |= decision.refusals
        full = Decision(
            decision.task,
            decision.robot,
            decision.strategy,
            decision.bids,
            refusals,
            decision.reason,
            decision.bid,
        )
        desk.decided(full)
        desk.give(full, now)


def _send_to_charge(
    desk: Desk, vehicle: Vehicle, now: float, *, dispensable: bool
) -> None:
    place = desk.bidder(vehicle, now).place
    zone = desk.bids.energy.nearest_zone(vehicle.id, vehicle.type, place)
    if zone is None:
        return
    spots = desk.bids.energy.places_for(vehicle.id, zone)
    task = Task("", Kind.CHARGE, [Leg(spots[0], Action.CHARGE)], intended=vehicle.id)
    task.zone, task.dispensable = zone, dispensable
    desk.add_own(task, vehicle, now)
