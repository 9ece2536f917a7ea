"""People who walk to the goods, beside robots that bring them."""

from __future__ import annotations

import json

import pytest

from fleet.rmfs.errors import RmfsRefused
from shopfloor.cli import main
from shopfloor.experiments.rmfs import running
from shopfloor.experiments.rmfs.manual_picking import Walking, compare_with_people, walk
from shopfloor.experiments.rmfs.simulation import Simulation


@pytest.mark.covers("R93")
def test_people_who_walk_pick_less_than_half_as_much_of_the_same_orders(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["rmfs", "people", "--hours", "0.5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    on_foot, served = found["walking"], found["with_robots"]
    # "About half of a picker's time is walking"; robots make "two to three times" more.
    assert 0.35 < on_foot["walking_share"] < 0.65
    assert 1.8 < found["ratio"] < 3.5
    shares = [on_foot[f"{part}_share"] for part in ("walking", "searching", "picking")]
    assert sum(shares) == pytest.approx(1.0, abs=0.01)
    assert found["units"] == pytest.approx(
        served["units_per_person_h"] * served["person_hours"], rel=0.01
    )
    assert found["assumed"]["walking_mps"] == 1.0


def test_a_cart_of_one_order_walks_from_the_station_to_each_shelf_and_back() -> None:
    given = running.prepare("1-1-1-4-40")
    before = Simulation(given.layout, given.floor, given.scenario, given.choices)
    stock = before.warehouse.stock
    pod = 7
    sku = int(stock.units[:, pod].argmax())
    only = stock.units[sku].copy()
    only[:pod] = only[pod + 1 :] = 0
    stock.units[sku] = only
    (tour,) = walk(before, [[(sku, 2)]], Walking())
    station = before.floor.spots[before.warehouse.pick_stations[0].cell]
    shelf = before.floor.spots[stock.place[pod]]
    straight_m = float(abs(station - shelf).sum()) * before.floor.cell_m
    assert (tour.shelves, tour.units) == (1, 2)
    assert 2 * straight_m <= tour.walked_m < 2 * straight_m + 30
    (both,) = walk(before, [[(sku, 2)], [(sku, 1)]], Walking(orders_on_cart=2))
    assert (both.walked_m, both.units) == (tour.walked_m, 3), "one way for both"


def test_people_who_cannot_walk_are_refused() -> None:
    given = running.prepare("1-1-1-4-40")
    with pytest.raises(RmfsRefused) as refused:
        compare_with_people(given, Walking(speed_mps=0.0, search_s=-1.0))
    assert refused.value.lines == (
        "speed_mps is more than 0, not 0",
        "search_s is 0 or more, not -1",
    )
    with pytest.raises(RmfsRefused, match="no order was completed"):
        compare_with_people(given, hours=0.001)
