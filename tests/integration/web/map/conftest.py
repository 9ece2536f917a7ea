"""The map's pages over a real database and a floor that the test paints."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.web_map import House


@pytest.fixture
def house(database_url: str) -> Iterator[House]:
    with House(database_url) as house:
        yield house
