"""A small plant for repairs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.repair_shop import RepairShop


@pytest.fixture
def shop(database_url: str) -> Iterator[RepairShop]:
    with RepairShop(database_url) as shop:
        yield shop
