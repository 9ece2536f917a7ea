"""A warehouse as a plant's world: the fleet, the simulator and MPMS all read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fleet.model.reading import read_world
from mpms.factory.adapters.worlds import read_world as read_world_of_orders
from robot_bridge.profiles import load_profile
from shopfloor.sim.world_file import load_world
from shopfloor.warehouse.plant_world import write_plant
from shopfloor.warehouse.world_file import find_file, load


@pytest.mark.covers("K70", "K67")
@pytest.mark.parametrize("name", ["small", "medium", "large"])
def test_a_warehouse_is_a_world_for_fleet_and_simulator(
    name: str, tmp_path: Path
) -> None:
    warehouse = load(find_file(name)).warehouse
    text = write_plant(warehouse)
    (tmp_path / "world.yaml").write_text(text)
    fleet, plant = read_world({"world.yaml": text}), load_world(tmp_path)
    orders = read_world_of_orders(tmp_path)
    assert {r.id for r in orders.robots} == set(warehouse.robots)
    assert set(orders.places) == set(fleet.places) == set(plant.places)
    assert set(fleet.robots) == {r.id for r in plant.robots} == set(warehouse.robots)
    for robot in warehouse.robots.values():
        home = fleet.places[fleet.robots[robot.id].home]
        assert home.spot == (robot.x_m, robot.y_m)
    for unit in warehouse.storage_units.values():
        assert fleet.places[unit.id].spot == warehouse.floor.spot(unit.cell)
    drops = [c for b in warehouse.belts.values() for c in warehouse.floor.drops_of(b)]
    spots = {place.spot for place in fleet.places.values()}
    assert {warehouse.floor.spot(cell) for cell in drops} <= spots
    assert {load_profile(r.profile).name for r in plant.robots} == {"kiva"}
