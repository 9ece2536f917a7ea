"""What is written about car-like vehicles: their files, who gets through, how one
learned to drive. Read whenever somebody looks; never stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from fleet.bodies.model import Vehicle
from fleet.bodies.passability import Trial


@dataclass(frozen=True, slots=True)
class LearnedPoint:
    """After so many steps of a training."""

    steps: int
    reward: float
    """Mean of the drives that had ended."""
    arrived: float
    """Share of them, 0 to 1."""


class VehicleFiles(Protocol):
    def names(self) -> Sequence[str]:
        """Of those that drive in this plant, then of all others there are."""
        ...

    def vehicle(self, name: str) -> Vehicle:
        """VehicleRefused names every mistake of its file."""
        ...

    def urdf(self, name: str) -> str: ...
    def drawing(self, name: str, title: str) -> str:
        """To scale, as SVG, with this title."""
        ...

    def passability(self) -> Sequence[Trial]:
        """Empty: nobody has made the table. TableWrong."""
        ...

    def unseen(self) -> Sequence[Trial]:
        """Drives with several planners through alleys that the policy that ships has
        not learned from; empty without any. TableWrong."""
        ...

    def training(self) -> Sequence[LearnedPoint]:
        """Of the policy that ships; empty without one. TableWrong."""
        ...
