"""Figures by the API: the plant by the day, and the past of one instance."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Annotated

from pydantic import Field

from mpms.factory.ports.robots.tracks import Spent
from mpms.factory.services.dashboard import show_plant
from mpms.factory.services.figures import Cause, FiguresPage, WaitingAt, show_figures
from mpms.factory.services.robots.replay import Drive, replay_instance
from mpms.factory.web.desk import Call
from mpms.web.api.operation import Given, Section, Shape
from mpms.web.api.shapes import like
from mpms.web.api.values import InstanceId, Listed, ProcessKey, shaped
from mpms.web.labels.history import timeline_kinds
from mpms.web.rights import READERS

section = Section("Figures", "The plant by the day, and what was.")

MOST_DAYS = 366
USUAL_DAYS = 7
FIRST, LAST = date(2000, 1, 1), date(2999, 12, 31)
PlantDay = Annotated[date, Field(ge=FIRST, le=LAST)]


class FiguresQuery(Given):
    last_day: PlantDay | None = Field(default=None, description="Today without it.")
    days: int = Field(default=USUAL_DAYS, ge=1, le=MOST_DAYS)
    process: ProcessKey | None = Field(
        default=None, description="Orders and robots are those of the whole plant."
    )


class TotalsShape(Shape):
    received: int
    done: int
    cancelled: int
    started: int
    completed: int
    median_s: float | None
    p90_s: float | None
    incidents: int


class WindowShape(TotalsShape):
    driving: float | None


class DayShape(TotalsShape):
    day: date


@like(WaitingAt)
class WaitingShape(Shape): ...


@like(Spent)
class RobotShape(Shape): ...


@like(Cause)
class CauseShape(Shape): ...


class FiguresShape(Shape):
    since: datetime
    until: datetime
    total: WindowShape
    before: WindowShape
    days: list[DayShape]
    waiting: list[WaitingShape]
    robots: list[RobotShape]
    causes: list[CauseShape]


class PlantQuery(Given):
    hours: int = Field(default=24, ge=1, le=24 * 31)


class MadeShape(Shape):
    shift_at: datetime
    product: str
    kg: float
    orders: list[str]


class HourShape(Shape):
    hour: datetime
    kg: float
    orders: list[str]


class WaitCauseShape(Shape):
    name: str
    seconds: float
    cost: float | None = Field(description="Null: nobody said what an hour costs.")
    orders: list[str]


class PlantShape(Shape):
    since: datetime
    until: datetime
    kg: float
    made: list[MadeShape]
    hours: list[HourShape]
    done: list[str]
    in_time: list[str]
    late: list[str]
    right_first: int = Field(description="Loaded lines that were weighed once.")
    weighed: int
    again: list[str]
    cancelled: list[str]
    waits: list[WaitCauseShape]
    whole: bool


class MoveShape(Shape):
    at: datetime
    kind: str
    element: str | None
    task_id: str | None


@like(Drive)
class DriveShape(Shape): ...


class PointShape(Shape):
    at: datetime
    x_m: float
    y_m: float


class ReplayShape(Shape):
    moves: list[MoveShape]
    drives: list[DriveShape]
    tracks: dict[str, list[PointShape]]
    cut: bool


@section.get("/dashboard", READERS)
def plant(call: Call, query: PlantQuery) -> PlantShape:
    """What was made by shift and product, late, weighed again and cancelled, and what
    waiting has cost; each number with its orders."""
    desk = call.desk
    until = desk.clock.now()
    found = show_plant(
        desk.uow,
        desk.engine,
        since=until - timedelta(hours=query.hours),
        until=until,
        shifts=desk.shifts,
        cost_per_hour=desk.cost_per_hour,
    )
    return PlantShape(
        since=found.since,
        until=found.until,
        kg=float(found.kg),
        made=shaped(MadeShape, found.made),
        hours=shaped(HourShape, found.hours),
        done=list(found.done),
        in_time=list(found.in_time),
        late=list(found.late),
        right_first=found.right_first,
        weighed=found.weighed,
        again=list(found.again),
        cancelled=list(found.cancelled),
        waits=shaped(WaitCauseShape, found.waits),
        whole=found.whole,
    )


@section.get("/figures", READERS)
def figures(call: Call, query: FiguresQuery) -> FiguresShape:
    """Orders, lead times, waiting, robots and incidents of some days of the plant.

    `before` is the window of the same length before. Lead times are right to about
    five per cent.
    """
    return FiguresShape.model_validate(_found(call, query))


@section.get("/figures/days", READERS)
def days(call: Call, query: FiguresQuery) -> Listed[DayShape]:
    """The same day by day."""
    return Listed[DayShape](items=shaped(DayShape, _found(call, query).days))


@section.get("/figures/waiting", READERS)
def waiting(call: Call, query: FiguresQuery) -> Listed[WaitingShape]:
    """At which steps processes waited, the longest first."""
    return Listed[WaitingShape](items=shaped(WaitingShape, _found(call, query).waiting))


@section.get("/figures/robots", READERS)
def robots(call: Call, query: FiguresQuery) -> Listed[RobotShape]:
    """How long each robot drove, waited, was free and was away."""
    return Listed[RobotShape](items=shaped(RobotShape, _found(call, query).robots))


@section.get("/figures/incidents", READERS)
def incidents(call: Call, query: FiguresQuery) -> Listed[CauseShape]:
    """Causes of incidents, the most frequent first."""
    return Listed[CauseShape](items=shaped(CauseShape, _found(call, query).causes))


@section.get("/instances/{instance_id}/replay", READERS)
def replay(call: Call, instance_id: InstanceId) -> ReplayShape:
    """The past of an instance: what tokens did, and where its robots were.

    `guessed` drives were not recorded; `cut` says that there is more than this.
    """
    desk = call.desk
    past = replay_instance(
        desk.uow, desk.engine, desk.world, str(instance_id), kinds=timeline_kinds()
    )
    return ReplayShape(
        moves=shaped(MoveShape, past.moves),
        drives=shaped(DriveShape, past.drives),
        tracks={
            robot: shaped(PointShape, track) for robot, track in past.tracks.items()
        },
        cut=past.cut,
    )


def _found(call: Call, query: FiguresQuery) -> FiguresPage:
    desk = call.desk
    last = query.last_day or desk.clock.now().astimezone().date()
    until = datetime.combine(last + timedelta(days=1), time()).astimezone()
    since = datetime.combine(last - timedelta(days=query.days - 1), time()).astimezone()
    return show_figures(
        desk.uow, desk.engine, since=since, until=until, key=query.process
    )
