"""People and programs tell the fleet something: a row that its leader hears next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from mpms.domain.errors import NotFound
from mpms.factory.domain.fleet_requests import FleetRequest, RequestKind
from mpms.factory.domain.worlds import World
from mpms.factory.ports.store import UnitOfWork
from mpms.factory.services.fleet.hear import event_of


class RobotOrPlaceUnknown(NotFound):
    """There is no such robot or place."""


def tell_fleet(uow: UnitOfWork, kind: str, data: Mapping[str, Any], *, by: str) -> int:
    """The number of what was said. FleetToldNonsense."""
    event_of(kind, data)
    with uow() as tx:
        said_id = tx.fleet.say(kind, data, said_by=by)
        about = data.get("robot") or data.get("zone") or data.get("place") or ""
        tx.events.append(
            "fleet told", actor=by, data={"what": kind, "about": str(about)}
        )
        tx.wake()
    return said_id


def send_robot(
    uow: UnitOfWork, world: World, robot: str, place: str, *, by: str
) -> str:
    """Let a robot drive to a place, for a person. RobotOrPlaceUnknown."""
    if world.robot(robot) is None or place not in world.places:
        raise RobotOrPlaceUnknown("There is no such robot or place.")
    request_id = f"by hand/{uuid4()}"
    with uow() as tx:
        data = {"robot": robot, "place": place, "priority": 1}
        tx.fleet_requests.add(FleetRequest(request_id, RequestKind.MOVE, data))
        tx.events.append(
            "fleet told", actor=by, data={"what": f"drive to {place}", "about": robot}
        )
        tx.wake()
    return request_id
