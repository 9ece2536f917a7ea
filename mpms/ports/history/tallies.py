"""What is counted of the history by the hour."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class Tallies(Protocol):
    """Follows the history and counts it."""

    def follow(self, limit: int) -> bool:
        """Count the next lines; False if there are none or another does it."""
        ...

    def count_jobs(self, run: Mapping[str, int], failed: Mapping[str, int]) -> None:
        """What a worker did, by topic."""
        ...
