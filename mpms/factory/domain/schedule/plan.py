"""Plans orders together over robots, tanks and people.

Orders are placed one after the other, each with the robot that ends it first, every
piece of work in the earliest gap of a person. Which order comes first is what decides:
so the sequence is improved by moving one order at a time, as long as it helps and time
is left. See ADR 84 for why this and no solver.
"""

from __future__ import annotations

import random
import time
from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass, field

from mpms.factory.domain.schedule.orders import (
    Bar,
    Job,
    Leg,
    Resources,
    Robot,
    Schedule,
)

LATE_WEIGHT = 10.0  # a second late against a second of the whole
SEED = 23
MOST_PEOPLE = 200


def make_schedule(
    jobs: Sequence[Job],
    resources: Resources,
    *,
    improve_s: float = 0.0,
    most_tries: int = 2000,
) -> Schedule:
    """The best schedule found. ``improve_s``: how long better ones are looked for."""
    possible, unplanned = _possible(jobs, resources)
    order = sorted(possible, key=_rank)
    best, cost = _placed(order, resources)
    deadline, dice = time.monotonic() + improve_s, random.Random(SEED)  # noqa: S311
    tries = 0
    while len(order) > 1 and tries < most_tries and time.monotonic() < deadline:
        tries += 1
        moved = list(order)
        job = moved.pop(dice.randrange(len(moved)))
        moved.insert(dice.randrange(len(moved) + 1), job)
        if [j.begun for j in moved] != sorted((j.begun for j in moved), reverse=True):
            continue  # what is being made stays first
        found, price = _placed(moved, resources)
        if price < cost:
            order, best, cost = moved, found, price
    return Schedule(best.bars, best.ends_s, best.late_s, unplanned)


def lower_bound_s(jobs: Sequence[Job], resources: Resources) -> float:
    """No schedule ends earlier: the work of all robots, of each tank, of all people."""
    fastest = max((robot.speed_mps for robot in resources.robots), default=1.0)
    times, distance_m = resources.times, resources.distance_m
    robots_s = people_s = 0.0
    tanks: dict[str, float] = {}
    for job in jobs:
        work = len(job.legs) * (times.load_s + times.unload_s) + times.start_mixing_s
        people_s += work
        driven = sum(2 * distance_m(leg.place, job.tank) for leg in job.legs)
        first = distance_m(job.legs[0].place, job.tank) if job.legs else 0.0
        robots_s += (driven - first) / fastest + len(job.legs) * (
            times.load_s + times.unload_s
        )
        tanks[job.tank] = tanks.get(job.tank, 0.0) + (
            job.mixing_s + times.start_mixing_s + len(job.legs) * times.unload_s
        )
    return max(
        robots_s / max(len(resources.robots), 1),
        people_s / max(resources.people, 1),
        max(tanks.values(), default=0.0),
    )


def _possible(
    jobs: Sequence[Job], resources: Resources
) -> tuple[list[Job], dict[str, str]]:
    strongest = max((robot.payload_kg for robot in resources.robots), default=0.0)
    unplanned = {}
    for job in jobs:
        heaviest = max((leg.kg for leg in job.legs), default=0.0)
        if not resources.robots:
            unplanned[job.order] = "no robot"
        elif heaviest > strongest:
            unplanned[job.order] = f"no robot carries {heaviest:g} kg"
    return [job for job in jobs if job.order not in unplanned], unplanned


def _rank(job: Job) -> tuple[object, ...]:
    due = float("inf") if job.due_s is None else job.due_s
    return not job.begun, job.urgency, due, job.not_before_s, job.order


@dataclass
class _Calendar:
    """When somebody is busy, in order."""

    busy: list[tuple[float, float]] = field(default_factory=list)

    def gap(self, from_s: float, length_s: float) -> float:
        """The earliest beginning of a gap of this length."""
        at = from_s
        for begin, end in self.busy:
            if end <= at:
                continue
            if begin - at >= length_s:
                break
            at = end
        return at

    def take(self, at: float, length_s: float) -> None:
        insort(self.busy, (at, at + length_s))


@dataclass
class _State:
    people: list[_Calendar]
    tanks: dict[str, float] = field(default_factory=dict)
    robots: dict[str, tuple[float, str]] = field(default_factory=dict)  # free at, where


def _placed(jobs: Sequence[Job], resources: Resources) -> tuple[Schedule, float]:
    count = min(max(resources.people, 1), MOST_PEOPLE)
    state = _State([_Calendar() for _ in range(count)])
    for robot in resources.robots:
        state.robots[robot.id] = robot.free_at_s, robot.place
    bars: list[Bar] = []
    ends: dict[str, float] = {}
    late: dict[str, float] = {}
    for job in jobs:
        heaviest = max((leg.kg for leg in job.legs), default=0.0)
        able = [
            robot
            for robot in resources.robots
            if robot.payload_kg >= heaviest and job.robot in {None, robot.id}
        ]
        able = able or list(resources.robots)
        robot = min(able, key=lambda each: _estimate(job, each, resources, state))
        end = _make(job, robot, resources, state, bars)
        ends[job.order] = end
        if job.due_s is not None and end > job.due_s:
            late[job.order] = end - job.due_s
    makespan = max(ends.values(), default=0.0)
    total = sum(ends.values()) / max(len(ends), 1)
    cost = makespan + total + LATE_WEIGHT * sum(late.values())
    return Schedule(tuple(bars), ends, late, {}), cost


def _estimate(job: Job, robot: Robot, resources: Resources, state: _State) -> float:
    """When this robot would be done, with people at hand."""
    free_at, here = state.robots[robot.id]
    at = max(free_at, job.not_before_s)
    times = resources.times
    for leg in job.legs:
        at += _drive_s(here, leg.place, robot, resources) + times.load_s
        at += _drive_s(leg.place, job.tank, robot, resources) + times.unload_s
        here = job.tank
    return at


def _make(
    job: Job, robot: Robot, resources: Resources, state: _State, bars: list[Bar]
) -> float:
    """Place one order and return when its tank is done."""
    at, here = state.robots[robot.id]
    at = max(at, job.not_before_s)
    times = resources.times
    tank_from = None
    for leg in job.legs:
        at, here = _fetch(job, leg, robot, resources, state, bars, at, here)
        if tank_from is None:
            at = max(at, state.tanks.get(job.tank, 0.0))
        began = _person(state, bars, job, leg, "unload", at, times.unload_s, robot)
        tank_from = began if tank_from is None else tank_from
        at = began + times.unload_s
    if tank_from is None:
        tank_from = at = max(at, state.tanks.get(job.tank, 0.0))
    home_s = _drive_s(here, robot.home, robot, resources)
    bars.append(Bar(robot.id, "home", job.order, at, at + home_s, place=robot.home))
    began = _person(state, bars, job, None, "start mixing", at, times.start_mixing_s)
    # The order has its robot until it is home and the mixing was started.
    free_at = max(at + home_s, began + times.start_mixing_s)
    state.robots[robot.id] = free_at, robot.home
    mixing = began + times.start_mixing_s
    end = mixing + job.mixing_s
    bars.append(Bar(job.tank, "fill", job.order, tank_from, mixing, place=job.tank))
    bars.append(Bar(job.tank, "mix", job.order, mixing, end, place=job.tank))
    state.tanks[job.tank] = end
    return end


def _fetch(
    job: Job,
    leg: Leg,
    robot: Robot,
    resources: Resources,
    state: _State,
    bars: list[Bar],
    at: float,
    here: str,
) -> tuple[float, str]:
    """To the place, loaded, and to the tank."""
    material, pick = leg.material, leg.pick
    if not leg.loaded:
        there = at + _drive_s(here, leg.place, robot, resources)
        bars.append(
            Bar(robot.id, "drive", job.order, at, there, pick, material, leg.place)
        )
        load_s = resources.times.load_s
        at = _person(state, bars, job, leg, "load", there, load_s, robot) + load_s
        here = leg.place
    there = at + _drive_s(here, job.tank, robot, resources)
    bars.append(Bar(robot.id, "drive", job.order, at, there, pick, material, job.tank))
    return there, job.tank


def _person(
    state: _State,
    bars: list[Bar],
    job: Job,
    leg: Leg | None,
    kind: str,
    at: float,
    length_s: float,
    robot: Robot | None = None,
) -> float:
    """When somebody has time for it, at the earliest."""
    gaps = [calendar.gap(at, length_s) for calendar in state.people]
    began = min(gaps)
    number = gaps.index(began)
    state.people[number].take(began, length_s)
    pick = None if leg is None else leg.pick
    material = "" if leg is None else leg.material
    place = job.tank if leg is None or kind == "unload" else leg.place
    end = began + length_s
    bars.append(
        Bar(f"person {number + 1}", kind, job.order, began, end, pick, material, place)
    )
    if robot is not None:
        bars.append(Bar(robot.id, kind, job.order, began, end, pick, material, place))
    return began


def _drive_s(here: str, there: str, robot: Robot, resources: Resources) -> float:
    if here == there:
        return 0.0
    metres = resources.distance_m(here, there)
    return metres / max(robot.speed_mps, 0.1) + resources.times.turn_s
