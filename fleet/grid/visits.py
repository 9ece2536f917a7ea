"""In which order robots use each cell: an action dependency graph.

Hoenig et al. 2019 (IEEE RA-L). Plans say who goes through a cell before whom; here
only that order is kept, not the times. A robot enters a cell when everybody before it
has reported leaving, so a delay makes others wait and never meet. As no planned step
turns a ring, the first robot of the earliest step not yet driven can always drive.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Visit:
    """One stay of a robot in a cell; it may come back later, which is another one."""

    cell: int
    robot: str


class Visits:
    """For each cell who is in it, and who comes next."""

    def __init__(self) -> None:
        self._queues: defaultdict[int, deque[Visit]] = defaultdict(deque)

    def add(self, cell: int, robot: str) -> Visit:
        visit = Visit(cell, robot)
        self._queues[cell].append(visit)
        return visit

    def may_begin(self, visit: Visit) -> bool:
        """Has everybody left who comes before, the robot itself included."""
        return self._queues[visit.cell][0] is visit

    def end(self, visit: Visit) -> None:
        queue = self._queues[visit.cell]
        if queue[0] is not visit:
            raise AssertionError(f"{visit} ends before {queue[0]}")
        queue.popleft()
        if not queue:
            del self._queues[visit.cell]

    def clear(self) -> None:
        self._queues.clear()
