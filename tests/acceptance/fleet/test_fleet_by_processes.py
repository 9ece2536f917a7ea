"""Packages are stored and retrieved by BPMN processes over PostgreSQL and rosbridge.

However often workers are killed, no package is lost, none is moved twice, no two robots
touch, and every process that was started comes to its end. The simulator's own record
is compared with what the database believes.
"""

from __future__ import annotations

import random
import time
from collections import Counter

import pytest

from tests.support.fleet_plant import Demand, FleetPlant, Hands
from tests.support.waiting import until

STALLED_S = 180.0
"""Longer than any transport takes, waiting for others included."""


def torment(
    plant: FleetPlant, *, at_once: int, plant_s: float, every_s: float, seed: int
) -> None:
    """Processes are started for so long; every so often a worker is killed."""
    print(f"seed {seed}")
    draw = random.Random(seed)
    plant.start_fleet_worker("worker0")
    plant.start_fleet_worker("worker1")
    hands, demand = plant.start_hands(), Demand(draw, plant.world)
    kills, kill_at = 0, time.monotonic() + draw.uniform(0.3, 1.0) * every_s

    def active() -> int:
        rows = plant.rows("SELECT count(*) FROM instances WHERE status = 'active'")
        return int(rows[0][0])

    until_s = plant.storage.state()["plant_s"] + plant_s
    while plant.storage.state()["plant_s"] < until_s:
        for _ in range(at_once - active()):
            key, about = demand.next()
            hands.wants[plant.start(key)] = about
        if time.monotonic() >= kill_at:
            kills += 1
            plant.kill_worker(draw.choice(sorted(plant.workers)))
            plant.start_fleet_worker(f"worker{kills + 1}")
            kill_at = time.monotonic() + draw.uniform(0.3, 1.7) * every_s
        time.sleep(0.05)
    try:
        while left := active():  # a queue before two outputs takes its time
            fewer = f"fewer than {left} processes are left"
            until(fewer, lambda: active() < left, patience_s=STALLED_S)
    except AssertionError as stalled:
        told = f"{standing(plant)}\n{hands.refused[-5:]}"
        raise AssertionError(f"{stalled}\n{told}") from None
    plant_s = plant.storage.state()["plant_s"]
    print(f"{len(demand.kinds)} packages, {demand.retrieved} retrieved, {kills} kills")
    print(f"{plant_s:.0f} s of the plant")
    assert kills > 0
    check_floor(plant, hands, demand)


def check_floor(plant: FleetPlant, hands: Hands, demand: Demand) -> None:
    unheard = "SELECT id FROM fleet_events WHERE taken_at IS NULL"
    until("the fleet has heard everything", lambda: not plant.rows(unheard))
    truth, delivered = plant.storage.state(), hands.delivered
    there = [*truth["lying"].values(), *truth["aboard"].values()]
    everything = Counter([*there, *(package for _, package in delivered)])
    assert everything == Counter(list(demand.kinds)), (
        "a package is lost, or there twice"
    )
    assert len(delivered) == demand.retrieved
    assert all(demand.kinds[package] == kind for kind, package in delivered)
    assert truth["contacts"] == []
    assert hands.problems == []
    state = plant.rows("SELECT state FROM fleet")[0][0]
    slots = state["fleet"]["storage"]["slots"].items()
    believed = {place: slot["package"] for place, slot in slots if slot["present"]}
    assert believed == truth["lying"]
    twice = {goal: n for goal, n in plant.starts_of_goals().items() if n > 1}
    assert twice == {}, "a goal was driven twice"
    orders = Counter(r["order"] for r in plant.simulator.records("load", "unload"))
    assert [order for order, n in orders.items() if n > 1] == []


def standing(plant: FleetPlant) -> str:
    asked = [
        "SELECT owner, lease_until - now(), now() - saved_at FROM fleet",
        "SELECT robot, owner, ready, why_not, link, x_m, y_m, battery FROM robots",
        "SELECT id, robot, place, action, state, now() - created_at, reason FROM goals"
        " WHERE state IN ('new', 'sent', 'unknown') ORDER BY created_at",
        "SELECT id, kind, data, state, fleet_task, why FROM fleet_requests"
        " WHERE state NOT IN ('done') OR told_at IS NULL",
        "SELECT id, state, robot, legs, why FROM fleet_tasks WHERE ended_at IS NULL",
        "SELECT data FROM events WHERE kind = 'fleet alert' ORDER BY id DESC LIMIT 8",
        "SELECT topic, state, attempts, run_at - now(), last_error FROM jobs",
        "SELECT kind, message FROM incidents WHERE resolved_at IS NULL",
        "SELECT name, form FROM tasks",
        "SELECT key, value FROM fleet, json_each(state -> 'fleet' -> 'vehicles')",
    ]
    lines = [
        f"{query}\n  " + "\n  ".join(map(str, plant.rows(query))) for query in asked
    ]
    return "\n".join([*lines, f"{plant.storage.state()}"])


@pytest.mark.covers("W8", "W9")
def test_packages_survive_killed_workers(plant: FleetPlant) -> None:
    plant.start_warehouse(speed=15.0)
    torment(plant, at_once=4, plant_s=80.0, every_s=2.0, seed=20260401)


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("speed", "plant_s"), [(4.0, 300.0), (1.0, 3600.0)])
def test_twenty_robots_survive_killed_workers(
    plant: FleetPlant, speed: float, plant_s: float
) -> None:
    """Five minutes in fast motion; an hour in real time."""
    plant.with_twenty_robots()
    plant.start_warehouse(speed)
    torment(plant, at_once=16, plant_s=plant_s, every_s=30.0, seed=20260402)
