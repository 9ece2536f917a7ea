"""A person has looked: nothing lies on this robot.

What the plant believes to be on it is booked back to its place with the weight that was
loaded; if something is missing there, a stock-take says so. Without this, a robot whose
load nobody brings back would never work again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from mpms.domain.errors import Conflict, MpmsError
from mpms.factory.domain.stock import Pick, kg_of
from mpms.factory.domain.worlds import World
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.services.robots.take_out import RobotUnknown
from mpms.factory.services.stock.load import book_return
from mpms.services.instances.apply_repair import required

LEFT_OVER = "load"
"""The kind of an incident about a load that nobody brings back."""

WANTED = (
    "{robot} carries {kg} kg of {material} for {order}, which goes on. Cancel the order"
    " first, or let the robot finish it."
)


class NothingCarried(MpmsError):
    """Nothing lies on this robot."""


class LoadWanted(Conflict):
    """This load belongs to an order that goes on."""

    def __init__(self, robot: str, load: Load) -> None:
        self.values = {
            "robot": robot,
            "kg": f"{load.kg:f}",
            "material": load.material,
            "order": load.order,
        }
        super().__init__(WANTED.format(**self.values))


@dataclass(frozen=True)
class Load:
    """One load on a robot."""

    order: str
    material: str
    lot: str | None
    kg: Decimal
    place: str  # where it came from
    wanted: bool  # its order goes on

    @classmethod
    def of(cls, tx: Transaction, pick: Pick) -> Load:
        return cls(
            pick.order_number,
            pick.material,
            pick.loaded_lot,
            kg_of(pick.loaded_grams or 0),
            pick.loaded_place or pick.place,
            not tx.orders.get(pick.order_number).status.ended,
        )


def loads_on(uow: UnitOfWork, world: World, robot: str) -> Sequence[Load]:
    """What lies on a robot, as far as the plant knows. RobotUnknown."""
    with uow() as tx:
        picks = tx.picks.carried(robot)
        if not picks and world.robot(robot) is None:
            raise RobotUnknown
        return [Load.of(tx, pick) for pick in picks]


def empty_robot(
    uow: UnitOfWork, world: World, robot: str, *, by: str, reason: str
) -> Sequence[Load]:
    """What was booked back. RobotUnknown, ReasonMissing, NothingCarried, LoadWanted."""
    why = required(reason)
    with uow() as tx:
        picks = tx.picks.carried(robot)
        if not picks:
            if world.robot(robot) is None:
                raise RobotUnknown
            raise NothingCarried
        loads = [Load.of(tx, pick) for pick in picks]
        _refuse_wanted(robot, loads)
        for pick, load in zip(picks, loads, strict=True):
            book_return(tx, pick, place=load.place, grams=pick.loaded_grams or 0, by=by)
            _tell(tx, robot, pick, load, by=by, why=why)
        close_over(tx, by=by)
        tx.wake()
        return loads


def words_for(pick: Pick) -> str:
    """What a person has to know; the name of the robot is quoted, to find it again."""
    lot = f" (lot {pick.loaded_lot})" if pick.loaded_lot else ""
    kg = kg_of(pick.loaded_grams or 0)
    return (
        f"'{pick.robot}' still carries {kg:f} kg of {pick.material}{lot} of"
        f" {pick.order_number}, which has ended, and nobody brings it back. Until then"
        f" it gets no work. Put the load back at {pick.loaded_place or pick.place} and"
        " say that the robot is empty."
    )


def close_over(tx: Transaction, *, by: str) -> None:
    """Close what was told of loads that are no longer left over."""
    still = {words_for(pick) for pick in tx.picks.left_over()}
    for number, message in tx.picks.told_left_over(LEFT_OVER):
        if message not in still and tx.incidents.close(number, by=by):
            tx.events.append("load settled", actor=by, data={"message": message})


def _refuse_wanted(robot: str, loads: Sequence[Load]) -> None:
    for load in loads:
        if load.wanted:
            raise LoadWanted(robot, load)


def _tell(
    tx: Transaction, robot: str, pick: Pick, load: Load, *, by: str, why: str
) -> None:
    tx.events.append(
        "robot emptied",
        actor=by,
        data={
            "robot": robot,
            "order": load.order,
            "line": pick.line,
            "material": load.material,
            "lot": load.lot,
            "kg": str(load.kg),
            "place": load.place,
            "reason": why,
        },
    )
