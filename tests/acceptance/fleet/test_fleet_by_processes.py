"""Packages are stored and retrieved by BPMN processes over PostgreSQL and rosbridge.

However often workers are killed, no package is lost, none is moved twice, no two robots
touch, and every process that was started comes to its end. The simulator's own record
is compared with what the database believes.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.fleet_plant import FleetPlant, demands, kinds_of
from tests.support.waiting import until

STORE, RETRIEVE = "store_package", "retrieve_package"


@pytest.fixture
def plant(own_database_url: str, tmp_path: Path) -> Iterator[FleetPlant]:
    plant = FleetPlant(own_database_url, tmp_path)
    plant.errors = tmp_path / "errors"
    try:
        yield plant
    finally:
        plant.close()
        print(plant.errors.read_text()[-4000:] if plant.errors.exists() else "")


def torment(
    plant: FleetPlant, *, count: int, speed: float, kills: int, seed: int
) -> None:
    print(f"seed {seed}")
    draw = random.Random(seed)
    plant.start_warehouse(speed)
    plant.start_fleet_worker("worker0")
    plant.start_fleet_worker("worker1")
    hands = plant.start_hands()
    wanted = demands(draw, plant.world, count)
    stock = Counter(kinds_of(plant.world).values())
    stock.update(w["package_type"] for w in wanted if "package" in w)
    asked: Counter[str] = Counter()
    for each in wanted:
        if (
            "package" not in each
            and asked[each["package_type"]] < stock[each["package_type"]] - 1
        ):
            asked[each["package_type"]] += 1
        elif "package" not in each:
            continue  # more than there will ever be
        key = STORE if "package" in each else RETRIEVE
        hands.wants[plant.start(key)] = each

    def active() -> int:
        rows = plant.rows("SELECT count(*) FROM instances WHERE status = 'active'")
        return int(rows[0][0])

    for number in range(kills):
        time.sleep(draw.uniform(0.5, 3.0))
        name = draw.choice(sorted(plant.workers))
        plant.kill_worker(name)
        plant.start_fleet_worker(f"worker{number + 2}")
    try:
        until(
            "every process has ended",
            lambda: not active(),
            patience_s=60.0 + 10.0 * count,
        )
    except AssertionError as stalled:
        raise AssertionError(
            f"{stalled}\n{standing(plant)}\n{hands.refused[-5:]}"
        ) from None
    judge(plant, hands.delivered, hands.problems, wanted, sum(asked.values()))


def judge(
    plant: FleetPlant,
    delivered: list[tuple[str, str]],
    problems: list[str],
    wanted: list[dict[str, Any]],
    retrieved: int,
) -> None:
    unheard = "SELECT id FROM fleet_events WHERE taken_at IS NULL"
    until("the fleet has heard everything", lambda: not plant.rows(unheard))
    truth = plant.storage.state()
    kinds = kinds_of(plant.world)
    kinds |= {w["package"]: w["package_type"] for w in wanted if "package" in w}
    there = [*truth["lying"].values(), *truth["aboard"].values()]
    everything = Counter([*there, *(package for _, package in delivered)])
    assert everything == Counter(list(kinds)), "a package was lost or is there twice"
    assert len(delivered) == retrieved
    assert all(kinds[package] == kind for kind, package in delivered)
    assert truth["contacts"] == []
    assert problems == []
    believed = plant.rows("SELECT state FROM fleet")[0][0]["fleet"]["storage"]["slots"]
    assert {p: s["package"] for p, s in believed.items() if s["present"]} == truth[
        "lying"
    ]
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
        "SELECT id, kind, data, state, fleet_task, why FROM errands"
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
    torment(plant, count=6, speed=15.0, kills=3, seed=20260401)
