"""A plant whose work is fetched by workers of others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.databases import Databases
from tests.support.external_workers import ForeignPlant
from tests.support.factory import opened


@pytest.fixture
def plant(databases: Databases) -> Iterator[ForeignPlant]:
    with opened(databases, ForeignPlant) as plant:
        yield plant
