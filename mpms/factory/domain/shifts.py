"""Shifts: when each begins, on the plant's own clock."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time, timedelta

USUAL = (time(6), time(14), time(22))


def shift_of(at: datetime, begins: Sequence[time] = USUAL) -> datetime:
    """When the shift of this instant began, in the zone of the instant."""
    starts = sorted(begins)
    for day in (at.date(), at.date() - timedelta(days=1)):
        for start in reversed(starts):
            found = datetime.combine(day, start, tzinfo=at.tzinfo)
            if found <= at:
                return found
    raise ValueError("a plant has at least one shift")
