"""The fleet: events in, commands and records out. No I/O, no clock.

``handle(now, event)`` is all there is. Reports and detections only change what is
known; a Tick decides: dispatch, the next leg of each robot, and traffic. The state is
one plain dict (``to_dict``), from which a fleet goes on as if nothing had happened.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from fleet import events as ev
from fleet.charging import Energy, Stations
from fleet.commands import (
    Alert,
    Answer,
    Decided,
    Drive,
    Refused,
    StorageChanged,
    TaskChanged,
)
from fleet.dispatch.bids import Bidder, Bids
from fleet.dispatch.phases import (
    COMPARATORS,
    FILTERS,
    PHASES,
    QUEUE,
    Comparator,
    Filter,
    Phase,
)
from fleet.dispatch.round import Decision
from fleet.dispatch.strategies import STRATEGIES, Strategy
from fleet.model.world import Level, World
from fleet.roads import Roadmap, make_roadmaps, unreached_places
from fleet.storage import Demand, Storage
from fleet.tasks import Action, Kind, Leg, Pool, State, Task, TaskRefused
from fleet.traffic import Arrived, FreeTraffic, Go, Stuck, Traffic
from fleet.vehicles import Claims, Doing, Vehicle
from fleet.vehicles.trouble import Trouble
from fleet.vehicles.work import Work

KEPT = 500
"""Ended tasks that stay in the state."""
GIVE_UP_S = 300.0
"""A robot that finds no way for so long gives its task back."""


class Unreachable(ValueError):
    """The world has places that no robot reaches."""


class Fleet:
    """All robots of a plant. Strategies, phases, comparators, filters: yours to set."""

    def __init__(
        self,
        world: World,
        *,
        roadmaps: dict[str, Roadmap] | None = None,
        strategy: Strategy | str = "regret",
        phases: Sequence[Phase] = PHASES,
        comparators: Sequence[Comparator] = COMPARATORS,
        filters: Sequence[Filter] = FILTERS,
        traffic: Traffic | None = None,
    ) -> None:
        self.world = world
        self.roadmaps = make_roadmaps(world) if roadmaps is None else roadmaps
        missed = unreached_places(world, self.roadmaps)
        if missed:
            told = "; ".join(f"{place} ({why})" for place, why in missed.items())
            raise Unreachable(f"no robot reaches {told}")
        self.strategy = STRATEGIES[strategy] if isinstance(strategy, str) else strategy
        self.phases = phases
        self.comparators = comparators
        self.filters = filters
        self.pool = Pool(world)
        self.storage = Storage(world)
        self.stations = Stations(world)
        self.energy = Energy(world, self.roadmaps, self.stations)
        self.bids = Bids(world, self.roadmaps, self.storage, self.energy)
        self.traffic: Traffic = traffic or FreeTraffic(world, self.roadmaps)
        self.claims = Claims(world)
        self.vehicles = {
            spec.id: Vehicle(
                spec.id,
                world.type_of(spec.id),
                spec.home,
                spec.level,
                spec.battery_percent,
            )
            for spec in world.robots.values()
        }
        self.work = Work(self)
        self.trouble = Trouble(self)
        self.answer = Answer()
        self.dropped: dict[str, tuple[str, float, float]] = {}  # package: type, x, y
        self.obstacles: dict[str, float] = {}  # what blocked robots: until when
        self.entities: dict[str, tuple[float | str, ...]] = {}
        self.stopped = False
        self.pulled_over = False
        self._number = 0

    def handle(self, now: float, event: ev.Event) -> Answer:
        """Take an event in and say what to do. Bad events are refused with a reason."""
        self.answer = Answer()
        try:
            self._take(now, event)
        except TaskRefused as refused:
            self.answer.records.append(Refused(type(event).__name__, str(refused)))
        self._drain_storage(now)
        return self.answer

    def _take(self, now: float, event: ev.Event) -> None:
        match event:
            case ev.Tick():
                self._tick(now)
            case ev.Reported():
                self._report(event)
            case ev.Acted():
                self.work.acted(self.vehicle(event.robot), event, now)
            case ev.Detected():
                for demand in self.storage.detect(event.place, event.present):
                    self._demand(demand, now)
            case ev.Submitted():
                self.pool.submit(event.task, now)
                self.task_changed(event.task)
            case ev.Withdrawn():
                self._withdraw(event, now)
            case ev.TaskPaused():
                self._pause_task(event)
            case ev.LoadLost():
                self.work.load_lost(self.vehicle(event.robot), now)
            case ev.Blocked():
                self.trouble.blocked(event, now)
            case ev.Failed():
                self.trouble.fail(event, now)
            case ev.Recovered():
                self.trouble.recover(event)
            case ev.RobotPaused():
                self.trouble.pause_robot(event)
            case ev.LevelSet():
                self.trouble.set_level(event, now)
            case ev.InputComing() | ev.OutputWanted():
                self._demanded(event)
            case ev.ZoneClosed():
                if len(event.corners) < 3:
                    raise TaskRefused(f"zone {event.zone} has fewer than 3 corners")
                self.traffic.close_zone(event.zone, event.corners)
            case ev.ZoneOpened():
                self.traffic.open_zone(event.zone)
            case ev.LaneLocked() | ev.DoorShut():
                self.trouble.shut(event)
            case ev.Seen():
                self.trouble.see(event)
            case ev.PulledOver():
                self.trouble.pull_over(event.over, now)
            case ev.Stopped():
                self.stopped = event.stopped

    # What is known

    def vehicle(self, robot: str) -> Vehicle:
        vehicle = self.vehicles.get(robot)
        if vehicle is None:
            raise TaskRefused(f"there is no robot {robot!r}")
        return vehicle

    def _report(self, event: ev.Reported) -> None:
        vehicle = self.vehicle(event.robot)
        first = not vehicle.known
        vehicle.x_m, vehicle.y_m, vehicle.yaw = event.x_m, event.y_m, event.yaw
        vehicle.percent = min(100.0, max(0.0, event.percent))
        if vehicle.level in (Level.IGNORED, Level.NOTICED):
            return
        if first:
            self.traffic.add_robot(vehicle.id, vehicle.type.id, event.x_m, event.y_m)
            if vehicle.level is Level.RESPECTED:
                self.traffic.freeze(vehicle.id)
            self.find_place(vehicle)
        self.traffic.report(vehicle.id, event.x_m, event.y_m, event.yaw)
        self.claims.left(vehicle.id, event.x_m, event.y_m, but=vehicle.target)
        if vehicle.place and self.claims.holders.get(vehicle.place) != vehicle.id:
            vehicle.place = ""

    def find_place(self, vehicle: Vehicle) -> None:
        """Where a robot stands that has just come into view."""
        name = self.nearest_place(vehicle)
        x_m, y_m = self.claims.spot(name)
        if vehicle.x_m is None or vehicle.y_m is None:
            return
        if math.hypot(vehicle.x_m - x_m, vehicle.y_m - y_m) < 0.3:
            vehicle.place = name
            self.claims.take(vehicle.id, name)

    def nearest_place(self, vehicle: Vehicle) -> str:
        if vehicle.place:
            return vehicle.place
        x_m, y_m = vehicle.x_m or 0.0, vehicle.y_m or 0.0
        unreached = self.roadmaps[vehicle.type.id].unreached
        return min(
            (name for name in self.world.places if name not in unreached),
            key=lambda name: math.dist(self.claims.spot(name), (x_m, y_m)),
        )

    def _demanded(self, event: ev.InputComing | ev.OutputWanted) -> None:
        if self.stopped:
            raise TaskRefused("no new demands are taken")
        if isinstance(event, ev.InputComing):
            taken = self.storage.new_input(
                event.place, event.package, event.package_type
            )
            if taken:
                self.dropped.pop(event.package, None)
        else:
            taken = self.storage.new_output(event.place, event.package_type)
        if not taken:
            raise TaskRefused(f"{event.place} cannot take {event.package_type}")

    def _demand(self, demand: Demand, now: float) -> None:
        """Storage has something to do for the robots."""
        self._number += 1
        if demand.store:
            legs = [Leg(demand.place, Action.LOAD), Leg("", Action.UNLOAD)]
            kind = Kind.STORE
        else:
            legs = [Leg("", Action.LOAD), Leg(demand.place, Action.UNLOAD)]
            kind = Kind.RETRIEVE
        task = Task(
            f"{kind}/{self._number}",
            kind,
            legs,
            package=demand.package,
            package_type=demand.package_type,
        )
        self.pool.submit(task, now)
        self.task_changed(task)

    def _drain_storage(self, now: float) -> None:
        for demand in self.storage.take_demands():
            self._demand(demand, now)
        self._tell_storage()
        for notice in self.storage.notices:
            self.alert("package", notice.place, notice.text)
        self.storage.notices.clear()

    # Tasks

    def _task(self, task_id: str) -> Task:
        task = self.pool.get(task_id)
        if task is None:
            raise TaskRefused(f"there is no task {task_id!r}")
        return task

    def _withdraw(self, event: ev.Withdrawn, now: float) -> None:
        task = self._task(event.task)
        if task.state.ended:
            raise TaskRefused(f"task {task.id} is already {task.state}")
        vehicle = self.vehicles.get(task.robot)
        if vehicle is None:
            self.end_task(task, State.WITHDRAWN, "withdrawn")
            return
        if vehicle.queue[:1] != [task.id]:
            vehicle.queue.remove(task.id)
            self.end_task(task, State.WITHDRAWN, "withdrawn")
            return
        task.withdrawing = True
        busy = vehicle.doing in (Doing.ACTING, Doing.CONFIRMING) or vehicle.load
        if not busy and (event.now or vehicle.doing is not Doing.DRIVING):
            self.drop_task(task, vehicle, now)

    def _pause_task(self, event: ev.TaskPaused) -> None:
        task = self._task(event.task)
        if event.paused:
            self.pool.pause(task)
        else:
            self.pool.go_on(task)
        self.task_changed(task)

    def end_task(self, task: Task, state: State, why: str = "") -> None:
        if task.reserved:
            self.storage.end_reservation(task.reserved)
            task.reserved = ""
        task.why = why or task.why
        self.pool.end(task, state)
        self.task_changed(task)

    def clear_queue(self, vehicle: Vehicle, why: str, now: float) -> None:
        """Others shall do what is in its queue; a loaded task stays with it."""
        for task_id in list(vehicle.queue):
            task = self.pool[task_id]
            if vehicle.load and task.leg > 0 and task_id == vehicle.queue[0]:
                continue
            vehicle.queue.remove(task_id)
            if task.dispensable or task.kind in (Kind.CHARGE, Kind.PARK):
                self.work.stop_own(task, vehicle, now)
                self.end_task(task, State.WITHDRAWN, why)
                continue
            self.give_back(task, why)
        if not vehicle.queue:
            self.work.halt(vehicle, now)

    def give_back(self, task: Task, why: str) -> None:
        """Another robot may do it, with storage chosen anew."""
        if task.reserved:
            self.storage.end_reservation(task.reserved)
        task.reopen()
        self.pool.give_back(task, why)
        self.task_changed(task)

    def drop_task(self, task: Task, vehicle: Vehicle, now: float) -> None:
        """The present task of a robot ends here, without being done."""
        self.work.stop_own(task, vehicle, now)
        vehicle.queue.remove(task.id)
        self.end_task(task, State.WITHDRAWN, task.why or "withdrawn")
        self.work.halt(vehicle, now)

    # What phases ask for

    def bidder(self, vehicle: Vehicle, now: float) -> Bidder:
        """Where and when its queue ends, from the bids for what is in it."""
        bidder = Bidder(
            id=vehicle.id,
            type=vehicle.type,
            place=self.nearest_place(vehicle),
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
            stop = self.energy.best_stop(
                bidder.type, bidder.place, bidder.percent, bidder.place
            )
            if stop is not None:
                bidder.ready_at += stop.takes_s
                bidder.place, bidder.percent = stop.place, stop.percent
            return
        places = [leg.place or task.reserved for leg in task.legs[task.leg :]]
        roadmap = self.roadmaps[bidder.type.id]
        drive_s = 0.0
        for place in places:
            drive_s += roadmap.time_s(bidder.place, place)
            bidder.place = place
        bidder.ready_at += drive_s + bidder.type.load_s * len(places)
        used = drive_s * bidder.type.discharging_pps
        bidder.percent = max(0.0, bidder.percent - used)

    def decided(self, decision: Decision) -> None:
        self._tell_storage()
        self.answer.records.append(Decided(decision))

    def give(self, decision: Decision, now: float) -> None:
        """A task goes to the end of a robot's queue, after a charge if it needs one."""
        task, vehicle = self.pool[decision.task], self.vehicles[decision.robot]
        self.work.make_way(vehicle, now)
        if decision.bid is not None and decision.bid.zone:
            self._number += 1
            zone = decision.bid.zone
            spots = self.world.charging[zone].places
            charge = Task(
                f"charge/{self._number}",
                Kind.CHARGE,
                [Leg(spots[0], Action.CHARGE)],
                intended=vehicle.id,
                zone=zone,
            )
            self.pool.submit(charge, now)
            self.pool.assign(charge, vehicle.id)
            vehicle.queue.append(charge.id)
            self.task_changed(charge)
            self.stations.reserve(vehicle.id, zone)
        if task.reserved:
            task.legs = [
                Leg(leg.place or task.reserved, leg.action) for leg in task.legs
            ]
        self.pool.assign(task, vehicle.id)
        vehicle.queue.append(task.id)
        vehicle.turn += 1
        self.task_changed(task)

    def add_own(self, task: Task, vehicle: Vehicle, now: float) -> None:
        """A task that the fleet itself wants: charging, parking."""
        self._number += 1
        task.id = f"{task.kind}/{self._number}"
        self.pool.submit(task, now)
        self.pool.assign(task, vehicle.id)
        at = 0 if not task.dispensable else len(vehicle.queue)
        vehicle.queue.insert(at, task.id)
        if at == 0:
            self.work.halt(vehicle, now)
        if task.zone:
            self.stations.reserve(vehicle.id, task.zone)
        self.task_changed(task)

    # Time

    def _tick(self, now: float) -> None:
        for name in [n for n, until in self.obstacles.items() if until <= now]:
            del self.obstacles[name]
            self.traffic.take_obstacle(name)
        if not self.pulled_over:
            for phase in self.phases:
                phase(self, now)
            for vehicle in self.vehicles.values():
                self.work.go_on(vehicle, now)
            self.work.make_room(now)
        for outcome in self.traffic.advance(now):
            match outcome:
                case Go():
                    self.answer.commands.append(
                        Drive(outcome.robot, outcome.path, outcome.yaw)
                    )
                case Arrived():
                    self.work.arrived(self.vehicles[outcome.robot], outcome.place, now)
                case Stuck():
                    self._stuck(outcome, now)
        self.pool.forget_ended(KEPT)

    def _stuck(self, stuck: Stuck, now: float) -> None:
        vehicle = self.vehicles[stuck.robot]
        if vehicle.stuck_since is None:
            vehicle.stuck_since = now
            self.alert("no way", vehicle.id, f"to {stuck.place}: {stuck.why}")
        if now - vehicle.stuck_since > GIVE_UP_S and not vehicle.load:
            why = f"found no way to {stuck.place}"
            vehicle.stuck_since = None
            self.clear_queue(vehicle, why, now)

    # Records

    def alert(self, kind: str, about: str, text: str) -> None:
        self.answer.records.append(Alert(kind, about, text))

    def _tell_storage(self) -> None:
        """Before what follows from it: a reservation comes before its task."""
        self.answer.records += map(StorageChanged, self.storage.published)
        self.storage.published.clear()

    def task_changed(self, task: Task) -> None:
        self._tell_storage()
        self.answer.records.append(
            TaskChanged(task.id, task.state.value, task.robot, task.why)
        )

    # Saving

    def to_dict(self) -> dict[str, Any]:
        """The whole state, plain enough for JSON."""
        return {
            "pool": self.pool.to_dict(),
            "storage": self.storage.to_dict(),
            "stations": self.stations.to_dict(),
            "traffic": self.traffic.to_dict(),
            "claims": dict(self.claims.holders),
            "vehicles": {v.id: v.to_dict() for v in self.vehicles.values()},
            "dropped": {name: list(where) for name, where in self.dropped.items()},
            "obstacles": dict(self.obstacles),
            "entities": {name: list(each) for name, each in self.entities.items()},
            "flags": [self.stopped, self.pulled_over, self._number],
        }

    def load(self, data: Mapping[str, Any]) -> None:
        """Go on from a saved state; call it on a new fleet of the same world."""
        self.pool.load(data["pool"])
        self.storage.load(data["storage"])
        self.stations.load(data["stations"])
        self.traffic.load(data["traffic"])
        self.claims.holders = dict(data["claims"])
        for name, each in data["vehicles"].items():
            if name in self.vehicles:
                self.vehicles[name].load_dict(each)
        self.dropped = {n: (t, x, y) for n, (t, x, y) in data["dropped"].items()}
        self.obstacles = dict(data["obstacles"])
        self.entities = {
            n: (x, y, r, v) for n, (x, y, r, v) in data["entities"].items()
        }
        self.stopped, self.pulled_over, self._number = data["flags"]
