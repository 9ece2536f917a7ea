"""Scratch tables of a search, one set per thread, never cleared.

Every search stamps the cells it touches with its own number; an older stamp means
untouched. Clearing would cost more than most searches.
"""

import threading

import numpy as np

LAST_GENERATION = 1 << 29


class Workspace:
    def __init__(self, cells: int) -> None:
        self.cells = cells
        self.cost = np.empty(cells, np.float64)
        self.parent = np.empty(cells, np.int32)
        self.stamp = np.zeros(cells, np.int32)
        self._generation = 0

    def next_stamp(self) -> int:
        """Even: the mark of an open cell; one more is the mark of a closed one."""
        self._generation += 1
        if self._generation > LAST_GENERATION:
            self.stamp[:] = 0
            self._generation = 1
        return 2 * self._generation


_of_thread = threading.local()


def workspace(cells: int) -> Workspace:
    """This thread's tables, large enough for a grid of so many cells."""
    present: Workspace | None = getattr(_of_thread, "tables", None)
    if present is None or present.cells < cells:
        present = Workspace(cells)
        _of_thread.tables = present
    return present
