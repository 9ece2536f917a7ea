"""A small plant for what people do with tasks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.weighing import WeighingShop


@pytest.fixture
def shop(database_url: str) -> Iterator[WeighingShop]:
    with WeighingShop(database_url) as shop:
        yield shop


@pytest.fixture
def stocked_shop(stocked_url: str) -> Iterator[WeighingShop]:
    """A shop in which the shipped models are deployed."""
    with WeighingShop(stocked_url) as shop:
        yield shop
