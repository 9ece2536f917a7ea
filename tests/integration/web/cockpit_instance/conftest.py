"""The page of one instance over a real database; models are drawn in the tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.databases import Databases
from tests.support.factory import opened
from tests.support.web_instance import House


@pytest.fixture
def house(databases: Databases) -> Iterator[House]:
    with opened(databases, House) as house:
        yield house
