"""Starting a world with streets: which one, which alley, which planner."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from shopfloor.sim.world import WorldRefused
from shopfloor.streets.alley import Alley, alley_world
from shopfloor.streets.served import PLANNER, StreetSimulation
from shopfloor.streets.world import StreetWorld, load_streets
from shopfloor.vehicles.errors import VehicleRefused

ALLEY = "alley"
SEARCHES = 2
"""Ways looked for at the same time, beside all topics."""


def simulation_of(
    path: Path, alley_width_m: float | None, planner: str | None, facts: dict[str, Any]
) -> StreetSimulation:
    """WorldRefused if a vehicle or an alley cannot be like that."""
    try:
        simulation = StreetSimulation(
            streets_of(path, alley_width_m),
            planner=planner or PLANNER,
            begin=ThreadPoolExecutor(SEARCHES, "way").submit,
            **facts,
        )
        simulation.warm_up()
    except VehicleRefused as error:
        raise WorldRefused(str(error)) from error
    return simulation


def streets_of(path: Path, alley_width_m: float | None) -> StreetWorld:
    streets = load_streets(path)
    if alley_width_m is None:
        return streets
    if (path if path.is_dir() else path.parent).name != ALLEY:
        raise WorldRefused("--alley-width is for the world alley")
    made = alley_world(Alley(alley_width_m))
    return replace(made, world=replace(made.world, robots=streets.world.robots))
