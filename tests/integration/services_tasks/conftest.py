"""A small plant for what people do with tasks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.weighing import WeighingShop


@pytest.fixture
def shop(database_url: str) -> Iterator[WeighingShop]:
    with WeighingShop(database_url) as shop:
        yield shop
