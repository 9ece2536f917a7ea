"""One plant with all its pages, and a count of which branches of them were rendered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.web_states import WatchedSite


@pytest.fixture
def site(database_url: str) -> Iterator[WatchedSite]:
    with WatchedSite(database_url) as site:
        yield site
