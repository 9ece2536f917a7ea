"""What monitoring asks the database for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Measured(NamedTuple):
    """One number; what its labels mean depends on the metric."""

    metric: str
    first: str
    second: str
    value: float


class Metrics(Protocol):
    """Reads only."""

    def now(self) -> Sequence[Measured]: ...
