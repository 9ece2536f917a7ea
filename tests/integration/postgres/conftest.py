"""A real database, transactions over it, and instances that wait for things."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mpms.adapters.postgres.connections import Connections
from mpms.adapters.postgres.queries import Queries
from mpms.adapters.postgres.unit_of_work import PostgresUnitOfWork
from tests.support.factory import ROOT
from tests.support.waiting_instances import WaitingInstances


@pytest.fixture(scope="session")
def queries() -> Queries:
    return Queries(ROOT / "db" / "queries")


@pytest.fixture
def pool(database_url: str) -> Iterator[Connections]:
    with Connections(database_url, maximum=12) as pool:
        yield pool


@pytest.fixture
def uow(pool: Connections, queries: Queries) -> PostgresUnitOfWork:
    return PostgresUnitOfWork(pool, queries)


@pytest.fixture
def plant(uow: PostgresUnitOfWork, pool: Connections) -> WaitingInstances:
    return WaitingInstances(uow, pool)
