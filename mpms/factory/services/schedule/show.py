"""The schedule of this moment: orders planned together from what is true now.

It is made anew whenever somebody looks, so it follows the work by itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from mpms.factory.domain.order_mail import Catalogue
from mpms.factory.domain.orders import Order, OrderStatus
from mpms.factory.domain.schedule import (
    Bar,
    Job,
    Leg,
    Resources,
    Robot,
    make_schedule,
)
from mpms.factory.domain.stock import Pick, PickState, kg_of
from mpms.factory.domain.worlds import World
from mpms.factory.ports.store import Transaction
from mpms.factory.services.catalogue.current import CurrentCatalogue
from mpms.factory.services.stock.plan import floor_of, plan_order

MOST_ORDERS = 200
PEOPLE = 2  # who load and unload, where nobody says how many
MIXING_MIN = 30.0  # where neither recipe nor tank says
URGENCY = ("urgent", "high", "normal", "low")


@dataclass(frozen=True)
class PlannedBar:
    """A row of a Gantt chart."""

    resource: str
    kind: str
    order: str
    from_at: datetime
    to_at: datetime
    pick: int | None
    material: str
    place: str


@dataclass(frozen=True)
class PlannedOrder:
    order: str
    product: str
    status: str
    ends_at: datetime | None
    late_s: float
    problem: str  # why it cannot be planned, or what is missing


@dataclass(frozen=True)
class ScheduleShown:
    begins_at: datetime
    ends_at: datetime
    bars: Sequence[PlannedBar]
    orders: Sequence[PlannedOrder]

    @property
    def resources(self) -> list[str]:
        return list(dict.fromkeys(sorted(bar.resource for bar in self.bars)))

    def of(self, order: str) -> list[PlannedBar]:
        """What is planned for one order, in time."""
        mine = [bar for bar in self.bars if bar.order == order]
        return sorted(mine, key=lambda bar: (bar.from_at, bar.resource))


def show_schedule(
    tx: Transaction,
    world: World,
    materials: CurrentCatalogue,
    *,
    now: datetime,
    people: int = PEOPLE,
    improve_s: float = 0.0,
    changed: Order | None = None,
) -> ScheduleShown:
    """Orders that are new or being made, over all robots that are in service.
    ``changed``: as if this one were saved."""
    in_force = materials(tx)
    placed, catalogue = in_force.placed(world), in_force.catalogue
    open_orders = [
        order if changed is None or order.number != changed.number else changed
        for order in tx.orders.listing(limit=1000)
        if order.status in {OrderStatus.NEW, OrderStatus.IN_PROCESS}
    ][:MOST_ORDERS]
    held = {instance: robot for robot, instance in tx.robot_holds.held().items()}
    picks: dict[str, list[Pick]] = {}
    for pick in tx.picks.of_orders([order.number for order in open_orders]):
        picks.setdefault(pick.order_number, []).append(pick)
    problems: dict[str, str] = {}
    jobs = [
        _job(tx, order, picks.get(order.number), held, placed, catalogue, now, problems)
        for order in open_orders
    ]
    made = make_schedule(
        jobs,
        Resources(_robots(tx, world), people, floor_of(world, "").distance_m),
        improve_s=improve_s,
    )
    problems |= made.unplanned
    orders = [
        PlannedOrder(
            order.number,
            order.product,
            order.status.value,
            _at(now, made.ends_s[order.number])
            if order.number in made.ends_s
            else None,
            made.late_s.get(order.number, 0.0),
            problems.get(order.number, ""),
        )
        for order in open_orders
    ]
    orders.sort(key=lambda each: (each.ends_at is None, each.ends_at or now))
    ends_at = _at(now, max((bar.to_s for bar in made.bars), default=0.0))
    return ScheduleShown(now, ends_at, [_bar(now, bar) for bar in made.bars], orders)


def _job(
    tx: Transaction,
    order: Order,
    picks: Sequence[Pick] | None,
    held: dict[str, str],
    world: World,
    catalogue: Catalogue | None,
    now: datetime,
    problems: dict[str, str],
) -> Job:
    if picks is None:
        plan = plan_order(tx, order, world, catalogue, today=now.date())
        picks = plan.picks
        if plan.missing:
            short = ", ".join(
                f"{each.material} {kg_of(each.grams):f} kg" for each in plan.missing
            )
            problems[order.number] = f"Not in stock: {short}"
    left = [p for p in picks if p.state in {PickState.PLANNED, PickState.ON_ROBOT}]
    left.sort(key=lambda pick: (pick.state is PickState.PLANNED, pick.pick))
    legs = tuple(
        Leg(
            pick.pick,
            pick.material,
            pick.place,
            float(kg_of(pick.grams)),
            pick.state is PickState.ON_ROBOT,
        )
        for pick in left
    )
    robot = held.get(order.instance_id or "")
    return Job(
        order.number,
        world.tank_for(order.product),
        legs,
        60 * mixing_min(order.product, world, catalogue),
        URGENCY.index(order.priority) if order.priority in URGENCY else 2,
        _due_s(order, now),
        robot,
        robot is not None,
    )


def mixing_min(product: str, world: World, catalogue: Catalogue | None) -> float:
    """As its recipe says, else half an hour."""
    told = told_mixing_min(product, world, catalogue)
    return MIXING_MIN if told is None else told


def told_mixing_min(
    product: str, world: World, catalogue: Catalogue | None
) -> float | None:
    """As the programme of its tank says, else the recipe; None if neither does."""
    recipe = None if catalogue is None else catalogue.recipe(product)
    if catalogue is None or recipe is None:
        return None
    tank = catalogue.tank(world.tank_for(product))
    for programme in () if tank is None else tank.programmes:
        if programme.name == recipe.programme:
            return float(programme.minutes)
    return None if recipe.mixing_minutes is None else float(recipe.mixing_minutes)


def _due_s(order: Order, now: datetime) -> float | None:
    if order.due is None:
        return None
    end = datetime.combine(order.due, time.max, tzinfo=UTC)
    return (end - now).total_seconds()


def _robots(tx: Transaction, world: World) -> tuple[Robot, ...]:
    out = tx.robots_out.listing()
    states = {state.robot: state for state in tx.robots.states()}
    found = []
    for info in world.robots:
        if info.id in out:
            continue
        state = states.get(info.id)
        place = info.home
        if state is not None and state.x_m is not None and state.y_m is not None:
            x_m, y_m = state.x_m, state.y_m
            place = min(
                world.places,
                key=lambda name: math.hypot(
                    world.places[name].x_m - x_m, world.places[name].y_m - y_m
                ),
            )
        found.append(
            Robot(info.id, place, info.home, info.max_speed_mps, info.max_payload_kg)
        )
    return tuple(found)


def _at(now: datetime, seconds: float) -> datetime:
    return now + timedelta(seconds=seconds)


def _bar(now: datetime, bar: Bar) -> PlannedBar:
    return PlannedBar(
        bar.resource,
        bar.kind,
        bar.order,
        _at(now, bar.from_s),
        _at(now, bar.to_s),
        bar.pick,
        bar.material,
        bar.place,
    )
