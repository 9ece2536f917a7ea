"""The schedule: what is planned beside what was, and which order comes first."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from flask import Blueprint, render_template, request

from mpms.domain.errors import MpmsError
from mpms.factory.domain.orders import Order, OrderStatus
from mpms.factory.services.orders.change import PRIORITIES, PriorityUnknown
from mpms.factory.services.schedule.chart import Chart, ChartBar, chart_of
from mpms.factory.services.schedule.show import show_schedule
from mpms.factory.services.schedule.what_if import what_if
from mpms.factory.web.desk import current_desk
from mpms.factory.web.labels.stock import bar_words
from mpms.factory.web.pages.order_changes import due_of
from mpms.web.labels import formats
from mpms.web.rights import EVERYBODY, LEADERS, allowed
from mpms.web.site.signed_in import current_person
from mpms.web.texts import current_language, t

pages = Blueprint("schedule", __name__)

HOURS_BACK = (1, 2, 4, 8, 24)
LEFT, WIDTH, ROW, TOP = 150, 850, 28, 30
TICKS_MIN = (1, 2, 5, 10, 15, 30, 60, 120, 240)
MOST_TICKS = 10


@pages.get("/schedule")
@allowed(EVERYBODY)
def page() -> str:
    return render_template("schedule.html", **_shown())


@pages.get("/schedule/now")
@allowed(EVERYBODY)
def now() -> str:
    return render_template("_schedule_now.html", **_shown())


@pages.get("/schedule/<number>/what-if")
@allowed(LEADERS)
def what_if_changed(number: str) -> str:
    """What would change for all orders, before anything is saved."""
    desk, priority = current_desk(), request.args.get("priority", "normal")
    try:
        if priority not in PRIORITIES:
            raise PriorityUnknown
        due = due_of(request.args.get("due", ""))
    except MpmsError as wrong:
        return render_template("_schedule_what_if.html", problem=t(str(wrong)))
    with desk.uow() as tx:
        found = what_if(
            tx,
            desk.world,
            desk.materials,
            number,
            priority=priority,
            due=due,
            now=desk.clock.now(),
        )
    return render_template("_schedule_what_if.html", found=found, problem="")


def _shown() -> dict[str, Any]:
    desk, hours = current_desk(), request.args.get("hours", "")
    back_h = int(hours) if hours.isdecimal() and int(hours) in HOURS_BACK else 2
    at = desk.clock.now()
    with desk.uow() as tx:
        made = show_schedule(tx, desk.world, desk.materials, now=at)
        since = at - timedelta(hours=back_h)
        chart = chart_of(tx, desk.world, made, since=since, now=at)
        orders = tx.orders.some(each.order for each in made.orders)
    return {
        "made": made,
        "chart": chart,
        "drawn": _Drawn(chart),
        "back_h": back_h,
        "hours_back": HOURS_BACK,
        "words": words,
        "clock": clock,
        "queue": _queue(orders),
        "leads": current_person().leads,
    }


def _queue(orders: dict[str, Order]) -> list[tuple[str, list[Order]]]:
    """Orders that nobody has begun, by priority; in the order in which they are
    taken."""
    new = [o for o in orders.values() if o.status is OrderStatus.NEW]
    new.sort(key=lambda o: (o.due is None, o.due, o.received_at, o.number))
    return [
        (level, [o for o in new if o.priority == level])
        for level in reversed(PRIORITIES)
    ]


def words(bar: ChartBar) -> str:
    own = {
        "usual": t("at the usual pace"),
        "made": t("made"),
        "order": t("planned"),
        "work": t("at work"),
    }
    return own.get(bar.kind) or bar_words(bar.kind)


def clock(at: datetime) -> str:
    return formats.time(at, current_language(), formats.now())


class _Drawn:
    """Instants as places on the drawing."""

    def __init__(self, chart: Chart) -> None:
        self._chart = chart
        whole_s = (chart.to_at - chart.from_at).total_seconds()
        self._per_s = WIDTH / max(whole_s, 1.0)
        self.height = TOP + ROW * len(chart.rows) + 8
        step = next(
            (m for m in TICKS_MIN if whole_s / 60 / m <= MOST_TICKS), TICKS_MIN[-1]
        )
        first = chart.from_at.replace(second=0, microsecond=0)
        first -= timedelta(minutes=(first.hour * 60 + first.minute) % step)
        marks = [first + timedelta(minutes=step * n) for n in range(1, 40)]
        self.ticks = [
            (self.x(at), f"{at.astimezone():%H:%M}") for at in marks if at < chart.to_at
        ]
        self.now_x = self.x(chart.now)

    def x(self, at: datetime) -> float:
        chart = self._chart
        at = min(max(at, chart.from_at), chart.to_at)
        return round(LEFT + (at - chart.from_at).total_seconds() * self._per_s, 1)

    def width(self, bar: ChartBar) -> float:
        return max(self.x(bar.to_at) - self.x(bar.from_at), 2.0)

    def inside(self, bar: ChartBar) -> bool:
        return bar.to_at > self._chart.from_at and bar.from_at < self._chart.to_at
