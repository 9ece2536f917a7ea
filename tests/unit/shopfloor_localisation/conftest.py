"""A corridor to find oneself in."""

from __future__ import annotations

import pytest

from shopfloor.grid import Grid
from shopfloor.localisation.warming import warm_up
from tests.support.rounds import corridor_world


@pytest.fixture(scope="session", autouse=True)
def compiled_kernels() -> None:
    """So that no single test pays for the compiler."""
    warm_up()


@pytest.fixture(scope="session")
def corridors() -> Grid:
    return corridor_world()
