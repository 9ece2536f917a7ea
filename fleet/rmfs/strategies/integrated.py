"""Pick orders and pods chosen together, by integer programming.

The rules choose one order at a time and look at the pods on their way. This strategy
plans the next orders of a station together with the pods to fetch: most units for the
fewest trips, given what the station's orders still lack. The pods themselves are then
found by PPS, which takes those that complete most.

HiGHS solves it, by way of SciPy. The search is limited by nodes, not by the clock: the
same seed gives the same run on every machine.
"""

from __future__ import annotations

import importlib.util
import random
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fleet.rmfs.errors import RmfsRefused
from fleet.rmfs.orders import PickOrder, Station
from fleet.rmfs.strategies.base import too_few
from fleet.rmfs.strategies.poa import Release, _OrderRule, soonest_due
from fleet.rmfs.warehouse import Warehouse


@dataclass(frozen=True)
class IntegratedParameters(Release):
    """How far it plans, and how hard it searches."""

    orders_ahead: int = 2
    """Orders of a station that are planned together."""
    unit_worth: float = 1.0
    """A unit more to pick is worth so many trips of a pod."""
    pods: int = 40
    """Stored pods that are considered: those with most lines for orders that wait."""
    soon_s: float = 1800.0
    """Orders due within this time are worth half a trip more, late ones a trip."""
    nodes: int = 50
    """Of the search tree."""

    def mistakes(self) -> list[str]:
        return too_few(self, "orders_ahead", "pods", "nodes")


class Integrated(_OrderRule):
    """The next orders together that need fewest pods, by integer programming."""

    name = "Integrated"
    Parameters = IntegratedParameters
    fast_lane = True

    def __init__(self, parameters: Any, chance: random.Random) -> None:
        super().__init__(parameters, chance)
        if importlib.util.find_spec("scipy") is None:
            raise RmfsRefused(
                "poa=Integrated needs scipy: pip install 'mpms[experiments]'"
            )
        self._plans: dict[int, list[PickOrder]] = {}

    def slow(self, warehouse: Warehouse, station: Station) -> PickOrder:
        plan = self._plans.get(station.number, [])
        for again in (False, True):
            while plan:
                order = plan.pop(0)
                if warehouse.backlog.orders.get(order.row) is order:
                    return order
            if not again:
                plan = self._plan(warehouse, station)
                self._plans[station.number] = plan
        return soonest_due(warehouse)

    def _plan(self, warehouse: Warehouse, station: Station) -> list[PickOrder]:
        return _Model(warehouse, station, self.parameters).solve()


class _Model:
    """Which orders and pods: binary. How much of a line from a pod: a share."""

    def __init__(self, warehouse: Warehouse, station: Station, given: Any) -> None:
        self._given, self._now = given, warehouse.now
        waiting = list(warehouse.backlog.orders.values())
        lines = [(n, s, u) for n, order in enumerate(waiting) for s, u in _lacks(order)]
        own = [(-1, s, u) for order in station.orders for s, u in _lacks(order)]
        self._orders, self._lines = waiting, own + lines
        free = warehouse.stock.free
        skus = np.array([sku for _, sku, _ in self._lines], np.int64)
        units = np.array([count for _, _, count in self._lines], np.float64)
        stored = warehouse.stored_pods()
        offered = np.minimum(free[np.ix_(skus, stored)], units[:, None]).sum(axis=0)
        most = np.argsort(-offered, kind="stable")[: given.pods]
        coming = np.array(station.inbound, np.int64)
        self._pods = np.concatenate([coming, stored[most]])
        self._cost = np.concatenate([np.zeros(len(coming)), np.ones(len(most))])
        shares = free[np.ix_(skus, self._pods)] / units[:, None]
        self._shares: NDArray[np.float64] = np.clip(shares, 0.0, 1.0)

    def _worth(self, order: PickOrder) -> float:
        worth = float(self._given.unit_worth) * order.left
        left_s = order.due_at - self._now
        if left_s <= 0.0:
            return worth + 1.0
        return worth + (0.5 if left_s < self._given.soon_s else 0.0)

    def solve(self) -> list[PickOrder]:
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import coo_array

        line, pod = np.nonzero(self._shares)
        orders, pods, shares = len(self._orders), len(self._pods), len(line)
        owner = np.array([n for n, _, _ in self._lines], np.int64)
        reach = np.zeros(len(self._lines))
        np.add.at(reach, line, self._shares[line, pod])
        whole = np.ones(orders, np.bool_)
        whole[owner[(reach < 1.0) & (owner >= 0)]] = False
        count = min(self._given.orders_ahead, int(whole.sum()))
        if count == 0:
            return []
        first_pod, first_share = orders, orders + pods
        rows: list[NDArray[np.int64]] = []
        columns: list[NDArray[np.int64]] = []
        values: list[NDArray[np.float64]] = []

        def put(row: Any, column: Any, value: Any) -> None:
            row, column, value = np.broadcast_arrays(row, column, value)
            rows.append(row.astype(np.int64))
            columns.append(column.astype(np.int64))
            values.append(value.astype(np.float64))

        # A share needs its pod: share - most * pod <= 0.
        each = np.arange(shares)
        put(each, first_share + each, 1.0)
        put(each, first_pod + pod, -self._shares[line, pod])
        # The shares of a line make up its order; what the station lacks, as far as
        # the pods considered reach.
        put(shares + line, first_share + each, 1.0)
        of_order = np.flatnonzero(owner >= 0)
        put(shares + of_order, owner[of_order], -1.0)
        last = shares + len(self._lines)
        put(np.full(orders, last), np.arange(orders), 1.0)
        low = np.full(last + 1, -np.inf)
        high = np.zeros(last + 1)
        low[shares:last] = high[shares:last] = 0.0
        own = shares + np.flatnonzero(owner < 0)
        low[own] = high[own] = np.minimum(1.0, reach[owner < 0])
        low[last] = high[last] = count
        matrix = coo_array(
            (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))),
            shape=(last + 1, first_share + shares),
        ).tocsc()
        worth = np.array([self._worth(order) for order in self._orders])
        found = milp(
            np.concatenate([-worth, self._cost, np.zeros(shares)]),
            integrality=np.repeat([1, 1, 0], [orders, pods, shares]),
            bounds=Bounds(0.0, np.concatenate([whole, np.ones(pods + shares)])),
            constraints=LinearConstraint(matrix, low, high),
            options={"node_limit": int(self._given.nodes), "mip_rel_gap": 0.05},
        )
        if found.x is None:
            return []
        chosen = [
            order for order, x in zip(self._orders, found.x, strict=False) if x > 0.5
        ]
        coming = int((self._cost == 0.0).sum())
        reached = self._shares[:, :coming].sum(axis=1)
        at_once = {
            id(order): all(reached[owner == n] >= 1.0)
            for n, order in enumerate(self._orders)
        }
        return sorted(chosen, key=lambda o: (not at_once[id(o)], o.due_at))


def _lacks(order: PickOrder) -> list[tuple[int, int]]:
    """SKUs and units for which no pod was chosen yet."""
    return [(sku, n) for sku, n in zip(order.skus, order.wanted, strict=True) if n]


STRATEGIES = (Integrated,)
