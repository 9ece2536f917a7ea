"""The whole site over a real database, with programs that hold tokens of each role."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.web_api import Plant


@pytest.fixture
def plant(database_url: str) -> Iterator[Plant]:
    with Plant(database_url) as plant:
        yield plant
