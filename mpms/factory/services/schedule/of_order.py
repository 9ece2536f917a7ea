"""When each material of one order is fetched and when its tank mixes: what was, and
what is planned among all other orders at this moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from mpms.factory.domain.stock import PickState
from mpms.factory.domain.worlds import World
from mpms.factory.ports.store import Transaction
from mpms.factory.services.catalogue.current import CurrentCatalogue
from mpms.factory.services.schedule.show import PlannedBar, show_schedule


@dataclass(frozen=True)
class PlannedMaterial:
    """From its place into the tank; ``state`` is that of the pick."""

    material: str
    place: str
    from_at: datetime | None
    to_at: datetime | None
    state: str  # planned, on robot, used


@dataclass(frozen=True)
class OrderPlan:
    materials: Sequence[PlannedMaterial]
    mixing: PlannedBar | None
    ends_at: datetime | None
    late_s: float
    problem: str


def plan_of(
    tx: Transaction,
    world: World,
    materials: CurrentCatalogue,
    number: str,
    *,
    now: datetime,
) -> OrderPlan | None:
    """None for an order that is neither new nor being made."""
    made = show_schedule(tx, world, materials, now=now)
    order = next((each for each in made.orders if each.order == number), None)
    if order is None:
        return None
    bars = [bar for bar in made.of(number) if _by_person(bar)]
    done = [
        PlannedMaterial(
            pick.material,
            pick.loaded_place or pick.place,
            pick.loaded_at,
            pick.used_at,
            pick.state.value,
        )
        for pick in tx.picks.of_order(number)
        if pick.state is PickState.USED
    ]
    loaded_at = {
        pick.pick: pick.loaded_at
        for pick in tx.picks.of_order(number)
        if pick.state is PickState.ON_ROBOT
    }
    planned = []
    for pick in dict.fromkeys(bar.pick for bar in bars):
        mine = [bar for bar in bars if bar.pick == pick]
        on_robot = pick in loaded_at
        planned.append(
            PlannedMaterial(
                mine[0].material,
                mine[0].place,
                loaded_at[pick] if pick in loaded_at else mine[0].from_at,
                mine[-1].to_at,
                (PickState.ON_ROBOT if on_robot else PickState.PLANNED).value,
            )
        )
    mixing = next((bar for bar in made.of(number) if bar.kind == "mix"), None)
    return OrderPlan(
        [*done, *planned], mixing, order.ends_at, order.late_s, order.problem
    )


def _by_person(bar: PlannedBar) -> bool:
    return bar.kind in {"load", "unload"} and bar.resource.startswith("person")
