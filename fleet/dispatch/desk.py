"""What phases of the dispatch ask of the fleet, and how tasks get into queues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fleet.commands import Decided
from fleet.dispatch.bids import Bidder, Bids
from fleet.dispatch.phases import QUEUE, Comparator, Filter
from fleet.dispatch.round import Decision
from fleet.dispatch.strategies import Strategy
from fleet.tasks.pool import TaskRefused
from fleet.tasks.task import Action, Kind, Leg, State, Task
from fleet.vehicles.vehicle import Vehicle

if TYPE_CHECKING:
    from fleet.fleet import Fleet


class FleetDesk:
    """The desk of a fleet, as ``phases.Desk`` has it."""

    def __init__(
        self,
        fleet: Fleet,
        bids: Bids,
        strategy: Strategy,
        comparators: Sequence[Comparator],
        filters: Sequence[Filter],
    ) -> None:
        self._fleet = fleet
        self.world = fleet.world
        self.pool = fleet.pool
        self.vehicles = fleet.vehicles
        self.stations = fleet.stations
        self.bids = bids
        self.strategy = strategy
        self.comparators = comparators
        self.filters = filters

    def bidder(self, vehicle: Vehicle, now: float) -> Bidder:
        """Where and when its queue ends, from the bids for what is in it."""
        bidder = Bidder(
            id=vehicle.id,
            type=vehicle.type,
            place=self._fleet.whereabouts.nearest_place(vehicle),
            ready_at=now,
            percent=vehicle.percent,
            turn=vehicle.turn,
        )
        real = 0
        for task_id in vehicle.queue:
            task = self.pool[task_id]
            if task.dispensable:
                continue
            real += task.kind is not Kind.CHARGE
            self._after(bidder, task)
        bidder.room = max(0, QUEUE - real)
        return bidder

    def _after(self, bidder: Bidder, task: Task) -> None:
        if task.kind is Kind.CHARGE:
            stop = self.bids.energy.best_stop(
                *(bidder.id, bidder.type, bidder.place),
                *(bidder.percent, bidder.place),
            )
            if stop is not None:
                bidder.ready_at += stop.takes_s
                bidder.place, bidder.percent = stop.place, stop.percent
            return
        places = [leg.place or task.reserved for leg in task.legs[task.leg :]]
        roadmap = self._fleet.roadmaps[bidder.type.id]
        drive_s = 0.0
        for place in places:
            drive_s += roadmap.time_s(bidder.place, place)
            bidder.place = place
        bidder.ready_at += drive_s + bidder.type.load_s * len(places)
        used = drive_s * bidder.type.discharging_pps
        bidder.percent = max(0.0, bidder.percent - used)

    def decided(self, decision: Decision) -> None:
        self._fleet.tell(Decided(decision))

    def give(self, decision: Decision, now: float) -> None:
        """A task goes to the end of a robot's queue, after a charge if it needs one."""
        task, vehicle = self.pool[decision.task], self.vehicles[decision.robot]
        bid = decision.bid
        if bid is None or bid.why_not or bid.robot != vehicle.id:
            raise TaskRefused(f"{vehicle.id} has made no offer for task {task.id}")
        if task.state is not State.READY:
            raise TaskRefused(f"task {task.id} is {task.state} and not to be given")
        self._fleet.work.make_way(vehicle, now)
        if bid.zone:
            self._charge_before(vehicle, bid.zone, now)
        if task.reserved:
            task.legs = [
                Leg(leg.place or task.reserved, leg.action) for leg in task.legs
            ]
        self.pool.assign(task, vehicle.id)
        vehicle.queue.append(task.id)
        vehicle.turn += 1
        self._fleet.task_changed(task)

    def _charge_before(self, vehicle: Vehicle, zone: str, now: float) -> None:
        spots = self.stations.places_for(vehicle.id, zone)
        charge = Task(
            self._fleet.new_id(Kind.CHARGE),
            Kind.CHARGE,
            [Leg(spots[0], Action.CHARGE)],
            intended=vehicle.id,
            zone=zone,
        )
        self.pool.submit(charge, now)
        self.pool.assign(charge, vehicle.id)
        vehicle.queue.append(charge.id)
        self._fleet.task_changed(charge)
        self.stations.reserve(vehicle.id, zone)

    def add_own(self, task: Task, vehicle: Vehicle, now: float) -> None:
        """A task that the fleet itself wants: charging, parking."""
        task.id = self._fleet.new_id(task.kind)
        self.pool.submit(task, now)
        self.pool.assign(task, vehicle.id)
        at = 0 if not task.dispensable else len(vehicle.queue)
        vehicle.queue.insert(at, task.id)
        if at == 0:
            self._fleet.work.halt(vehicle, now)
        if task.zone:
            self.stations.reserve(vehicle.id, task.zone)
        self._fleet.task_changed(task)

    def clear_queue(self, vehicle: Vehicle, why: str, now: float) -> None:
        self._fleet.course.clear_queue(vehicle, why, now)

    def drop_task(self, task: Task, vehicle: Vehicle, now: float) -> None:
        self._fleet.course.drop(task, vehicle, now)
