"""The plant at a glance: what was made by shift and product, what was late, weighed
again, cancelled, and what waiting has cost. Every number knows its orders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal

from mpms.domain.errors import MpmsError
from mpms.domain.models.definitions import ModelStep
from mpms.factory.domain.orders import OrderStatus
from mpms.factory.domain.shifts import shift_of
from mpms.factory.ports.dashboard import EndedOrder, Waited
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.ports.engine import Engine

MOST_ORDERS = 5000
WAITS = frozenset({"userTask", "intermediateCatchEvent", "receiveTask", "serviceTask"})
MOST_CAUSES = 12
LEAST_SHARE = 0.01  # of all waiting; what takes less is no cause of it
MADE = frozenset({OrderStatus.DONE, OrderStatus.COMPLETED_MANUALLY})


@dataclass(frozen=True)
class Made:
    """What one shift made of one product; ``shift_at``: when it began."""

    shift_at: datetime
    product: str
    kg: Decimal
    orders: tuple[str, ...]

    @property
    def batches(self) -> int:
        return len(self.orders)


@dataclass(frozen=True)
class Hour:
    hour: datetime
    kg: Decimal
    orders: tuple[str, ...]


@dataclass(frozen=True)
class WaitCause:
    """Where orders waited, for how long altogether, and what that cost."""

    name: str
    seconds: float
    cost: Decimal | None
    orders: tuple[str, ...]


@dataclass(frozen=True)
class Plant:
    since: datetime
    until: datetime
    orders: dict[str, EndedOrder]
    made: Sequence[Made]
    hours: Sequence[Hour]
    done: tuple[str, ...]
    in_time: tuple[str, ...]  # of those with a due date
    late: tuple[str, ...]
    right_first: int  # loaded lines that were weighed once
    weighed: int
    again: tuple[str, ...]  # orders in which something was weighed again
    cancelled: tuple[str, ...]
    waits: Sequence[WaitCause]
    whole: bool = True  # False: there were more orders than are counted here

    @property
    def kg(self) -> Decimal:
        return sum((each.kg for each in self.made), Decimal(0))

    def behind(self, what: str) -> tuple[str, ...]:
        """The orders of a number, by its name in an address."""
        lists = {
            "done": self.done,
            "in-time": self.in_time,
            "late": self.late,
            "again": self.again,
            "cancelled": self.cancelled,
        }
        kind, _, about = what.partition(":")
        if kind == "wait":
            return next((each.orders for each in self.waits if each.name == about), ())
        if kind == "shift":
            at, _, product = about.partition("|")
            return tuple(
                number
                for each in self.made
                if each.shift_at.isoformat() == at
                and (not product or each.product == product)
                for number in each.orders
            )
        if kind == "hour":
            return next(
                (each.orders for each in self.hours if each.hour.isoformat() == about),
                (),
            )
        return lists.get(what, ())


@dataclass
class _Sum:
    kg: Decimal = Decimal(0)
    orders: list[str] = field(default_factory=list)

    def add(self, order: EndedOrder) -> None:
        self.kg += order.kg
        self.orders.append(order.number)


def show_plant(
    uow: UnitOfWork,
    engine: Engine,
    *,
    since: datetime,
    until: datetime,
    shifts: Sequence[time],
    cost_per_hour: Decimal | None,
) -> Plant:
    """Orders that ended in this time."""
    with uow() as tx:
        rows = tx.dashboard.ended(since, until, limit=MOST_ORDERS + 1)
        ended, whole = rows[:MOST_ORDERS], len(rows) <= MOST_ORDERS
        numbers = [order.number for order in ended]
        weighings = tx.dashboard.weighings(numbers)
        waits = _waits(tx, engine, tx.dashboard.waits(numbers), cost_per_hour)
    made = [order for order in ended if order.status in MADE]
    due = [order for order in made if order.due is not None]
    late = tuple(o.number for o in due if o.due and _day(o) > o.due)
    loaded = [each for each in weighings if each.lines]
    return Plant(
        since=since,
        until=until,
        orders={order.number: order for order in ended},
        made=_by_shift(made, shifts),
        hours=_by_hour(made),
        done=tuple(order.number for order in made),
        in_time=tuple(o.number for o in due if o.number not in set(late)),
        late=late,
        right_first=sum(max(0, 2 * w.lines - w.weighings) for w in loaded),
        weighed=sum(w.lines for w in loaded),
        again=tuple(dict.fromkeys(w.number for w in loaded if w.weighings > w.lines)),
        cancelled=tuple(o.number for o in ended if o.status is OrderStatus.CANCELLED),
        waits=waits,
        whole=whole,
    )


def _day(order: EndedOrder) -> date:
    return order.ended_at.astimezone().date()


def _by_shift(made: Sequence[EndedOrder], shifts: Sequence[time]) -> list[Made]:
    sums: dict[tuple[datetime, str], _Sum] = {}
    for order in made:
        shift_at = shift_of(order.ended_at.astimezone(), shifts)
        sums.setdefault((shift_at, order.product), _Sum()).add(order)
    return [
        Made(shift_at, product, found.kg, tuple(found.orders))
        for (shift_at, product), found in sorted(
            sums.items(), key=lambda item: (-item[0][0].timestamp(), item[0][1])
        )
    ]


def _by_hour(made: Sequence[EndedOrder]) -> list[Hour]:
    sums: dict[datetime, _Sum] = {}
    for order in made:
        hour = order.ended_at.astimezone().replace(minute=0, second=0, microsecond=0)
        sums.setdefault(hour, _Sum()).add(order)
    return [Hour(at, s.kg, tuple(s.orders)) for at, s in sorted(sums.items())]


def _waits(
    tx: Transaction,
    engine: Engine,
    rows: Sequence[Waited],
    cost_per_hour: Decimal | None,
) -> list[WaitCause]:
    steps: dict[str, dict[str, ModelStep]] = {}
    found: dict[str, tuple[float, list[str]]] = {}
    for row in rows:
        if row.key not in steps:
            try:
                model = engine.steps(tx.definitions.latest(row.key))
            except MpmsError:
                model = ()
            steps[row.key] = {step.id: step for step in model}
        step = steps[row.key].get(row.element)
        if step is None or step.kind not in WAITS or row.seconds <= 0:
            continue
        name = " ".join(step.name.split()) or row.element
        seconds, orders = found.get(name, (0.0, []))
        found[name] = seconds + row.seconds, [*orders, row.number]
    causes = [
        WaitCause(
            name,
            seconds,
            None if cost_per_hour is None else cost_per_hour * Decimal(seconds) / 3600,
            tuple(dict.fromkeys(orders)),
        )
        for name, (seconds, orders) in found.items()
    ]
    causes.sort(key=lambda each: -each.seconds)
    least_s = LEAST_SHARE * sum(each.seconds for each in causes)
    return [each for each in causes[:MOST_CAUSES] if each.seconds >= least_s]
