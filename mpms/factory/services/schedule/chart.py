"""A Gantt chart: what was done since, beside what is planned from now on.

Orders have two bars: as planned (begun orders at their usual pace), and as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from mpms.factory.domain.worlds import World
from mpms.factory.ports.orders.past import PastOrder, PastWork
from mpms.factory.ports.store import Transaction
from mpms.factory.services.orders.overview import USUAL_FROM_ORDERS
from mpms.factory.services.schedule.show import ScheduleShown

MOST_ORDERS = 100
LONGEST_AHEAD = timedelta(hours=24)
SHORTEST = timedelta(seconds=15)  # what is drawn of a moment


@dataclass(frozen=True)
class ChartBar:
    """``real``: it was so, or is; else it is planned."""

    kind: str
    order: str
    what: str
    from_at: datetime
    to_at: datetime
    real: bool


@dataclass(frozen=True)
class ChartRow:
    group: str  # order, robot, tank, person
    name: str
    bars: Sequence[ChartBar]
    due_at: datetime | None = None
    late: bool = False


@dataclass(frozen=True)
class Chart:
    from_at: datetime
    to_at: datetime
    now: datetime
    rows: Sequence[ChartRow]


def chart_of(
    tx: Transaction,
    world: World,
    made: ScheduleShown,
    *,
    since: datetime,
    now: datetime,
) -> Chart:
    past = tx.past_orders.orders(since, limit=MOST_ORDERS)
    numbers = [order.number for order in past]
    drives = tx.past_orders.drives(numbers)
    work = tx.past_orders.work(numbers)
    usual_s = tx.order_views.usual_s(USUAL_FROM_ORDERS)
    rows = _orders(past, made, usual_s, now)
    rows += _resources("robot", _drives(drives, now), _planned(made, "robot"))
    rows += _resources("tank", _tanks(past, drives, world, now), _planned(made, "tank"))
    rows += _resources("person", _work(work), _planned(made, "person"))
    ends = [bar.to_at for row in rows for bar in row.bars]
    begins = [bar.from_at for row in rows for bar in row.bars]
    to_at = min(max([now + timedelta(minutes=10), *ends]), now + LONGEST_AHEAD)
    from_at = max(since, min([now - timedelta(minutes=10), *begins]))
    return Chart(from_at, to_at, now, rows)


def _orders(
    past: Sequence[PastOrder],
    made: ScheduleShown,
    usual_s: float | None,
    now: datetime,
) -> list[ChartRow]:
    plans = {order.order: order for order in made.orders}
    rows = []
    for order in past:
        plan = plans.pop(order.number, None)
        bars = []
        if usual_s is not None:
            usual = order.started_at + timedelta(seconds=usual_s)
            bars.append(
                ChartBar("usual", order.number, "", order.started_at, usual, False)
            )
        end = order.ended_at or now
        bars.append(
            ChartBar("made", order.number, order.product, order.started_at, end, True)
        )
        if plan is not None and plan.ends_at is not None and plan.ends_at > now:
            bars.append(
                ChartBar("order", order.number, order.product, now, plan.ends_at, False)
            )
        due_at = None
        if order.due is not None:
            due_at = datetime.combine(order.due, time.max).astimezone()
        late = plan.late_s > 0 if plan else bool(due_at and end > due_at)
        rows.append(ChartRow("order", order.number, bars, due_at, late))
    for plan in plans.values():
        mine = made.of(plan.order)
        if plan.ends_at is None or not mine:
            continue
        bar = ChartBar(
            "order", plan.order, plan.product, mine[0].from_at, plan.ends_at, False
        )
        rows.append(ChartRow("order", plan.order, [bar], None, plan.late_s > 0))
    return rows


def _planned(made: ScheduleShown, group: str) -> dict[str, list[ChartBar]]:
    found: dict[str, list[ChartBar]] = {}
    tanks = {bar.resource for bar in made.bars if bar.kind in {"fill", "mix"}}
    for bar in made.bars:
        of = (
            "tank"
            if bar.resource in tanks
            else "person"
            if bar.resource.startswith("person ")
            else "robot"
        )
        if of == group:
            what = bar.material or bar.place
            found.setdefault(bar.resource, []).append(
                ChartBar(bar.kind, bar.order, what, bar.from_at, bar.to_at, False)
            )
    return found


def _drives(drives: Sequence[PastWork], now: datetime) -> dict[str, list[ChartBar]]:
    found: dict[str, list[ChartBar]] = {}
    for each in drives:
        bar = _bar("drive", each, each.to_at or now)
        found.setdefault(each.resource, []).append(bar)
    return found


def _work(work: Sequence[PastWork]) -> dict[str, list[ChartBar]]:
    found: dict[str, list[ChartBar]] = {}
    for each in work:
        bar = _bar("work", each, each.to_at or each.from_at)
        found.setdefault(each.resource, []).append(bar)
    return found


def _tanks(
    past: Sequence[PastOrder], drives: Sequence[PastWork], world: World, now: datetime
) -> dict[str, list[ChartBar]]:
    """Taken from the first load that came until the order ended."""
    first: dict[str, PastWork] = {}
    for each in drives:
        if each.what in world.tanks and each.to_at is not None:
            first.setdefault(each.order, each)
    found: dict[str, list[ChartBar]] = {}
    for order in past:
        came = first.get(order.number)
        if came is None or came.to_at is None:
            continue
        end = order.ended_at or now
        bar = ChartBar("fill", order.number, order.product, came.to_at, end, True)
        found.setdefault(came.what, []).append(bar)
    return found


def _bar(kind: str, each: PastWork, to_at: datetime) -> ChartBar:
    to_at = max(to_at, each.from_at + SHORTEST)
    return ChartBar(kind, each.order, each.what, each.from_at, to_at, True)


def _resources(
    group: str,
    real: dict[str, list[ChartBar]],
    planned: dict[str, list[ChartBar]],
) -> list[ChartRow]:
    names = sorted({*real, *planned})
    return [
        ChartRow(group, name, [*real.get(name, []), *planned.get(name, [])])
        for name in names
    ]
