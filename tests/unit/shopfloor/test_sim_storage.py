"""Packages in the simulator: loaded where they lie, moved once for each order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shopfloor.sim.clock import ManualClock
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.storage import Kind, StorageSpec
from shopfloor.sim.vehicle import Pose
from shopfloor.sim.world import RobotSpec, World, WorldRefused
from shopfloor.sim.world_file import load_world

ROOT = Path(__file__).resolve().parents[3]
SPEC = StorageSpec(
    places={"in": Pose(1.0, 1.0), "out": Pose(5.0, 1.0)},
    stock={"in": "P-1"},
    chargers=((Pose(1.0, 1.0), 1.0),),
    kinds={"differential": Kind(load_s=2.0, idle_pps=0.1)},
)


def simulation() -> Simulation:
    robots = (RobotSpec("r", home=Pose(1.0, 1.0)),)
    return Simulation(World(robots=robots, storage=SPEC), clock=ManualClock())


def call(sim: Simulation, name: str, wait_s: float = 3.0, **args: Any) -> Any:
    answers: list[Any] = []
    sim.graph.call(name, args, lambda ok, values: answers.append(values))
    for _ in range(int(wait_s / 0.5)):
        sim.tick(0.5, sim._rng)
    return answers[0] if answers else None


def test_an_order_is_done_once_however_often_it_is_given() -> None:
    sim = simulation()
    assert call(sim, "/r/load", wait_s=1.0, id="a", package="") is None
    assert call(sim, "/r/load", id="a", package="")["success"]
    assert call(sim, "/r/load", id="a", package="")["success"]
    assert sim.storage is not None
    assert sim.storage.state()["aboard"] == {"r": "P-1"}
    refused = call(sim, "/r/load", id="b", package="")
    assert (refused["success"], refused["message"]) == (False, "P-1 is on it already")


def test_nothing_is_set_down_on_something_else() -> None:
    sim = simulation()
    call(sim, "/r/load", id="a", package="")
    assert call(sim, "/storage/put", place="in", package="P-2")["success"]
    refused = call(sim, "/r/unload", id="b", package="")
    assert refused["message"] == "P-2 lies at in"
    assert call(sim, "/storage/take", place="in")["message"] == "P-2"
    assert call(sim, "/r/unload", id="c", package="")["success"]


@pytest.mark.parametrize(
    ("service", "args", "why"),
    [
        ("put", {"place": "in", "package": "P-9"}, "P-1 lies at in"),
        ("put", {"place": "moon", "package": "P-9"}, "there is no place 'moon'"),
        ("put", {"place": "out", "package": ""}, "the package has no name"),
        ("take", {"place": "out"}, "nothing lies at out"),
    ],
)
def test_hands_are_told_why_not(service: str, args: dict[str, Any], why: str) -> None:
    answer = call(simulation(), f"/storage/{service}", **args)
    assert (answer["success"], answer["message"]) == (False, why)


def test_a_robot_charges_where_it_can_and_empties_elsewhere() -> None:
    sim = simulation()
    vehicle = sim.robots["r"].vehicle
    vehicle.battery = 0.5
    sim.tick(1.0, sim._rng)
    sim.tick(10.0, sim._rng)
    assert vehicle.battery > 0.59
    vehicle.pose = Pose(3.0, 3.0)
    sim.tick(0.5, sim._rng)
    before = vehicle.battery
    sim.tick(10.0, sim._rng)
    assert vehicle.battery == pytest.approx(before - 0.01)


def test_the_small_warehouse_has_storage_and_the_paint_factory_chargers() -> None:
    small = load_world(ROOT / "worlds" / "warehouse_small")
    assert small.storage is not None
    assert small.storage.stock["A1"] == "P-1"
    assert small.storage.kinds["lifter"].load_s == 8.0
    paint = load_world(ROOT / "worlds" / "paint_factory").storage
    assert paint is not None
    assert (paint.places, len(paint.chargers)) == ({}, 3)


def test_a_storage_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "world.yaml").write_text(
        "name: w\nmap: {width_m: 9.0, height_m: 9.0}\nplaces: {a: {x_m: 1, y_m: 1}}\n"
        "robots: [{id: r, home: a}]\n"
    )
    (tmp_path / "storage.yaml").write_text("inputs: {in_1: {x_m: 1.0}}\n")
    with pytest.raises(WorldRefused, match="'y_m'"):
        load_world(tmp_path)
