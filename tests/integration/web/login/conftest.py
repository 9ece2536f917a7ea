"""The whole site over a real database, with people who can really sign in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.web_login import Gate


@pytest.fixture
def site(database_url: str) -> Iterator[Gate]:
    with Gate(database_url) as site:
        yield site
