"""The task pages of the paint factory: real PostgreSQL, robots that arrive at once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.databases import Databases
from tests.support.factory import opened
from tests.support.web_tasks import Hall


@pytest.fixture
def hall(databases: Databases) -> Iterator[Hall]:
    with opened(databases, Hall) as hall:
        yield hall
