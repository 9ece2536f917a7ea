"""Scales, wherever they stand."""

from __future__ import annotations

from datetime import date
from typing import Protocol

from mpms.factory.domain.weighing import Weight


class ScaleUnavailable(Exception):
    """The scale does not answer or its reading is not stable."""


class Scale(Protocol):
    """Weighs what a robot carries, or what stands on the scale of a place."""

    def weigh(self, robot: str, place: str | None = None) -> Weight:
        """A weight at rest, never another. ScaleUnavailable, RobotAway."""
        ...


class ScaleByHand(ScaleUnavailable):
    """A scale without a wire: two people say what it shows."""

    def __init__(self, name: str, calibrated_on: date | None = None) -> None:
        since = f", calibrated on {calibrated_on}" if calibrated_on else ""
        super().__init__(f"scale {name} has no wire{since}")
        self.name, self.calibrated_on = name, calibrated_on
