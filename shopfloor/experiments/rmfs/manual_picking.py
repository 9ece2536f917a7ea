"""People who walk to the goods, beside robots that bring them: the same orders.

The same floor, the same stock in the same places, as many people as there are pick
stations. A person takes some orders on a cart, walks to the nearest shelf that has what
is still missing until all is there, and brings it to the station. Shelves are never
empty and nobody is in another one's way: what is assumed favours walking.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fleet.rmfs.errors import RmfsRefused
from shopfloor.experiments.rmfs import running
from shopfloor.experiments.rmfs.running import Experiment
from shopfloor.experiments.rmfs.simulation import Simulation

Lines = list[tuple[int, int]]
"""SKU and units."""


@dataclass(frozen=True)
class Walking:
    """How people pick without robots."""

    speed_mps: float = 1.0
    orders_on_cart: int = 4
    search_s: float = 8.0
    """At each shelf: to stop, to find the place, to read the label."""
    unit_s: float = 10.0
    """To take one unit, as at a station of the robots."""

    def mistakes(self) -> list[str]:
        wrong = []
        for name in ("speed_mps", "orders_on_cart", "unit_s"):
            if not getattr(self, name) > 0:
                wrong.append(f"{name} is more than 0, not {getattr(self, name):g}")
        if self.search_s < 0:
            wrong.append(f"search_s is 0 or more, not {self.search_s:g}")
        return wrong


@dataclass
class Tour:
    """What one cart took."""

    walked_m: float = 0.0
    shelves: int = 0
    units: int = 0


@dataclass
class Aisles:
    """How far people walk: along lanes in both directions, around shelves."""

    simulation: Simulation
    _known: dict[int, NDArray[np.int32]] = field(default_factory=dict)

    def steps(self, start: int) -> NDArray[np.int32]:
        found = self._known.get(start)
        if found is None:
            found = self._known[start] = self._walk(start)
        return found

    def _walk(self, start: int) -> NDArray[np.int32]:
        floor = self.simulation.floor
        neighbours = _both_ways(self.simulation)
        steps = np.full(floor.count, -1, np.int32)
        steps[start] = 0
        edge = [start]
        while edge:
            beyond = []
            for cell in edge:
                if steps[cell] and floor.kind[cell]:
                    continue  # nobody walks through shelves
                for end in neighbours[cell]:
                    if steps[end] < 0:
                        steps[end] = steps[cell] + 1
                        beyond.append(end)
            edge = beyond
        return steps


def _both_ways(simulation: Simulation) -> list[list[int]]:
    known: list[list[int]] | None = getattr(simulation, "_both_ways", None)
    if known is None:
        floor = simulation.floor
        sets: list[set[int]] = [set() for _ in range(floor.count)]
        for table in (floor.out, floor.lift):
            for cell, way in zip(*np.nonzero(table >= 0), strict=True):
                end = int(table[cell, way])
                sets[int(cell)].add(end)
                sets[end].add(int(cell))
        known = [sorted(each) for each in sets]
        simulation._both_ways = known  # type: ignore[attr-defined]
    return known


def compare_with_people(
    experiment: Experiment,
    walking: Walking | None = None,
    *,
    seed: int = 0,
    hours: float | None = None,
) -> dict[str, Any]:
    """RmfsRefused. Units by person and hour of both, and their ratio."""
    walking = walking or Walking(unit_s=experiment.layout.item_transfer_s)
    if wrong := walking.mistakes():
        raise RmfsRefused(*wrong)
    placed: dict[int, Lines] = {}
    done: list[int] = []

    def hear(now: float, event: str, facts: dict[str, Any]) -> None:
        if event == "new pick order":
            placed[facts["order"]] = [(sku, units) for sku, units in facts["lines"]]
        elif event == "pick order completed":
            done.append(facts["order"])

    run = running.run(experiment, seed=seed, hours=hours, listener=hear)
    record = run.record
    orders = [placed[number] for number in done]
    if not orders:
        raise RmfsRefused("no order was completed; give it more --hours")
    before = Simulation(
        *(experiment.layout, experiment.floor, experiment.scenario),
        experiment.choices,
        seed=seed,
        registry=experiment.known,
    )
    tours = list(walk(before, orders, walking))
    units = sum(tour.units for tour in tours)
    walk_s = sum(tour.walked_m for tour in tours) / walking.speed_mps
    search_s = walking.search_s * sum(tour.shelves for tour in tours)
    pick_s = walking.unit_s * units
    hours_of_people = (walk_s + search_s + pick_s) / 3600.0
    robots_h = record["simulated_h"] * record["pick_stations"]
    by_foot, by_robot = units / hours_of_people, units / robots_h
    return {
        "layout": experiment.layout_name,
        "seed": seed,
        "orders": len(orders),
        "units": units,
        "people": record["pick_stations"],
        "robots": record["robots"],
        "walking": {
            "units_per_person_h": round(by_foot, 1),
            "walking_share": round(walk_s / 3600.0 / hours_of_people, 3),
            "searching_share": round(search_s / 3600.0 / hours_of_people, 3),
            "picking_share": round(pick_s / 3600.0 / hours_of_people, 3),
            "km_per_person_h": round(
                sum(tour.walked_m for tour in tours) / 1000.0 / hours_of_people, 2
            ),
            "person_hours": round(hours_of_people, 2),
        },
        "with_robots": {
            "units_per_person_h": round(by_robot, 1),
            "idle_share": round(record["pick_station_idle"], 3),
            "person_hours": round(robots_h, 2),
        },
        "ratio": round(by_robot / by_foot, 2),
        "assumed": {
            "walking_mps": walking.speed_mps,
            "orders_on_cart": walking.orders_on_cart,
            "search_s": walking.search_s,
            "unit_s": walking.unit_s,
        },
    }


def walk(
    before: Simulation, orders: Sequence[Lines], walking: Walking
) -> Iterable[Tour]:
    """Tours of so many orders each, in the order in which they were done."""
    aisles = Aisles(before)
    stations = [station.cell for station in before.warehouse.pick_stations]
    size = walking.orders_on_cart
    for n, first in enumerate(range(0, len(orders), size)):
        wanted: dict[int, int] = {}
        for lines in orders[first : first + size]:
            for sku, units in lines:
                wanted[sku] = wanted.get(sku, 0) + units
        yield _tour(before, aisles, wanted, stations[n % len(stations)])


def _tour(
    before: Simulation, aisles: Aisles, wanted: dict[int, int], start: int
) -> Tour:
    """To the nearest shelf with something that is wanted, and so on, and back."""
    stock, cell_m = before.warehouse.stock, before.floor.cell_m
    tour, here = Tour(units=sum(wanted.values())), start
    left = set(wanted)
    while left:
        skus = np.array(sorted(left))
        pods = np.flatnonzero((stock.units[skus] > 0).any(axis=0))
        if len(pods) == 0:  # replenished meanwhile, from where the robots got it
            break
        steps = aisles.steps(here)[stock.place[pods]]
        nearest = int(np.argmin(np.where(steps < 0, np.iinfo(np.int32).max, steps)))
        tour.walked_m += float(steps[nearest]) * cell_m
        tour.shelves += 1
        here = int(stock.place[pods[nearest]])
        left -= {int(sku) for sku in skus if stock.units[sku, pods[nearest]] > 0}
    tour.walked_m += float(aisles.steps(here)[start]) * cell_m
    return tour
