"""One worker leads the fleet: a lease in the database says which.

A round hears what has happened (goals that ended, robots' reports, requests, what
people say), lets the clock-free core decide, and writes its state, tasks, decisions and
the robots' next goals in one transaction. So whoever leads after a crash goes on from
the last round as if nothing had happened: a goal is there with the state that wanted
it, or neither is. Goals are sent by the workers that speak with the robots, as all
goals are.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from fleet import events as ev
from fleet.commands import Alert, Answer, Decided, Refused, Stop, TaskChanged
from fleet.fleet import Fleet
from fleet.model.world import World
from fleet.roads import Roadmap, make_roadmaps
from fleet.tasks import Action, Task
from mpms.domain.errors import Conflict
from mpms.factory.domain.errors import RobotBusy
from mpms.factory.domain.goals import DRIVE, Goal, GoalState, Pose
from mpms.factory.ports.fleet import DecisionRow, Said, TaskRow
from mpms.factory.ports.robots.robots import RobotState
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.services.fleet.crew import phases_with
from mpms.factory.services.fleet.drives import (
    assignments_of,
    note_waits,
    tell_setting_off,
)
from mpms.factory.services.fleet.hear import FleetToldNonsense, event_of
from mpms.factory.services.fleet.minutes import Minutes
from mpms.factory.services.fleet.requests import Book
from mpms.factory.services.fleet.ways import ways_of
from mpms.factory.services.fleet.wheels import LAST_TRY, Wheels
from mpms.ports.clock import Clock

log = logging.getLogger(__name__)

EVERY_S = 0.25
LOOK_EVERY_S = 5.0
WRITE_MINUTES_S = 5.0
FORGET_EVERY_S = 3600.0
KEEP_ENDED = 30
BEFORE_M = 0.4  # from the edge of a blocked robot to the middle of what it meets
NO_HEADING_M = 0.1
KEEP_ALERTS = 12
EPOCH_S = 1_700_000_000.0
"""From here a plant in fast motion counts its seconds."""


class FleetNotLed(Conflict):
    """No worker leads a fleet."""


class _Spoilt(Exception):
    """The core failed at something that it was told."""

    def __init__(self, said: Said, cause: Exception) -> None:
        super().__init__(str(cause))
        self.said, self.cause = said, cause


@dataclass
class _Round:
    """What came together in one round."""

    tx: Transaction
    now: float
    at: datetime
    book: Book
    changed: dict[str, Task] = field(default_factory=dict)
    news: bool = False


@dataclass
class LeadFleet:
    """A worker's phase. ``speed``: plant seconds a second, of one in fast motion."""

    uow: UnitOfWork
    world: World
    digest: str
    clock: Clock
    worker: str
    lease_s: float = 15.0
    every_s: float = EVERY_S
    speed: float = 1.0
    nearby: Callable[[], Sequence[RobotState]] = tuple
    strategy: str = "regret"
    fleet: Fleet | None = None
    _roadmaps: dict[str, Roadmap] = field(default_factory=dict)
    _wheels: Wheels = field(default_factory=lambda: Wheels(()))
    _held: set[str] = field(default_factory=set)
    _minutes: Minutes = field(default_factory=Minutes)
    _told: dict[str, tuple[float, ...]] = field(default_factory=dict)
    _alerts: list[dict[str, str]] = field(default_factory=list)
    _due_at: float = 0.0
    _minutes_at: float = 0.0
    _forget_at: float = 0.0
    _soon: bool = False

    def __post_init__(self) -> None:
        # Takes seconds in a large plant, longer than a lease may wait.
        self._roadmaps = make_roadmaps(self.world)

    def __call__(self) -> bool:
        """One round, if it is time and this worker leads."""
        wall_s = self.clock.now().timestamp()
        if wall_s < self._due_at and not self._soon:
            return False
        self._soon = False
        self._due_at = wall_s + self.every_s
        try:
            return self._round()
        except _Spoilt as spoilt:
            self.fleet = None
            with self.uow() as tx:
                tx.fleet.taken(spoilt.said.id, f"it failed: {spoilt.cause}")
            raise spoilt.cause from None
        except BaseException:
            self.fleet = None  # the rows are the truth
            raise

    @property
    def leads(self) -> bool:
        return self.fleet is not None

    def soon(self) -> None:
        """A goal ended: the next round need not wait."""
        self._soon = True

    def release(self) -> None:
        """Before a stop in good order."""
        self.fleet = None
        with self.uow() as tx:
            tx.fleet.release(self.worker)

    # A round

    def _round(self) -> bool:
        with self.uow() as tx:
            if not tx.fleet.own(worker=self.worker, lease_s=self.lease_s):
                if self.fleet is not None:
                    log.warning("another worker leads the fleet now")
                self.fleet = None
                self._due_at += LOOK_EVERY_S - self.every_s
                return False
            at = self.clock.now()
            now = EPOCH_S + (at.timestamp() - EPOCH_S) * self.speed
            lost = self._load(tx) if self.fleet is None else ""
            fleet = self._fleet()
            round_ = _Round(tx, now, at, Book(fleet, tx.fleet_requests.at_work()))
            if lost:
                round_.book.lose(lost)
            self._held = set(tx.robot_holds.held())
            self._hear_goals(round_)
            self._hear_robots(round_)
            self._hear_people(round_)
            self._try_again(round_)
            for answer in round_.book.begin_new(now):
                self._take(round_, answer)
            self._handle(round_, ev.Tick())
            self._minutes.look(now, fleet)
            self._write(round_)
        return round_.news

    def _fleet(self) -> Fleet:
        if self.fleet is None:
            raise FleetNotLed("No worker leads the fleet.")
        return self.fleet

    def _load(self, tx: Transaction) -> str:
        """Go on from the rows. Why tasks are lost, if they are."""
        fleet = Fleet(
            self.world,
            roadmaps=self._roadmaps,
            strategy=self.strategy,
            phases=phases_with(lambda: self._held),
        )
        wheels = Wheels(list(self.world.robots))
        saved, lost = tx.fleet.saved(), ""
        self._alerts = list((saved.state or {}).get("alerts", ()))
        self._told = {}
        if saved.state is not None and saved.world == self.digest:
            fleet.load(saved.state["fleet"])
            wheels.load(saved.state["wheels"])
        elif saved.state is not None:
            lost = "the world was changed meanwhile"
            log.warning("%s: the fleet begins anew, with what lies in storage", lost)
            _keep_storage(fleet, saved.state["fleet"]["storage"])
            fleet.number_after(saved.state["fleet"])
            wheels.number_after(saved.state["wheels"])
            tx.fleet.begin_anew(lost)
        for task in list(fleet.pool.open()):
            tx.fleet.put_task(_row_of(task))
        self.fleet, self._wheels = fleet, wheels
        return lost

    # What has happened

    def _hear_goals(self, round_: _Round) -> None:
        open_ids = [w.goal for w in self._wheels.robots.values() if w.goal]
        found = {goal.id: goal for goal in round_.tx.fleet.goals(open_ids)}
        for goal_id in open_ids:
            goal = found.get(goal_id)
            if goal is not None and goal.state.ended:
                self._hear_end(round_, goal)

    def _hear_end(self, round_: _Round, goal: Goal) -> None:
        round_.news = True
        place = self._fleet().vehicles[goal.robot].place
        reached = goal.state is GoalState.REACHED
        if reached and goal.action == DRIVE:
            self._stands(round_, goal.robot, goal.pose, percent=None)
        for event in self._wheels.ended(round_.now, goal):
            self._handle(round_, event)
            if isinstance(event, ev.Failed):
                for answer in round_.book.gave_up(goal.robot, event.why, round_.now):
                    self._take(round_, answer)
        failures = self._wheels.robots[goal.robot].failures
        if goal.state is GoalState.FAILED and failures == LAST_TRY:
            spot = self._in_front(goal.robot, (goal.pose.x_m, goal.pose.y_m))
            if spot is not None:
                self._wheels.take(Stop(goal.robot))
                self._handle(round_, ev.Blocked(goal.robot, *spot))
        # Where no detector looks, the robot that did it is the one who saw it.
        if reached and place in self._fleet().storage.slots:
            if goal.action == Action.LOAD.value:
                self._handle(round_, ev.Detected(place, False))
            elif goal.action == Action.UNLOAD.value:
                self._handle(round_, ev.Detected(place, True))

    def _hear_robots(self, round_: _Round) -> None:
        out = round_.tx.robots_out.listing()
        states = {state.robot: state for state in round_.tx.robots.states()}
        states |= {state.robot: state for state in self.nearby()}
        for robot, vehicle in self._fleet().vehicles.items():
            why = f"out of service: {out[robot].reason}" if robot in out else ""
            if why and not vehicle.failed:
                self._handle(round_, ev.Failed(robot, why))
            elif not why and vehicle.failed.startswith("out of service"):
                self._handle(round_, ev.Recovered(robot))
            state = states.get(robot)
            if state is None or state.x_m is None or state.y_m is None:
                continue
            if state.heard or not vehicle.known:
                pose = Pose(state.x_m, state.y_m, self._wheels.robots[robot].heading)
                percent = None if state.battery is None else state.battery * 100.0
                self._stands(round_, robot, pose, percent=percent)
            wheel = self._wheels.robots[robot]
            news, wheel.blocked = state.blocked and not wheel.blocked, state.blocked
            if news and wheel.target and not wheel.called_off:
                spot = self._in_front(robot, wheel.target)
                if spot is not None:
                    self._wheels.meets(robot, *spot)
                    round_.news = True

    def _in_front(
        self, robot: str, target: tuple[float, float]
    ) -> tuple[float, float] | None:
        """Where that is which keeps a robot from its goal."""
        vehicle = self._fleet().vehicles[robot]
        if vehicle.x_m is None or vehicle.y_m is None:
            return None
        here = (vehicle.x_m, vehicle.y_m)
        left_m = math.dist(here, target)
        if left_m < NO_HEADING_M:
            return None
        share = (vehicle.type.radius_m + BEFORE_M) / left_m
        x_m, y_m = (a + (b - a) * share for a, b in zip(here, target, strict=True))
        return x_m, y_m

    def _stands(
        self, round_: _Round, robot: str, pose: Pose, *, percent: float | None
    ) -> None:
        vehicle = self._fleet().vehicles[robot]
        battery = vehicle.percent if percent is None else percent
        told = (pose.x_m, pose.y_m, pose.yaw_rad, battery)
        if self._told.get(robot) == told:
            return
        self._told[robot] = told
        self._handle(round_, ev.Reported(robot, *told))

    def _hear_people(self, round_: _Round) -> None:
        for said in round_.tx.fleet.to_take():
            round_.news = True
            try:
                event = event_of(said.kind, said.data)
            except FleetToldNonsense as nonsense:
                round_.tx.fleet.taken(said.id, str(nonsense))
                continue
            try:
                answer = self._fleet().handle(round_.now, event)
            except Exception as failed:
                raise _Spoilt(said, failed) from failed
            self._take(round_, answer)
            refusals = [r.why for r in answer.records if isinstance(r, Refused)]
            round_.tx.fleet.taken(said.id, "; ".join(refusals) or None)

    def _try_again(self, round_: _Round) -> None:
        """A process asks for a drive of a robot whose drives came to nothing before:
        somebody has looked at it, or the model tries again."""
        for robot in round_.book.asked_anew():
            wheel, vehicle = self._wheels.robots.get(robot), self._fleet().vehicles
            if wheel is not None and wheel.gave_up:
                wheel.gave_up = False
                if vehicle[robot].failed:
                    self._handle(round_, ev.Recovered(robot))

    # What comes of it

    def _handle(self, round_: _Round, event: ev.Event) -> None:
        self._take(round_, self._fleet().handle(round_.now, event))

    def _take(self, round_: _Round, answer: Answer) -> None:
        for command in answer.commands:
            self._wheels.take(command)
        for record in answer.records:
            match record:
                case TaskChanged():
                    task = self._fleet().pool.get(record.task)
                    if task is not None:
                        round_.changed[task.id] = task
                        round_.book.heard(task)
                case Decided():
                    decision = record.decision
                    round_.tx.fleet.add_decision(
                        DecisionRow(
                            decision.task,
                            decision.robot,
                            decision.strategy,
                            decision.reason,
                            {
                                robot: round(finish_at - round_.now, 1)
                                for robot, finish_at in decision.bids.items()
                                if math.isfinite(finish_at)
                            },
                            decision.refusals,
                        )
                    )
                case Alert():
                    data = {
                        "about": record.about,
                        "what": record.kind,
                        "text": record.text,
                    }
                    round_.tx.events.append("fleet alert", actor="fleet", data=data)
                    self._alerts.append({**data, "at": round_.at.isoformat()})
                    del self._alerts[:-KEEP_ALERTS]
        round_.news = round_.news or bool(answer.commands or answer.records)

    def _write(self, round_: _Round) -> None:
        tx, fleet = round_.tx, self._fleet()
        for goal_id in self._wheels.to_call_off():
            tx.fleet.call_off(goal_id)
        assignments = assignments_of(fleet)
        for goal in self._wheels.next_goals(round_.now, self._where, assignments):
            round_.news = True
            try:
                tx.goals.add(goal)
            except RobotBusy:
                self._wheels.give_back(goal)
                continue
            if self._wheels.is_new(goal):
                tell_setting_off(tx, round_.book, goal)
        for request in round_.book.begun:
            tx.fleet_requests.begin(request.id, request.fleet_task)
        for request in round_.book.ended:
            tx.fleet_requests.end(
                request.id,
                request.state,
                code=request.code,
                why=request.why,
                result=request.result,
            )
            round_.news = True
        if note_waits(tx, fleet, round_.book):
            round_.news = True
        for task in round_.changed.values():
            tx.fleet.put_task(_row_of(task))
        self._write_minutes(round_)
        if round_.news:
            fleet.pool.forget_ended(KEEP_ENDED)
            state = {
                "fleet": fleet.to_dict(),
                "wheels": self._wheels.to_dict(),
                "ways": ways_of(fleet),  # for those who look
                "alerts": self._alerts,
            }
            tx.fleet.save(state, world=self.digest)
            tx.wake()

    def _write_minutes(self, round_: _Round) -> None:
        wall_s = round_.at.timestamp()
        if wall_s >= self._minutes_at:
            self._minutes_at = wall_s + WRITE_MINUTES_S
            rows, squares = self._minutes.take(self._fleet())
            round_.tx.fleet.add_minutes(rows, at=round_.at)
            round_.tx.fleet.add_waits(squares, at=round_.at)
        if wall_s >= self._forget_at:
            self._forget_at = wall_s + FORGET_EVERY_S
            round_.tx.fleet.forget()

    def _where(self, robot: str) -> Pose | None:
        vehicle = self._fleet().vehicles[robot]
        if vehicle.x_m is None or vehicle.y_m is None:
            return None
        return Pose(vehicle.x_m, vehicle.y_m, vehicle.yaw)


def _row_of(task: Task) -> TaskRow:
    return TaskRow(
        task.id,
        task.kind.value,
        task.state.value,
        task.robot,
        [{"place": leg.place, "action": leg.action.value} for leg in task.legs],
        task.leg,
        task.package,
        task.package_type,
        task.priority,
        task.why,
        task.state.ended,
    )


def _keep_storage(fleet: Fleet, saved: Mapping[str, Any]) -> None:
    """What lay in the storage lies there still, in places that there still are."""
    now = fleet.storage.to_dict()
    for place, slot in saved["slots"].items():
        if place in now["slots"]:
            kept = {"package", "package_type", "present"}
            if slot["present"]:
                now["slots"][place] |= {key: slot[key] for key in kept}
            else:
                now["slots"][place] |= {
                    "package": "",
                    "package_type": "",
                    "present": False,
                }
    fleet.storage.load(now)
