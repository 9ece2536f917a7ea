"""A step's clock and the variables that the examples look at."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pytest

from mpms.engine.feel import compile_feel

VARIABLES: dict[str, Any] = {
    "amount": 12.5,
    "count of bags": 3,
    "name": "Mehl",
    "nothing": None,
    "urgent": True,
    "materials": [
        {"name": "Mehl", "kg": 25, "checked": True},
        {"name": "Salz", "kg": 0.5, "checked": False},
        {"name": "Hefe", "kg": 1.25},
    ],
    "order": {"number": 7, "customer": {"name": "Kaya"}, "due": "2026-02-28"},
    "empty": [],
    "first": 1,
}


def _has_zones() -> bool:
    try:
        ZoneInfo("Europe/Berlin")
    except ZoneInfoNotFoundError:
        return False
    return True


@pytest.fixture
def feel() -> Callable[[str], Any]:
    """Evaluates a text at noon of 31 January 2026."""
    now = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)

    def evaluate(text: str) -> Any:
        if ("Europe/" in text or "Asia/" in text) and not _has_zones():
            pytest.skip("this machine has no time zones")
        return compile_feel(text).evaluate(VARIABLES, now=now)

    return evaluate
