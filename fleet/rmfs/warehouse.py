"""What strategies see: the warehouse at one moment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fleet.rmfs.floor import Floor
from fleet.rmfs.layout import LayoutParameters
from fleet.rmfs.orders import Backlog, Bundle, PickOrder, PickRequest, Station
from fleet.rmfs.scoring_kernels import OFFERS, offers
from fleet.rmfs.stock import Stock

REST, EXTRACT, INSERT, PARK = "Rest", "Extract", "Insert", "ParkPod"


@dataclass(slots=True, eq=False)
class Robot:
    """A robot and the task it is at."""

    number: int
    cell: int
    task: str = REST
    step: str = "idle"
    pod: int = -1
    """The pod of its task, carried or not."""
    carries: bool = False
    station: int = -1
    goal: int = -1
    serves: int = -1
    """The station that task allocation gave it to."""
    requests: list[PickRequest] = field(default_factory=list)
    bundles: list[Bundle] = field(default_factory=list)
    broken: bool = False
    task_units: int = 0
    """Units, or bundles, that are left of its task."""
    since: float = 0.0


@dataclass(eq=False)
class Warehouse:
    """Everything that a decision may look at. Strategies change nothing here."""

    layout: LayoutParameters
    floor: Floor
    stock: Stock
    backlog: Backlog
    stations: list[Station]
    robots: list[Robot]
    steps_to: Callable[[int], NDArray[np.uint16]]
    """Cells to drive to a goal from every cell, with a pod."""
    steps_from: Callable[[int], NDArray[np.uint16]]
    """From a cell to every cell."""
    now: float = 0.0
    places: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    place_free: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    """By cell: a storage place without pod that nobody was promised."""
    home: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    """Where each pod stood at the beginning."""
    bundles_waiting: list[Bundle] = field(default_factory=list)
    pick_stations: list[Station] = field(default_factory=list)
    replenishment_stations: list[Station] = field(default_factory=list)
    picked_units: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(0, np.int64)
    )
    """By SKU, since the beginning."""
    carriers: dict[int, Robot] = field(default_factory=dict)
    """By pod: the robot whose task it is."""

    def stored_pods(self) -> NDArray[np.int32]:
        """Pods in a place that no task has claimed."""
        stock = self.stock
        free = (stock.place >= 0) & ~stock.claimed
        return np.flatnonzero(free).astype(np.int32)

    def tier(self, cell: int) -> int:
        return int(self.floor.spots[cell, 0])

    def on_tier_of(self, cell: int, pods: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which of these stored pods stand on the floor of a cell."""
        spots = self.floor.spots
        found: NDArray[np.bool_] = spots[self.stock.place[pods], 0] == spots[cell, 0]
        return found

    def wanted_lines(self, station: Station) -> WantedLines:
        return WantedLines.of(station.orders, self.now)

    def pod_offers(
        self, station: Station, pods: NDArray[np.int32]
    ) -> NDArray[np.float64] | None:
        """What pods have for a station; None: it wants nothing."""
        wanted = self.wanted_lines(station)
        if len(wanted.sku) == 0:
            return None
        found = np.empty((len(pods), OFFERS))
        offers(
            self.stock.free,
            pods,
            wanted.sku,
            wanted.units,
            wanted.order,
            wanted.age_s,
            wanted.late_s,
            found,
        )
        return found

    def manhattan(self, cell: int, pods: NDArray[np.int32]) -> NDArray[np.float64]:
        """Cells from a cell to pods, as the crow walks; other tiers are far."""
        spots = self.floor.spots
        there = spots[self.stock.place[pods]]
        away = np.abs(there - spots[cell])
        found: NDArray[np.float64] = (
            away[:, 1] + away[:, 2] + 50.0 * away[:, 0]
        ).astype(np.float64)
        return found


@dataclass(frozen=True, slots=True)
class WantedLines:
    """Lines of a station for which no pod was chosen yet."""

    sku: NDArray[np.int32]
    units: NDArray[np.int32]
    order: NDArray[np.int32]
    age_s: NDArray[np.float64]
    late_s: NDArray[np.float64]

    @staticmethod
    def of(orders: list[PickOrder], now: float) -> WantedLines:
        sku, units, number, age, late = [], [], [], [], []
        for order in orders:
            for n, wanted in enumerate(order.wanted):
                if wanted:
                    sku.append(order.skus[n])
                    units.append(wanted)
                    number.append(order.number)
                    age.append(now - order.placed_at)
                    late.append(now - order.due_at)
        return WantedLines(
            np.array(sku, np.int32),
            np.array(units, np.int32),
            np.array(number, np.int32),
            np.array(age, np.float64),
            np.array(late, np.float64),
        )
