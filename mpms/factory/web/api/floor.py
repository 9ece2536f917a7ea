"""The floor by the API: robots, people and places as the map shows them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from mpms.domain.errors import NotFound
from mpms.factory.services.floor.plan import FloorPlan, PlaceOnPlan
from mpms.factory.services.floor.view import PersonView, RobotView
from mpms.factory.web.desk import Call
from mpms.factory.web.pages.map import CELL_M, known_plan, rows_of, viewer
from mpms.web.api.operation import Given, Section, Shape
from mpms.web.api.shapes import like
from mpms.web.api.values import Listed, shaped
from mpms.web.rights import EVERYBODY

section = Section("Floor", "Robots, people and places.")

RobotId = Annotated[str, Field(min_length=1, max_length=100, description="Its name.")]


@like(RobotView, without="grey path_no")
class RobotShape(Shape):
    plan: list[tuple[float, float]] | None = None
    driven: list[tuple[float, float]] | None = None


@like(PersonView, without="grey")
class PersonOnFloor(Shape): ...


class FloorShape(Shape):
    robots: list[RobotShape]
    people: list[PersonOnFloor]


@like(PlaceOnPlan)
class PlaceShape(Shape): ...


@like(FloorPlan)
class PlanShape(Shape):
    places: list[PlaceShape]


class PathsQuery(Given):
    paths: bool = Field(default=False, description="With planned and driven ways.")


class LayersShape(Shape):
    scan: list[tuple[float, float]] = Field(description="What its laser hits.")
    costmap: list[tuple[float, float]] = Field(description="What it keeps clear of.")
    local_plan: list[tuple[float, float]] = Field(description="The next metres.")


class CostmapShape(Shape):
    cell_m: float
    rows: list[tuple[float, float, int]] = Field(
        description="x and y where a row of cells begins, and how many it has."
    )


class GoalShape(Shape):
    id: str
    robot: str
    place: str
    state: str
    instance_id: str | None


@section.get("/floor", EVERYBODY)
def now(call: Call, query: PathsQuery) -> FloorShape:
    """Where robots and people are this moment, in metres."""
    return FloorShape.model_validate(viewer().view(paths=query.paths))


@section.get("/floor/plan", EVERYBODY)
def plan(call: Call) -> PlanShape:
    """What never moves: walls, racks, places, in metres."""
    return PlanShape.model_validate(known_plan())


@section.get("/robots", EVERYBODY)
def robots(call: Call) -> Listed[RobotShape]:
    """Every robot: what it does, and why it is not ready."""
    return Listed[RobotShape](items=shaped(RobotShape, viewer().view().robots))


@section.get("/robots/{robot}", EVERYBODY)
def robot(call: Call, robot: RobotId) -> RobotShape:
    """One robot with its planned and driven way."""
    found: list[RobotView] = [
        one for one in viewer().view(paths=True).robots if one.id == robot
    ]
    if not found:
        raise NotFound(f"There is no robot {robot}.")
    return RobotShape.model_validate(found[0])


@section.get("/robots/{robot}/layers", EVERYBODY)
def layers(call: Call, robot: RobotId) -> LayersShape:
    """What a robot sees around itself this moment, in metres.

    The first answers may be empty: it is asked for it only while somebody looks.
    """
    desk = call.desk
    _known(call, robot)
    cells = desk.floor.costmap(robot)
    seen = next((one for one in desk.floor.seen().robots if one.robot == robot), None)
    return LayersShape(
        scan=[] if seen is None else list(seen.scan),
        costmap=list(cells),
        local_plan=[] if seen is None else list(seen.local_plan),
    )


@section.get("/robots/{robot}/costmap", EVERYBODY)
def costmap(call: Call, robot: RobotId) -> CostmapShape:
    """What a robot keeps clear of on the whole map; empty until it has told."""
    _known(call, robot)
    rows = rows_of(call.desk.floor.global_costmap(robot))
    return CostmapShape(cell_m=CELL_M, rows=rows)


@section.get("/goals", EVERYBODY)
def goals(call: Call) -> Listed[GoalShape]:
    """Where robots are being sent now."""
    with call.desk.uow() as tx:
        found = tx.goals.open()
    return Listed[GoalShape](items=shaped(GoalShape, found))


def _known(call: Call, robot: str) -> None:
    """NotFound."""
    if call.desk.world.robot(robot) is None:
        raise NotFound(f"There is no robot {robot}.")
