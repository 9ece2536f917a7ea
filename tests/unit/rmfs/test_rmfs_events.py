"""What happens during runs: outages, shifts, arrivals, exchanged strategies."""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fleet.rmfs.errors import RmfsRefused
from shopfloor.experiments.rmfs import running
from shopfloor.experiments.rmfs.running import Experiment, Outcome
from shopfloor.experiments.rmfs.scenario import (
    Demand,
    FileOrder,
    Outage,
    Popularity,
    Scenario,
)


def experiment(scenario: Scenario, *settings: str) -> Experiment:
    return replace(running.prepare(settings=settings), scenario=scenario)


def run_hours(scenario: Scenario, hours: float, *settings: str) -> Outcome:
    return running.run(experiment(scenario, *settings), hours=hours)


@pytest.mark.covers("R92")
def test_what_a_robot_and_a_station_leave_when_switched_off_is_done_elsewhere() -> None:
    off = Scenario(
        outages=(
            Outage(at_s=600.0, until_s=1e9, robot=0),
            Outage(at_s=700.0, until_s=1e9, station=3),
            Outage(at_s=800.0, until_s=1500.0, station=0),
        )
    )
    outcome = run_hours(off, 1.0)
    warehouse, tally = outcome.simulation.warehouse, outcome.simulation.tally
    closed, open_ = warehouse.stations[3], warehouse.stations[2]
    assert not closed.orders
    assert not closed.inbound
    assert open_.orders_done > 100
    assert warehouse.robots[0].step == "Rest"
    assert not warehouse.robots[0].carries
    at_stations = len(open_.orders)
    placed = tally.orders_done + at_stations + len(warehouse.backlog)
    assert placed == tally.orders_placed
    stock = warehouse.stock
    promised = sum(r.units for robot in warehouse.robots for r in robot.requests)
    assert int((stock.units - stock.free).sum()) == promised


@pytest.mark.covers("R17", "RC9", "R63", "R45")
@pytest.mark.parametrize("hours", [16, pytest.param(48, marks=pytest.mark.soak)])
def test_storing_pods_nearby_from_half_time_on_shortens_ways_and_raises_output(
    hours: int,
) -> None:
    outcome = running.run(
        running.prepare(controllers="switch"), hours=float(hours), sample_s=900.0
    )
    rows = outcome.series.rows
    half = 2 * hours  # quarters of an hour
    before, after = rows[6:half], rows[half + 2 :]

    def values(part: list[dict[str, Any]], name: str) -> list[float]:
        return [row[name] for row in part]

    for name, sign in (("orders_per_h", 1), ("distance_m_per_h", -1)):
        first, second = values(before, name), values(after, name)
        spread = statistics.variance(first) / len(first)
        spread += statistics.variance(second) / len(second)
        change = statistics.mean(second) - statistics.mean(first)
        assert sign * change / spread**0.5 > 2.1, name


@pytest.mark.covers("R67", "RC13")
def test_the_inventory_stays_between_its_bounds() -> None:
    scenario = Scenario(bundle_stop=0.72, bundle_restart=0.70)
    levels = [
        row["inventory_level"]
        for row in running.run(
            experiment(scenario), hours=1.0, sample_s=60.0
        ).series.rows
    ]
    assert max(levels) <= 0.721
    assert min(levels) >= 0.69


@pytest.mark.covers("R68", "RC14")
def test_orders_that_arrive_by_chance_follow_the_hours_of_the_day() -> None:
    scenario = Scenario(
        mode="poisson", orders=0, high_start_h=1.0, high_end_h=2.0, orders_per_h=40.0
    )
    placed: defaultdict[int, int] = defaultdict(int)

    def hear(now: float, event: str, facts: dict[str, Any]) -> None:
        if event == "new pick order":
            placed[int(now // 3600)] += 1

    running.run(experiment(scenario), hours=2.0, listener=hear)
    assert placed[0] == pytest.approx(80, abs=30)
    assert placed[1] == pytest.approx(420, abs=65)


@pytest.mark.covers("R69", "R70")
def test_orders_of_a_list_come_when_it_says_and_batches_on_top() -> None:
    listed = (FileOrder(60.0, ((1, 1), (2, 1))), FileOrder(120.0, ((3, 2),)))
    scenario = Scenario(
        mode="file",
        file_orders=listed,
        orders=0,
        bundles=0,
        batch_every_s=600.0,
        batch_orders=5,
    )
    moments = []

    def hear(now: float, event: str, facts: dict[str, Any]) -> None:
        if event == "new pick order":
            moments.append(now)

    outcome = running.run(experiment(scenario), hours=0.5, listener=hear)
    assert moments == [60.0, 120.0, *[600.0] * 5, *[1200.0] * 5, *[1800.0] * 5]
    assert outcome.record["orders"] >= 8


@pytest.mark.covers("R16", "RC3")
def test_stations_work_in_their_shift() -> None:
    done = run_hours(Scenario(), 1.0, "sa=WorkShift", "sa.start_h=0.5", "sa.end_h=9")
    record = done.record
    assert 0 < record["items"] < 0.55 * 720
    few = run_hours(
        Scenario(orders=30), 0.3, "sa=BacklogThreshold", "sa.orders_per_station=50"
    )
    assert few.simulation.warehouse.pick_stations[1].items == 0


@pytest.mark.covers("R59")
@pytest.mark.parametrize("kind", ["constant", "uniform", "normal", "gamma"])
def test_skus_are_as_popular_as_their_distribution_says(kind: str) -> None:
    popularity = Popularity(kind=kind, most=10.0)
    weight = Demand(Scenario(popularity=popularity), 0).catalogue.weight
    spread = float(np.std(weight) / np.mean(weight))
    expected = {"constant": 0.0, "uniform": 0.47, "normal": 0.5, "gamma": 0.67}
    assert spread == pytest.approx(expected[kind], abs=0.12)


@pytest.mark.covers("R60", "R61", "R62", "R64")
def test_orders_have_lines_and_units_as_given_and_only_of_what_is_in_stock() -> None:
    scenario = Scenario(return_share=0.3)
    demand = Demand(scenario, 0)
    unasked = np.full(1000, 100, np.int64)
    unasked[::2] = 0
    orders = [demand.order(unasked) or [] for _ in range(3000)]
    lines = [len(order) for order in orders]
    assert statistics.mean(lines) == pytest.approx(1.76, abs=0.05)
    assert (min(lines), max(lines)) == (1, 4)
    units = [count for order in orders for _, count in order]
    assert statistics.mean(units) == pytest.approx(1.10, abs=0.02)
    assert all(sku % 2 for order in orders for sku, _ in order)
    single = sum(demand.bundle()[1] == 1 for _ in range(2000))
    assert single == pytest.approx(600, abs=80)


def test_a_warehouse_that_cannot_be_filled_says_why() -> None:
    with pytest.raises(RmfsRefused, match="cannot be filled to 95%: pods hold 20"):
        running.run(
            running.prepare(settings=["pod_capacity=20", "initial_inventory=0.95"]),
            hours=0.1,
        )
