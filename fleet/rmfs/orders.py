"""Pick orders, replenishment orders, and the stations that work on them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fleet.rmfs.scoring_kernels import MOST_LINES


@dataclass(slots=True, eq=False)
class PickOrder:
    """Lines of SKUs and units. ``wanted`` is what no pod was chosen for yet."""

    number: int
    row: int
    placed_at: float
    due_at: float
    skus: list[int]
    units: list[int]
    wanted: list[int]
    left: int
    priority: bool = False
    fast_lane: bool = False
    station: int = -1
    assigned_at: float = 0.0
    lines_left: list[int] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Bundle:
    """A replenishment order: units of one SKU."""

    number: int
    sku: int
    units: int
    space: float
    placed_at: float
    pod: int = -1
    station: int = -1


@dataclass(slots=True)
class PickRequest:
    """Units of one line that are taken from one pod: an extraction request."""

    order: PickOrder
    line: int
    units: int


@dataclass(slots=True, eq=False)
class Station:
    """A pick station or a replenishment station."""

    number: int
    kind: str
    cell: int
    item_s: float
    capacity: float
    active: bool = True
    broken: bool = False
    free_at: float = 0.0
    orders: list[PickOrder] = field(default_factory=list)
    fast_order: PickOrder | None = None
    bundles: dict[int, list[Bundle]] = field(default_factory=dict)
    """By pod: the insertion requests that wait for a robot."""
    bundle_space: float = 0.0
    inbound: list[int] = field(default_factory=list)
    """Pods on their way here or here, in the order in which they were chosen."""
    robots: int = 0
    at_work: int = -1
    """The robot that stands here."""
    wanted_units: int = 0
    """Units of its orders for which no pod was chosen yet."""
    wanted_sku: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    """Lines of its orders, by SKU."""
    items: int = 0
    bundles_done: int = 0
    pods_handled: int = 0
    busy_s: float = 0.0
    active_s: float = 0.0
    active_since: float = 0.0
    orders_done: int = 0

    @property
    def picks(self) -> bool:
        return self.kind == "pick"

    @property
    def open(self) -> bool:
        return self.active and not self.broken


class Backlog:
    """Pick orders that have no station yet, as arrays for the kernels."""

    def __init__(self, skus: int) -> None:
        self.orders: dict[int, PickOrder] = {}
        """By row, in the order in which they were placed."""
        self.sku = np.zeros((256, MOST_LINES), np.int32)
        self.units = np.zeros((256, MOST_LINES), np.int32)
        self.lines = np.zeros(256, np.int32)
        self.due_at = np.zeros(256)
        self.placed = np.zeros(256)
        self.demand = np.zeros(skus, np.int32)
        self._unused = list(range(255, -1, -1))
        self._rows: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.orders)

    def rows(self) -> NDArray[np.int32]:
        if self._rows is None:
            self._rows = np.fromiter(self.orders, np.int32, len(self.orders))
        return self._rows

    def add(self, order: PickOrder) -> None:
        if not self._unused:
            self._grow()
        row = self._unused.pop()
        order.row = row
        self.orders[row] = order
        count = 0
        for sku, wanted in zip(order.skus, order.wanted, strict=True):
            if wanted:
                self.sku[row, count] = sku
                self.units[row, count] = wanted
                self.demand[sku] += wanted
                count += 1
        self.lines[row] = count
        self.due_at[row] = order.due_at
        self.placed[row] = order.number
        self._rows = None

    def remove(self, order: PickOrder) -> None:
        del self.orders[order.row]
        self._unused.append(order.row)
        for sku, wanted in zip(order.skus, order.wanted, strict=True):
            self.demand[sku] -= wanted
        self._rows = None

    def _grow(self) -> None:
        size = len(self.lines)
        for name in ("sku", "units", "lines", "due_at", "placed"):
            old = getattr(self, name)
            setattr(self, name, np.concatenate([old, np.zeros_like(old)]))
        self._unused = list(range(2 * size - 1, size - 1, -1))
