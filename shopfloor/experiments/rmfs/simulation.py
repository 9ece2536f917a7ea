"""A warehouse in virtual time: what happens next, and who is asked to decide.

Robots drive in a compiled kernel until one of them arrives or is done; orders, shifts
and outages come from a heap of events. The same seed gives the same run, watched or
not.
"""

from __future__ import annotations

import heapq
import random
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fleet.rmfs.errors import RmfsRefused
from fleet.rmfs.floor import STORAGE, Floor
from fleet.rmfs.layout import LayoutParameters
from fleet.rmfs.orders import Backlog, Station
from fleet.rmfs.stock import Stock
from fleet.rmfs.strategies.base import NEVER
from fleet.rmfs.strategies.registry import Choice, Registry
from fleet.rmfs.warehouse import Robot, Warehouse
from shopfloor.experiments.rmfs.batteries import Batteries
from shopfloor.experiments.rmfs.deciders import Deciders
from shopfloor.experiments.rmfs.fleet_on_floor import FleetOnFloor
from shopfloor.experiments.rmfs.order_desk import OrderDesk
from shopfloor.experiments.rmfs.robot_work import RobotWork
from shopfloor.experiments.rmfs.scenario import Demand, Outage, Scenario
from shopfloor.experiments.rmfs.tally import Tally
from shopfloor.experiments.rmfs.thinking import Thinking
from shopfloor.experiments.rmfs.traffic.arrays import NONE, RECORD_FULL
from shopfloor.experiments.rmfs.ways import Ways

Listener = Callable[[float, str, dict[str, Any]], None]
Pieces = Callable[[NDArray[np.float64], float], None]


class Simulation:
    """One run. ``run`` may be called several times with later moments."""

    def __init__(
        self,
        layout: LayoutParameters,
        floor: Floor,
        scenario: Scenario,
        choices: Mapping[str, Choice],
        *,
        seed: int = 0,
        registry: Registry | None = None,
        listener: Listener | None = None,
        pieces: Pieces | None = None,
        duration_s: float | None = None,
    ) -> None:
        self.layout, self.floor, self.scenario, self.seed = (
            layout,
            floor,
            scenario,
            seed,
        )
        self.duration_s = scenario.duration_s if duration_s is None else duration_s
        self.tally = Tally(trips_to=np.zeros(floor.count, np.int64))
        self.deciders = Deciders(registry or Registry(), choices, seed)
        self._listener, self._pieces = listener, pieces
        self._chance = random.Random(f"warehouse-{seed}")  # noqa: S311 (a simulation)
        self._delays = random.Random(f"delays-{seed}")  # noqa: S311
        self._demand = Demand(scenario, seed)
        self.ways = Ways(floor)
        self.warehouse = self._furnish()
        robots = self.warehouse.robots
        self.traffic = FleetOnFloor(
            layout,
            floor,
            self.ways,
            [robot.cell for robot in robots],
            planner=self.deciders.by_problem["pp"],
            record=pieces is not None,
        )
        self.desk = OrderDesk(
            self.warehouse,
            scenario,
            self._demand,
            self.deciders,
            self.tally,
            self._say,
        )
        self._heap: list[tuple[float, int, Callable[[], None]]] = []
        self._sequence = 0
        self.batteries = Batteries(layout, self.at, self._charged)
        self.work = RobotWork(
            self.warehouse,
            self.traffic,
            self.desk,
            self.deciders,
            self.tally,
            self._say,
            self._rest_place,
            self.batteries,
        )
        self.wall_s = 0.0
        self.cpu_s = 0.0
        self.events = 0
        self._begun = False
        self.thinking = Thinking()

    # What stands where at the beginning

    def _furnish(self) -> Warehouse:
        layout, floor, chance = self.layout, self.floor, self._chance
        places = floor.places
        pods = layout.pods
        if pods is None:
            pods = round(len(places) * layout.pod_share)
        if pods > len(places) - 1:
            raise RmfsRefused(
                f"{pods} pods need more than the {len(places)} storage places"
            )
        if layout.robots > len(places):
            raise RmfsRefused(f"{layout.robots} robots find no place to start from")
        stock = Stock(self._demand.catalogue, pods, layout.pod_capacity)
        taken = chance.sample(places.tolist(), pods)
        stock.place[:] = taken
        place_free = floor.kind == STORAGE
        place_free[taken] = False
        starts = chance.sample(places.tolist(), layout.robots)
        robots = [Robot(n, cell) for n, cell in enumerate(starts)]
        warehouse = Warehouse(
            layout=layout,
            floor=floor,
            stock=stock,
            backlog=Backlog(len(stock.catalogue)),
            stations=self._stations(len(stock.catalogue)),
            robots=robots,
            steps_to=self.ways.to,
            steps_from=self.ways.reach,
            places=places,
            place_free=place_free,
            home=np.array(taken, np.int32),
            picked_units=np.zeros(len(stock.catalogue), np.int64),
        )
        stations = warehouse.stations
        warehouse.pick_stations = [s for s in stations if s.picks]
        warehouse.replenishment_stations = [s for s in stations if not s.picks]
        self._rest_order = self._middle_first()
        self._fill(stock)
        return warehouse

    def _stations(self, skus: int) -> list[Station]:
        layout, found = self.layout, []
        for n, zone in enumerate(self.floor.stations):
            picks = zone.kind == "pick"
            item_s = layout.item_transfer_s if picks else layout.bundle_transfer_s
            capacity: float = (
                layout.pick_station_orders
                if picks
                else layout.replenishment_station_capacity
            )
            station = Station(
                number=n,
                kind=zone.kind,
                cell=self.floor.number[zone.cells[-1]],
                item_s=item_s if zone.item_s is None else zone.item_s,
                capacity=capacity if zone.capacity is None else zone.capacity,
                wanted_sku=np.zeros(skus if picks else 0, np.int32),
            )
            found.append(station)
        return found

    def _fill(self, stock: Stock) -> None:
        """Bundles on pods by chance until the inventory is as full as it begins."""
        goal = self.scenario.initial_inventory * stock.capacity * stock.pods
        chance, failed = self._chance, 0
        while stock.used_space < goal:
            sku, units = self._demand.bundle()
            space = float(stock.catalogue.space[sku]) * units
            pod = chance.randrange(stock.pods)
            if stock.used[pod] + space <= stock.capacity:
                stock.put(pod, sku, units)
                failed = 0
                continue
            failed += 1
            if failed > 20 * stock.pods:
                raise RmfsRefused(
                    f"the inventory cannot be filled to "
                    f"{self.scenario.initial_inventory:.0%}: pods hold "
                    f"{stock.capacity:g}, one bundle takes {space:g}"
                )

    def _middle_first(self) -> NDArray[np.int32]:
        """Places, those in the middle of the storage area first: dwelling points."""
        places = self.floor.places
        spots = self.floor.spots[places].astype(np.float64)
        middle = np.median(spots, axis=0)
        away = np.abs(spots[:, 1:] - middle[1:]).sum(axis=1)
        found: NDArray[np.int32] = places[np.argsort(away, kind="stable")]
        return found

    def _rest_place(self, robot: Robot) -> int:
        """The middlemost free place of the robot's floor, else where it stands."""
        warehouse, order = self.warehouse, self._rest_order
        same = self.floor.spots[order, 0] == self.floor.spots[robot.cell, 0]
        free = np.flatnonzero(warehouse.place_free[order] & same)
        # One place stays free for a pod that has to be brought back.
        carried = int((warehouse.stock.place < 0).sum())
        if len(free) and int(warehouse.place_free[order].sum()) > carried + 1:
            return int(order[free[0]])
        return robot.cell

    # Events

    def at(self, moment: float, what: Callable[[], None]) -> None:
        self._sequence += 1
        heapq.heappush(self._heap, (moment, self._sequence, what))

    def _say(self, event: str, facts: dict[str, Any]) -> None:
        if self._listener is not None:
            self._listener(self.warehouse.now, event, facts)
        for strategy in self._listening:
            if event in strategy.listens_to:
                strategy.heard(self.warehouse, event, facts)

    _listening: tuple[Any, ...] = ()

    def _listen(self) -> None:
        strategies = self.deciders.by_problem.values()
        self._listening = tuple(s for s in strategies if s.listens_to)

    def _begin(self) -> None:
        self._begun = True
        self._listen()
        self._say("initialise", {"seed": self.seed})
        scenario, desk = self.scenario, self.desk
        self._activate()
        if scenario.mode == "fill":
            desk.refill()
        elif scenario.mode == "poisson":
            for _ in range(scenario.orders):
                desk.place_drawn()
            for what in ("orders", "bundles"):
                self._expect(what)
        for each in scenario.file_orders:
            self.at(each.at_s, lambda each=each: self._place_listed(each))  # type: ignore[misc]
        if scenario.batch_every_s > 0.0:
            self.at(scenario.batch_every_s, self._batch)
        for outage in scenario.outages:
            self.at(outage.at_s, lambda o=outage: self._switch_off(o))  # type: ignore[misc]
            self.at(outage.until_s, lambda o=outage: self._switch_on(o))  # type: ignore[misc]
        self._expect_delay()
        changes = self.deciders.by_problem["mm"].changes(self.duration_s)
        for moment, problem, name in changes:
            if name != "?":
                self.deciders.check(problem, name)
            self.at(moment, lambda p=problem, n=name: self._exchange(p, n))  # type: ignore[misc]
        desk.assign_bundles()
        desk.assign_orders()
        if scenario.mode == "fill":
            desk.refill()
        self._reallocate()
        self._release()
        for strategy in self.deciders.by_problem.values():
            if strategy.next_at < NEVER and strategy.problem != "sa":
                self.at(strategy.next_at, lambda s=strategy: self._awake(s))  # type: ignore[misc]
        desk.new_work = True

    def _charged(self) -> None:
        """A robot may work again: there may be something for it."""
        self.desk.new_work = True

    def _place_listed(self, listed: Any) -> None:
        due_s = self.scenario.due_s if listed.due_s is None else listed.due_s
        unasked = self.warehouse.stock.unasked
        if any(unasked[sku] < units for sku, units in listed.lines):
            self.tally.orders_refused += 1
            self._say("pick order refused", {"lines": listed.lines})
            return
        self.desk.place(listed.lines, due_s)
        self.desk.assign_orders()

    def _expect(self, what: str) -> None:
        """The next arrival of a Poisson process whose rate changes with the hour."""
        scenario, warehouse = self.scenario, self.warehouse
        if what == "orders":
            low, high = scenario.orders_per_h, scenario.high_orders_per_h
            count = len(warehouse.pick_stations)
        else:
            low, high = scenario.bundles_per_h, scenario.high_bundles_per_h
            count = len(warehouse.replenishment_stations)
        most = max(low, high) * count
        if most <= 0.0:
            return

        def arrive() -> None:
            rate = (high if scenario.high(warehouse.now) else low) * count
            if self._demand.kept(what, rate / most):
                no_orders, no_bundles = self.desk.paused
                if what == "orders":
                    if not no_orders:
                        self.desk.place_drawn()
                        self.desk.assign_orders()
                elif not no_bundles:
                    self.desk.place_bundle()
                    self.desk.assign_bundles()
            self._expect(what)

        self.at(warehouse.now + self._demand.pause_s(what, most), arrive)

    def _expect_delay(self) -> None:
        """The next robot that is held up: wheels slip, somebody stands in its way."""
        scenario, robots = self.scenario, len(self.warehouse.robots)
        rate = scenario.delays_per_robot_h * robots / 3600.0
        if rate <= 0.0:
            return
        chance = self._delays

        def hold_up() -> None:
            now, robot = self.warehouse.now, chance.randrange(robots)
            seconds = chance.expovariate(1.0 / scenario.delay_s)
            self.traffic.hold_up(robot, now, now + seconds)
            self.tally.delays += 1
            self.tally.delayed_s += seconds
            self._say("robot held up", {"robot": robot, "seconds": seconds})
            self._expect_delay()

        self.at(self.warehouse.now + chance.expovariate(rate), hold_up)

    def _batch(self) -> None:
        for _ in range(self.scenario.batch_orders):
            self.desk.place_drawn()
        for _ in range(self.scenario.batch_bundles):
            self.desk.place_bundle()
        self.desk.assign_orders()
        self.desk.assign_bundles()
        self.at(self.warehouse.now + self.scenario.batch_every_s, self._batch)

    def _reallocate(self) -> None:
        strategy = self.deciders.by_problem["ta"]
        strategy.reallocate(self.warehouse)
        every_s = strategy.reallocate_every_s
        self.at(self.warehouse.now + min(every_s, 3600.0), self._reallocate)

    def _release(self) -> None:
        """Orders that a buffering strategy has collected are given out."""
        every_s = self.deciders.by_problem["poa"].release_every_s
        if every_s > 0.0:
            self.desk.assign_orders()
            steps = round(self.warehouse.now / every_s) + 1
            self.at(steps * every_s, self._release)

    def _activate(self) -> None:
        strategy = self.deciders.by_problem["sa"]
        active = self.deciders.ask("sa", "active", self.warehouse)
        now = self.warehouse.now
        for station in self.warehouse.stations:
            is_active = station.number in active
            if station.active and not is_active:
                station.active_s += now - station.active_since
                self._say("station closed", {"station": station.number})
            elif is_active and not station.active:
                station.active_since = now
                self._say("station opened", {"station": station.number})
            station.active = is_active
        if strategy.next_at > now and strategy.next_at < NEVER:
            self.at(strategy.next_at, self._activate)
        if self._begun and now > 0.0:
            self.desk.assign_orders()
            self.desk.assign_bundles()

    def _exchange(self, problem: str, name: str) -> None:
        name = self.deciders.exchange(problem, name)
        self._listen()
        self._say("strategy exchanged", {"problem": problem, "strategy": name})
        if problem == "pp":
            self.traffic.follow(self.deciders.by_problem["pp"])
        if problem == "poa":
            self._release()
        if problem == "sa":
            self._activate()

    def _awake(self, strategy: Any) -> None:
        if self.deciders.by_problem[strategy.problem] is not strategy:
            return
        thought = strategy.awake(self.warehouse)
        if thought is not None:
            self.thinking.begin(thought, self.warehouse.now)
        if self.warehouse.now < strategy.next_at < NEVER:
            self.at(strategy.next_at, lambda: self._awake(strategy))

    def _switch_off(self, outage: Outage) -> None:
        self._say("switched off", {"robot": outage.robot, "station": outage.station})
        if outage.robot >= 0:
            self.work.switch_off_robot(self.warehouse.robots[outage.robot])
        if outage.station >= 0:
            self.work.switch_off_station(self.warehouse.stations[outage.station])

    def _switch_on(self, outage: Outage) -> None:
        self._say("switched on", {"robot": outage.robot, "station": outage.station})
        if outage.robot >= 0:
            self.work.switch_on_robot(self.warehouse.robots[outage.robot])
        if outage.station >= 0:
            self.warehouse.stations[outage.station].broken = False
            self.desk.assign_orders()
            self.desk.assign_bundles()

    # Time

    def run(self, until_s: float) -> None:
        """Up to a moment."""
        wall, cpu = time.perf_counter(), time.process_time()
        if not self._begun:
            self._begin()
        warehouse, traffic, work, heap = (
            self.warehouse,
            self.traffic,
            self.work,
            self._heap,
        )
        while True:
            work.wake()
            limit = min(until_s, heap[0][0]) if heap else until_s
            if self.thinking.busy:
                limit = self.thinking.limit(warehouse.now, limit)
            now, robot, why = traffic.advance(limit)
            warehouse.now = now
            if why == RECORD_FULL:
                self._hand_over()
            elif why != NONE:
                self.events += 1
                work.go_on(robot)
            elif heap and heap[0][0] <= min(until_s, limit):
                self.events += 1
                heapq.heappop(heap)[2]()
            elif now >= until_s:
                break
        work.close_books()
        self._hand_over()
        self.wall_s += time.perf_counter() - wall
        self.cpu_s += time.process_time() - cpu

    def _hand_over(self) -> None:
        if self._pieces is not None:
            now = self.warehouse.now
            self._pieces(self.traffic.take_record(now), now)
