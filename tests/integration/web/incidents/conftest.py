"""The inbox of incidents over a real database; jobs fail as tests want it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.databases import Databases
from tests.support.factory import opened
from tests.support.web_incidents import House


@pytest.fixture
def house(databases: Databases) -> Iterator[House]:
    """Two processes that print labels."""
    with opened(databases, House) as house:
        yield house
