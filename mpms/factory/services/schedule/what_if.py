"""What another urgency or due date of one order would do to all orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from mpms.factory.domain.worlds import World
from mpms.factory.ports.store import Transaction
from mpms.factory.services.catalogue.current import CurrentCatalogue
from mpms.factory.services.schedule.show import PlannedOrder, show_schedule

FROM_S = 60.0  # less is no difference to a person


@dataclass(frozen=True)
class Difference:
    """One order that would end at another time, or become late, or no more."""

    order: str
    product: str
    now_at: datetime | None
    then_at: datetime | None
    late_now: bool
    late_then: bool


@dataclass(frozen=True)
class WhatIf:
    """``its``: the order itself, also where nothing changes for it."""

    its: Difference | None
    others: Sequence[Difference]


def what_if(
    tx: Transaction,
    world: World,
    materials: CurrentCatalogue,
    number: str,
    *,
    priority: str,
    due: date | None,
    now: datetime,
) -> WhatIf:
    """Nothing is saved. OrderUnknown."""
    changed = replace(tx.orders.get(number), priority=priority, due=due)
    before = show_schedule(tx, world, materials, now=now)
    after = show_schedule(tx, world, materials, now=now, changed=changed)
    then = {order.order: order for order in after.orders}
    found = [_difference(each, then[each.order]) for each in before.orders]
    its = next((each for each in found if each.order == number), None)
    others = [each for each in found if each is not its and _matters(each)]
    return WhatIf(its, others)


def _difference(now: PlannedOrder, then: PlannedOrder) -> Difference:
    return Difference(
        now.order,
        now.product,
        now.ends_at,
        then.ends_at,
        now.late_s > 0,
        then.late_s > 0,
    )


def _matters(each: Difference) -> bool:
    if each.now_at is None or each.then_at is None:
        return False
    moved_s = abs((each.then_at - each.now_at).total_seconds())
    return moved_s >= FROM_S or each.late_now != each.late_then
