"""Floors to drive on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from shopfloor.grid import Grid
from shopfloor.local.warming import warm_up
from tests.support.driving import hall

WORLD = Path(__file__).resolve().parents[3] / "worlds" / "arco_lab"


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    """So that no test waits for the compiler, and none measures it."""
    warm_up()


@pytest.fixture(scope="session")
def factory() -> Grid:
    with Image.open(WORLD / "map.png") as image:
        grey = np.asarray(image.convert("L"))
    return Grid.of((grey < 128)[::-1], 0.05)


@pytest.fixture(scope="session")
def corridor() -> Grid:
    """16 by 5 metres inside its walls."""
    return hall(16.0, 5.0)
