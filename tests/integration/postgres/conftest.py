"""A real database, transactions over it, and instances that wait for things."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mpms.adapters.postgres.database.connections import Connections
from mpms.adapters.postgres.database.queries import Queries
from mpms.adapters.postgres.database.unit_of_work import PostgresUnitOfWork
from mpms.domain.history.kinds import Kind, Kinds
from mpms.plugins import loading
from tests.support.factory import ROOT
from tests.support.waiting_instances import WaitingInstances

MADE_UP = (
    *("before", "inside", "after", "one", "two", "three", "quick", "slow", "again"),
    *("done", "received", "step", *(f"step {n}" for n in range(10))),
)
"""Kinds of lines that only these tests write."""


@pytest.fixture(scope="session")
def queries() -> Queries:
    return Queries(ROOT / "db" / "queries", ROOT / "db" / "queries" / "factory")


@pytest.fixture
def pool(database_url: str) -> Iterator[Connections]:
    with Connections(database_url, maximum=12) as pool:
        yield pool


@pytest.fixture
def uow(pool: Connections, queries: Queries) -> PostgresUnitOfWork:
    kinds = Kinds({**loading.kinds().kinds, **{name: Kind(name) for name in MADE_UP}})
    return PostgresUnitOfWork(
        pool,
        queries,
        stores=loading.stores(),
        kinds=kinds,
        additions=loading.additions(),
    )


@pytest.fixture
def plant(uow: PostgresUnitOfWork, pool: Connections) -> WaitingInstances:
    return WaitingInstances(uow, pool)
