"""What a process sees of its drives while they last: that a robot sets off, and why one
waits. The core knows robots, places and tasks; here they become lines of the history
and words at the request."""

from __future__ import annotations

from fleet.fleet import Fleet
from fleet.tasks import Kind
from fleet.vehicles import Doing, Vehicle
from mpms.factory.domain.fleet_requests import FleetRequest
from mpms.factory.domain.goals import DRIVE, Goal
from mpms.factory.ports.store import Transaction
from mpms.factory.services.fleet.requests import Book
from mpms.factory.services.fleet.wheels import Assignment


def assignments_of(fleet: Fleet) -> dict[str, Assignment]:
    """Where each robot is bound for, and for which task; aside it goes for nobody."""
    assignments = {}
    for vehicle in fleet.vehicles.values():
        mine = bool(vehicle.queue) and not vehicle.aside
        assignments[vehicle.id] = Assignment(
            vehicle.target, vehicle.queue[0] if mine else ""
        )
    return assignments


def tell_setting_off(tx: Transaction, book: Book, goal: Goal) -> None:
    """In the history of the process that asked for the drive."""
    request = book.of_task(goal.fleet_task)
    if request is None or request.instance_id is None or goal.action != DRIVE:
        return
    tx.events.append(
        "goal sent",
        actor="fleet",
        instance_id=request.instance_id,
        task_id=request.task_id,
        data={
            "goal": request.id,
            "robot": goal.robot,
            "place": request.called or goal.place,
        },
    )


def note_waits(tx: Transaction, fleet: Fleet, book: Book) -> bool:
    """At each request, why its robot does not set off now. Something has changed?"""
    changed = False
    for request in book.at_work():
        task = fleet.pool.get(request.fleet_task)
        vehicle = None if task is None else fleet.vehicles.get(task.robot)
        other, why = "", None
        if vehicle is not None and vehicle.queue:
            other, why = _why(fleet, vehicle, request.fleet_task)
        if why == request.why:
            continue
        book.note(request, why)
        tx.fleet_requests.note(request.id, why)
        changed = True
        if other and other not in (request.why or "").replace(",", "").split():
            _tell_wait(tx, request, vehicle, other)
    return changed


def _why(fleet: Fleet, vehicle: Vehicle, task_id: str) -> tuple[str, str | None]:
    """Who is in the way, if somebody is, and in words."""
    present = fleet.pool[vehicle.queue[0]]
    if present.id != task_id:
        if present.kind is Kind.CHARGE:
            return "", f"{vehicle.id} charges first"
        return "", None
    place = vehicle.waits_for
    if vehicle.doing is not Doing.WAITING or place not in fleet.world.places:
        return "", None
    other = fleet.claims.in_the_way(vehicle.id, place)
    if other is None:
        return "", None
    if fleet.vehicles[other].place == place:
        return other, f"{vehicle.id} waits until {other} has left {place}"
    return other, f"{vehicle.id} waits for {other}, which drives to {place}"


def _tell_wait(
    tx: Transaction, request: FleetRequest, vehicle: Vehicle | None, other: str
) -> None:
    if request.instance_id is None or vehicle is None:
        return
    tx.events.append(
        "robot waits",
        actor="fleet",
        instance_id=request.instance_id,
        task_id=request.task_id,
        data={"robot": vehicle.id, "place": vehicle.waits_for, "other": other},
    )
