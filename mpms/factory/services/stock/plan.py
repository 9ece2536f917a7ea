"""Plan where the material of an order comes from, and keep that true.

The plan is made when the order's process begins, and again before each drive if what it
promised is no longer there: a stock-take, a blocked lot or a spilled sack may have come
between. Without any lot of a material, its place is the one of the catalogue or world.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from mpms.factory.domain.order_mail import Catalogue
from mpms.factory.domain.orders import Order
from mpms.factory.domain.stock import Pick, PickState, grams_of, kg_of
from mpms.factory.domain.stock.picking import Floor, Missing, Plan, Wanted, plan_picks
from mpms.factory.domain.worlds import World
from mpms.factory.ports.store import Transaction
from mpms.factory.services.stock.move import grams_at


def floor_of(world: World, product: str, robot: str | None = None) -> Floor:
    """Distances as the crow flies: roadmaps are the fleet's matter."""

    def distance_m(one: str, other: str) -> float:
        a, b = world.places.get(one), world.places.get(other)
        if a is None or b is None:
            return 0.0
        return math.hypot(a.x_m - b.x_m, a.y_m - b.y_m)

    info = None if robot is None else world.robot(robot)
    home = "home" if info is None else info.home
    return Floor(distance_m, home, world.tank_for(product), home)


def plan_order(
    tx: Transaction,
    order: Order,
    world: World,
    catalogue: Catalogue | None,
    *,
    today: date,
    begun: Sequence[Pick] = (),
) -> Plan:
    """The plan for what is not ``begun``; nothing is written."""
    done: dict[int, int] = {}
    for pick in begun:
        done[pick.line] = done.get(pick.line, 0) + pick.grams
    codes = {line.material for line in order.lines}
    with_lots = tx.stock.with_lots(codes)
    stock = tx.stock.lots_of(with_lots) if with_lots else []
    lots = {lot.lot for lot, _ in stock}
    promised = tx.picks.promised(lots, without=order.number) if lots else {}
    steps = steps_of(order, catalogue)
    wanted = [
        Wanted(
            number,
            line.material,
            left,
            steps[number],
            line.lot if line.lot in lots else None,
            hazards_of(catalogue, line.material),
            world.material_places.get(line.material),
        )
        for number, line in enumerate(order.lines)
        if (left := grams_of(line.required_kg) - done.get(number, 0)) > 0
    ]
    return plan_picks(
        order.number,
        wanted,
        stock,
        replace(
            floor_of(world, order.product),
            apart=frozenset() if catalogue is None else catalogue.apart,
        ),
        today=today,
        with_lots=with_lots,
        promised=promised,
    )


def keep_plan(tx: Transaction, order: Order, plan: Plan, begun: Sequence[Pick]) -> None:
    """Write it behind what has begun."""
    first = max((pick.pick for pick in begun), default=-1) + 1
    tx.picks.replace(
        order.number,
        [replace(pick, pick=first + number) for number, pick in enumerate(plan.picks)],
    )


def still_true(tx: Transaction, pick: Pick, *, today: date) -> bool:
    """Whether the planned lot may still be used and is still there."""
    if pick.lot is None:
        return not tx.stock.with_lots([pick.material])
    lot = tx.stock.lock(pick.lot)
    there = grams_at(tx, pick.lot, pick.place)
    return lot is not None and lot.usable(today) and there >= pick.grams


def begun(picks: Sequence[Pick]) -> list[Pick]:
    """Those that count for their line and are not planned anew."""
    return [p for p in picks if p.state in {PickState.ON_ROBOT, PickState.USED}]


def steps_of(order: Order, catalogue: Catalogue | None) -> list[int]:
    """The step of each line: as its recipe says, else as the order lists them."""
    recipe = None if catalogue is None else catalogue.recipe(order.product)
    steps = {}
    if recipe is not None and all(line.step is not None for line in recipe.lines):
        steps = {line.material: line.step or 0 for line in recipe.lines}
    if any(line.material not in steps for line in order.lines):
        return list(range(len(order.lines)))
    return [steps[line.material] for line in order.lines]


def hazards_of(catalogue: Catalogue | None, code: str) -> frozenset[str]:
    material = None if catalogue is None else catalogue.by_code(code)
    return frozenset() if material is None else frozenset(material.hazards)


def told(missing: Sequence[Missing]) -> str:
    """What is missing, for the person who decides."""
    parts = (f"{kg_of(each.grams):f} kg of {each.material}" for each in missing)
    return "Not in stock: " + ", ".join(parts) + "."
