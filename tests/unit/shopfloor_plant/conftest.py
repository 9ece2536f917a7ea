"""The test environment as a world, and plants in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from shopfloor.grid import Grid
from shopfloor.plant import grid_of
from shopfloor.sim.world import World
from shopfloor.sim.world_file import load_world

WORLDS = Path(__file__).resolve().parents[3] / "worlds"


@pytest.fixture(scope="session")
def arco_lab() -> World:
    return load_world(WORLDS / "arco_lab")


@pytest.fixture(scope="session")
def lab_grid(arco_lab: World) -> Grid:
    return grid_of(arco_lab.map)
