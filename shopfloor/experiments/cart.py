"""A worker with a cart against a worker with a robot: time and exposure per order.

The same orders are brought to the tank in four ways: one worker who pushes a cart; one
worker with a robot that brings each material to the tank, as the shipped process has
it; two workers, one at the racks and one at the tank, with that robot between them;
and the two with a robot that collects as much as it carries in one round.

Ways are real ones around the obstacles of the map; all else is a model with few
numbers, each of them in ``Assumptions`` and printed with the result. Where a choice
was needed it favours the cart: it is filled from several places in one round, and
empty it slows nobody.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from shopfloor.grid import Grid
from shopfloor.planning import plan
from shopfloor.plant.floor_map import grid_of
from shopfloor.plant.missions import HOME, is_tank
from shopfloor.sim.world import RobotSpec, World, WorldRefused

ROOM_M = 0.45
"""Half the width that a person with a cart, or a robot, drives through."""


@dataclass(frozen=True)
class Assumptions:
    walking_mps: float = 1.3
    """Adults at their own pace: 1.2 to 1.5 m/s in gait studies; also with an empty
    cart."""
    pushing_mps: float = 0.9
    """With a loaded cart. Assumed; about two thirds of walking."""
    cart_kg: float = 40.0
    cart_capacity_kg: float = 250.0
    robot_speed_share: float = 0.7
    """Of its highest speed, on average with starts, bends and people: the closed-loop
    missions of this simulator drive at 0.7 to 0.75."""
    sack_kg: float = 25.0
    sack_s: float = 12.0
    """To lift one from or onto a rack, a cart or a robot. Assumed."""
    confirming_s: float = 15.0
    """Scanning the lot and confirming, or writing it on paper. Assumed."""
    cart_weighing_s: float = 20.0
    """To roll a cart on a floor scale and off. Assumed."""
    robot_weighing_s: float = 2.0
    """Of the robot's own scale, until it is still."""
    near_tank_m: float = 3.0
    waiting_from_tank_m: float = 5.0
    """Where a second worker waits for the robot, away from the tank."""


@dataclass
class Exposure:
    """Of all workers together, for one order."""

    seconds: float = 0.0
    """From the order to the last material in the tank."""
    walked_m: float = 0.0
    pushed_kg_m: float = 0.0
    near_tank_s: float = 0.0
    worker_s: float = 0.0
    """Walking and handling; who waits can do something else."""


@dataclass(frozen=True)
class Line:
    place: str
    kg: float


@dataclass(frozen=True)
class Way:
    length_m: float
    near_tank_m: float


@dataclass
class Floor:
    """Ways between places, each planned once."""

    world: World
    grid: Grid
    near_m: float
    _known: dict[tuple[str, str], Way] = field(default_factory=dict)

    def way(self, start: str, goal: str) -> Way:
        if start == goal:
            return Way(0.0, 0.0)
        first, second = key = (min(start, goal), max(start, goal))
        if key not in self._known:
            here, there = self.world.places[first], self.world.places[second]
            path = plan(self.grid, (here.x_m, here.y_m), (there.x_m, there.y_m))
            if not path.ok:
                raise WorldRefused(f"no way from {start} to {goal}: {path.status}")
            self._known[key] = Way(path.length_m, self._near(path.xy.tolist()))
        return self._known[key]

    def _near(self, points: Sequence[Sequence[float]], step_m: float = 0.1) -> float:
        tanks = [p for name, p in self.world.places.items() if is_tank(name)]
        total_m = 0.0
        for (x1, y1), (x2, y2) in pairwise(points):
            length_m = math.hypot(x2 - x1, y2 - y1)
            pieces = max(1, math.ceil(length_m / step_m))
            for piece in range(pieces):
                share = (piece + 0.5) / pieces
                x, y = x1 + share * (x2 - x1), y1 + share * (y2 - y1)
                if any(math.hypot(t.x_m - x, t.y_m - y) < self.near_m for t in tanks):
                    total_m += length_m / pieces
        return total_m


def handling_s(kg: float, known: Assumptions) -> float:
    return known.sack_s * math.ceil(kg / known.sack_kg) + known.confirming_s


def loads_of(
    lines: Iterable[Line], capacity_kg: float, *, together: bool
) -> list[list[Line]]:
    """Rounds that fit; a line that is too heavy takes several."""
    rounds: list[list[Line]] = []
    left_kg = 0.0
    for line in lines:
        rest_kg = line.kg
        while rest_kg > 1e-9:
            part_kg = min(rest_kg, capacity_kg)
            if not together or part_kg > left_kg + 1e-9:
                rounds.append([])
                left_kg = capacity_kg
            rounds[-1].append(Line(line.place, part_kg))
            left_kg -= part_kg
            rest_kg -= part_kg
    return rounds


def with_cart(
    floor: Floor, tank: str, lines: Sequence[Line], known: Assumptions
) -> Exposure:
    found = Exposure()
    for carried in loads_of(lines, known.cart_capacity_kg, together=True):
        here, load_kg = tank, 0.0
        for line in [*carried, Line(tank, 0.0)]:
            way = floor.way(here, line.place)
            speed_mps = known.pushing_mps if load_kg else known.walking_mps
            found.walked_m += way.length_m
            found.pushed_kg_m += (known.cart_kg + load_kg) * way.length_m
            found.near_tank_s += way.near_tank_m / speed_mps
            found.worker_s += way.length_m / speed_mps
            here, load_kg = line.place, load_kg + line.kg
        loading_s = sum(handling_s(line.kg, known) for line in carried)
        unloading_s = loading_s + known.cart_weighing_s
        found.worker_s += loading_s + unloading_s
        found.near_tank_s += unloading_s
    found.seconds = found.worker_s
    return found


@dataclass(frozen=True)
class Drive:
    """How the robot is used."""

    speed_mps: float
    capacity_kg: float
    workers: int = 1
    together: bool = False
    """Several materials in one round, instead of each one to the tank."""


def with_robot(
    floor: Floor, tank: str, lines: Sequence[Line], known: Assumptions, drive: Drive
) -> Exposure:
    found = Exposure()
    robot_at, loader_at = HOME, tank if drive.workers == 1 else lines[0].place
    now_s = free_s = 0.0
    for carried in loads_of(lines, drive.capacity_kg, together=drive.together):
        for line in carried:
            walk_s = _walk(found, floor.way(loader_at, line.place), known)
            way_m = floor.way(robot_at, line.place).length_m
            now_s = max(now_s + way_m / drive.speed_mps, free_s + walk_s)
            now_s += handling_s(line.kg, known) + known.robot_weighing_s
            robot_at = loader_at = line.place
            free_s = now_s
        back = floor.way(robot_at, tank)
        now_s += back.length_m / drive.speed_mps
        if drive.workers == 1:
            now_s = max(now_s, free_s + _walk(found, back, known))
            loader_at = tank
        else:
            step_m = 2.0 * known.waiting_from_tank_m
            near_m = 2.0 * min(known.near_tank_m, known.waiting_from_tank_m)
            _walk(found, Way(step_m, near_m), known)
        work_s = sum(handling_s(line.kg, known) for line in carried)
        now_s += work_s
        free_s = now_s if drive.workers == 1 else free_s
        found.near_tank_s += work_s
        found.worker_s += 2.0 * work_s
        robot_at = tank
    found.seconds = now_s
    return found


def _walk(found: Exposure, way: Way, known: Assumptions) -> float:
    seconds = way.length_m / known.walking_mps
    found.walked_m += way.length_m
    found.near_tank_s += way.near_tank_m / known.walking_mps
    found.worker_s += seconds
    return seconds


def random_order(
    random: np.random.Generator, places: Sequence[str], tanks: Sequence[str]
) -> tuple[str, list[Line]]:
    """Three to six materials from different racks, 5 to 250 kg, mostly tens."""
    count = min(len(places), int(random.integers(3, 7)))
    chosen = random.choice(np.array(places), count, replace=False)
    amounts = np.clip(random.lognormal(3.7, 0.9, count), 5.0, 250.0)
    lines = [
        Line(str(place), round(float(kg), 1))
        for place, kg in zip(chosen, amounts, strict=True)
    ]
    return str(random.choice(np.array(tanks))), lines


def _drives(robot: RobotSpec, known: Assumptions) -> dict[str, Drive]:
    speed_mps = known.robot_speed_share * robot.limits.speed_mps
    capacity_kg = robot.max_payload_kg or math.inf
    return {
        "robot_one_worker": Drive(speed_mps, capacity_kg, 1),
        "robot_two_workers": Drive(speed_mps, capacity_kg, 2),
        "robot_two_workers_rounds": Drive(speed_mps, capacity_kg, 2, together=True),
    }


@dataclass(frozen=True)
class Given:
    """One order as it was: where its materials lay and where they went."""

    number: str
    tank: str
    lines: list[Line]


@dataclass(frozen=True)
class Compared:
    """The means, and each order in each way."""

    facts: dict[str, Any]
    numbers: Sequence[str]
    rows: Mapping[str, Sequence[Exposure]]


def given_in(text: str, world: World) -> list[Given]:
    """WorldRefused names what the world does not have."""
    try:
        found = [
            Given(
                str(order["number"]),
                str(order["tank"]),
                [Line(str(x["place"]), float(x["kg"])) for x in order["lines"]],
            )
            for order in json.loads(text)
        ]
    except (ValueError, TypeError, KeyError) as wrong:
        raise WorldRefused(f"these are no orders: {wrong!r}") from wrong
    for order in found:
        for place in (order.tank, *(line.place for line in order.lines)):
            if place not in world.places:
                raise WorldRefused(f"{order.number}: {world.name} has no place {place}")
        if not order.lines or any(not 0 < line.kg < 1e6 for line in order.lines):
            raise WorldRefused(f"{order.number} has a line without a weight")
    return found


def compare(
    world: World, orders: int, seed: int, known: Assumptions | None = None
) -> dict[str, Any]:
    """Means per order, of random orders; WorldRefused if the world has no place for
    them."""
    return compare_each(world, random_orders(world, orders, seed), seed, known).facts


def random_orders(world: World, orders: int, seed: int) -> list[Given]:
    """WorldRefused."""
    tanks = sorted(name for name in world.places if is_tank(name))
    places = sorted(n for n in world.places if len(n) == 1 and n.isupper())
    if not tanks or not places or HOME not in world.places or not world.robots:
        raise WorldRefused(
            f"{world.name} needs a robot and the places {HOME}, tank and A, B or C"
        )
    random = np.random.default_rng(seed)
    made = (random_order(random, places, tanks) for _ in range(orders))
    return [Given(str(n), tank, lines) for n, (tank, lines) in enumerate(made, 1)]


def compare_each(
    world: World,
    orders: Sequence[Given],
    seed: int = 0,
    known: Assumptions | None = None,
) -> Compared:
    """These orders in all ways. WorldRefused."""
    known = known or Assumptions()
    if HOME not in world.places or not world.robots or not orders:
        raise WorldRefused(f"{world.name} needs a robot, the place {HOME} and an order")
    floor = Floor(world, grid_of(world.map).inflated(ROOM_M), known.near_tank_m)
    robot = world.robots[0]
    drives = _drives(robot, known)
    rows: dict[str, list[Exposure]] = {name: [] for name in ("cart", *drives)}
    for order in orders:
        tank, lines = order.tank, order.lines
        rows["cart"].append(with_cart(floor, tank, lines, known))
        for name, drive in drives.items():
            rows[name].append(with_robot(floor, tank, lines, known, drive))
    carried_kg = sum(line.kg for order in orders for line in order.lines)
    facts = {
        "world": world.name,
        "seed": seed,
        "orders": len(orders),
        "kg_per_order": round(carried_kg / len(orders), 1),
        "robot": robot.id,
        "per_order": {name: _means(found) for name, found in rows.items()},
        "robot_over_cart": _ratios(rows),
        "assumptions": asdict(known),
    }
    return Compared(facts, [order.number for order in orders], rows)


def _means(found: Sequence[Exposure]) -> dict[str, float]:
    facts = [asdict(each) for each in found]
    return {key: round(_mean(each[key] for each in facts), 1) for key in facts[0]}


def _ratios(rows: Mapping[str, Sequence[Exposure]]) -> dict[str, dict[str, float]]:
    base = {k: _mean(asdict(e)[k] for e in rows["cart"]) for k in asdict(Exposure())}
    return {
        name: {
            key: round(_mean(asdict(e)[key] for e in rows[name]) / base[key], 3)
            for key in base
        }
        for name in rows
        if name != "cart"
    }


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return math.fsum(listed) / len(listed)
