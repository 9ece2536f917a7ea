"""The cockpit's pages over a real database and small models driven by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.databases import Databases
from tests.support.factory import opened
from tests.support.web_cockpit import Panel


@pytest.fixture
def panel(databases: Databases) -> Iterator[Panel]:
    with opened(databases, Panel) as panel:
        yield panel
