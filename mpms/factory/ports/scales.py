"""Scales, wherever they stand."""

from __future__ import annotations

from typing import Protocol


class ScaleUnavailable(Exception):
    """The scale does not answer or its reading is not stable."""


class Scale(Protocol):
    """Weighs what a robot carries."""

    def net_kg(self, robot: str) -> float:
        """ScaleUnavailable, RobotAway."""
        ...
