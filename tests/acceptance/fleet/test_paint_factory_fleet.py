"""The paint factory with a fleet: robots share aisles and places, and touch nobody."""

from __future__ import annotations

import pytest

from tests.support.fleet_plant import FleetPlant
from tests.support.waiting import until


@pytest.mark.parametrize("orders", [2, pytest.param(9, marks=pytest.mark.soak)])
def test_orders_at_once_are_driven_without_a_contact(
    plant: FleetPlant, orders: int
) -> None:
    """All of them fetch the same materials for the same tank."""
    plant.with_paint_factory()
    plant.start_warehouse(speed=20.0)
    plant.start_fleet_worker("worker")
    people = plant.start_people()
    for number in range(1, orders + 1):
        plant.send_order(f"MO-2026-000{number}")
    until("all orders are done", lambda: len(plant.done()) == orders)
    assert plant.storage.state()["contacts"] == []
    assert people.retried == []
    moves = plant.rows(
        "SELECT count(*), count(*) FILTER (WHERE state = 'done') FROM fleet_requests"
        " WHERE kind = 'move'"
    )
    assert moves[0][0] == moves[0][1]
    assert moves[0][0] >= orders * 7
    robots = plant.rows("SELECT DISTINCT data ->> 'robot' FROM fleet_requests")
    assert len(robots) == min(3, orders)
    assert max(plant.starts_of_goals().values()) == 1


def test_robots_of_two_makes_on_two_servers_are_one_fleet(plant: FleetPlant) -> None:
    """One speaks ROS 2 at an address of its own, the others ROS 1 behind another."""
    plant.with_paint_factory()
    own = plant.with_two_servers("robot1", "nav2", speed=20.0)
    plant.start_fleet_worker("worker")
    plant.start_people()
    for number in range(1, 4):
        plant.send_order(f"MO-2026-000{number}")
    until("all orders are done", lambda: len(plant.done()) == 3)
    robots = {robot for (robot,) in plant.rows("SELECT DISTINCT robot FROM goals")}
    assert robots == {"robot1", "robot2", "robot3"}
    assert {start["robot"] for start in own.starts()} == {"robot1"}
    shared = {start["robot"] for start in plant.simulator.starts()}
    assert shared == {"robot2", "robot3"}
    assert max(plant.starts_of_goals().values()) == 1
    doubtful = "SELECT id, reason FROM goals WHERE state IN ('unknown', 'failed')"
    assert plant.rows(doubtful) == []
