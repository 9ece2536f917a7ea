"""Pick order assignment: which waiting order a pick station works on next."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fleet.rmfs.orders import PickOrder, Station
from fleet.rmfs.scoring_kernels import best_match, most_common
from fleet.rmfs.strategies.base import Strategy
from fleet.rmfs.warehouse import Warehouse


@dataclass(frozen=True)
class Release:
    """When orders get a station."""

    release_every_s: float = 0.0
    """0: at once; otherwise they are collected and given out together."""


class _OrderRule(Strategy):
    """Base: the next order is chosen when a station has room."""

    problem = "poa"
    Parameters = Release
    fast_lane = False

    @property
    def release_every_s(self) -> float:
        return float(self.parameters.release_every_s)

    def stations(self, warehouse: Warehouse) -> list[Station]:
        """Those with fewest orders first."""
        found = [station for station in warehouse.pick_stations if station.open]
        return sorted(found, key=lambda s: (len(s.orders), s.number))

    def order_for(
        self, warehouse: Warehouse, station: Station, fast: bool
    ) -> PickOrder | None:
        if not warehouse.backlog.orders:
            return None
        return self.fast(warehouse, station) if fast else self.slow(warehouse, station)

    def slow(self, warehouse: Warehouse, station: Station) -> PickOrder:
        raise NotImplementedError

    def fast(self, warehouse: Warehouse, station: Station) -> PickOrder | None:
        """An order that the pod at the station, or the next one, completes."""
        pod = pod_at(warehouse, station)
        if pod < 0:
            return None
        backlog = warehouse.backlog
        rows = backlog.rows()
        pods = np.array([pod], np.int32)
        best, _ = best_match(
            warehouse.stock.free,
            pods,
            rows,
            backlog.sku,
            backlog.units,
            backlog.lines,
            backlog.due_at,
            True,
        )
        return backlog.orders[int(rows[best])] if best >= 0 else None


def pod_at(warehouse: Warehouse, station: Station) -> int:
    """The pod that is worked on; -1 without one."""
    return warehouse.robots[station.at_work].pod if station.at_work >= 0 else -1


class RandomOrder(_OrderRule):
    """Any order."""

    name = "Random"

    def slow(self, warehouse: Warehouse, station: Station) -> PickOrder:
        rows = warehouse.backlog.rows()
        return warehouse.backlog.orders[int(rows[self.chance.randrange(len(rows))])]


def first_placed(warehouse: Warehouse) -> PickOrder:
    return next(iter(warehouse.backlog.orders.values()))


def soonest_due(warehouse: Warehouse) -> PickOrder:
    backlog = warehouse.backlog
    rows = backlog.rows()
    return backlog.orders[int(rows[np.argmin(backlog.due_at[rows])])]


class FirstCome(_OrderRule):
    """The order that was placed first."""

    name = "FCFS"

    def slow(self, warehouse: Warehouse, station: Station) -> PickOrder:
        return first_placed(warehouse)


class DueTime(_OrderRule):
    """The order that is due first."""

    name = "DueTime"

    def slow(self, warehouse: Warehouse, station: Station) -> PickOrder:
        return soonest_due(warehouse)


class FastLane(_OrderRule):
    """The order due first; a slot is kept for what the pod at hand completes."""

    name = "FastLane"
    fast_lane = True

    def slow(self, warehouse: Warehouse, station: Station) -> PickOrder:
        return soonest_due(warehouse)


class CommonLines(_OrderRule):
    """The order with most lines in common with the orders of the station."""

    name = "CommonLines"

    def slow(self, warehouse: Warehouse, station: Station) -> PickOrder:
        backlog = warehouse.backlog
        rows = backlog.rows()
        best = most_common(
            station.wanted_sku, rows, backlog.sku, backlog.lines, backlog.due_at
        )
        return backlog.orders[int(rows[best])]


class PodMatch(_OrderRule):
    """The order of which the pods on their way to the station have most lines."""

    name = "PodMatch"

    def slow(self, warehouse: Warehouse, station: Station) -> PickOrder:
        backlog = warehouse.backlog
        rows = backlog.rows()
        best = -1
        if station.inbound:
            pods: NDArray[np.int32] = np.array(station.inbound, np.int32)
            best, _ = best_match(
                warehouse.stock.free,
                pods,
                rows,
                backlog.sku,
                backlog.units,
                backlog.lines,
                backlog.due_at,
                False,
            )
        if best < 0:
            return soonest_due(warehouse)
        return backlog.orders[int(rows[best])]


class PodMatchFastLane(PodMatch):
    """PodMatch, and one slot for orders that the pod at hand completes."""

    name = "PodMatchFastLane"
    fast_lane = True


class Workload(_OrderRule):
    """The order due first, to the station with least left to pick."""

    name = "Workload"

    def stations(self, warehouse: Warehouse) -> list[Station]:
        def left(station: Station) -> float:
            return sum(order.left for order in station.orders) / max(
                1.0 / station.item_s, math.ulp(1.0)
            )

        found = [station for station in warehouse.pick_stations if station.open]
        return sorted(found, key=lambda s: (left(s), s.number))

    def slow(self, warehouse: Warehouse, station: Station) -> PickOrder:
        return soonest_due(warehouse)


STRATEGIES = (
    RandomOrder,
    FirstCome,
    DueTime,
    FastLane,
    CommonLines,
    PodMatch,
    PodMatchFastLane,
    Workload,
)
