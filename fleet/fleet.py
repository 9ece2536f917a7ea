"""The fleet: events in, commands and records out. No I/O, no clock.

``handle(now, event)`` is all there is. Reports and detections only change what is
known; a Tick decides: dispatch, the next leg of each robot, and traffic. The state is
one plain dict (``to_dict``), from which a fleet goes on as if nothing had happened.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from fleet import events as ev
from fleet.charging import Energy, Stations
from fleet.commands import (
    Alert,
    Answer,
    Drive,
    Record,
    Refused,
    StorageChanged,
    TaskChanged,
)
from fleet.dispatch.bids import Bids
from fleet.dispatch.desk import FleetDesk
from fleet.dispatch.phases import (
    COMPARATORS,
    FILTERS,
    PHASES,
    Comparator,
    Filter,
    Phase,
)
from fleet.dispatch.strategies import STRATEGIES, Strategy
from fleet.grid.errors import GridRefused
from fleet.model.world import World
from fleet.roads import Roadmap, make_roadmaps, unreached_places
from fleet.storage import Storage
from fleet.storage.demands import Demands
from fleet.tasks import Kind, Pool, Task, TaskRefused
from fleet.tasks.course import Course
from fleet.traffic import Arrived, Go, Stuck, Traffic, traffic_for
from fleet.vehicles import Claims, Vehicle
from fleet.vehicles.trouble import Trouble
from fleet.vehicles.whereabouts import Whereabouts
from fleet.vehicles.work import Work

KEPT = 500
"""Ended tasks that stay in the state."""
GIVE_UP_S = 300.0
"""A robot that finds no way for so long gives its task back."""


NEEDS: dict[type[ev.Event], ev.Part] = {
    ev.InputComing: ev.Part.STORAGE,
    ev.OutputWanted: ev.Part.STORAGE,
    ev.Submitted: ev.Part.PLANNER,
    ev.Withdrawn: ev.Part.PLANNER,
    ev.Redispatched: ev.Part.PLANNER,
    ev.TaskPaused: ev.Part.PLANNER,
}
"""What has to run for an event to be taken."""


class Unreachable(ValueError):
    """The world has places that no robot reaches; a line for each, with its source."""


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
        running: Collection[ev.Part] = tuple(ev.Part),
    ) -> None:
        self.world = world
        self.roadmaps = make_roadmaps(world) if roadmaps is None else roadmaps
        missed = unreached_places(world, self.roadmaps)
        if missed:
            raise Unreachable(
                "\n".join(
                    f"{source}: no robot reaches {place} ({why})".removeprefix(": ")
                    for place, why in missed.items()
                    for source in [world.source_of(place)]
                )
            )
        self.phases = phases
        self.pool = Pool(world)
        self.storage = Storage(world)
        self.stations = Stations(world)
        self.running = set(running)
        self.stations.running = ev.Part.CHARGING in self.running
        energy = Energy(world, self.roadmaps, self.stations)
        self.traffic: Traffic = traffic or traffic_for(world, self.roadmaps)
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
        self.course = Course(self)
        self.trouble = Trouble(self)
        self.whereabouts = Whereabouts(self)
        self.demands = Demands(self)
        chosen = STRATEGIES[strategy] if isinstance(strategy, str) else strategy
        bids = Bids(world, self.roadmaps, self.storage, energy)
        self.desk = FleetDesk(self, bids, chosen, comparators, filters)
        for vehicle in self.vehicles.values():
            self.whereabouts.expect(vehicle)
        self.answer = Answer()
        self.dropped: dict[str, tuple[str, float, float]] = {}  # package: type, x, y
        self.obstacles: dict[str, float] = {}  # what blocked robots: until when
        self.entities: dict[str, tuple[float | str, ...]] = {}
        self.stopped = False
        self.pulled_over = False
        self._number = 0
        self._complaint = ""  # what traffic refused last

    def handle(self, now: float, event: ev.Event) -> Answer:
        """Take an event in and say what to do. Bad events are refused with a reason."""
        self.answer = Answer()
        try:
            self._check_runs(NEEDS.get(type(event)))
            self._take(now, event)
        except (TaskRefused, GridRefused) as refused:
            self.answer.records.append(Refused(type(event).__name__, str(refused)))
            if isinstance(event, ev.Tick) and str(refused) != self._complaint:
                self._complaint = str(refused)  # nobody asked, so nobody hears it else
                self.alert("traffic refused", "fleet", self._complaint)
        self.demands.drain(now)
        return self.answer

    def _take(self, now: float, event: ev.Event) -> None:
        match event:
            case ev.Tick():
                self._tick(now)
            case ev.Reported():
                self.whereabouts.report(event)
            case ev.Acted():
                self.work.acted(self.vehicle(event.robot), event, now)
            case ev.Detected():
                self.demands.detected(event, now)
                self.work.detected(event.place, now)
            case ev.Submitted():
                self.pool.submit(event.task, now)
                self.task_changed(event.task)
            case ev.Withdrawn():
                self.course.withdraw(event, now)
            case ev.Redispatched():
                self.course.redispatch(event, now)
            case ev.TaskPaused():
                self.course.pause(event)
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
                self.demands.take(event)
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
            case ev.Started():
                self._start(event.part)
            case ev.Stopped():
                self.stopped = event.stopped

    def _check_runs(self, part: ev.Part | None) -> None:
        if part is not None and part not in self.running:
            raise TaskRefused(f"the {part} has not been started")

    def _start(self, part: ev.Part) -> None:
        if part in self.running:
            raise TaskRefused(f"the {part} is running already")
        self.running.add(part)
        if part is ev.Part.STORAGE:
            self.storage.start()
        elif part is ev.Part.CHARGING:
            self.stations.running = True

    # What is known

    def vehicle(self, robot: str) -> Vehicle:
        vehicle = self.vehicles.get(robot)
        if vehicle is None:
            raise TaskRefused(f"there is no robot {robot!r}")
        return vehicle

    # Time

    def _tick(self, now: float) -> None:
        for name in [n for n, until in self.obstacles.items() if until <= now]:
            del self.obstacles[name]
            self.traffic.take_obstacle(name)
        if not self.pulled_over and ev.Part.PLANNER in self.running:
            for phase in self.phases:
                phase(self.desk, now)
            for vehicle in self.vehicles.values():
                self.work.go_on(vehicle, now)
            self.work.make_room(now)
        self.course.tell_late(now)
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
            self.course.clear_queue(vehicle, why, now)

    # Records

    def alert(self, kind: str, about: str, text: str) -> None:
        self.answer.records.append(Alert(kind, about, text))

    def tell_storage(self) -> None:
        """Before what follows from it: a reservation comes before its task."""
        self.answer.records += map(StorageChanged, self.storage.published)
        self.storage.published.clear()

    def tell(self, record: Record) -> None:
        self.tell_storage()
        self.answer.records.append(record)

    def task_changed(self, task: Task) -> None:
        self.tell(TaskChanged(task.id, task.state.value, task.robot, task.why))

    def new_id(self, kind: Kind) -> str:
        self._number += 1
        return f"{kind}/{self._number}"

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
            "running": sorted(self.running),
            "flags": [self.stopped, self.pulled_over, self._number],
        }

    def number_after(self, data: Mapping[str, Any]) -> None:
        """Begin anew, and give no task a name that it had in a saved state."""
        self._number = data["flags"][2]

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
        self.running = {ev.Part(part) for part in data.get("running", ev.Part)}
        self.stations.running = ev.Part.CHARGING in self.running
