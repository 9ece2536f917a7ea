"""The pages of orders over a real database and real processes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.databases import Databases
from tests.support.factory import opened
from tests.support.web_orders import Plant


@pytest.fixture
def plant(databases: Databases) -> Iterator[Plant]:
    with opened(databases, Plant) as plant:
        yield plant
