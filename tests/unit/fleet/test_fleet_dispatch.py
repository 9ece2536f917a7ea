"""Bids with queue, battery and charging; strategies; who gets a task and why."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from fleet.charging import Energy, Stations
from fleet.dispatch import STRATEGIES, Bidder, Bids, Round
from fleet.dispatch.phases import sorted_tasks
from fleet.fleet import Fleet
from fleet.storage import Storage
from fleet.tasks import Action, Kind, Leg, Task, transport_task
from tests.support.fleet_trials import roads_of
from tests.support.warehouses import shipped

WORLD = shipped("warehouse_small")


@pytest.fixture
def bids() -> Bids:
    roadmaps = roads_of("warehouse_small")
    energy = Energy(WORLD, roadmaps, Stations(WORLD))
    return Bids(WORLD, roadmaps, Storage(WORLD), energy)


def bidder(robot: str = "tug1", place: str = "rest_1", **more: float) -> Bidder:
    full = {"ready_at": 0.0, "percent": 100.0} | more
    return Bidder(robot, WORLD.type_of(robot), place, **full)  # type: ignore[arg-type]


def store(place: str = "in_1", kind: str = "small_box") -> Task:
    legs = [Leg(place, Action.LOAD), Leg("", Action.UNLOAD)]
    return Task("s", Kind.STORE, legs, package="N-1", package_type=kind)


def retrieve(kind: str, place: str = "out_1") -> Task:
    legs = [Leg("", Action.LOAD), Leg(place, Action.UNLOAD)]
    return Task("r", Kind.RETRIEVE, legs, package_type=kind)


@pytest.mark.covers("W58", "W66")
def test_a_bid_to_store_names_the_free_place_that_is_quickest(bids: Bids) -> None:
    bid = bids.ask(bidder(), store())
    roadmap = bids.roadmaps["tug"]
    free = bids.storage.free_storage()
    assert bid.storage == min(free, key=lambda p: roadmap.time_s("in_1", p))
    expected_s = roadmap.time_s("rest_1", "in_1") + roadmap.time_s("in_1", bid.storage)
    assert bid.finish_at == pytest.approx(expected_s + 2 * 4.0)


@pytest.mark.covers("W59", "W69")
def test_a_bid_to_retrieve_names_the_best_place_with_the_type(bids: Bids) -> None:
    bid = bids.ask(bidder("lifter1", "rest_7"), retrieve("pallet"))
    roadmap = bids.roadmaps["lifter"]
    stock = bids.storage.stock()["pallet"]
    assert bid.storage == min(
        stock, key=lambda p: roadmap.time_s("rest_7", p) + roadmap.time_s(p, "out_1")
    )


@pytest.mark.covers("W63")
def test_bids_use_the_places_that_are_free_now(bids: Bids) -> None:
    first = bids.ask(bidder(), store()).storage
    bids.storage.reserve(first)
    assert bids.ask(bidder(), store()).storage != first
    for place in bids.storage.stock()["small_box"]:
        bids.storage.reserve(place)
    assert bids.ask(bidder(), retrieve("small_box")).why_not == "no small_box is free"


@pytest.mark.covers("W67", "W74")
def test_a_bid_starts_where_and_when_the_queue_ends(bids: Bids) -> None:
    soon = bids.ask(bidder(place="rest_1"), store())
    late = bids.ask(bidder(place="rest_1", ready_at=100.0), store())
    assert late.finish_at == pytest.approx(soon.finish_at + 100.0)
    near = bids.ask(bidder(place="in_1"), store())
    assert near.finish_at < soon.finish_at


@pytest.mark.covers("W64", "W68")
def test_a_low_battery_adds_the_detour_and_the_charging(bids: Bids) -> None:
    full = bids.ask(bidder(), store())
    low = bids.ask(bidder(percent=16.0), store())
    roadmap, tug = bids.roadmaps["tug"], WORLD.robot_types["tug"]
    assert (full.zone, low.zone) == ("", "west")
    there_s = min(roadmap.time_s("rest_1", p) for p in ("charger_1", "charger_2"))
    left = 16.0 - there_s * tug.discharging_pps
    charging_s = (tug.enough_percent - left) / 0.4
    on_s = roadmap.time_s("charger_1", "in_1")
    rest_s = roadmap.time_s("in_1", low.storage) + 8.0
    assert low.finish_at == pytest.approx(there_s + charging_s + on_s + rest_s, abs=2.0)


@pytest.mark.covers("W10", "W11", "W52", "W53")
def test_who_cannot_carry_a_package_does_not_offer(bids: Bids) -> None:
    assert bids.ask(bidder(), store(kind="pallet")).why_not == (
        "carries 50 kg, not 300 kg"
    )
    round_ = Round(bids, [bidder(), bidder("lifter1", "rest_7")], [retrieve("pallet")])
    [decision] = STRATEGIES["bid"](round_)
    assert decision.robot == "lifter1"
    assert list(decision.bids) == ["lifter1"]
    assert decision.refusals == {"tug1": "carries 50 kg, not 300 kg"}


@pytest.mark.covers("W60", "W61")
def test_the_lowest_finish_wins_and_its_storage_is_reserved(bids: Bids) -> None:
    robots = [bidder(f"tug{n}", f"rest_{n}") for n in range(1, 7)]
    offers = {b.id: bids.ask(b, store()).finish_at for b in robots}
    [decision] = STRATEGIES["bid"](Round(bids, robots, [store()]))
    assert decision.robot == min(offers, key=lambda robot: offers[robot])
    assert decision.bids == pytest.approx(offers)
    assert decision.bid is not None
    assert decision.bid.storage not in bids.storage.free_storage()
    assert decision.told()[0].startswith(f"{decision.robot}: finishes")


def test_the_table_of_a_round_equals_the_single_bids(bids: Bids) -> None:
    draw = random.Random(5)
    places = list(WORLD.places)
    robots = [
        bidder(robot, draw.choice(places), percent=16 + 84 * draw.random())
        for robot in WORLD.robots
    ]
    tasks = [
        transport_task(str(n), draw.choice(places), draw.choice(places))
        for n in range(20)
    ]
    tasks += [store(), retrieve("pallet")]
    round_ = Round(bids, robots, tasks)
    for robot in robots:
        alone = [bids.ask(robot, task).finish_at for task in tasks]
        assert round_.row(robot) == pytest.approx(alone)


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_every_strategy_gives_each_task_once_and_keeps_to_the_room(
    bids: Bids, name: str
) -> None:
    draw = random.Random(2)
    places = list(WORLD.storage)
    robots = [bidder(f"tug{n}", f"rest_{n}") for n in range(1, 5)]
    robots[0].room = 2
    tasks = [
        transport_task(str(n), draw.choice(places), draw.choice(places))
        for n in range(9)
    ]
    decisions = STRATEGIES[name](Round(bids, robots, tasks))
    assert len({d.task for d in decisions}) == len(decisions) == 5
    assert [d.robot for d in decisions].count("tug1") == 2


def test_regret_finishes_sooner_than_one_by_one(bids: Bids) -> None:
    places = [place for place in WORLD.places if place not in WORLD.rests]
    totals = dict.fromkeys(("bid", "regret"), 0.0)
    for seed in range(12):
        for name in totals:
            draw = random.Random(seed)
            robots = [bidder(f"tug{n}", draw.choice(places)) for n in range(1, 7)]
            tasks = [
                transport_task(str(n), draw.choice(places), draw.choice(places))
                for n in range(6)
            ]
            decisions = STRATEGIES[name](Round(bids, robots, tasks))
            totals[name] += sum(d.bid.finish_at for d in decisions if d.bid)
    assert totals["regret"] < totals["bid"]


def test_turns_are_taken_and_the_nearest_goes(bids: Bids) -> None:
    robots = [bidder("tug1", "in_1"), replace(bidder("tug2", "rest_2"), turn=-1)]
    task = transport_task("t", "in_1", "A1")
    assert STRATEGIES["turns"](Round(bids, robots, [task]))[0].robot == "tug2"
    robots = [bidder("tug1", "in_1", ready_at=500.0), bidder("tug2", "rest_2")]
    assert STRATEGIES["nearest"](Round(bids, robots, [task]))[0].robot == "tug1"
    assert (
        STRATEGIES["added"](
            Round(
                bids, [bidder("tug1", "in_1", ready_at=500.0), bidder("tug2")], [task]
            )
        )[0].robot
        == "tug1"
    )


def test_tasks_are_sorted_by_priority_deadline_and_age() -> None:
    fleet = Fleet(WORLD, roadmaps=roads_of("warehouse_small"))
    tasks = [
        transport_task("old", "A1", "A2", submitted_at=1.0),
        transport_task("due", "A1", "A2", submitted_at=9.0, deadline_at=50.0),
        transport_task("high", "A1", "A2", submitted_at=9.0, priority=1),
    ]
    order = [task.id for task in sorted_tasks(fleet.desk, tasks, 10.0)]
    assert order == ["high", "due", "old"]
