"""Every robot of the world: what it does, who speaks with it, whether it rests."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from mpms.factory.domain.goals import Goal
from mpms.factory.domain.worlds import RobotInfo, World
from mpms.factory.ports.robots.out import RobotOut
from mpms.factory.ports.robots.robots import RobotState
from mpms.factory.ports.store import Transaction, UnitOfWork

NEVER_HEARD = "no worker speaks with it"


@dataclass(frozen=True)
class RobotCard:
    """One robot."""

    info: RobotInfo
    state: RobotState
    worker: str | None
    reported_at: datetime | None
    goal: Goal | None
    order: str | None  # the business key of the process that holds it
    instance_id: str | None
    out: RobotOut | None


def _order_of(tx: Transaction, instance_id: str) -> str | None:
    """The number by which people know what the robot works for."""
    order = tx.orders.of_instance(instance_id)
    if order is not None:
        return order.number
    return tx.instances.get(instance_id).business_key


def robot_board(uow: UnitOfWork, world: World) -> list[RobotCard]:
    """In the order of the world file."""
    with uow() as tx:
        states = {state.robot: state for state in tx.robots.states()}
        owners = tx.robots_out.owners()
        out = tx.robots_out.listing()
        goals = {goal.robot: goal for goal in tx.goals.open()}
        held = tx.robot_holds.held()
        keys = {robot: _order_of(tx, held[robot]) for robot in held}
    cards = []
    for info in world.robots:
        worker, reported_at = owners.get(info.id, (None, None))
        unheard = RobotState(info.id, ready=False, link="down", why_not=NEVER_HEARD)
        cards.append(
            RobotCard(
                info,
                states.get(info.id, unheard),
                worker,
                reported_at,
                goals.get(info.id),
                keys.get(info.id),
                held.get(info.id),
                out.get(info.id),
            )
        )
    return cards
