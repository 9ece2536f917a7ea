"""The fleet and its storage by the API: what the pages show, and what they tell it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from fleet.model import World
from mpms.domain.errors import NotFound
from mpms.factory.ports.fleet import PastDecision, PastTask
from mpms.factory.ports.trial_warehouse import TrialWarehouse
from mpms.factory.services.fleet.say import send_robot, tell_fleet
from mpms.factory.services.fleet.show import (
    ChargingNow,
    RobotFigures,
    RobotNow,
    show_fleet,
    show_task,
)
from mpms.factory.services.fleet.stock import PlaceNow, StockNow, show_warehouse
from mpms.factory.services.fleet.trial import launch_trial
from mpms.factory.web.desk import Call
from mpms.web.api.operation import Given, Section, Shape
from mpms.web.api.shapes import like
from mpms.web.api.values import shaped
from mpms.web.rights import EVERYBODY, LEADERS

section = Section(
    "Fleet", "Robots that share work and roads, and what lies in storage."
)


@like(RobotNow, without="granted planned queue")
class RobotOfFleet(Shape):
    queue: list[str]
    granted: list[tuple[float, float]] = Field(description="What it may drive now.")
    planned: list[tuple[float, float]] = Field(description="What it plans after it.")


@like(RobotFigures, without="curve")
class FiguresOfRobot(Shape):
    curve: list[tuple[datetime, float]] = Field(description="Percent, by the minute.")


@like(ChargingNow, without="robots")
class ChargingZoneShape(Shape):
    robots: list[str]


@like(PastTask, without="legs")
class FleetTask(Shape):
    legs: list[dict[str, str]]


@like(PastDecision, without="bids refusals")
class FleetDecision(Shape):
    bids: dict[str, float] = Field(description="Robot to seconds until it is done.")
    refusals: dict[str, str]


class FleetShape(Shape):
    led: bool = Field(description="A living worker decides.")
    saved_at: datetime | None
    done_per_h: int
    failed_per_h: int
    busy: float
    waiting: float
    empty: float = Field(description="Share of driving without a load.")
    pulled_over: bool
    stopped: bool
    robots: list[RobotOfFleet]
    figures: list[FiguresOfRobot]
    charging: list[ChargingZoneShape]
    tasks: list[FleetTask] = Field(description="What is open, then what ended last.")
    zones: dict[str, list[tuple[float, float]]] = Field(description="Closed ones.")
    alerts: list[dict[str, str]]
    waits: list[tuple[int, int, float]] = Field(
        description="Squares of a metre, and how long robots waited there in 24 hours."
    )


class TaskStory(FleetTask):
    decisions: list[FleetDecision]


@like(PlaceNow)
class PlaceOfStorage(Shape):
    state: str


@like(StockNow, without="places")
class StockShape(Shape):
    places: list[str]


class WarehouseShape(Shape):
    saved_at: datetime | None
    places: list[PlaceOfStorage]
    stock: list[StockShape]
    lost: list[tuple[str, str, float, float]] = Field(
        description="Packages on the floor: name, type, x and y."
    )


class TrialShape(Shape):
    state: dict[str, Any] | None = Field(
        description="Robots, storage units, items and belts; null: none runs."
    )


class TrialPreset(Given):
    preset: Literal["small", "medium", "large"]


class TrialCommand(Given):
    line: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        description="Such as mov 4 2 kiva1, rot cw kiva1 or lift 1 kiva1 unit3."
    )


class TrialSaid(Shape):
    said: str


class SaidToFleet(Given):
    kind: Annotated[str, Field(max_length=40)] = Field(
        description="detected, zone closed, zone opened, lane locked, door shut, robot"
        " paused, robot failed, robot recovered, robot level, load lost, task"
        " withdrawn, task paused, pulled over, stopped or seen."
    )
    data: dict[str, Any] = Field(
        default_factory=dict,
        description="What it takes, such as place and present for detected.",
    )


class TaskQuery(Given):
    id: str = Field(max_length=200, description="Its name, such as store/12.")


class SaidShape(Shape):
    id: int


class SendRobot(Given):
    robot: Annotated[str, Field(min_length=1, max_length=100)]
    place: Annotated[str, Field(min_length=1, max_length=100)]


class FleetRequestShape(Shape):
    id: str


def _world(call: Call) -> World:
    if call.desk.fleet is None:
        raise NotFound("This world has no fleet: its robots are driven one by one.")
    return call.desk.fleet


@section.get("/fleet", EVERYBODY, fails=(404,))
def now(call: Call) -> FleetShape:
    """Robots, tasks, traffic and figures, as the leader last saved them."""
    found = show_fleet(call.desk.uow, call.desk.clock, _world(call))
    return FleetShape(
        led=found.led,
        saved_at=found.saved_at,
        done_per_h=found.done_per_h,
        failed_per_h=found.failed_per_h,
        busy=found.busy,
        waiting=found.waiting,
        empty=found.empty,
        pulled_over=found.pulled_over,
        stopped=found.stopped,
        robots=shaped(RobotOfFleet, found.robots),
        figures=shaped(FiguresOfRobot, found.figures.values()),
        charging=shaped(ChargingZoneShape, found.charging),
        tasks=shaped(FleetTask, found.tasks),
        zones={name: list(corners) for name, corners in found.zones.items()},
        alerts=[dict(alert) for alert in found.alerts],
        waits=[(x, y, waited_s) for (x, y), waited_s in found.heat.items()],
    )


@section.get("/fleet/task", EVERYBODY, fails=(404,))
def task(call: Call, query: TaskQuery) -> TaskStory:
    """One task, and every time that a robot got it: with all bids and reasons."""
    _world(call)
    found = show_task(call.desk.uow, query.id)
    if found is None:
        raise NotFound("There is no such task.")
    known = FleetTask.model_validate(found[0]).model_dump()
    return TaskStory(**known, decisions=shaped(FleetDecision, found[1]))


@section.post("/fleet/said", LEADERS, fails=(404,))
def say(call: Call, body: SaidToFleet) -> SaidShape:
    """Tell the fleet something, such as what a detector sees; it hears it next."""
    _world(call)
    return SaidShape(id=tell_fleet(call.desk.uow, body.kind, body.data, by=call.by))


@section.post("/fleet/send", LEADERS, fails=(404,))
def send(call: Call, body: SendRobot) -> FleetRequestShape:
    """Let a robot drive to a place, when the traffic allows it."""
    _world(call)
    desk = call.desk
    return FleetRequestShape(
        id=send_robot(desk.uow, desk.world, body.robot, body.place, by=call.by)
    )


@section.get("/warehouse", EVERYBODY, fails=(404,))
def warehouse(call: Call) -> WarehouseShape:
    """What lies where, stock by type, and packages that were lost."""
    found = show_warehouse(call.desk.uow, _world(call))
    return WarehouseShape(
        saved_at=found.saved_at,
        places=shaped(PlaceOfStorage, found.places),
        stock=shaped(StockShape, found.stock),
        lost=list(found.lost),
    )


def _trial(call: Call) -> TrialWarehouse:
    if call.desk.trial is None:
        raise NotFound("No trial warehouse can be launched here.")
    return call.desk.trial


@section.get("/warehouse/trial", EVERYBODY, fails=(404,))
def trial(call: Call) -> TrialShape:
    """The trial warehouse: simulated robots that bring shelves."""
    state = _trial(call).state()
    return TrialShape(state=None if state is None else dict(state))


@section.post("/warehouse/trial", LEADERS, fails=(404,), example={"preset": "small"})
def launch(call: Call, body: TrialPreset) -> TrialSaid:
    """Launch a preset; one that runs is replaced."""
    return TrialSaid(said=launch_trial(_trial(call), body.preset))


@section.post(
    "/warehouse/trial/command",
    LEADERS,
    fails=(404,),
    example={"line": "mov 4 2 kiva1"},
)
def command(call: Call, body: TrialCommand) -> TrialSaid:
    """Command one of its robots."""
    return TrialSaid(said=_trial(call).command(body.line))


@section.post("/warehouse/trial/end", LEADERS, fails=(404,))
def end(call: Call) -> TrialSaid:
    """End it."""
    _trial(call).stop()
    return TrialSaid(said="ended")
