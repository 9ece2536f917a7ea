"""A robot rests: it finishes what it has begun and gets no new work."""

from __future__ import annotations

from mpms.domain.errors import MpmsError, NotFound
from mpms.factory.domain.worlds import World
from mpms.factory.ports.store import UnitOfWork
from mpms.services.instances.apply_repair import required


class RobotUnknown(NotFound):
    """There is no such robot."""


class RobotAlreadyOut(MpmsError):
    """This robot is already out of service."""


class RobotInService(MpmsError):
    """This robot is already in service."""


def take_robot_out(
    uow: UnitOfWork, world: World, robot: str, *, by: str, reason: str
) -> None:
    """RobotUnknown, ReasonMissing, RobotAlreadyOut."""
    why = required(reason)
    if world.robot(robot) is None:
        raise RobotUnknown
    with uow() as tx:
        if not tx.robots_out.take(robot, reason=why, by=by):
            raise RobotAlreadyOut
        tx.events.append(
            "robot taken out", actor=by, data={"robot": robot, "reason": why}
        )


def bring_robot_back(uow: UnitOfWork, robot: str, *, by: str, reason: str) -> None:
    """ReasonMissing, RobotInService."""
    why = required(reason)
    with uow() as tx:
        was = tx.robots_out.bring_back(robot)
        if was is None:
            raise RobotInService
        tx.events.append(
            "robot brought back",
            actor=by,
            data={"robot": robot, "old": was.reason, "reason": why},
        )
        tx.wake()
