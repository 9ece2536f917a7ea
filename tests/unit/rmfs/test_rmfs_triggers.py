"""Which event calls which decision, and what is decided when."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from fleet.rmfs.strategies.base import CALLED_ON
from shopfloor.experiments.rmfs import running
from shopfloor.experiments.rmfs.deciders import Deciders
from shopfloor.experiments.rmfs.running import Outcome
from shopfloor.experiments.rmfs.scenario import FileOrder, Scenario
from shopfloor.experiments.rmfs.simulation import Simulation

EVENTS_OF = {
    "pod needs to be brought back": "pod needs a place",
    "robot has a new destination": "new destination",
}
CONSEQUENCES = {"pick order assigned"}


@dataclass
class Looker:
    """Somebody who renders the run now and then."""

    every_s: float = 60.0
    looked: int = 0

    def look(self) -> None:
        self.looked += 1


@dataclass
class Log:
    """Events and questions of a run, in the order in which they came."""

    rows: list[tuple[float, str, dict[str, Any]]] = field(default_factory=list)
    asked: list[tuple[float, str, str]] = field(default_factory=list)
    """Moment, problem, and the event of that moment before it."""
    outcome: Outcome | None = None

    def hear(self, now: float, event: str, facts: dict[str, Any]) -> None:
        self.rows.append((now, event, facts))

    def cause(self) -> str:
        names: Iterator[str] = (event for _, event, _ in reversed(self.rows))
        return next(event for event in names if event not in CONSEQUENCES)

    def of(self, event: str) -> list[dict[str, Any]]:
        return [facts for _, name, facts in self.rows if name == event]


@pytest.fixture(scope="module")
def log() -> Log:
    """A quarter of an hour, listened to; every question with what caused it."""
    found = Log()
    ask = Deciders.ask

    def noted(self: Deciders, problem: str, method: str, *facts: Any) -> Any:
        found.asked.append((facts[0].now, problem, found.cause()))
        return ask(self, problem, method, *facts)

    patch = pytest.MonkeyPatch()
    patch.setattr(Deciders, "ask", noted)
    looker = Looker()
    try:
        found.outcome = running.run(
            running.prepare(),
            hours=0.25,
            listener=found.hear,
            watch=lambda simulation, duration_s: looker,
        )
    finally:
        patch.undo()
    return found


@pytest.mark.covers("R22", "R26")
def test_the_log_shows_the_phases_and_the_agents(log: Log) -> None:
    events = Counter(event for _, event, _ in log.rows)
    robots, stations, managers = "new destination", "pick order completed", "task"
    assert min(events[robots], events[stations], events[managers]) > 50
    phases = [name for _, name, _ in log.rows]
    order = ["initialise", "new destination", "pick order assigned", "render"]
    firsts = [phases.index(name) for name in order]
    assert firsts[0] == 0
    assert firsts[3] == max(firsts)
    assert phases[-1] == "output results"
    assert [now for now, _, _ in log.rows] == sorted(now for now, _, _ in log.rows)


@pytest.mark.covers("R38", "R39", "R40", "R41", "R42", "R43")
@pytest.mark.parametrize("problem", ["roa", "poa", "rps", "pps", "psa", "ta"])
def test_a_decision_is_called_by_its_events(log: Log, problem: str) -> None:
    causes = {cause for _, asked, cause in log.asked if asked == problem}
    wanted = {EVENTS_OF.get(event, event) for event in CALLED_ON[problem]}
    if problem == "pps":  # right after the robot has got its station
        wanted = {"robot needs a new task"}
    if problem in ("rps", "roa"):
        # Answered at once for what was placed; a pod comes free when it is back.
        wanted |= {"task", "new pick order"}
    if problem == "poa":
        wanted |= {"new replenishment order"}
    assert causes
    assert causes <= wanted, causes


@pytest.mark.covers("R44", "R34")
def test_paths_begin_where_a_destination_is_new_also_out_of_the_queue(log: Log) -> None:
    assert log.outcome is not None
    simulation = log.outcome.simulation
    record = log.outcome.record
    destinations = log.of("new destination")
    under_way = len(simulation.warehouse.robots)
    assert record["trips_per_h"] * 0.25 == pytest.approx(
        len(destinations), abs=under_way
    )
    places = set(simulation.warehouse.places.tolist())
    stations = {station.cell for station in simulation.warehouse.stations}
    carried = [facts["goal"] for facts in destinations if facts["carries"]]
    by_robot: defaultdict[int, list[int]] = defaultdict(list)
    for facts in destinations:
        if facts["carries"]:
            by_robot[facts["robot"]].append(facts["goal"])
    for goals in by_robot.values():
        for here, there in pairwise(goals):
            assert here not in stations or there in places
    assert stations & set(carried)


@pytest.mark.covers("R48", "R50")
def test_requests_are_seen_between_orders_and_tasks(log: Log) -> None:
    assert log.outcome is not None
    warehouse = log.outcome.simulation.warehouse
    insertions = [
        b for s in warehouse.replenishment_stations for b in s.bundles.values()
    ]
    assert insertions
    assert all(
        each.pod >= 0 and each.station >= 0 for row in insertions for each in row
    )
    extractions = [r for robot in warehouse.robots for r in robot.requests]
    assert all(each.units > 0 and each.order.station >= 0 for each in extractions)
    stores = log.of("pod needs a place")
    assert len(stores) == sum(facts["task"] == "ParkPod" for facts in log.of("task"))


@pytest.mark.covers("R53")
def test_a_pod_that_is_used_again_at_its_station_makes_no_trip(log: Log) -> None:
    again, at_task = 0, {}
    for _, event, facts in log.rows:
        if event == "new destination":
            at_task[facts["robot"]] = -1
        if event == "task":
            again += at_task.get(facts["robot"], -1) == facts["pod"] != -1
            at_task[facts["robot"]] = facts["pod"]
    assert again > 20


def one_order(*lines: tuple[int, int], pods: int = 40) -> Simulation:
    scenario = Scenario(
        mode="file", orders=0, bundles=0, file_orders=(FileOrder(10.0, lines),)
    )
    given = replace(running.prepare(f"1-1-1-4-{pods}"), scenario=scenario)
    return Simulation(given.layout, given.floor, given.scenario, given.choices)


def apart(simulation: Simulation) -> tuple[int, int]:
    """Two SKUs that no pod has both of."""
    units = simulation.warehouse.stock.units
    stocked = [sku for sku in range(len(units)) if units[sku].sum() > 3]
    first = stocked[0]
    return first, next(sku for sku in stocked if not (units[sku] * units[first]).any())


@pytest.mark.covers("R7", "R49", "R51", "R86")
def test_an_order_of_two_skus_is_picked_from_two_pods_that_are_chosen_late() -> None:
    pair = apart(one_order((0, 1)))
    simulation = one_order((pair[0], 2), (pair[1], 1))
    warehouse = simulation.warehouse
    stock = warehouse.stock
    simulation.run(9.0)
    started = {robot.cell for robot in warehouse.robots}
    assert (stock.units == stock.free).all()
    simulation.run(10.0)
    # Given to a station and at once to two robots: units are taken when tasks begin.
    assert int((stock.units - stock.free).sum()) == 3
    fetching = [robot for robot in warehouse.robots if robot.requests]
    assert len({robot.pod for robot in fetching}) == 2
    simulation.run(3600.0)
    assert (simulation.tally.orders_done, simulation.tally.items) == (1, 3)
    assert warehouse.pick_stations[0].pods_handled == 2
    # Each unit holds the robot for as long as it is picked, and the next one as long
    # as the station is still busy with the one before.
    held_s = simulation.tally.state_s["GetItems"]
    assert held_s == pytest.approx(3 + 10 + 3, abs=7.01)
    # Who has nothing to do waits in the middle of the storage area.
    spots = simulation.floor.spots[:, 1:].astype(float)
    middle = np.median(spots[warehouse.places], axis=0)
    away = np.abs(spots - middle).sum(axis=1)
    rested = [robot.cell for robot in warehouse.robots if robot.cell not in started]
    assert rested
    assert max(away[rested]) < np.median(away[warehouse.places])
