"""Orders of a run: placed, given to stations, promised units, done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fleet.rmfs.orders import Bundle, PickOrder, PickRequest, Station
from fleet.rmfs.warehouse import Robot, Warehouse
from shopfloor.experiments.rmfs.deciders import Deciders
from shopfloor.experiments.rmfs.scenario import Demand, Scenario
from shopfloor.experiments.rmfs.tally import Tally

Say = Callable[[str, dict[str, Any]], None]


class OrderDesk:
    """POA, ROA and RPS are asked here."""

    def __init__(
        self,
        warehouse: Warehouse,
        scenario: Scenario,
        demand: Demand,
        deciders: Deciders,
        tally: Tally,
        say: Say,
    ) -> None:
        self._warehouse = warehouse
        self._scenario = scenario
        self._demand = demand
        self._deciders = deciders
        self._tally = tally
        self._say = say
        self._bundles_paused = False
        self._orders_paused = False
        self._bundles_open = 0
        """Placed and not yet on a pod, and the space that they will take."""
        self._space_open = 0.0
        self._lacks_pod = False
        self._hesitates = False
        """A bundle found no pod; a station with room got no order."""
        self.new_work = False
        """Since this was last set to False, robots may have something to do."""

    # Pick orders

    def refill(self) -> None:
        """The constant backlog: what was completed is replaced at once."""
        scenario, warehouse = self._scenario, self._warehouse
        self._watch_levels()
        while not self._orders_paused and len(warehouse.backlog) < scenario.orders:
            if self.place_drawn() is None:
                break
        while not self._bundles_paused and self._bundles_open < scenario.bundles:
            self.place_bundle()
            self._watch_levels()

    def _watch_levels(self) -> None:
        scenario, stock = self._scenario, self._warehouse.stock
        if stock.level <= scenario.order_stop:
            self._orders_paused = True
        elif stock.level >= scenario.order_restart:
            self._orders_paused = False
        promised = stock.level_with(self._space_open)
        if promised >= scenario.bundle_stop:
            self._bundles_paused = True
        elif promised <= scenario.bundle_restart:
            self._bundles_paused = False

    @property
    def paused(self) -> tuple[bool, bool]:
        """Orders, bundles."""
        self._watch_levels()
        return self._orders_paused, self._bundles_paused

    def place_drawn(self) -> PickOrder | None:
        lines = self._demand.order(self._warehouse.stock.unasked)
        if lines is None:
            self._tally.orders_refused += 1
            return None
        urgent = self._demand.urgent()
        scenario = self._scenario
        due_s = scenario.priority_due_s if urgent else scenario.due_s
        return self.place(lines, due_s, urgent)

    def place(
        self, lines: Sequence[tuple[int, int]], due_s: float, urgent: bool = False
    ) -> PickOrder:
        warehouse, tally = self._warehouse, self._tally
        skus = [sku for sku, _ in lines]
        units = [count for _, count in lines]
        order = PickOrder(
            number=tally.orders_placed,
            row=-1,
            placed_at=warehouse.now,
            due_at=warehouse.now + due_s,
            skus=skus,
            units=units,
            wanted=list(units),
            left=sum(units),
            priority=urgent,
            lines_left=list(units),
        )
        for sku, count in lines:
            warehouse.stock.unasked[sku] -= count
        warehouse.backlog.add(order)
        tally.orders_placed += 1
        tally.items_ordered += order.left
        facts = {"order": order.number, "lines": [list(each) for each in lines]}
        self._say("new pick order", facts)
        return order

    def assign_orders(self, only: Station | None = None) -> None:
        """Every free slot of every station gets an order, or of one that has room."""
        warehouse, deciders = self._warehouse, self._deciders
        poa = deciders.by_problem["poa"]
        if poa.release_every_s > 0.0 and warehouse.now % poa.release_every_s > 1e-6:
            return
        slots = 1 if poa.fast_lane else 0
        if only is not None:
            stations = [only] if only.open else []
        else:
            stations = poa.stations(warehouse)
        waiting = True
        while waiting and warehouse.backlog.orders:
            waiting = False
            for station in stations:
                slow = len(station.orders) - (station.fast_order is not None)
                if slow >= station.capacity - slots:
                    continue
                order = deciders.ask("poa", "order_for", warehouse, station, False)
                if order is None:
                    self._hesitates = True
                else:
                    self._assign(order, station, fast=False)
                    waiting = True
        if slots:
            for station in stations:
                if station.at_work >= 0:
                    self.fill_fast_lane(station)

    def fill_fast_lane(self, station: Station) -> None:
        poa = self._deciders.by_problem["poa"]
        if not poa.fast_lane or station.fast_order is not None or not station.open:
            return
        if not self._warehouse.backlog.orders:
            return
        order = self._deciders.ask("poa", "order_for", self._warehouse, station, True)
        if order is not None:
            self._assign(order, station, fast=True)

    def _assign(self, order: PickOrder, station: Station, *, fast: bool) -> None:
        warehouse = self._warehouse
        warehouse.backlog.remove(order)
        order.station = station.number
        order.assigned_at = warehouse.now
        order.fast_lane = fast
        station.orders.append(order)
        if fast:
            station.fast_order = order
        for n, sku in enumerate(order.skus):
            station.wanted_sku[sku] += order.lines_left[n] > 0
            station.wanted_units += order.wanted[n]
        here = station.at_work
        if here >= 0:
            self.promise(order, station, warehouse.robots[here])
        for pod in station.inbound:
            if not any(order.wanted):
                break
            robot = warehouse.carriers[pod]
            if robot.number != here:
                self.promise(order, station, robot)
        if any(order.wanted):
            self.new_work = True
        facts = {"order": order.number, "station": station.number}
        self._say("pick order assigned", facts)

    def promise(self, order: PickOrder, station: Station, robot: Robot) -> None:
        """What a robot's pod has of an order is taken from it: late, by design."""
        free, pod = self._warehouse.stock.free, robot.pod
        for n, wanted in enumerate(order.wanted):
            if wanted:
                there = min(int(free[order.skus[n], pod]), wanted)
                if there > 0:
                    free[order.skus[n], pod] -= there
                    order.wanted[n] = wanted - there
                    station.wanted_units -= there
                    robot.requests.append(PickRequest(order, n, there))

    def promise_all(self, station: Station, robot: Robot) -> None:
        if station.wanted_units:
            for order in station.orders:
                self.promise(order, station, robot)

    def withdraw(self, robot: Robot, station: Station) -> None:
        """What a robot was to pick is wanted again."""
        free = self._warehouse.stock.free
        for request in robot.requests:
            order = request.order
            free[order.skus[request.line], robot.pod] += request.units
            order.wanted[request.line] += request.units
            station.wanted_units += request.units
            self.new_work = True
        robot.requests.clear()

    def give_back(self, station: Station) -> None:
        """The orders of a station go back to the backlog."""
        for order in station.orders:
            for n, sku in enumerate(order.skus):
                station.wanted_sku[sku] -= order.lines_left[n] > 0
                station.wanted_units -= order.wanted[n]
            order.station = -1
            self._warehouse.backlog.add(order)
        station.orders.clear()
        station.fast_order = None
        self.new_work = True

    def picked(self, request: PickRequest, station: Station, pod: int) -> None:
        """One unit is out of the pod."""
        warehouse, tally, order = self._warehouse, self._tally, request.order
        sku = order.skus[request.line]
        warehouse.stock.take(pod, sku, 1)
        warehouse.picked_units[sku] += 1
        order.left -= 1
        order.lines_left[request.line] -= 1
        station.items += 1
        tally.items += 1
        if order.lines_left[request.line] == 0:
            tally.lines += 1
            station.wanted_sku[sku] -= 1
        if order.left == 0:
            self._complete(order, station)

    def _complete(self, order: PickOrder, station: Station) -> None:
        now, tally = self._warehouse.now, self._tally
        station.orders.remove(order)
        if station.fast_order is order:
            station.fast_order = None
        station.orders_done += 1
        tally.orders_done += 1
        tally.turnover_s += now - order.placed_at
        tally.throughput_s += now - order.assigned_at
        if now > order.due_at:
            tally.orders_late += 1
            tally.lateness_s += now - order.due_at
        facts = {"order": order.number, "station": station.number}
        self._say("pick order completed", facts)
        # Others have no room, or there was nothing for them.
        self.assign_orders(only=station)
        if self._scenario.mode == "fill":
            self.refill()

    # Replenishment orders

    def place_bundle(self) -> None:
        warehouse = self._warehouse
        sku, units = self._demand.bundle()
        bundle = Bundle(
            number=self._tally.bundles_placed,
            sku=sku,
            units=units,
            space=float(warehouse.stock.catalogue.space[sku]) * units,
            placed_at=warehouse.now,
        )
        self._tally.bundles_placed += 1
        self._bundles_open += 1
        self._space_open += bundle.space
        warehouse.bundles_waiting.append(bundle)
        facts = {"bundle": bundle.number, "sku": sku, "units": units}
        self._say("new replenishment order", facts)

    def assign_bundles(self) -> None:
        """In the order in which they came, until one finds no pod or no station."""
        warehouse, deciders = self._warehouse, self._deciders
        waiting, done = warehouse.bundles_waiting, 0
        self._lacks_pod = False
        for bundle in waiting:
            pod = deciders.ask("rps", "pod_for", warehouse, bundle)
            if pod is None:
                self._lacks_pod = True
                break
            bundle.pod = pod
            station = deciders.ask("roa", "station_for", warehouse, bundle)
            if station is None:
                bundle.pod = -1
                break
            bundle.station = station.number
            station.bundles.setdefault(pod, []).append(bundle)
            station.bundle_space += bundle.space
            warehouse.stock.promised_space[pod] += bundle.space
            done += 1
            self.new_work = True
        del waiting[:done]

    def stored(self, bundle: Bundle, station: Station) -> None:
        """A bundle is on its pod."""
        warehouse, tally = self._warehouse, self._tally
        stock = warehouse.stock
        self._bundles_open -= 1
        self._space_open -= bundle.space
        stock.promised_space[bundle.pod] -= bundle.space
        stock.put(bundle.pod, bundle.sku, bundle.units)
        station.bundle_space -= bundle.space
        station.bundles_done += 1
        tally.bundles += 1
        tally.bundle_units += bundle.units
        tally.bundle_turnover_s += warehouse.now - bundle.placed_at
        facts = {"bundle": bundle.number, "pod": bundle.pod}
        self._say("replenishment order stored", facts)
        if self._scenario.mode == "fill":
            self.refill()
        waiting = warehouse.bundles_waiting
        room = station.capacity - station.bundle_space
        if waiting and (self._lacks_pod or waiting[0].space <= room):
            self.assign_bundles()
        if self._hesitates:
            self._hesitates = False
            self.assign_orders()

    def pod_is_back(self) -> None:
        """A bundle may have waited for it."""
        if self._lacks_pod:
            self.assign_bundles()

    def give_back_bundles(self, station: Station, bundles: list[Bundle]) -> None:
        """Bundles that no robot brings to a station wait for another decision."""
        stock = self._warehouse.stock
        for bundle in bundles:
            stock.promised_space[bundle.pod] -= bundle.space
            station.bundle_space -= bundle.space
            bundle.pod = bundle.station = -1
        self._warehouse.bundles_waiting[:0] = bundles
        self.new_work = True
