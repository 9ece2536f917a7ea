"""Say so when the robot of a request does not go on: silent, stopped or blocked, or
well, on its way, and not let go by the fleet.

The fleet leaves it its way and its task, as it may still drive; so the process that
waits gets an incident, as for a goal that a process sent itself. It is over when the
robot goes on or the request ends. The worker that leads tells.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from fleet.vehicles.vehicle import Doing, Vehicle
from mpms.domain.errors import InstanceBusy
from mpms.factory.domain.fleet_requests import FleetRequest
from mpms.factory.domain.incident_kinds import STANDS
from mpms.factory.ports.fleet import PastTask
from mpms.factory.ports.robots.robots import RobotState
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.services.fleet.lead import LeadFleet
from mpms.factory.services.fleet.tell import FLEET
from mpms.factory.services.robots.watch_drives import words_for
from mpms.services.incidents.open import open_incident

LOOK_S = 5.0
STILL_S = 60.0
STILL_M = 0.1


@dataclass
class WatchRequests:
    """A worker's phase; it never has work for others."""

    uow: UnitOfWork
    lead: LeadFleet
    patience_s: float
    monotonic_s: Callable[[], float] = time.monotonic
    still_s: float = STILL_S
    _look_at: float = 0.0
    _tell_at: dict[str, float] = field(default_factory=dict)  # request to when
    _told: set[str] = field(default_factory=set)
    _moved: dict[str, tuple[float, float, float]] = field(default_factory=dict)

    def __call__(self) -> bool:
        now = self.monotonic_s()
        if now < self._look_at or not self.lead.leads:
            return False
        self._look_at = now + min(LOOK_S, self.patience_s)
        with self.uow() as tx:
            states = {state.robot: state for state in tx.robots.states()}
            standing: dict[str, tuple[FleetRequest, str, str]] = {}
            for request in tx.fleet_requests.at_work():
                task = tx.fleet.task(request.fleet_task) if request.fleet_task else None
                state = states.get(_robot_of(request, task))
                words = (
                    ""
                    if state is None
                    else self._words(state, _bound_for(request, task), now)
                )
                if words and state is not None and request.task_id:
                    standing[request.id] = (request, words, state.robot)
                elif request.id in self._told:
                    self._told.discard(request.id)
                    _over(tx, request, FLEET if task is None else task.robot)
        self._tell_at = {e: at for e, at in self._tell_at.items() if e in standing}
        for request, words, robot in standing.values():
            if now >= self._tell_at.setdefault(request.id, now + self.patience_s):
                self._tell(request, words, robot)
        return False

    def _words(self, state: RobotState, place: str, now: float) -> str:
        """Why a robot does not go on; nothing, if it does."""
        if not state.ready:
            return words_for(place, state)
        vehicle = (
            None
            if self.lead.fleet is None
            else self.lead.fleet.vehicles.get(state.robot)
        )
        if vehicle is not None and vehicle.why_not():
            return (
                f"{state.robot} does not drive to {place}: it {_passive(vehicle)}."
                " The page Fleet lets it work again."
            )
        if vehicle is None or vehicle.x_m is None or vehicle.y_m is None:
            return ""
        here, was = (vehicle.x_m, vehicle.y_m), self._moved.get(state.robot)
        drives = vehicle.doing is Doing.DRIVING
        if not drives or was is None or math.dist(here, was[:2]) > STILL_M:
            self._moved[state.robot] = (*here, now)
            return ""
        if now - was[2] < self.still_s:
            return ""
        finds = vehicle.stuck_since is not None
        why = "the fleet finds no way" if finds else "the fleet lets others pass first"
        return (
            f"{state.robot} is ready and does not move on its way to {place}: {why}."
            " Look at the page Fleet for who is in its way; take the robot out of"
            " service to give its task to others."
        )

    def _tell(self, request: FleetRequest, text: str, robot: str) -> None:
        if request.instance_id is None or request.task_id is None:
            return
        try:
            with self.uow() as tx:
                instance = tx.instances.lock(request.instance_id)
                if request.task_id in tx.waits.known(instance.id):
                    open_incident(
                        tx,
                        STANDS,
                        text,
                        actor=robot,
                        instance_id=instance.id,
                        task_id=request.task_id,
                    )
                    self._told.add(request.id)
        except InstanceBusy:
            return  # the next look comes soon


def _over(tx: Transaction, request: FleetRequest, robot: str) -> None:
    if tx.incidents.resolve(by=robot, task_id=request.task_id, kind=STANDS):
        tx.events.append(
            "robot goes on",
            actor=robot,
            instance_id=request.instance_id,
            task_id=request.task_id,
            data={"robot": robot, "place": request.called},
        )


def _robot_of(request: FleetRequest, task: PastTask | None) -> str:
    """Who does it, or the only one who may."""
    robot = "" if task is None else task.robot
    return robot or str(request.data.get("robot") or "")


def _passive(vehicle: Vehicle) -> str:
    if vehicle.failed:
        return f"has failed ({vehicle.failed})"
    return vehicle.why_not()


def _bound_for(request: FleetRequest, task: PastTask | None) -> str:
    """The place of the leg that its robot is on."""
    if request.called or task is None or task.leg >= len(task.legs):
        return request.called
    return task.legs[task.leg]["place"]
