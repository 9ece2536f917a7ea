"""Models by the API: every version, what differs between two, decisions tried."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from mpms.ports.models import DeployedRow
from mpms.services.compare_models import compare_models
from mpms.services.edit_decision import show_decision, try_decision
from mpms.services.list_models import ModelLine, list_models
from mpms.services.propose_migration import propose_migration
from mpms.services.show_model import show_model
from mpms.web.api.operation import Call, Given, Section, Shape
from mpms.web.api.values import ProcessKey, Variables, Version, shaped
from mpms.web.rights import ADMINS, READERS

section = Section("Models", "Versions of processes, decisions and forms, compared.")

DecisionKey = Annotated[
    str, Field(min_length=1, max_length=200, description="The id of the decision.")
]


class DeployedVersion(Shape):
    version: int
    name: str
    digest: str
    deployed_at: datetime
    deployed_by: str
    note: str
    active: int


class ModelShape(Shape):
    key: str
    versions: list[DeployedVersion]


class ModelsShape(Shape):
    processes: list[ModelShape]
    decisions: list[ModelShape]
    forms: list[ModelShape]


class FindingShape(Shape):
    element: str
    name: str
    reason: str
    refuses: bool


class CheckedModel(Shape):
    key: str
    version: int
    findings: list[FindingShape]


class FactShape(Shape):
    fact: str
    old: str | None
    new: str | None


class ChangeInModel(Shape):
    how: str
    id: str
    name: str
    kind: str
    facts: list[FactShape]
    moved: bool


class Difference(Shape):
    old: int
    new: int
    changes: list[ChangeInModel]


class CompareQuery(Given):
    old: Version | None = Field(default=None, description="The one before `new`.")
    new: Version | None = Field(default=None, description="The newest without it.")


class PlannedInstance(Shape):
    instance_id: str
    version: int
    can_go: bool
    obstacles: list[str]
    business_key: str | None


class ElementShape(Shape):
    id: str
    name: str
    kind: str
    lane: str | None


class ProposalShape(Shape):
    old: int | None
    new: int
    planned: list[PlannedInstance]
    gone: list[ElementShape] = Field(description="Steps that the new version lacks.")
    come: list[ElementShape] = Field(description="What a gone step may have become.")
    renamed: dict[str, str]


class Propose(Given):
    version: Version = Field(description="Where they shall go.")
    from_version: Version | None = None
    renamed: Annotated[dict[str, str], Field(max_length=500)] | None = None


class ColumnShape(Shape):
    id: str
    label: str
    text: str
    type: str
    values: str


class RuleShape(Shape):
    id: str
    inputs: list[str]
    outputs: list[str]
    note: str


class DecisionShape(Shape):
    key: str
    name: str
    version: int
    is_table: bool
    expression: str
    hit_policy: str
    aggregation: str
    inputs: list[ColumnShape]
    outputs: list[ColumnShape]
    rules: list[RuleShape]
    needs: list[str]


class DecisionQuery(Given):
    version: Version | None = None


class Try(Given):
    variables: Variables = Field(default={})
    version: Version | None = Field(default=None, description="The newest without it.")


class TriedShape(Shape):
    outputs: Any
    fired: dict[str, list[str]] = Field(description="Rules that held, by decision.")
    error: str


@section.get("/models", READERS)
def list_all(call: Call) -> ModelsShape:
    """Everything that was ever deployed, by whom and when."""
    found = list_models(call.desk.uow, call.person.id)
    return ModelsShape(
        processes=_models(found.processes),
        decisions=_models(found.decisions),
        forms=_models(found.forms),
    )


@section.get("/models/{key}/findings", READERS)
def findings(call: Call, key: ProcessKey, query: DecisionQuery) -> CheckedModel:
    """What is noticed about a deployed model."""
    found = show_model(call.desk.uow, call.desk.engine, key, query.version)
    return CheckedModel(
        key=key,
        version=found.shown.version,
        findings=shaped(FindingShape, found.findings),
    )


@section.get("/models/{key}/difference", READERS)
def compare(call: Call, key: ProcessKey, query: CompareQuery) -> Difference:
    """What differs between two versions, element by element."""
    found = compare_models(
        call.desk.uow, call.desk.engine, key, old=query.old, new=query.new
    )
    return Difference(
        old=found.old.version,
        new=found.new.version,
        changes=shaped(ChangeInModel, found.changes),
    )


@section.post("/models/{key}/proposal", ADMINS)
def propose(call: Call, key: ProcessKey, body: Propose) -> ProposalShape:
    """Which running instances can go to a version; nothing is changed."""
    found = propose_migration(
        call.desk.uow,
        call.desk.engine,
        key,
        body.version,
        from_version=body.from_version,
        renamed=body.renamed,
    )
    return ProposalShape(
        old=None if found.old is None else found.old.version,
        new=found.new.version,
        planned=[
            PlannedInstance(
                instance_id=one.instance_id,
                version=one.version,
                can_go=one.can_go,
                obstacles=list(one.obstacles),
                business_key=found.business_keys.get(one.instance_id),
            )
            for one in found.planned
        ],
        gone=shaped(ElementShape, found.gone),
        come=shaped(ElementShape, found.come),
        renamed=dict(found.renamed),
    )


@section.get("/decisions/{key}", READERS)
def decision(call: Call, key: DecisionKey, query: DecisionQuery) -> DecisionShape:
    """A decision table with its columns and rules."""
    found = show_decision(call.desk.uow, call.desk.engine, key, query.version)
    sheet = found.sheet
    return DecisionShape(
        key=sheet.key,
        name=sheet.name,
        version=found.shown.version,
        is_table=sheet.is_table,
        expression=sheet.expression,
        hit_policy=sheet.hit_policy,
        aggregation=sheet.aggregation,
        inputs=shaped(ColumnShape, sheet.inputs),
        outputs=shaped(ColumnShape, sheet.outputs),
        rules=shaped(RuleShape, sheet.rules),
        needs=list(sheet.needs),
    )


@section.post("/decisions/{key}/try", READERS)
def decide(call: Call, key: DecisionKey, body: Try) -> TriedShape:
    """What a decision gives for these variables; nothing is changed."""
    desk = call.desk
    page = show_decision(desk.uow, desk.engine, key, body.version)
    tried = try_decision(
        desk.uow, desk.engine, page.xml, key, body.variables, now=desk.clock.now()
    )
    decided = tried.decided
    return TriedShape(
        outputs=None if decided is None else decided.outputs,
        fired=(
            {}
            if decided is None
            else {name: list(rules) for name, rules in decided.fired.items()}
        ),
        error=tried.error,
    )


def _models(lines: Sequence[ModelLine]) -> list[ModelShape]:
    return [
        ModelShape(key=line.key, versions=_versions(line.versions)) for line in lines
    ]


def _versions(rows: Sequence[DeployedRow]) -> list[DeployedVersion]:
    return shaped(DeployedVersion, rows)
