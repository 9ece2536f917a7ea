"""Orders as they were or will be picked: from which places, to which tank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpms.factory.domain.stock import PickState, kg_of
from mpms.factory.domain.worlds import World
from mpms.factory.ports.store import Transaction


@dataclass(frozen=True)
class Part:
    place: str
    kg: float


@dataclass(frozen=True)
class PickedOrder:
    number: str
    tank: str
    lines: Sequence[Part]


@dataclass(frozen=True)
class PickedOrders:
    orders: Sequence[PickedOrder]
    left_out: Sequence[str]  # numbers of those that have a material without a place


def orders_as_picked(tx: Transaction, world: World, *, limit: int) -> PickedOrders:
    """The newest orders. Where no pick was planned, materials lie at their places."""
    found, left_out = [], []
    for order in tx.orders.listing(limit=limit):
        picks = [
            pick
            for pick in tx.picks.of_order(order.number)
            if pick.state is not PickState.DROPPED
        ]
        if picks:
            parts = [
                Part(
                    pick.loaded_place or pick.place,
                    float(kg_of(pick.loaded_grams or pick.grams)),
                )
                for pick in picks
            ]
        else:
            parts = [
                Part(world.material_places.get(x.material, ""), float(x.required_kg))
                for x in order.lines
            ]
        if parts and all(part.place in world.places for part in parts):
            tank = world.tank_for(order.product)
            found.append(PickedOrder(order.number, tank, parts))
        else:
            left_out.append(order.number)
    return PickedOrders(found, left_out)
