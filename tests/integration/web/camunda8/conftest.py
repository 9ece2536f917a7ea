"""A plant whose clients were written for Camunda 8."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.camunda8 import Plant8
from tests.support.databases import Databases
from tests.support.factory import opened


@pytest.fixture
def plant(databases: Databases) -> Iterator[Plant8]:
    with opened(databases, Plant8) as plant:
        yield plant
