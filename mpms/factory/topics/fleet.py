"""What models ask of the fleet: a row each, and the fleet's answer completes the task.

Whether it can be done at all (places, types, who may carry it) the fleet says when it
takes the request; what is missing in the question is said here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from mpms.domain.errors import BusinessError
from mpms.domain.jobs import Answer, Deferred, Done, Job
from mpms.factory.domain.fleet_requests import FleetRequest, RequestKind
from mpms.factory.domain.worlds import World
from mpms.factory.ports.store import Transaction
from mpms.factory.topics.robot_of import robot_of

MISSING = "TransportRefused"


def transport(tx: Transaction, job: Job) -> Answer:
    """``fleet.transport``"""
    needs = ("from_place", "to_place")
    may = ("package", "package_type", "priority", "deadline_s", "robot")
    return _ask(tx, job, RequestKind.TRANSPORT, needs, may)


def store_package(tx: Transaction, job: Job) -> Answer:
    """``storage.store``"""
    needs = ("package", "package_type", "place")
    return _ask(tx, job, RequestKind.STORE, needs, ("placed",))


def retrieve_package(tx: Transaction, job: Job) -> Answer:
    """``storage.retrieve``"""
    return _ask(tx, job, RequestKind.RETRIEVE, ("package_type", "place"), ())


def fetch_shelf(tx: Transaction, job: Job) -> Answer:
    """``shelf.fetch``"""
    needs = ("shelf", "from_place", "station")
    return _ask(
        tx, job, RequestKind.FETCH_SHELF, needs, ("priority",), to_place="station"
    )


def return_shelf(tx: Transaction, job: Job) -> Answer:
    """``shelf.return``"""
    needs = ("shelf", "station", "to_place")
    return _ask(
        tx, job, RequestKind.RETURN_SHELF, needs, ("priority",), from_place="station"
    )


def confirm_place(tx: Transaction, job: Job) -> Answer:
    """``storage.confirm``: what a person saw, where there is no detector."""
    data = _inputs(job, ("place", "present"), ())
    data["present"] = bool(data["present"])
    tx.fleet.say("detected", data, said_by=job.business_key or job.element)
    tx.wake()
    return Done()


class MoveByFleet:
    """``robot.move`` where a fleet drives: it says when, along which way."""

    def __init__(self, world: World) -> None:
        self._world = world

    def __call__(self, tx: Transaction, job: Job) -> Answer:
        robot, place = job.inputs["robot"], job.inputs["place"]
        home = robot_of(self._world, robot).home
        there = home if place == "home" else place
        pose = self._world.places.get(there)
        if pose is None:
            raise BusinessError("PlaceUnknown", f"the world has no place {place!r}")
        data = {"robot": robot, "place": there, "priority": 1, **asdict(pose)}
        data["called"] = place
        return _add(tx, job, RequestKind.MOVE, data)


def _ask(
    tx: Transaction,
    job: Job,
    kind: RequestKind,
    needs: Iterable[str],
    may: Iterable[str],
    **renamed: str,
) -> Answer:
    data = _inputs(job, needs, may)
    data |= {name: data[given] for name, given in renamed.items()}
    return _add(tx, job, kind, data)


def _inputs(job: Job, needs: Iterable[str], may: Iterable[str]) -> dict[str, Any]:
    missing = [name for name in needs if job.inputs.get(name) in (None, "")]
    if missing:
        raise BusinessError(MISSING, f"{job.topic} needs {', '.join(missing)}")
    wanted = [*needs, *(name for name in may if job.inputs.get(name) is not None)]
    return {name: job.inputs[name] for name in wanted}


def _add(tx: Transaction, job: Job, kind: RequestKind, data: dict[str, Any]) -> Answer:
    tx.fleet_requests.add(
        FleetRequest(
            job.idempotency_key,
            kind,
            data,
            task_id=job.task_id,
            instance_id=job.instance_id,
        )
    )
    tx.wake()
    return Deferred()
