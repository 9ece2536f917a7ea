"""The plant in figures: charts, the same numbers as tables, and as files."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from flask import Blueprint, Response, abort, render_template, request

from mpms.domain.people.people import Role
from mpms.factory.services.figures import FiguresPage, Totals, show_figures
from mpms.factory.web.desk import current_desk
from mpms.factory.web.labels.figures import change
from mpms.web.fields.cockpit_filter import OWN_WINDOW, Filter
from mpms.web.labels.cockpit import cell
from mpms.web.rights import LEADERS, allowed
from mpms.web.texts import t

pages = Blueprint("figures", __name__)
READERS = LEADERS | {Role.VIEWER}
LONGEST = timedelta(days=366)

pages.add_app_template_global(change, "figure_change")


@pages.get("/figures")
@allowed(READERS)
def page() -> str:
    asked, key = Filter.of(request.args), request.args.get("process") or None
    found = _found(asked, key)
    return render_template(
        "figures.html",
        page=found,
        asked=asked,
        key=key if key in found.processes else None,
        kept=_kept(asked, key),
        windows=_windows(),
        cards=_cards(found.total, found.before),
        charts=_charts(found),
    )


@pages.get("/figures/<table>.csv")
@allowed(READERS)
def export(table: str) -> Response:
    if table not in TABLES:
        abort(404)
    found = _found(Filter.of(request.args), request.args.get("process") or None)
    heading, rows = TABLES[table](found)
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    buffer.write("\ufeff")  # without it a spreadsheet reads umlauts wrongly
    writer.writerow(heading)
    writer.writerows([cell(value) for value in row] for row in rows)
    answer = Response(buffer.getvalue(), content_type="text/csv; charset=utf-8")
    name = f'attachment; filename="figures-{table}.csv"'
    answer.headers["Content-Disposition"] = name
    return answer


def _found(asked: Filter, key: str | None) -> FiguresPage:
    desk = current_desk()
    since, until = _times(asked, desk.clock.now())
    return show_figures(desk.uow, desk.engine, since=since, until=until, key=key)


def _times(asked: Filter, now: datetime) -> tuple[datetime, datetime]:
    """Whole days of the plant; a window that ends today ends with this hour."""
    since, until = asked.times(now)
    if asked.window != OWN_WINDOW:
        day = since.astimezone() + timedelta(days=1)
        since = day.replace(hour=0, minute=0, second=0, microsecond=0)
    return max(since, until - LONGEST), until


def _windows() -> dict[str, str]:
    return {
        "week": t("Last 7 days"),
        "month": t("Last 30 days"),
        "quarter": t("Last 90 days"),
        "own": t("Own dates"),
    }


def _kept(asked: Filter, key: str | None) -> dict[str, str]:
    wanted = ("window", "from", "to")
    kept = {name: text for name, text in asked.address.items() if name in wanted}
    return kept | ({"process": key} if key else {})


def _cards(total: Totals, before: Totals) -> list[dict[str, Any]]:
    """``good``: whether more is better, where it is."""

    def card(label: str, name: str, kind: str, good: bool | None) -> dict[str, Any]:
        now, then = getattr(total, name), getattr(before, name)
        return {"label": label, "now": now, "then": then, "kind": kind, "good": good}

    return [
        card(t("Orders received"), "received", "count", None),
        card(t("Orders done"), "done", "count", True),
        card(t("Processes completed"), "completed", "count", True),
        card(t("Lead time, median"), "median_s", "time", False),
        card(t("Lead time, 90 % within"), "p90_s", "time", False),
        card(t("Incidents"), "incidents", "count", False),
        card(t("Robots driving"), "driving", "share", None),
    ]


def _charts(found: FiguresPage) -> dict[str, Any]:
    """What the script draws: one list a line, in the order of the days."""
    days = found.days
    return {
        "days": [day.day.isoformat() for day in days],
        "orders": {
            "unit": "",
            "lines": [
                [t("received"), [day.received for day in days]],
                [t("done"), [day.done for day in days]],
                [t("cancelled"), [day.cancelled for day in days]],
            ],
        },
        "lead": {
            "unit": "s",
            "lines": [
                [t("median"), [day.median_s for day in days]],
                [t("90 % within"), [day.p90_s for day in days]],
            ],
        },
        "incidents": {
            "unit": "",
            "lines": [[t("incidents"), [day.incidents for day in days]]],
        },
    }


Table = tuple[Sequence[str], Sequence[Sequence[Any]]]


def _rounded(value: float | None) -> float | str:
    return "" if value is None else round(value, 1)


def _days_table(found: FiguresPage) -> Table:
    heading = [
        *(t("Day"), t("Orders received"), t("Orders done"), t("Orders cancelled")),
        *(t("Processes started"), t("Processes completed")),
        *(t("Lead time, median (s)"), t("Lead time, 90 % within (s)")),
        t("Incidents"),
    ]
    return heading, [
        [
            *(day.day.isoformat(), day.received, day.done, day.cancelled),
            *(day.started, day.completed, _rounded(day.median_s)),
            *(_rounded(day.p90_s), day.incidents),
        ]
        for day in found.days
    ]


def _waiting_table(found: FiguresPage) -> Table:
    heading = [t("Process"), t("Step"), t("Visits"), t("Waited (s)"), t("Each (s)")]
    return heading, [
        [
            *(row.process, row.name, row.visits),
            *(_rounded(row.waited_s), _rounded(row.each_s)),
        ]
        for row in found.waiting
    ]


def _robots_table(found: FiguresPage) -> Table:
    heading = [
        *(t("Robot"), t("Driving (s)"), t("Waiting (s)"), t("Free (s)")),
        t("Not available (s)"),
    ]
    return heading, [
        [
            *(row.robot, _rounded(row.driving_s), _rounded(row.waiting_s)),
            *(_rounded(row.idle_s), _rounded(row.away_s)),
        ]
        for row in found.robots
    ]


def _causes_table(found: FiguresPage) -> Table:
    heading = [t("Kind"), t("Cause"), t("Incidents"), t("Still open")]
    return heading, [
        [row.kind, row.message, row.opened, row.still_open] for row in found.causes
    ]


TABLES: Mapping[str, Callable[[FiguresPage], Table]] = {
    "days": _days_table,
    "waiting": _waiting_table,
    "robots": _robots_table,
    "incidents": _causes_table,
}
