"""A history in memory, and the live view of it driven by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mpms.web.changes.live import Live
from tests.support.live_history import Bell, History


@pytest.fixture
def history() -> History:
    return History()


@pytest.fixture
def bell() -> Bell:
    return Bell()


@pytest.fixture
def live(history: History, bell: Bell) -> Iterator[Live]:
    """Driven by hand with ``follow``."""
    made = Live(history, bell, keep=100)
    yield made
    made.close()
