"""A plant with stock over a real database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.stock_plant import StockPlant


@pytest.fixture
def plant(database_url: str) -> Iterator[StockPlant]:
    with StockPlant(database_url) as plant:
        yield plant
