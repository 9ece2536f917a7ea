"""One robot on the bridge, the others simulated, in one experiment."""

from __future__ import annotations

import itertools
import math
import time
from pathlib import Path

import pytest

from shopfloor.experiments.rmfs import running
from shopfloor.experiments.rmfs.bridge_robot import BridgeRobot
from shopfloor.experiments.rmfs.hybrid import Hybrid, Told
from shopfloor.experiments.rmfs.simulation import Simulation
from tests.support.simulator import Simulator

SPEED = 8.0
REAL = 0
WORLD = """
name: An empty hall
map: {width_m: 60, height_m: 60, resolution_m: 0.5, origin: [-15, -15, 0]}
places: {home: {x_m: 4, y_m: 4}}
robots:
  - {id: robot1, home: home, max_speed_mps: 1.5, max_accel_mps2: 1.0,
     max_turn_radps: 2.5}
"""
DELAYS = ("delays_per_robot_h=60", "delay_s=5")


@pytest.mark.long
@pytest.mark.covers("R81", "R84", "R85", "R90", "R23")
def test_a_robot_on_the_bridge_works_among_simulated_ones(tmp_path: Path) -> None:
    (tmp_path / "world.yaml").write_text(WORLD, "utf-8")
    simulator = Simulator(tmp_path, tmp_path / "trace.jsonl", SPEED)
    real = BridgeRobot(simulator.url, "robot1", namespace="/robot1")
    try:
        experiment = running.prepare("1-1-1-4-40", settings=DELAYS)
        handled: list[str] = []
        simulation = Simulation(
            experiment.layout,
            experiment.floor,
            experiment.scenario,
            experiment.choices,
            listener=lambda at, event, facts: handled.append(event),
        )
        frozen: list[float] = []
        lost: list[Told] = []
        cells = {tuple(spot): n for n, spot in enumerate(floor_spots(simulation))}

        def nap(seconds: float) -> None:
            now = simulation.warehouse.now
            if now > 0.0:
                owner = simulation.traffic.arrays.owner
                lost.extend(
                    told
                    for told in hybrid.drives[-2:]  # from where, and to where
                    if hybrid.is_driving
                    and owner[cells[0, round(told.x_m), round(told.y_m)]] != REAL
                )
            if now > 60.0 and not frozen:
                frozen.append(now)
                simulator.fault("freeze robot1 1")  # eight seconds late
            time.sleep(seconds)

        hybrid = Hybrid(simulation, REAL, real, speed=SPEED, nap=nap)
        hybrid.run(160.0)
    finally:
        real.close()
        simulator.kill()
    assert hybrid.failures == []
    assert len(hybrid.drives) > 10
    driven = simulator.records("goal_started")
    assert len(driven) == len(hybrid.drives)
    assert simulation.tally.delays > 1
    assert simulation.tally.orders_done > 0
    assert "pick order completed" in handled
    assert lost == [], "its cells are its own until it has reported"
    ends = simulator.records("goal_ended")
    for told, end in zip(hybrid.drives, ends, strict=False):
        assert math.dist((told.x_m, told.y_m), (end["x_m"], end["y_m"])) < 0.1
    steps = [
        math.dist((a.x_m, a.y_m), (b.x_m, b.y_m))
        for a, b in itertools.pairwise(hybrid.drives[1:])
    ]
    assert 0.0 in steps, "turns are goals of their own"
    assert max(steps) >= 1.0


def floor_spots(simulation: Simulation) -> list[list[int]]:
    found: list[list[int]] = simulation.floor.spots.tolist()
    return found
