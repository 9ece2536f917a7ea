"""Small plants for starts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mpms.domain.instances.limits import KB, Limits
from tests.support.starting_plant import StartingPlant


@pytest.fixture
def plant(database_url: str) -> Iterator[StartingPlant]:
    with StartingPlant(database_url) as plant:
        yield plant


@pytest.fixture
def small_plant(database_url: str) -> Iterator[StartingPlant]:
    """A plant that keeps little."""
    limits = Limits(variable_bytes=2 * KB, instance_bytes=5 * KB)
    with StartingPlant(database_url, limits=limits) as plant:
        yield plant
