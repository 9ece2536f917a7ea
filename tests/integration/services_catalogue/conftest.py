"""A catalogue over a real database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.catalogue_store import CatalogueStore


@pytest.fixture
def store(database_url: str) -> Iterator[CatalogueStore]:
    with CatalogueStore(database_url) as store:
        yield store
