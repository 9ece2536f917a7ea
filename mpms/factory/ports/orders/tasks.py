"""Steps of orders that wait for somebody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class WaitingTask:
    """A step that nobody has done for long; ``told``: it is an incident already."""

    task_id: str
    instance_id: str
    element: str
    name: str
    order_number: str
    claimed_by: str | None
    waited_s: float
    reminded: bool
    told: bool


class OrderTasks(Protocol):
    """Rows of ``tasks`` that belong to orders."""

    def waiting(self, patience_s: float) -> Sequence[WaitingTask]:
        """Those that have waited so long, the oldest first."""
        ...
