"""A paint factory whose orders leave records."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.paint_factory import PaintFactory


@pytest.fixture
def plant(stocked_url: str) -> Iterator[PaintFactory]:
    with PaintFactory(stocked_url) as plant:
        yield plant
