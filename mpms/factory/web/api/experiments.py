"""Experiments by the API: all that the pages show and do."""

from __future__ import annotations

import gzip
import json
from typing import Annotated, Any

from pydantic import Field, JsonValue

from mpms.factory.domain.experiments import Question
from mpms.factory.ports.experiments import (
    Experiment,
    Run,
    Simulator,
    SimulatorMissing,
)
from mpms.factory.services.experiments.ask import (
    ExperimentUnknown,
    ask_experiment,
    ask_question,
    delete_experiment,
    share_experiment,
    stop_experiment,
)
from mpms.factory.services.experiments.results import Advice, Case, advise, cases_of
from mpms.factory.web.desk import Call
from mpms.web.api.operation import Given, Section, Shape
from mpms.web.api.shapes import like
from mpms.web.api.values import Listed, Name, Page, RowId, shaped
from mpms.web.rights import LEADERS, READERS

section = Section("Experiments", "Warehouses simulated, compared and recommended.")

MOST = 100
MOST_VALUES = 50
Setting = Annotated[str, Field(min_length=1, max_length=200)]
PlanName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$")]


class ExperimentPlan(Given):
    """A sweep, as its file says it."""

    layout: PlanName = "1-2-2-8-428"
    scenario: PlanName = "default"
    controllers: PlanName = "default"
    hours: float = Field(default=4.0, gt=0, le=168)
    seeds: int = Field(default=3, ge=1, le=30)
    set: list[Setting] = Field(default=[], max_length=200)
    vary: dict[Name, Annotated[list[Setting], Field(max_length=MOST_VALUES)]] = Field(
        default={}, max_length=20
    )
    measure: PlanName = "score"
    drop_losers_after: int = Field(default=0, ge=0, le=30)


class NewExperiment(Given):
    title: str = Field(default="", max_length=120)
    plan: ExperimentPlan


class WarehouseQuestion(Given):
    orders_per_h: float = Field(ge=1, le=20_000, description="Of the whole warehouse.")
    lines_per_order: float = Field(default=1.6, ge=1, le=4)
    units_per_line: float = Field(default=1.2, ge=1, le=3)
    skus: int = Field(default=1000, ge=10, le=20_000)
    pick_stations: int = Field(default=2, ge=1, le=32)
    replenishment_stations: int = Field(default=2, ge=1, le=32)
    pods: int = Field(default=400, ge=20, le=10_000)
    robots_from: int = Field(default=4, ge=1, le=500)
    robots_to: int = Field(default=16, ge=1, le=500)
    hours: float = Field(default=4.0, ge=1, le=24)
    seeds: int = Field(default=3, ge=2, le=10)


class NewQuestion(Given):
    title: str = Field(default="", max_length=120)
    warehouse: WarehouseQuestion


class Sharing(Given):
    shared: bool


class Asked(Shape):
    id: int


class Shared(Shape):
    link: str | None = Field(description="What follows /experiments/shared/.")


@like(Experiment, without="plan question dropped")
class ExperimentShape(Shape):
    plan: dict[str, JsonValue]
    question: dict[str, JsonValue] | None
    dropped: list[str] = Field(description="Cases that surely lose, given up early.")
    progress: float


@like(Run, without="footprint")
class RunShape(Shape):
    footprint: dict[str, JsonValue] = Field(description="Every measure of the run.")


class ValueShape(Shape):
    mean: float
    half: float | None = Field(description="Of the 95 % interval.")
    best: bool
    worse: bool | None = Field(description="Surely, on the same random numbers.")


@like(Case, without="facts values")
class CaseShape(Shape):
    facts: dict[str, str]
    values: dict[str, ValueShape]


class OptionShape(Shape):
    case: str
    robots: int
    assignment: str
    served: float
    served_half: float | None
    orders_per_h: float
    orders_half: float | None
    turnover_s: float
    late: float
    idle: float
    enough: bool


@like(Advice, without="chosen next fewer options")
class AdviceShape(Shape):
    chosen: OptionShape
    next: OptionShape | None
    fewer: OptionShape | None
    options: list[OptionShape]


class Results(Shape):
    cases: list[CaseShape]
    advice: AdviceShape | None = Field(description="Where a question was asked.")


class Places(Given):
    below: RowId | None = None
    limit: int = Field(default=50, ge=1, le=MOST)


class OfCase(Given):
    case: str = Field(max_length=2000)


class OfRun(OfCase):
    seed: int = Field(default=0, ge=0, le=2**31 - 1)


class ViewShape(Shape):
    floor: dict[str, JsonValue]
    frames: list[dict[str, JsonValue]]
    heat: dict[str, list[float]]


class PresentShape(Shape):
    present: dict[str, JsonValue] | None


class PartsShape(Shape):
    layouts: list[str]
    scenarios: list[str]
    controllers: list[str]
    decisions: dict[str, dict[str, JsonValue]]
    layout: list[dict[str, JsonValue]]
    scenario: list[dict[str, JsonValue]]
    measures: list[str]


@section.get("/experiments", READERS)
def list_experiments(call: Call, query: Places) -> Page[ExperimentShape]:
    """Experiments, the newest first; `next` is `below` of the following page."""
    with call.desk.uow() as tx:
        found = tx.experiments.listing(limit=query.limit + 1, below=query.below)
    rows = found[: query.limit]
    more = str(rows[-1].id) if len(found) > len(rows) else None
    return Page[ExperimentShape](items=shaped(ExperimentShape, rows), next=more)


@section.post("/experiments", LEADERS, status=201)
def ask(call: Call, body: NewExperiment) -> Asked:
    """Ask for an experiment; a worker runs it. Every mistake of the plan is told."""
    made = ask_experiment(
        call.desk.uow,
        _simulator(call),
        body.title,
        body.plan.model_dump(),
        by=call.by,
    )
    return Asked(id=made)


@section.post("/experiments/questions", LEADERS, status=201)
def ask_which(call: Call, body: NewQuestion) -> Asked:
    """Ask which strategy and how many robots a warehouse needs."""
    asked = Question(**body.warehouse.model_dump())
    made = ask_question(call.desk.uow, _simulator(call), body.title, asked, by=call.by)
    return Asked(id=made)


@section.get("/experiments/parts", LEADERS)
def parts(call: Call) -> PartsShape:
    """All that a plan may be given: names, strategies, parameters with defaults."""
    return PartsShape.model_validate(_simulator(call).parts())


@section.get("/experiments/{experiment_id}", READERS)
def one(call: Call, experiment_id: RowId) -> ExperimentShape:
    """One experiment, and how far it is."""
    return ExperimentShape.model_validate(_found(call, experiment_id)[0])


@section.get("/experiments/{experiment_id}/runs", READERS)
def runs(call: Call, experiment_id: RowId) -> Listed[RunShape]:
    """The footprint of every run."""
    return Listed[RunShape](items=shaped(RunShape, _found(call, experiment_id)[1]))


@section.get("/experiments/{experiment_id}/results", READERS)
def results(call: Call, experiment_id: RowId) -> Results:
    """Cases side by side with intervals, and the recommendation of a question."""
    found, done = _found(call, experiment_id)
    advice = advise(done) if found.question is not None else None
    return Results(
        cases=shaped(CaseShape, cases_of(done) if done else []),
        advice=None if advice is None else AdviceShape.model_validate(advice),
    )


@section.get("/experiments/{experiment_id}/series", READERS)
def series(
    call: Call, experiment_id: RowId, query: OfRun
) -> Listed[dict[str, JsonValue]]:
    """Measures over the simulated time of one run."""
    with call.desk.uow() as tx:
        rows = tx.experiments.series(experiment_id, query.case, query.seed)
    if rows is None:
        raise ExperimentUnknown
    return Listed[dict[str, JsonValue]](items=[dict(row) for row in rows])


@section.get("/experiments/{experiment_id}/view", READERS)
def view(call: Call, experiment_id: RowId, query: OfCase) -> ViewShape:
    """Floor, frames and heat maps of a case's first run."""
    with call.desk.uow() as tx:
        packed = tx.experiments.view(experiment_id, query.case)
    if packed is None:
        raise ExperimentUnknown
    found: dict[str, Any] = json.loads(gzip.decompress(packed))
    return ViewShape.model_validate(found)


@section.get("/experiments/{experiment_id}/present", READERS)
def present(call: Call, experiment_id: RowId) -> PresentShape:
    """Where robots are in the run that is on; nothing between two runs."""
    with call.desk.uow() as tx:
        now = tx.experiments.present(experiment_id)
    return PresentShape(present=None if now is None else dict(now))


@section.post("/experiments/{experiment_id}/stop", LEADERS)
def stop(call: Call, experiment_id: RowId) -> None:
    """Stop one that waits or runs; what it has found stays."""
    stop_experiment(call.desk.uow, experiment_id, by=call.by)


@section.post("/experiments/{experiment_id}/share", LEADERS)
def share(call: Call, experiment_id: RowId, body: Sharing) -> Shared:
    """Let whoever knows a link see the results, or end that."""
    link = share_experiment(
        call.desk.uow, experiment_id, shared=body.shared, by=call.by
    )
    return Shared(link=link)


@section.delete("/experiments/{experiment_id}", LEADERS)
def delete(call: Call, experiment_id: RowId) -> None:
    """Delete one that has ended, with all of its runs."""
    delete_experiment(call.desk.uow, experiment_id, by=call.by)


def _found(call: Call, experiment_id: int) -> tuple[Experiment, list[Run]]:
    with call.desk.uow() as tx:
        found = tx.experiments.get(experiment_id)
        if found is None:
            raise ExperimentUnknown
        return found, list(tx.experiments.runs_of(experiment_id))


def _simulator(call: Call) -> Simulator:
    found = call.desk.simulator
    if found is None:
        raise SimulatorMissing(str(SimulatorMissing.__doc__))
    return found
