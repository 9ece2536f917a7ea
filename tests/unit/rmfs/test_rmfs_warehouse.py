"""What robots, pods and stations do, seen one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from shopfloor.experiments.rmfs import drive_kernels as drive
from shopfloor.experiments.rmfs import running
from shopfloor.experiments.rmfs.heat import heat
from shopfloor.experiments.rmfs.running import Outcome
from shopfloor.experiments.rmfs.scenario import Scenario
from shopfloor.experiments.rmfs.simulation import Simulation
from shopfloor.experiments.rmfs.traffic import arrays as traffic

QUIET = Scenario(mode="file", orders=0, bundles=0)


def made(layout: str, *settings: str, scenario: Scenario | None = None) -> Simulation:
    given = running.prepare(layout, settings=settings)
    events = given.scenario if scenario is None else scenario
    return Simulation(given.layout, given.floor, events, given.choices)


@pytest.mark.covers("R5", "R48")
def test_units_of_a_replenishment_order_lie_on_their_pod_after_its_visit() -> None:
    scenario = replace(QUIET, batch_every_s=10.0, batch_bundles=1)
    heard: list[tuple[str, dict[str, Any]]] = []
    given = running.prepare("1-1-1-4-40")
    simulation = Simulation(
        *(given.layout, given.floor, scenario, given.choices),
        listener=lambda now, event, facts: heard.append((event, facts)),
    )
    units = simulation.warehouse.stock.units
    simulation.run(9.0)
    before = units.copy()
    until_s = 20.0
    while not [1 for event, _ in heard if event == "replenishment order stored"]:
        simulation.run(until_s)
        until_s += 1.0
        assert until_s < 600.0
    placed = {
        f["bundle"]: f for event, f in heard if event == "new replenishment order"
    }
    stored = next(f for event, f in heard if event == "replenishment order stored")
    bundle = placed[stored["bundle"]]
    rise = units.astype(int) - before
    assert rise[bundle["sku"], stored["pod"]] == bundle["units"] > 0
    assert int(rise.sum()) == bundle["units"], "and nothing else has changed"


@pytest.mark.covers("R4")
def test_a_pod_moves_with_its_robot_and_others_are_passed_below() -> None:
    simulation = made("1-1-1-4-40")
    stock, floor = simulation.warehouse.stock, simulation.floor
    carried_at: dict[int, set[int]] = {}
    for second in range(1, 901):
        simulation.run(float(second))
        for robot in simulation.warehouse.robots:
            cell = simulation.traffic.cell(robot.number)
            if robot.carries:
                assert stock.place[robot.pod] < 0, "it stands nowhere meanwhile"
                carried_at.setdefault(robot.pod, set()).add(cell)
    assert max(map(len, carried_at.values())) > 20
    for pod, cells in carried_at.items():
        on_places = [c for c in cells if floor.kind[c] == traffic.STORAGE]
        # A robot with a pod stands only in the place it comes from or goes to.
        assert len(on_places) <= 4, pod
    assert simulation.traffic.count(traffic.TUNNELS) > 10


@pytest.mark.covers("R28")
def test_an_elevator_takes_one_robot_at_a_time_for_a_constant_time() -> None:
    anywhere = ("pps.prefer_same_tier=false", "ta.prefer_same_tier=false")
    simulation = made("2-2-2-8-200", *anywhere)
    arrays, tier_s = simulation.traffic.arrays, simulation.layout.elevator_tier_s
    began: dict[int, float] = {}
    took: list[float] = []
    most = 0
    for step in range(1, 3601):
        now = step * 0.25
        simulation.run(now)
        riding = {
            robot: int(arrays.lift_of[arrays.whole[robot, traffic.FRONT]])
            for robot in range(len(arrays.whole))
            if arrays.whole[robot, traffic.PHASE] == traffic.LIFTED
        }
        most = max([most, *Counter(riding.values()).values()])
        for robot in riding.keys() - began.keys():
            began[robot] = now
        for robot in began.keys() - riding.keys():
            took.append(now - began.pop(robot))
    assert most == 1
    assert len(took) > 10
    assert set(np.round(took, 2)) <= {tier_s - 0.25, tier_s, tier_s + 0.25}
    lifted_s = float(arrays.real[:, drive.LIFTED_S].sum())
    assert lifted_s == tier_s * simulation.traffic.count(traffic.LIFTS)


@pytest.mark.covers("R23")
def test_decisions_are_made_at_once_or_collected_and_released_later() -> None:
    def assigned(*settings: str) -> list[float]:
        moments: list[float] = []

        def hear(now: float, event: str, facts: dict[str, Any]) -> None:
            if event == "pick order assigned" and now > 0.0:
                moments.append(now)

        running.run(
            running.prepare("1-1-1-4-40", settings=settings), hours=0.25, listener=hear
        )
        return moments

    at_once, released = assigned(), assigned("poa.release_every_s=60")
    assert len(released) > 5
    assert all(moment % 60.0 == 0.0 for moment in released)
    assert sum(moment % 60.0 == 0.0 for moment in at_once) < 0.2 * len(at_once)


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return running.run(running.prepare(), hours=0.5)


@pytest.mark.covers("R18", "R19")
def test_pile_on_and_travel_are_told_by_station_and_run(outcome: Outcome) -> None:
    record = outcome.record
    picks = [s for s in range(4) if record[f"station_{s}_kind"] == "pick"]
    handled = sum(record[f"station_{s}_pods"] for s in picks)
    assert record["pods_handled"] == handled > 20
    by_station = sum(
        record[f"station_{s}_pile_on"] * record[f"station_{s}_pods"] for s in picks
    )
    assert by_station == pytest.approx(record["pile_on"] * handled)
    assert record["trip_m"] / record["trip_s"] < 1.5, "on average below the top speed"
    assert record["distance_m"] == pytest.approx(
        record["distance_km_per_h"] * 1000 * record["simulated_h"]
    )


@pytest.mark.covers("R75")
def test_queues_are_seen_at_stations_on_the_heat_map(outcome: Outcome) -> None:
    simulation = outcome.simulation
    held = heat(simulation, "robot_positions")
    floor = simulation.floor
    queue = [c for c in range(floor.count) if floor.zone[c] >= 0]
    lanes = [
        c
        for c in range(floor.count)
        if floor.zone[c] < 0 and floor.kind[c] != traffic.STORAGE
    ]
    assert held[queue].mean() > 3.0 * held[lanes].mean()
    stations = [station.cell for station in simulation.warehouse.stations]
    assert set(np.argsort(held)[-4:].tolist()) == set(stations)


@pytest.mark.covers("RC13", "RC14")
def test_scenarios_begin_as_those_of_the_original() -> None:
    given = Scenario()
    assert given.duration_s == 48 * 3600.0
    assert (given.mode, given.orders, given.bundles) == ("fill", 200, 200)
    levels = (given.initial_inventory, given.bundle_stop, given.bundle_restart)
    assert levels == (0.70, 0.85, 0.65)
    assert (given.order_stop, given.order_restart) == (0.10, 0.60)
    lines, units = given.lines, given.units
    assert (lines.mean, lines.sd, lines.least, lines.most) == (1.0, 1.0, 1, 4)
    assert (units.mean, units.sd, units.least, units.most) == (1.0, 0.3, 1, 3)
    priority = (given.priority_share, given.priority_due_s, given.due_s)
    assert priority == (0.2, 1800.0, 7200.0)
    poisson = running.prepare(scenario="poisson").scenario
    assert poisson.mode == "poisson"
    assert (poisson.orders_per_h, poisson.bundles_per_h) == (160.0, 45.0)
    assert (poisson.high_orders_per_h, poisson.high_bundles_per_h) == (210.0, 75.0)
