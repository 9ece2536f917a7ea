"""Warehouses and factories of real processes, led by a fleet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.fleet_plant import FleetPlant


@pytest.fixture
def plant(database_url: str, tmp_path: Path) -> Iterator[FleetPlant]:
    """What its processes complained of is printed when a test is over."""
    plant = FleetPlant(database_url, tmp_path)
    plant.errors = tmp_path / "errors"
    try:
        yield plant
    finally:
        plant.close()
        if plant.errors.exists():
            print(plant.errors.read_text()[-4000:])
