"""A bench for the services."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.bench import Bench


@pytest.fixture
def bench(database_url: str) -> Iterator[Bench]:
    with Bench(database_url) as bench:
        yield bench
