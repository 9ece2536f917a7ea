"""How much an instance may keep in its variables.

Every step reads and writes all variables of its instance, so one that somebody fills
with a film makes each of its steps slow, and its history large.
"""

from __future__ import annotations

from dataclasses import dataclass

KB = 1024


@dataclass(frozen=True)
class Limits:
    """Sizes as JSON."""

    variable_bytes: int = 1024 * KB
    instance_bytes: int = 4096 * KB
