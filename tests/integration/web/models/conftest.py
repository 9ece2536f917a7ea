"""The pages about models over a real database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.web_models import Studio


@pytest.fixture
def studio(database_url: str) -> Iterator[Studio]:
    with Studio(database_url) as studio:
        yield studio
