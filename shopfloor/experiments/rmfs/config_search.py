"""LaCAM over one-way lanes: as far as a bounded search comes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fleet.grid.lacam_kernels import NODES, rehash, search
from fleet.grid.pibt import Scratch


class ConfigSearch:
    """From where robots stand towards goals that some of them may share."""

    def __init__(
        self,
        neighbours: NDArray[np.int32],
        degree: NDArray[np.int32],
        table: NDArray[np.uint16],
        row: NDArray[np.int32],
        scratch: Scratch,
        random: NDArray[np.uint64],
    ) -> None:
        self._lanes = (neighbours, degree)
        self._table, self._row = table, row
        self._scratch, self._random = scratch, random
        self._open = np.zeros(len(degree), np.uint8)

    def run(
        self, at: NDArray[np.int32], order: NDArray[np.int32], expansions: int
    ) -> NDArray[np.int32]:
        """Configurations from now to the last one that was found, ``[step, robot]``."""
        robots, room = len(at), expansions + 2
        configurations = np.empty((room, robots), np.int32)
        orders = np.empty((room, robots), np.int32)
        parents = np.full(room, -1, np.int32)
        heads, tails = np.full(room, -1, np.int32), np.full(room, -1, np.int32)
        places = np.full(4 << room.bit_length(), -1, np.int32)  # a power of two
        stack = np.empty(2 * room, np.int32)
        constraints = np.empty((6 * room + 8, 5), np.int32)
        counts = np.zeros(4, np.int64)
        configurations[0], orders[0] = at, order
        constraints[0] = (-1, -1, -1, 0, -1)
        heads[0] = tails[0] = stack[0] = 0
        counts[:] = (1, 1, 1, -1)
        rehash(1, configurations, places)
        scratch = self._scratch
        search(
            expansions,
            *self._lanes,
            self._open,
            self._open,
            self._table,
            self._row,
            False,
            True,
            self._random,
            scratch.on,
            scratch.taken,
            scratch.frames,
            counts,
            configurations,
            orders,
            parents,
            places,
            stack,
            heads,
            tails,
            constraints,
        )
        node, found = int(counts[NODES]) - 1, []
        while node >= 0:
            found.append(node)
            node = int(parents[node])
        return np.ascontiguousarray(configurations[found[::-1]])
